#include "sionfti/files.h"

#include <stdlib.h>
#include <string.h>

#include "vfs/path.h"
#include "base/error.h"
#include "base/memory.h"
#include "ftiff/source.h"
#include "lib/tool.h"
#include "sionfti/fail.h"

static int add_file(struct fti_files *files, char *path, int is_named)
{
    struct fti_file *more = NULL;

    if (path)
        more = scion_array_grown(files->file, (size_t)files->count + 1, sizeof *more);
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

static int list_failed(void)
{
    tool_error("%s", scion_error_text());
    return TOOL_FAILED;
}

static int add_entries(struct fti_files *files, struct scion_folder *folder, const char *path,
                       int ckptid)
{
    const char *entry;
    int status = TOOL_RUN;

    while (status == TOOL_RUN) {
        struct scion_fti_name name;

        if (scion_folder_next(folder, &entry) != 0)
            return list_failed();
        if (!entry)
            break;
        name = scion_fti_name_parse(entry);
        if (is_checkpoint(&name, ckptid))
            status = add_file(files, scion_path_new(path, entry), 0);
    }
    return status;
}

static int add_folder(struct fti_files *files, struct scion_folder *folder, const char *path,
                      int ckptid)
{
    int before = files->count, status = add_entries(files, folder, path, ckptid);

    scion_folder_close(folder);
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
    order = strcmp(scion_basename(x->path), scion_basename(y->path));
    return order != 0 ? order : strcmp(x->path, y->path);
}

/* ---- Topology.fti ---- */

enum { TOPOLOGY_MOST = 64 << 20 };

static char *load(const char *path)
{
    struct scion_fti_file_source file;
    char *text = NULL;
    size_t size;

    if (scion_fti_open_file(path, &file) != 0) {
        fti_failed(path);
        return NULL;
    }
    size = file.source.size > TOPOLOGY_MOST ? TOPOLOGY_MOST : (size_t)file.source.size;
    text = calloc(size + 1, 1);
    if (!text)
        fti_out_of_memory();
    else if (file.source.read(&file.source, text, size, 0) != 0) {
        fti_failed(path);
        free(text);
        text = NULL;
    }
    scion_file_close(file.file);
    return text;
}

/* The lines "<node> = <name>" in the section [topology]. */
static int count_nodes(char *text)
{
    int nodes = 0, is_inside = 0;
    char *line;

    for (line = strtok(text, "\r\n"); line; line = strtok(NULL, "\r\n")) {
        line += strspn(line, " \t");
        if (*line == '[')
            is_inside = strncmp(line, "[topology]", 10) == 0;
        else
            nodes += is_inside && *line >= '0' && *line <= '9' && strchr(line, '=');
    }
    return nodes;
}

static int read_topology(struct fti_files *files, const char *path)
{
    char *text = load(path);

    if (!text)
        return TOOL_FAILED;
    files->nodes = count_nodes(text);
    free(text);
    if (files->nodes > 0)
        return TOOL_RUN;
    tool_error("%s: no nodes in a section [topology]", path);
    return TOOL_FAILED;
}

int fti_find_files(int n, char **operands, int ckptid, struct fti_files *files)
{
    int status = TOOL_RUN, i;

    *files = (struct fti_files){.file = NULL};
    for (i = 0; i < n && status == TOOL_RUN; i++) {
        struct scion_folder *folder = NULL;

        if (operands[i][0] && scion_folder_open(operands[i], &folder) != 0)
            status = list_failed();
        else if (folder)
            status = add_folder(files, folder, operands[i], ckptid);
        else if (strcmp(scion_basename(operands[i]), "Topology.fti") == 0)
            status = read_topology(files, operands[i]);
        else
            status = add_file(files, strdup(operands[i]), 1);
    }
    if (status == TOOL_RUN && files->count == 0) {
        tool_error("no checkpoint files");
        status = TOOL_FAILED;
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
    *files = (struct fti_files){.file = NULL};
}
