#include "run/preload/anchor.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "run/native.h"
#include "run/preload/hook.h"
#include "run/preload/state.h"

/* Above the numbers that programs choose themselves, and low enough for a fork, which copies the
   table of descriptors up to the last. */
enum { FIRST_NUMBER = 1000 };

_Atomic int run_anchor = RUN_ANCHOR_UNTRIED;
size_t run_anchor_length;

static dev_t device;
static ino_t inode;

/* Opens the session's folder, as a number that is out of the way; -1: not possible,
   as where a process may have few descriptors. */
static int open_folder(char *path)
{
    int first, fd;

    memcpy(path, run_session.tree, run_anchor_length);
    path[run_anchor_length] = '\0';
    first = native_open(path, O_PATH | O_DIRECTORY, 0);
    if (first < 0)
        return -1;
    fd = (int)syscall(SYS_fcntl, first, F_DUPFD_CLOEXEC, FIRST_NUMBER);
    native_close(first);
    return fd;
}

/* All threads find the same folder, so what they write is the same. */
static int open_anchor(void)
{
    struct run_place *room = run_take();
    struct stat status;
    int fd;

    run_anchor_length = run_session.folder_length + 1;
    fd = open_folder(room->spare);
    run_give(room);
    if (fd < 0)
        return RUN_ANCHOR_NONE;
    if (native_fstat(fd, &status) != 0) {
        native_close(fd);
        return RUN_ANCHOR_NONE;
    }
    device = status.st_dev;
    inode = status.st_ino;
    return fd;
}

/* A child that shares memory with its parent has descriptors of its own. */
int run_anchor_open(void)
{
    int why = errno, expected = RUN_ANCHOR_UNTRIED, fd = RUN_ANCHOR_NONE;

    if (run_next_is_library()) {
        if (!run_is_own_process())
            return RUN_ANCHOR_NONE;
        fd = open_anchor();
    }
    if (!atomic_compare_exchange_strong(&run_anchor, &expected, fd)) {
        if (fd >= 0)
            native_close(fd);
        fd = expected;
    }
    errno = why;
    return fd;
}

void run_anchor_leave(void)
{
    atomic_store(&run_anchor, RUN_ANCHOR_NONE);
}

int run_is_astray(struct run_at *at, const struct run_place *place)
{
    struct stat status;
    int why = errno;

    if (at->fd == AT_FDCWD || (why != ENOENT && why != ENOTDIR && why != EBADF))
        return 0;
    if (native_fstat(at->fd, &status) == 0 && status.st_dev == device && status.st_ino == inode) {
        errno = why;
        return 0;
    }
    run_anchor_leave();
    *at = (struct run_at){AT_FDCWD, place->tree};
    return 1;
}
