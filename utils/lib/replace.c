#include "lib/replace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lib/tool.h"
#include "vfs/path.h"
#include "vfs/writer_lock.h"

static int refused(const struct replace *replace, const char *reason)
{
    tool_error(replace->is_plain ? "cannot write %s: %s"
                                 : "cannot open outfile %s , aborting ... (%s)",
               replace->name, reason);
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
static int make_folder(struct replace_group *group, const struct replace *replace)
{
    int errnum;

    group->beside = scion_path_beside(replace->name);
    if (!group->beside)
        return out_of_memory();
    errnum = scion_make_private_folder(group->beside);
    if (errnum == 0)
        return TOOL_RUN;
    free(group->beside);
    group->beside = NULL;
    return refused(replace, strerror(errnum));
}

static int make_path(struct replace *replace)
{
    struct replace_group *group = replace->group;

    if (group && !group->beside && make_folder(group, replace) != TOOL_RUN)
        return TOOL_FAILED;
    replace->beside = group ? scion_path_new(group->beside, scion_basename(replace->name))
                            : scion_path_beside(replace->name);
    return replace->beside ? TOOL_RUN : out_of_memory();
}

static int make_file(struct replace *replace)
{
    struct scion_file *file;

    if (!replace->beside && make_path(replace) != TOOL_RUN)
        return TOOL_FAILED;
    if (scion_file_open(
            replace->beside, SCION_OPEN_NEW,
            scion_older_permissions(&replace->seen, replace->permissions | S_IRUSR | S_IWUSR),
            &file) != 0) {
        free(replace->beside);
        replace->beside = NULL;
        return refused(replace, strerror(errno));
    }
    replace->made = *scion_file_opened(file);
    return scion_file_close(file) == 0 ? TOOL_RUN : replace_end(replace, replace_failed(replace));
}

static void let_go(struct replace *replace)
{
    scion_writer_lock_release(replace->lock, 0);
    replace->lock = NULL;
}

/* Another writer may have the name: a program, or a tool. */
static int hold_name(struct replace *replace, int is_locked)
{
    int rc = is_locked ? scion_writer_lock_take(replace->name, 0, &replace->lock)
                       : scion_writer_lock_check(replace->name);

    if (rc == 0)
        rc = scion_older_look(replace->name, &replace->seen);
    return rc == 0 ? TOOL_RUN : failed(NULL, NULL);
}

/* TOOL_RUN if the name may be given to a new file; *is_special: it is not that of a regular one.
   is_locked: it is locked until the end, else only looked at. */
static int check_name(struct replace *replace, int is_locked, int *is_special)
{
    const char *name = replace->name;
    struct stat file;
    int errnum;

    *is_special = 0;
    if (!*name)
        return refused(replace, "no name");
    errnum = scion_path_status(name, &file);
    if (errnum == 0 && S_ISDIR(file.st_mode))
        errnum = EISDIR;
    *is_special = errnum == 0 && (!S_ISREG(file.st_mode) || is_descriptor(name));
    if (errnum == 0 && !*is_special)
        errnum = scion_path_check_writable(name);
    if (errnum != 0 && errnum != ENOENT)
        return refused(replace, strerror(errnum));
    if (errnum == ENOENT && replace->group)
        return TOOL_RUN;
    return *is_special ? TOOL_RUN : hold_name(replace, is_locked);
}

static int begin(struct replace *replace)
{
    int is_special, status = check_name(replace, !replace->group, &is_special);

    if (status == TOOL_RUN && !is_special)
        status = make_file(replace);
    if (status != TOOL_RUN)
        let_go(replace);
    return status;
}

int replace_begin(struct replace *replace, struct replace_group *group, const char *name,
                  mode_t permissions)
{
    *replace = (struct replace){.name = name, .group = group, .permissions = permissions & 0777};
    return begin(replace);
}

int replace_begin_plain(struct replace *replace, const char *name, mode_t permissions)
{
    *replace = (struct replace){.name = name, .permissions = permissions & 0777, .is_plain = 1};
    return begin(replace);
}

static int check_member(struct replace *replace, int is_first)
{
    int is_special, status = check_name(replace, is_first, &is_special);

    return is_special ? refused(replace, "not a regular file") : status;
}

int replace_begin_member(struct replace *replace, const char *name, char *beside,
                         mode_t permissions, int is_first)
{
    int status;

    *replace = (struct replace){.name = name, .permissions = permissions & 0777};
    status = check_member(replace, is_first);
    if (status == TOOL_RUN) {
        replace->beside = beside;
        status = make_file(replace);
    } else {
        free(beside);
    }
    if (status != TOOL_RUN)
        let_go(replace);
    return status;
}

const char *replace_path(const struct replace *replace)
{
    return replace->beside ? replace->beside : replace->name;
}

int replace_open(const struct replace *replace, struct scion_file **file)
{
    return replace->beside ? scion_file_open_own(replace->beside, &replace->made, file)
                           : scion_file_open(replace->name, SCION_OPEN_WRITE, 0, file);
}

/* While the file was being written, its owner had write permission. A file of a group is synced,
   and gets its name, later. */
static int complete(const struct replace *replace)
{
    struct scion_file *file;
    int rc = replace_open(replace, &file), closed;

    if (rc != 0)
        return replace_failed(replace);
    rc = replace->seen.exists
             ? scion_older_keep(replace->name, file)
             : scion_file_set_permissions(file, replace->made.st_mode & replace->permissions);
    if (rc == 0 && !replace->group)
        rc = scion_file_sync(file);
    closed = scion_file_close(file);
    tool_print_warnings();
    return scion_first_failure(rc, closed) == 0 ? TOOL_RUN : replace_failed(replace);
}

static int put_in_place(const struct replace *replace)
{
    int status = complete(replace);

    if (status != TOOL_RUN || replace->group ||
        scion_older_replace(replace->beside, replace->name, &replace->seen) == 0)
        return status;
    return replace_failed(replace);
}

static int is_good(int status)
{
    return status == TOOL_RUN || status == TOOL_DONE;
}

int replace_end(struct replace *replace, int status)
{
    if (replace->beside && is_good(status) && put_in_place(replace) != TOOL_RUN)
        status = TOOL_FAILED;
    if (replace->beside && !is_good(status))
        scion_file_remove(replace->beside);
    free(replace->beside);
    replace->beside = NULL;
    let_go(replace);
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
    int rc, errnum, left = 1000; /* a file that cannot be removed would keep it here */

    do {
        rc = visit_all(group, visit);
        errnum = rc == 0 ? scion_remove_folder(group->beside) : 0;
    } while ((errnum == ENOTEMPTY || errnum == EEXIST) && --left > 0);
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

/* ---- sets ---- */

/* The file has its new name, even if it is not known to be on the disk. */
static int rename_member(struct replace *member)
{
    int rc = scion_older_replace(member->beside, member->name, &member->seen);

    if (scion_path_is_taken(member->beside))
        return rc;
    free(member->beside);
    member->beside = NULL;
    return rc;
}

static int check_members(const struct replace *members, int n)
{
    int rc = 0, i;

    for (i = 0; i < n && rc == 0; i++)
        rc = scion_older_check(members[i].name, &members[i].seen);
    return rc;
}

/* *named: how many have their names. */
static int commit(struct replace *members, int n, int *named)
{
    int rc = check_members(members, n);

    if (rc == 0)
        rc = scion_sync_folder_of(members[0].beside);
    for (*named = 0; *named < n && rc == 0; *named += !members[n - 1 - *named].beside)
        rc = rename_member(&members[n - 1 - *named]);
    return rc;
}

static int commit_failed(const char *name, int named, int n)
{
    if (named == 0 || named == n)
        return failed(NULL, NULL);
    tool_error(
        "%s: %d of %d files are new, \"sionrecover --in-place %s\" gives the others their names",
        scion_error_text(), named, n, name);
    return TOOL_FAILED;
}

static void forget(struct replace *member, int is_kept)
{
    if (member->beside && !is_kept)
        scion_file_remove(member->beside);
    free(member->beside);
    member->beside = NULL;
}

int replace_end_set(struct replace *members, int n, int status)
{
    int named = 0, i;

    for (i = 0; i < n && is_good(status); i++)
        status = complete(&members[i]);
    if (is_good(status) && commit(members, n, &named) != 0)
        status = commit_failed(members[0].name, named, n);
    for (i = 0; i < n; i++) {
        forget(&members[i], named > 0);
        let_go(&members[i]);
    }
    return status;
}
