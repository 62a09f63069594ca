#include "lib/replace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lib/tool.h"
#include "vfs/path.h"
#include "vfs/writer_lock.h"

static int refused(const char *name, const char *reason)
{
    tool_error("cannot open outfile %s , aborting ... (%s)", name, reason);
    return TOOL_FAILED;
}

/* The error record on stderr, with the text `as` in place of `path` (NULL: as it is). */
static int failed(const char *path, const char *as)
{
    const char *text = scion_error_text();
    const char *at = path ? strstr(text, path) : NULL;

    if (at)
        tool_error("%.*s%s%s", (int)(at - text), text, as, at + strlen(path));
    else
        tool_error("%s", text);
    return TOOL_FAILED;
}

int replace_failed(const struct replace *replace)
{
    return failed(replace->beside, replace->name);
}

static int begins_with(const char *name, const char *start)
{
    return strncmp(name, start, strlen(start)) == 0;
}

/* Other files in /dev are devices or, in /dev/shm, as everywhere. */
static int is_descriptor(const char *name)
{
    return begins_with(name, "/dev/fd/") || begins_with(name, "/dev/std") ||
           begins_with(name, "/proc/");
}

/* Where the last part of a path begins, as a length. */
static int folder_length(const char *path)
{
    return (int)(scion_basename(path) - path);
}

static int out_of_memory(void)
{
    tool_error("out of memory");
    return TOOL_FAILED;
}

/* Only this process makes files in it. */
static int make_folder(struct replace_group *group, const char *name)
{
    int errnum;

    group->beside = scion_path_beside(name);
    if (!group->beside)
        return out_of_memory();
    errnum = scion_make_private_folder(group->beside);
    if (errnum == 0)
        return TOOL_RUN;
    free(group->beside);
    group->beside = NULL;
    return refused(name, strerror(errnum));
}

static int make_path(struct replace *replace)
{
    struct replace_group *group = replace->group;

    if (group && !group->beside && make_folder(group, replace->name) != TOOL_RUN)
        return TOOL_FAILED;
    replace->beside = group ? scion_path_new(group->beside, scion_basename(replace->name))
                            : scion_path_beside(replace->name);
    return replace->beside ? TOOL_RUN : out_of_memory();
}

static int make_file(struct replace *replace)
{
    struct scion_file *file;

    if (make_path(replace) != TOOL_RUN)
        return TOOL_FAILED;
    if (scion_file_open(replace->beside, SCION_OPEN_NEW, replace->permissions | S_IRUSR | S_IWUSR,
                        &file) != 0) {
        free(replace->beside);
        replace->beside = NULL;
        return refused(replace->name, strerror(errno));
    }
    return scion_file_close(file) == 0 ? TOOL_RUN : replace_end(replace, replace_failed(replace));
}

int replace_begin(struct replace *replace, struct replace_group *group, const char *name,
                  mode_t permissions)
{
    struct stat file;
    int errnum;

    *replace = (struct replace){.name = name, .group = group, .permissions = permissions & 0777};
    if (!*name)
        return refused(name, "no name");
    errnum = scion_path_status(name, &file);
    if (errnum == 0) {
        if (S_ISDIR(file.st_mode))
            return refused(name, strerror(EISDIR));
        if (!S_ISREG(file.st_mode) || is_descriptor(name))
            return TOOL_RUN;
        errnum = scion_path_check_writable(name);
        if (errnum != 0)
            return refused(name, strerror(errnum));
        if (scion_writer_lock_check(name) != 0)
            return failed(NULL, NULL);
    } else if (errnum != ENOENT) {
        return refused(name, strerror(errnum));
    }
    return make_file(replace);
}

const char *replace_path(const struct replace *replace)
{
    return replace->beside ? replace->beside : replace->name;
}

/* While the file was being written, its owner had write permission. */
static int set_permissions(const struct replace *replace)
{
    struct stat file;
    int errnum = scion_path_status(replace->beside, &file);

    if (errnum == 0)
        errnum = scion_path_set_permissions(replace->beside, file.st_mode & replace->permissions);
    if (errnum == 0)
        return TOOL_RUN;
    tool_error("cannot set the permissions of %s: %s", replace->name, strerror(errnum));
    return TOOL_FAILED;
}

static int put_in_place(const struct replace *replace)
{
    int rc = replace->group ? 0 : scion_sync_whole(replace->beside);

    if (rc == 0 && set_permissions(replace) != TOOL_RUN)
        return TOOL_FAILED;
    if (rc == 0 && !replace->group)
        rc = scion_file_rename(replace->beside, replace->name);
    return rc == 0 ? TOOL_RUN : replace_failed(replace);
}

static int is_good(int status)
{
    return status == TOOL_RUN || status == TOOL_DONE;
}

int replace_end(struct replace *replace, int status)
{
    if (!replace->beside)
        return status;
    if (is_good(status) && put_in_place(replace) != TOOL_RUN)
        status = TOOL_FAILED;
    if (!is_good(status))
        scion_file_remove(replace->beside);
    free(replace->beside);
    replace->beside = NULL;
    return status;
}

/* ---- groups ---- */

/* An action on each file; 0 or an error code. */
typedef int visitor(const struct replace_group *group, const char *path, const char *name);

static int sync_file(const struct replace_group *group, const char *path, const char *name)
{
    (void)group;
    (void)name;
    return scion_sync_whole(path);
}

static int move_file(const struct replace_group *group, const char *path, const char *name)
{
    int length = folder_length(group->beside), errnum;
    char *to = malloc((size_t)length + strlen(name) + 1);

    if (!to)
        return scion_fail_memory("name of a file");
    sprintf(to, "%.*s%s", length, group->beside, name);
    errnum = scion_path_move(path, to);
    if (errnum != 0)
        errnum = scion_fail_errno(errnum, "cannot make %s", to);
    free(to);
    return errnum;
}

static int remove_file(const struct replace_group *group, const char *path, const char *name)
{
    (void)group;
    (void)name;
    scion_file_remove(path);
    return 0;
}

static int visit_file(const struct replace_group *group, const char *name, visitor *visit)
{
    char *path = scion_path_new(group->beside, name);
    int rc = path ? visit(group, path, name) : scion_fail_memory("name of a file");

    free(path);
    return rc;
}

static int is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static int visit_all(const struct replace_group *group, visitor *visit)
{
    struct scion_folder *folder;
    const char *name = NULL;
    int rc = scion_folder_open(group->beside, &folder);

    while (rc == 0 && folder && (rc = scion_folder_next(folder, &name)) == 0 && name) {
        if (!is_dots(name))
            rc = visit_file(group, name, visit);
    }
    scion_folder_close(folder);
    return rc;
}

/* If a folder changes while it is read, the system may leave out some names, so read it again. */
static int empty_folder(const struct replace_group *group, visitor *visit)
{
    int rc, errnum;

    do {
        rc = visit_all(group, visit);
        errnum = rc == 0 ? scion_remove_folder(group->beside) : 0;
    } while (errnum == ENOTEMPTY || errnum == EEXIST);
    if (errnum != 0)
        rc = scion_fail_errno(errnum, "cannot remove folder %s", group->beside);
    return rc;
}

/* Users do not know the last part of the folder's name. */
static int group_failed(const struct replace_group *group)
{
    char *path = scion_path_new(scion_basename(group->beside), "");

    failed(path, "");
    free(path);
    return TOOL_FAILED;
}

int replace_end_group(struct replace_group *group, int status)
{
    int rc = 0;

    if (!group->beside)
        return status;
    if (is_good(status)) {
        rc = visit_all(group, sync_file);
        if (rc == 0)
            rc = empty_folder(group, move_file);
        if (rc == 0)
            rc = scion_sync_folder_of(group->beside);
        if (rc != 0)
            status = group_failed(group);
    }
    if (!is_good(status))
        empty_folder(group, remove_file);
    free(group->beside);
    group->beside = NULL;
    return status;
}
