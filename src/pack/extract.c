#include "pack/extract.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "vfs/below.h"

enum {
    PIECE = 1 << 20,
    /* Smaller holes are written as zeros. */
    HOLE_LEAST = 1 << 16,
    /* Modes of files without those that would give rights to who runs them. */
    RIGHTS = 0777,
    /* Another process may take the rights from a folder again that this one has just given it. */
    TRIES = 100
};

/* A folder on the way to the present entry. */
struct level {
    int fd;
    size_t length; /* of its path */
};

struct scion_extract {
    struct scion_packed *packed;
    const char *root;
    struct scion_extract_how how;
    struct scion_packed_cursor cursor; /* looks folders up */
    struct scion_pack_list folders; /* that have entries, in the order in which they were entered */
    struct level *levels;           /* the first is the root */
    size_t depth, room;
    char path[SCION_PACK_PATH]; /* of the last level */
    int is_ending;
    unsigned char *buffer; /* [PIECE] */
};

static int failed(const struct scion_extract *extract, const char *path, int errnum)
{
    return scion_fail_errno(errnum, "cannot write %s/%s", extract->root, path);
}

/* ---- folders ---- */

static int folder_of(const struct scion_extract *extract)
{
    return extract->levels[extract->depth - 1].fd;
}

static int push(struct scion_extract *extract, int fd, size_t length)
{
    if (extract->depth == extract->room) {
        size_t room = 2 * extract->room + 16;
        struct level *more = scion_array_grown(extract->levels, room, sizeof *more);

        if (!more) {
            scion_below_close(fd);
            return scion_fail_memory("folders");
        }
        extract->levels = more;
        extract->room = room;
    }
    extract->levels[extract->depth++] = (struct level){fd, length};
    return 0;
}

static void pop(struct scion_extract *extract)
{
    scion_below_close(extract->levels[--extract->depth].fd);
    if (extract->depth > 0)
        extract->path[extract->levels[extract->depth - 1].length] = '\0';
}

/* Up to the last folder that is on the way to a path. */
static void leave(struct scion_extract *extract, const char *path)
{
    while (extract->depth > 1 && !scion_pack_is_below(path, extract->path))
        pop(extract);
}

/* Until the end a folder can be written, whatever its mode will be. Whether it could not. */
static int open_rights(int folder)
{
    struct stat status;

    return scion_below_status(folder, ".", &status) == 0 && (status.st_mode & 0700) != 0700 &&
           scion_below_set_mode(folder, (status.st_mode & 07777) | 0700) == 0;
}

/* Make a name in the last folder by a call that returns 0 if it succeeds. */
typedef int make_call(int folder, const char *name, const void *argument);

static int with_rights(struct scion_extract *extract, make_call *call, const char *name,
                       const void *argument)
{
    int folder = folder_of(extract), result = call(folder, name, argument), tries;

    for (tries = 0; result != 0 && tries < TRIES && open_rights(folder); tries++)
        result = call(folder, name, argument);
    return result;
}

static int make_folder(int folder, const char *name, const void *argument)
{
    (void)argument;
    return scion_below_make_folder(folder, name, 0777);
}

static int not_a_folder(const struct scion_extract *extract, const char *name, int errnum)
{
    struct stat status;

    if (scion_below_status(folder_of(extract), name, &status) == 0 && S_ISLNK(status.st_mode))
        return scion_fail(SION_ERR_ARGUMENT, "%s/%s is a link, which could lead elsewhere",
                          extract->root, extract->path);
    return failed(extract, extract->path, errnum);
}

/* What the container says of it is done at the end. */
static int note_folder(struct scion_extract *extract)
{
    const struct scion_pack_entry *entry;
    int is_folder, rc;

    if (extract->is_ending)
        return 0;
    rc = scion_packed_find(&extract->cursor, extract->path, &entry, &is_folder);
    return rc == 0 && entry && is_folder ? scion_pack_list_add(&extract->folders, entry) : rc;
}

/* Into the folder of a name in the last one, which is made if it is missing. */
static int enter(struct scion_extract *extract, const char *name, size_t length)
{
    size_t before = strlen(extract->path);
    char part[SCION_PACK_PATH];
    int fd = -1, errnum, rc;

    snprintf(part, sizeof part, "%.*s", (int)length, name);
    snprintf(extract->path + before, sizeof extract->path - before, "%s%s", before > 0 ? "/" : "",
             part);
    errnum = with_rights(extract, make_folder, part, NULL);
    if (errnum == 0 || errnum == EEXIST) {
        errnum = scion_below_enter(folder_of(extract), part, &fd);
        rc = errnum == 0 ? push(extract, fd, strlen(extract->path))
                         : not_a_folder(extract, part, errnum);
    } else {
        rc = failed(extract, extract->path, errnum);
    }
    if (rc != 0) {
        extract->path[before] = '\0';
        return rc;
    }
    return note_folder(extract);
}

/* Into the folders of a path; *name: the last part of it, which stays a name. */
static int enter_folders_of(struct scion_extract *extract, const char *path, const char **name)
{
    const char *slash;
    int rc = 0;

    leave(extract, path);
    path += strlen(extract->path);
    path += extract->depth > 1 && *path == '/';
    for (; rc == 0 && (slash = strchr(path, '/')); path = slash + 1)
        rc = enter(extract, path, (size_t)(slash - path));
    *name = path;
    return rc;
}

/* ---- names that are taken ---- */

/* A name that nobody else takes for what replaces something. */
static void name_beside(const char *name, char beside[NAME_MAX + 1])
{
    snprintf(beside, NAME_MAX + 1, ".%.200s.%ld", name, (long)getpid());
}

/* Make something by its name, or in place of what has the name. */
static int make(struct scion_extract *extract, make_call *call, const char *name,
                const void *argument)
{
    char beside[NAME_MAX + 1];
    int folder = folder_of(extract), errnum = with_rights(extract, call, name, argument);

    if (errnum != EEXIST)
        return errnum;
    name_beside(name, beside);
    scion_below_remove(folder, beside);
    errnum = call(folder, beside, argument);
    if (errnum == 0)
        errnum = scion_below_rename(folder, beside, name);
    if (errnum != 0)
        scion_below_remove(folder, beside);
    return errnum;
}

/* ---- files ---- */

static int copy_run(struct scion_extract *extract, const struct scion_pack_entry *entry,
                    struct scion_file *file, sion_int64 pos, sion_int64 *bytes)
{
    const struct scion_extract_how *how = &extract->how;
    int is_hole = 0, rc = 0;

    if (how->run && *bytes >= HOLE_LEAST)
        rc = how->run(how->context, entry->task, entry->data + pos, bytes, &is_hole);
    if (rc != 0 || (is_hole && *bytes >= HOLE_LEAST))
        return rc;
    if (*bytes > PIECE)
        *bytes = PIECE;
    rc = scion_packed_read(extract->packed, entry, extract->buffer, (size_t)*bytes, pos);
    return rc == 0 ? scion_file_write(file, extract->buffer, (size_t)*bytes, pos, NULL) : rc;
}

static int copy_data(struct scion_extract *extract, const struct scion_pack_entry *entry,
                     struct scion_file *file)
{
    const struct scion_extract_how *how = &extract->how;
    sion_int64 pos, bytes;
    int rc = scion_packed_check(extract->packed, entry);

    for (pos = 0; pos < entry->size && rc == 0; pos += bytes) {
        bytes = entry->size - pos;
        rc = copy_run(extract, entry, file, pos, &bytes);
        if (rc == 0 && how->pass)
            rc = how->pass(how->context, bytes);
    }
    return rc == 0 ? scion_file_truncate(file, entry->size) : rc;
}

static struct timespec time_of(const struct scion_pack_entry *entry)
{
    return (struct timespec){.tv_sec = (time_t)entry->mtime, .tv_nsec = (long)entry->mtime_ns};
}

static int fill_file(struct scion_extract *extract, const struct scion_pack_entry *entry,
                     struct scion_file *file)
{
    struct stat as = {.st_mtim = time_of(entry), .st_atim = time_of(entry)};
    int rc = copy_data(extract, entry, file), errnum;

    if (rc != 0)
        return rc;
    rc = scion_file_set_permissions(file, entry->mode & RIGHTS);
    errnum = rc == 0 ? scion_file_set_times(file, &as) : 0;
    return errnum == 0 ? rc : failed(extract, entry->path, errnum);
}

struct opening {
    const char *path; /* for messages */
    struct scion_file **file;
};

static int open_new(int folder, const char *name, const void *argument)
{
    const struct opening *opening = argument;

    return scion_below_file(folder, name, SCION_OPEN_NEW, 0600, opening->path, opening->file);
}

/* Under another name until it is complete. */
static int make_file(struct scion_extract *extract, const struct scion_pack_entry *entry,
                     const char *name)
{
    char beside[NAME_MAX + 1];
    struct scion_file *file;
    const struct opening opening = {.path = entry->path, .file = &file};
    int rc, errnum, closed;

    name_beside(name, beside);
    scion_below_remove(folder_of(extract), beside);
    rc = with_rights(extract, open_new, beside, &opening);
    if (rc != 0)
        return rc;
    rc = fill_file(extract, entry, file);
    closed = scion_file_close(file);
    rc = scion_first_failure(rc, closed);
    errnum = rc == 0 ? scion_below_rename(folder_of(extract), beside, name) : 0;
    if (errnum != 0)
        rc = failed(extract, entry->path, errnum);
    if (rc != 0)
        scion_below_remove(folder_of(extract), beside);
    return rc;
}

/* ---- links and pipes ---- */

static int call_link(int folder, const char *name, const void *argument)
{
    return scion_below_make_link(folder, name, argument);
}

static int call_pipe(int folder, const char *name, const void *argument)
{
    const struct scion_pack_entry *entry = argument;

    return scion_below_make_pipe(folder, name, entry->mode & RIGHTS);
}

static int make_simple(struct scion_extract *extract, const struct scion_pack_entry *entry,
                       const char *name, make_call *call, const void *argument)
{
    const struct timespec time = time_of(entry);
    int errnum = make(extract, call, name, argument);

    if (errnum == 0)
        errnum = scion_below_set_time(folder_of(extract), name, &time);
    return errnum == 0 ? 0 : failed(extract, entry->path, errnum);
}

static int make_link(struct scion_extract *extract, const struct scion_pack_entry *entry,
                     const char *name)
{
    int rc = extract->how.links_anywhere ? 0 : scion_pack_check_link(entry);

    return rc == 0 ? make_simple(extract, entry, name, call_link, entry->target) : rc;
}

struct original {
    int folder;
    const char *name;
};

static int call_hard(int folder, const char *name, const void *argument)
{
    const struct original *original = argument;

    return scion_below_link(original->folder, original->name, folder, name);
}

/* The folder of the original is held while that of the entry is entered. */
static int make_hard(struct scion_extract *extract, const struct scion_pack_entry *entry)
{
    struct original original;
    const char *name;
    int rc = scion_pack_check_link(entry), errnum;

    if (rc == 0)
        rc = enter_folders_of(extract, entry->target, &original.name);
    if (rc != 0)
        return rc;
    errnum = scion_below_enter(folder_of(extract), ".", &original.folder);
    if (errnum != 0)
        return failed(extract, entry->target, errnum);
    rc = enter_folders_of(extract, entry->path, &name);
    errnum = rc == 0 ? make(extract, call_hard, name, &original) : 0;
    scion_below_close(original.folder);
    return errnum == 0 ? rc : failed(extract, entry->path, errnum);
}

/* ---- all ---- */

static int make_entry(struct scion_extract *extract, const struct scion_pack_entry *entry,
                      const char *name)
{
    switch (entry->type) {
    case SCION_PACK_FOLDER:
        return enter(extract, name, strlen(name));
    case SCION_PACK_LINK:
        return make_link(extract, entry, name);
    case SCION_PACK_PIPE:
        return make_simple(extract, entry, name, call_pipe, entry);
    default:
        return make_file(extract, entry, name);
    }
}

int scion_extract_as(struct scion_extract *extract, const struct scion_pack_entry *entry,
                     const char *path)
{
    const char *name;
    int rc = scion_pack_check_path(path);

    if (rc == 0)
        rc = enter_folders_of(extract, path, &name);
    if (rc != 0 || !*name) /* a folder that is entered already */
        return rc;
    return make_entry(extract, entry, name);
}

int scion_extract_entry(struct scion_extract *extract, const struct scion_pack_entry *entry)
{
    int rc;

    if (entry->type != SCION_PACK_HARD)
        return scion_extract_as(extract, entry, entry->path);
    rc = scion_pack_check_path(entry->path);
    return rc == 0 ? make_hard(extract, entry) : rc;
}

int scion_extract_begin(struct scion_packed *packed, const char *root,
                        const struct scion_extract_how *how, struct scion_extract **extract)
{
    struct scion_extract *new = calloc(1, sizeof *new);
    int fd, errnum, rc = new ? 0 : scion_fail_memory("folders");

    if (rc != 0)
        return rc;
    new->packed = packed;
    new->root = root;
    new->how = *how;
    scion_packed_begin(packed, &new->cursor);
    new->buffer = malloc(PIECE);
    if (!new->buffer)
        rc = scion_fail_memory("packed files");
    errnum = rc == 0 ? scion_below_open(root, &fd) : 0;
    if (errnum != 0)
        rc = scion_fail_errno(errnum, "cannot open folder %s", root);
    if (rc == 0)
        rc = push(new, fd, 0);
    if (rc == 0)
        *extract = new;
    else
        scion_extract_end(new, rc);
    return rc;
}

static int settle_folder(struct scion_extract *extract, const struct scion_pack_entry *entry)
{
    const struct timespec time = time_of(entry);
    const char *name;
    int fd, errnum, rc = enter_folders_of(extract, entry->path, &name);

    if (rc != 0)
        return rc;
    errnum = scion_below_enter(folder_of(extract), *name ? name : ".", &fd);
    if (errnum != 0)
        return failed(extract, entry->path, errnum);
    errnum = scion_below_set_mode(fd, entry->mode & RIGHTS);
    if (errnum == 0)
        errnum = scion_below_set_own_time(fd, &time);
    scion_below_close(fd);
    return errnum == 0 ? 0 : failed(extract, entry->path, errnum);
}

/* What is below a folder is done before it. */
static int settle_folders(struct scion_extract *extract)
{
    const struct scion_pack_list *folders = &extract->folders;
    size_t i;
    int rc = 0;

    extract->is_ending = 1;
    scion_pack_list_sort(&extract->folders);
    for (i = folders->count; i-- > 0 && rc == 0;) {
        const struct scion_pack_entry *entry = &folders->entries[i];

        if (i + 1 == folders->count || strcmp(entry->path, entry[1].path) != 0)
            rc = settle_folder(extract, entry);
    }
    return rc;
}

int scion_extract_end(struct scion_extract *extract, int rc)
{
    int settled = extract->depth > 0 ? settle_folders(extract) : 0;

    while (extract->depth > 0)
        pop(extract);
    scion_packed_end(&extract->cursor);
    scion_pack_list_free(&extract->folders);
    free(extract->levels);
    free(extract->buffer);
    free(extract);
    return scion_first_failure(rc, settled);
}
