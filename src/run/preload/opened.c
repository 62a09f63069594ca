#include "run/preload/opened.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "run/native.h"
#include "run/preload/state.h"

/* To ask for a path takes ten times as long as to ask which folder a descriptor is: so that is
   asked, and the path is remembered. */
enum { SLOTS = 16 };

/* A file system gives an inode's number again, but not with the same time of birth. Where it keeps
   no such times, that of the last change stands for it. */
struct identity {
    uint64_t device, inode;
    int64_t seconds;
    uint32_t nanoseconds;
    uint32_t moves; /* of all folders, at that time */
};

static struct {
    _Atomic int is_taken; /* one who finds it taken, also in a signal handler, does without */
    struct identity identity;
    size_t length; /* 0: empty */
    char path[PATH_MAX];
} slots[SLOTS];

static _Atomic uint32_t asked_again;

static uint32_t moves_now(void)
{
    return atomic_load_explicit(&run_session.head->moves, memory_order_acquire) +
           atomic_load_explicit(&asked_again, memory_order_relaxed);
}

void run_opened_ask_again(void)
{
    atomic_fetch_add(&asked_again, 1);
}

/* Whether it is a folder that is still there, and which. */
static int identify(int fd, struct identity *identity)
{
#if defined SYS_statx && defined STATX_BTIME
    struct statx status;
    const struct statx_timestamp *time;

    if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH,
                STATX_TYPE | STATX_INO | STATX_NLINK | STATX_BTIME | STATX_CTIME, &status) != 0 ||
        !S_ISDIR(status.stx_mode) || status.stx_nlink == 0)
        return 0;
    time = status.stx_mask & STATX_BTIME ? &status.stx_btime : &status.stx_ctime;
    *identity = (struct identity){(uint64_t)status.stx_dev_major << 32 | status.stx_dev_minor,
                                  status.stx_ino, time->tv_sec, time->tv_nsec, moves_now()};
    return 1;
#else
    (void)fd, (void)identity;
    return 0;
#endif
}

static int is_same(const struct identity *a, const struct identity *b)
{
    return a->device == b->device && a->inode == b->inode && a->seconds == b->seconds &&
           a->nanoseconds == b->nanoseconds && a->moves == b->moves;
}

/* A thread may have descriptors of its own. Old kernels tell only those of the first one. */
size_t run_opened_link(int fd, char *name, size_t room, char *path)
{
    static const char *const forms[] = {"/proc/thread-self/fd/%d", "/proc/self/fd/%d"};
    long length = 0;
    size_t i;

    for (i = 0; i < 2 && length <= 0; i++) {
        snprintf(name, room, forms[i], fd);
        length = syscall(SYS_readlinkat, AT_FDCWD, name, path, (unsigned long)PATH_MAX);
    }
    if (length <= 0 || length >= PATH_MAX)
        length = 0;
    path[length] = '\0';
    return (size_t)length;
}

size_t run_opened_name(int fd, char *path)
{
    char name[RUN_LINK_ROOM];

    return run_opened_link(fd, name, sizeof name, path);
}

static size_t ask(int fd, char *path)
{
    size_t length = run_opened_name(fd, path);

    return path[0] == '/' ? length : 0;
}

static int recall(const struct identity *identity, char *path, size_t *length)
{
    unsigned i = (unsigned)identity->inode % SLOTS;
    int is_known;

    if (atomic_exchange_explicit(&slots[i].is_taken, 1, memory_order_acquire))
        return 0;
    is_known = slots[i].length > 0 && is_same(&slots[i].identity, identity);
    if (is_known) {
        *length = slots[i].length;
        memcpy(path, slots[i].path, *length + 1);
    }
    atomic_store_explicit(&slots[i].is_taken, 0, memory_order_release);
    return is_known;
}

static void remember(const struct identity *identity, const char *path, size_t length)
{
    unsigned i = (unsigned)identity->inode % SLOTS;

    if (length == 0 || atomic_exchange_explicit(&slots[i].is_taken, 1, memory_order_acquire))
        return;
    slots[i].identity = *identity;
    slots[i].length = length;
    memcpy(slots[i].path, path, length + 1);
    atomic_store_explicit(&slots[i].is_taken, 0, memory_order_release);
}

/* ---- by numbers ---- */

_Atomic uint64_t run_opened_stamps[RUN_OPENED_MOST];

static _Atomic int is_distrusted;

/* Those that were asked for last. Readers do not wait for a writer, nor writers for each other. */
static struct {
    _Atomic unsigned version; /* odd: being written */
    int fd;
    uint32_t moves;
    uint64_t stamp;
    size_t length;
    char path[PATH_MAX];
} numbers[SLOTS];

static uint64_t stamp_of(int fd)
{
    return fd >= 0 && fd < RUN_OPENED_MOST
               ? atomic_load_explicit(&run_opened_stamps[fd], memory_order_acquire)
               : 0;
}

int run_opened_key(int fd, struct run_opened_key *key)
{
    *key = (struct run_opened_key){stamp_of(fd), moves_now()};
    return key->stamp & 1;
}

size_t run_opened_recall(int fd, char *path)
{
    uint64_t stamp = stamp_of(fd);
    unsigned i = (unsigned)fd % SLOTS, version;
    size_t length;

    if (!(stamp & 1))
        return 0;
    version = atomic_load_explicit(&numbers[i].version, memory_order_acquire);
    length = numbers[i].length;
    if (version % 2 || numbers[i].fd != fd || numbers[i].stamp != stamp ||
        numbers[i].moves != moves_now() || length >= PATH_MAX)
        return 0;
    memcpy(path, numbers[i].path, length + 1);
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&numbers[i].version, memory_order_relaxed) == version ? length : 0;
}

/* What was found out of a descriptor since it had this stamp. A child that shares memory with its
   parent has other descriptors. */
static void note(int fd, uint64_t stamp, uint32_t moves, const char *path, size_t length)
{
    unsigned i = (unsigned)fd % SLOTS,
             version = atomic_load_explicit(&numbers[i].version, memory_order_relaxed);

    if (!(stamp & 1) || length == 0 ||
        (numbers[i].fd == fd && numbers[i].stamp == stamp && numbers[i].moves == moves) ||
        atomic_load(&is_distrusted) || !run_is_own_process() || version % 2 ||
        !atomic_compare_exchange_strong(&numbers[i].version, &version, version + 1))
        return;
    atomic_thread_fence(memory_order_release);
    numbers[i].fd = fd;
    numbers[i].moves = moves;
    numbers[i].stamp = stamp;
    numbers[i].length = length;
    memcpy(numbers[i].path, path, length + 1);
    atomic_store_explicit(&numbers[i].version, version + 2, memory_order_release);
}

void run_opened_distrust(void)
{
    int i;

    atomic_store(&is_distrusted, 1);
    for (i = 0; i < RUN_OPENED_MOST; i++)
        run_closes(i);
}

size_t run_opened_path(int fd, char *path)
{
    struct identity identity;
    uint64_t stamp = stamp_of(fd);
    size_t length;
    int why = errno, is_folder = identify(fd, &identity);

    if (!is_folder || !recall(&identity, path, &length)) {
        length = ask(fd, path);
        if (is_folder)
            remember(&identity, path, length);
    }
    if (is_folder)
        note(fd, stamp, identity.moves, path, length);
    errno = why;
    return length;
}

void run_opened_forked(void)
{
    int i;

    for (i = 0; i < SLOTS; i++) /* a thread of the parent may have had it, half written */
        if (atomic_exchange(&slots[i].is_taken, 0))
            slots[i].length = 0;
    for (i = 0; i < SLOTS; i++)
        if (atomic_load(&numbers[i].version) % 2) {
            numbers[i].stamp = 0;
            atomic_fetch_add(&numbers[i].version, 1);
        }
}
