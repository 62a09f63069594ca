#define FUSE_USE_VERSION 32
#include "sionmount/caller.h"

#include <errno.h>
#include <fuse_lowlevel.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/message.h"
#include "vfs/vfs.h"

enum { GROUPS_MOST = 1 << 16 };

#ifdef SYS_setgroups32
enum { SET_GROUPS = SYS_setgroups32 };
#else
enum { SET_GROUPS = SYS_setgroups };
#endif

static int has_word(const char *options, const char *word)
{
    size_t length = strlen(word);

    for (; options; options = strchr(options, ',') ? strchr(options, ',') + 1 : NULL) {
        if (strncmp(options, word, length) == 0 && (!options[length] || options[length] == ','))
            return 1;
    }
    return 0;
}

int caller_check_options(const char *options)
{
    if (geteuid() == 0 || !has_word(options, "allow_other"))
        return TOOL_RUN;
    tool_error("-o allow_other: only root can check what other users may read");
    return TOOL_FAILED;
}

/* Groups of a thread, not of all threads as setgroups() does. */
static int set_groups(int count, const gid_t *groups)
{
    return (int)syscall(SET_GROUPS, (size_t)count, groups);
}

static int try(const char *path)
{
    struct scion_file *file;

    if (scion_file_open(path, SCION_OPEN_READ, 0, &file) != 0)
        return EACCES;
    scion_file_close(file);
    return 0;
}

/* This thread is the caller for the file system, and then itself again. */
static int try_as(const struct fuse_ctx *caller, const gid_t *groups, int count,
                  const gid_t *own, int own_count, const char *path)
{
    int errnum = set_groups(count, groups) == 0 ? 0 : errno;

    if (errnum == 0) {
        setfsgid(caller->gid);
        setfsuid(caller->uid);
        errnum = (uid_t)setfsuid((uid_t)-1) == caller->uid ? try(path) : EACCES;
        setfsuid(geteuid());
        setfsgid(getegid());
    }
    if (set_groups(own_count, own) != 0)
        abort(); /* it must not go on with the rights of somebody else */
    return errnum;
}

int caller_check(struct fuse_req *request, const char *path)
{
    const struct fuse_ctx *caller = fuse_req_ctx(request);
    gid_t *groups;
    int count, own_count, errnum = ENOMEM;

    if (caller->uid == geteuid() || caller->uid == 0)
        return 0;
    if (geteuid() != 0)
        return EACCES;
    groups = calloc(2 * (size_t)GROUPS_MOST, sizeof *groups);
    if (groups) {
        count = fuse_req_getgroups(request, GROUPS_MOST, groups);
        own_count = getgroups(GROUPS_MOST, groups + GROUPS_MOST);
        errnum = count < 0 || count > GROUPS_MOST || own_count < 0
                     ? EACCES
                     : try_as(caller, groups, count, groups + GROUPS_MOST, own_count, path);
    }
    free(groups);
    return errnum;
}
