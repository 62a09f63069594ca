#include "sionmv/copy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lib/message.h"
#include "lib/progress.h"
#include "vfs/older.h"
#include "vfs/path.h"

/* Bytes between two looks at the clock. */
enum { PIECE = 16 << 20 };

struct copying {
    const struct members *set;
    const char *from;
    char *beside; /* as what they are made */
    const struct target *target;
    int is_preserving;
    struct progress progress;
};

static int copy_bytes(struct copying *copying, struct scion_file *from, struct scion_file *to)
{
    sion_int64 size = scion_file_opened(from)->st_size, at, run;
    int is_hole, rc = 0;

    for (at = 0; at < size && rc == 0; at += run) {
        run = scion_file_run(from, at, size - at < PIECE ? size - at : PIECE, &is_hole);
        if (!is_hole)
            rc = scion_file_copy(from, at, to, at, run);
        progress_step(&copying->progress, run);
    }
    return rc == 0 ? scion_file_truncate(to, size) : rc;
}

static int is_changed(struct scion_file *file, int *changed)
{
    const struct stat *before = scion_file_opened(file);
    struct stat now;
    int rc = scion_file_status(file, &now);

    *changed = rc == 0 &&
               (now.st_size != before->st_size || now.st_mtim.tv_sec != before->st_mtim.tv_sec ||
                now.st_mtim.tv_nsec != before->st_mtim.tv_nsec);
    return rc;
}

static int check_unchanged(struct scion_file *from)
{
    int changed, rc = is_changed(from, &changed);

    return rc == 0 && changed ? scion_fail(SION_ERR_BUSY, "%s was changed while it was copied",
                                           scion_file_path(from))
                              : rc;
}

/* Of an older file of the name, if there is one. */
static int keep_older(const struct copying *copying, const struct member *member,
                      struct scion_file *to)
{
    char *path = members_path(copying->target->name, member);
    int rc = path ? scion_older_keep(path, to) : scion_fail_memory("file name");

    free(path);
    return rc;
}

/* What is said of the source. */
static int keep_all(struct scion_file *from, struct scion_file *to)
{
    int rc = scion_older_keep(scion_file_path(from), to);
    int errnum = rc == 0 ? scion_file_set_times(to, scion_file_opened(from)) : 0;

    return errnum == 0
               ? rc
               : scion_fail_errno(errnum, "cannot set the times of %s", scion_file_path(to));
}

static int copy_open(struct copying *copying, const struct member *member, struct scion_file *from,
                     struct scion_file *to)
{
    int rc = copy_bytes(copying, from, to);

    if (rc == 0)
        rc = check_unchanged(from);
    if (rc == 0)
        rc = copying->is_preserving ? keep_all(from, to) : keep_older(copying, member, to);
    return rc == 0 ? scion_file_sync(to) : rc;
}

static int copy_paths(struct copying *copying, const struct member *member, const char *source,
                      const char *beside)
{
    struct scion_file *from, *to;
    int rc = scion_file_open(source, SCION_OPEN_READ, 0, &from), closed;
    mode_t permissions;

    if (rc != 0)
        return rc;
    permissions = scion_file_opened(from)->st_mode & 0777;
    rc = scion_file_open(beside, SCION_OPEN_NEW,
                         copying->is_preserving ? S_IRUSR | S_IWUSR : permissions, &to);
    if (rc == 0) {
        rc = copy_open(copying, member, from, to);
        closed = scion_file_close(to);
        rc = scion_first_failure(rc, closed);
        if (rc != 0)
            scion_file_remove(beside);
    }
    closed = scion_file_close(from);
    return scion_first_failure(rc, closed);
}

static int copy_member(struct copying *copying, const struct member *member)
{
    char *source = members_path(copying->from, member);
    char *beside = members_path(copying->beside, member);
    int rc = source && beside ? copy_paths(copying, member, source, beside)
                              : scion_fail_memory("names of files");

    free(source);
    free(beside);
    return rc;
}

/* Users know the name that the file was to get. */
static int failed(const struct copying *copying)
{
    scion_error_replace(copying->beside, copying->target->name);
    tool_error("%s", scion_error_text());
    return TOOL_FAILED;
}

static int remove_copy(const char *path)
{
    scion_file_remove(path);
    return 0;
}

/* Remove the first `count` copies. */
static void drop(const struct copying *copying, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++)
        members_do(remove_copy, copying->beside, &copying->set->member[i]);
}

/* All, or nothing, and a message. */
static int copy_all(struct copying *copying)
{
    size_t done;
    int rc = 0, status;

    progress_start(&copying->progress, members_bytes(copying->set), 0);
    for (done = 0; done < copying->set->count && rc == 0; done += rc == 0)
        rc = copy_member(copying, &copying->set->member[done]);
    progress_end(&copying->progress);
    tool_print_warnings();
    if (rc == 0)
        return TOOL_RUN;
    status = failed(copying);
    drop(copying, done);
    return status;
}

int copy_container(const struct members *set, const char *from, const struct target *target,
                   int is_preserving)
{
    struct copying copying = {.set = set,
                              .from = from,
                              .beside = scion_path_beside(target->name),
                              .target = target,
                              .is_preserving = is_preserving};
    int status = TOOL_FAILED;

    if (copying.beside) {
        status = copy_all(&copying);
        if (status == TOOL_RUN) {
            status = place(set, copying.beside, target);
            if (scion_path_is_taken(copying.beside))
                drop(&copying, set->count);
        }
    } else {
        tool_error("out of memory");
    }
    free(copying.beside);
    return status;
}
