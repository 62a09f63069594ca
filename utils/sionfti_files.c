#include "sionfti.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "tool.h"

/* Functions of the public interface put their names before it. */
static const char *reason(void)
{
    const char *text = scion_error_text(), *colon = strstr(text, ": ");

    return strncmp(text, "sion_", 5) == 0 && colon ? colon + 2 : text;
}

int fti_failed(const char *label)
{
    const char *text = reason();

    if (strstr(text, label))
        tool_error("%s", text);
    else
        tool_error("%s: %s", label, text);
    return TOOL_FAILED;
}

int fti_out_of_memory(void)
{
    tool_error("out of memory");
    return TOOL_FAILED;
}

/* ---- which files ---- */

static int add_file(struct fti_files *files, char *path, int is_named)
{
    struct fti_file *more = NULL;

    if (path)
        more = realloc(files->file, ((size_t)files->count + 1) * sizeof *more);
    if (!more) {
        free(path);
        return fti_out_of_memory();
    }
    files->file = more;
    more[files->count++] = (struct fti_file){path, scion_fti_name_parse(path), is_named};
    return TOOL_RUN;
}

static int is_checkpoint(const struct scion_fti_name *name, int ckptid)
{
    return name->kind != SCION_FTI_FOREIGN && name->kind != SCION_FTI_SHARED &&
           (ckptid < 0 || name->ckptid == ckptid);
}

static char *join(const char *folder, const char *name)
{
    char *path = malloc(strlen(folder) + strlen(name) + 2);

    if (path)
        sprintf(path, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", name);
    return path;
}

static int add_folder(struct fti_files *files, DIR *folder, const char *path, int ckptid)
{
    int before = files->count, status = TOOL_RUN;
    struct dirent *entry;

    while (status == TOOL_RUN && (entry = readdir(folder)) != NULL) {
        struct scion_fti_name name = scion_fti_name_parse(entry->d_name);

        if (is_checkpoint(&name, ckptid))
            status = add_file(files, join(path, entry->d_name), 0);
    }
    closedir(folder);
    if (status == TOOL_RUN && files->count == before) {
        if (ckptid < 0)
            tool_error("%s: no checkpoint files in this folder", path);
        else
            tool_error("%s: no files of checkpoint %d in this folder", path, ckptid);
        status = TOOL_FAILED;
    }
    return status;
}

/* What can be the ranks' checkpoint comes first. */
static int kind_order(enum scion_fti_kind kind)
{
    if (kind == SCION_FTI_FOREIGN)
        return SCION_FTI_SHARED + 1;
    return kind == SCION_FTI_RANK ? -2 : kind == SCION_FTI_DIFFERENTIAL ? -1 : (int)kind;
}

const char *fti_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static int compare_files(const void *a, const void *b)
{
    const struct fti_file *x = a, *y = b;
    int order;

    if (x->name.kind != y->name.kind)
        return kind_order(x->name.kind) < kind_order(y->name.kind) ? -1 : 1;
    if (x->name.ckptid != y->name.ckptid)
        return x->name.ckptid < y->name.ckptid ? -1 : 1;
    if (x->name.rank != y->name.rank)
        return x->name.rank < y->name.rank ? -1 : 1;
    order = strcmp(fti_base_name(x->path), fti_base_name(y->path));
    return order != 0 ? order : strcmp(x->path, y->path);
}

int fti_find_files(int n, char **operands, int ckptid, struct fti_files *files)
{
    int status = TOOL_RUN, i;

    *files = (struct fti_files){NULL, 0};
    for (i = 0; i < n && status == TOOL_RUN; i++) {
        DIR *folder = operands[i][0] ? opendir(operands[i]) : NULL;

        if (folder)
            status = add_folder(files, folder, operands[i], ckptid);
        else
            status = add_file(files, strdup(operands[i]), 1);
    }
    if (status != TOOL_RUN) {
        fti_free_files(files);
        return status;
    }
    qsort(files->file, (size_t)files->count, sizeof *files->file, compare_files);
    return TOOL_RUN;
}

void fti_free_files(struct fti_files *files)
{
    int i;

    for (i = 0; i < files->count; i++)
        free(files->file[i].path);
    free(files->file);
    *files = (struct fti_files){NULL, 0};
}

/* ---- what is in them ---- */

int fti_is_container(const char *path)
{
    struct scion_fti_file_source file;
    char magic[4] = "";
    int rc;

    if (scion_fti_open_file(path, &file) != 0)
        return 0;
    rc = file.source.size < 4 ? -1 : file.source.read(&file.source, magic, sizeof magic, 0);
    scion_file_close(file.file);
    return rc == 0 && memcmp(magic, "sion", sizeof magic) == 0;
}

typedef int visit_function(void *data, const struct fti_item *item);

/* With its name, if the container has names. */
static int visit_stream(const char *path, struct fti_container *container, int task,
                        struct fti_item *item, visit_function *visit, void *data)
{
    size_t size = strlen(path) + 300;
    struct scion_fti_stream_source stream;
    char *label = malloc(size), name[256];
    int status = TOOL_RUN;

    if (!label)
        return fti_out_of_memory();
    snprintf(label, size, "%s, task %d", path, task);
    item->name = (struct scion_fti_name){SCION_FTI_FOREIGN, -1, container->ranks[task]};
    if (container->names)
        status = fti_next_name(container, name);
    if (container->names && status == TOOL_RUN) {
        snprintf(label, size, "%s, %s", path, name);
        item->name = scion_fti_name_parse(name);
    }
    item->label = label;
    item->source = &stream.source;
    if (status == TOOL_RUN && scion_fti_open_stream(container->sid, task, &stream) != 0)
        status = fti_failed(label);
    if (status == TOOL_RUN)
        status = visit(data, item);
    free(label);
    return status;
}

static int visit_container(const struct fti_file *file, int index, visit_function *visit,
                           void *data)
{
    struct fti_item item = {.index = index};
    struct fti_container container;
    int status = fti_open_container(file->path, &container), failed = 0, task;

    if (status != TOOL_RUN)
        return status;
    for (task = 0; task < container.ntasks; task++)
        failed |= visit_stream(file->path, &container, task, &item, visit, data) == TOOL_FAILED;
    return fti_close_container(&container, failed ? TOOL_FAILED : TOOL_DONE);
}

static int visit_file(const struct fti_file *file, int index, visit_function *visit, void *data)
{
    struct fti_item item = {.label = file->path, .name = file->name, .index = index};
    struct scion_fti_file_source opened;
    int status;

    if (scion_fti_open_file(file->path, &opened) != 0)
        return fti_failed(file->path);
    item.source = &opened.source;
    status = visit(data, &item);
    scion_file_close(opened.file);
    return status;
}

int fti_visit(const struct fti_files *files, visit_function *visit, void *data)
{
    int status = TOOL_DONE, i;

    for (i = 0; i < files->count; i++) {
        const struct fti_file *file = &files->file[i];
        int one = fti_is_container(file->path) ? visit_container(file, i, visit, data)
                                               : visit_file(file, i, visit, data);

        if (one == TOOL_FAILED)
            status = TOOL_FAILED;
    }
    return status;
}

int fti_read_item(const struct fti_item *item, struct scion_fti_image *image)
{
    return scion_fti_read_named(item->source, item->label, item->name, image) == 0
               ? TOOL_RUN
               : fti_failed(item->label);
}

int fti_read_encoded(const struct fti_item *item, struct scion_fti_encoded *encoded)
{
    int rc = scion_fti_read_encoded(item->source, encoded);

    if (rc == 0 && scion_fti_layout(encoded->era)->has_id)
        rc = scion_fti_check_name(item->name, encoded->fb.ckptid);
    return rc == 0 ? TOOL_RUN : fti_failed(item->label);
}

static void on_damage(void *data, const char *text)
{
    const struct fti_item *item = data;

    tool_error("%s: %s", item->label, text);
}

int fti_verify_item(const struct fti_item *item, const struct scion_fti_image *image)
{
    struct fti_item of = *item;
    const struct scion_fti_visitor visitor = {.data = &of, .damage = on_damage, .is_thorough = 1};
    int rc = scion_fti_verify(item->source, image, &visitor);

    if (rc == 0)
        return TOOL_RUN;
    return rc == SION_ERR_DAMAGED ? TOOL_FAILED : fti_failed(item->label);
}

const char *fti_encoded_release(const struct scion_fti_encoded *encoded)
{
    return encoded->era == SCION_FTI_C ? "1.3 or 1.4" : scion_fti_layout(encoded->era)->releases;
}

/* ---- output ---- */

int fti_make_folder(const char *path)
{
    struct stat status;

    if (mkdir(path, 0777) == 0 ||
        (errno == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode)))
        return TOOL_RUN;
    tool_error("cannot make folder %s: %s", path, strerror(errno));
    return TOOL_FAILED;
}

mode_t fti_permissions(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 ? status.st_mode & 0777 : S_IRUSR | S_IWUSR;
}

int fti_is_input(const char *folder, const char *name, const char *input)
{
    char *path = join(folder, name);
    struct stat out, in;
    int same = path && stat(path, &out) == 0 && stat(input, &in) == 0 && out.st_dev == in.st_dev &&
               out.st_ino == in.st_ino;

    if (same)
        tool_error("%s is a file of the input", path);
    free(path);
    return same;
}

static int open_output(struct fti_output *output)
{
    int status;

    if (scion_file_open(replace_path(&output->replace), SCION_OPEN_WRITE, 0, &output->file) == 0)
        return TOOL_RUN;
    status = replace_failed(&output->replace);
    return replace_end(&output->replace, status);
}

int fti_create(const char *folder, const char *name, mode_t permissions, struct fti_output *output)
{
    int status;

    output->path = folder ? join(folder, name) : strdup(name);
    if (!output->path)
        return fti_out_of_memory();
    status = replace_begin(&output->replace, output->path, permissions);
    if (status == TOOL_RUN)
        status = open_output(output);
    if (status != TOOL_RUN)
        free(output->path);
    return status;
}

int fti_copy(struct scion_fti_source *source, sion_int64 offset, sion_int64 bytes,
             struct scion_file *to, sion_int64 *place)
{
    static unsigned char piece[1 << 20];

    while (bytes > 0) {
        size_t now = bytes < (sion_int64)sizeof piece ? (size_t)bytes : sizeof piece;
        int rc = source->read(source, piece, now, offset);

        if (rc == 0)
            rc = scion_file_write(to, piece, now, *place, NULL);
        if (rc != 0)
            return rc;
        offset += (sion_int64)now;
        *place += (sion_int64)now;
        bytes -= (sion_int64)now;
    }
    return 0;
}

int fti_close(struct fti_output *output, int rc)
{
    int status = rc == 0 ? TOOL_RUN : replace_failed(&output->replace);

    if (scion_file_close(output->file) != 0 && status == TOOL_RUN)
        status = replace_failed(&output->replace);
    status = replace_end(&output->replace, status);
    free(output->path);
    return status;
}
