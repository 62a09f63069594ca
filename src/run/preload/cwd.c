#include "run/preload/state.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "run/match.h"
#include "run/native.h"

/*
 * Readers never wait, because a signal handler may interrupt the writer. Versions take turns in a
 * few places; a reader looks again if its place may have been overwritten meanwhile.
 */
enum { PLACES = 4 };

static struct {
    int is_known, is_in_tree;
    char path[PATH_MAX + 1]; /* its last byte is never overwritten */
} places[PLACES];
static _Atomic unsigned current;
static _Atomic int writer_lock;
static _Atomic pid_t process; /* whose the places are */
static _Atomic uint32_t moves_seen;
static _Atomic int is_shared; /* a child that shares the memory has changed its own folder */

static pid_t own_pid(void)
{
    return (pid_t)syscall(SYS_getpid);
}

int run_is_own_process(void)
{
    return own_pid() == atomic_load(&process);
}

size_t run_shown(char *path, size_t length)
{
    const struct scion_session *session = &run_session;
    size_t rest, root = session->real_length;

    if (length < session->tree_length || memcmp(path, session->tree, session->tree_length) != 0 ||
        (length > session->tree_length && path[session->tree_length] != '/'))
        return length;
    rest = length - session->tree_length;
    if (session->real_length == 1 && rest > 0)
        root = 0;
    if (root + rest >= PATH_MAX)
        return length;
    memmove(path + root, path + session->tree_length, rest);
    memcpy(path, session->root_real, root);
    return root + rest;
}

/* Returns whether the working folder has a path, and that. */
static int ask_system(char *path, int *is_in_tree)
{
    long length = syscall(SYS_getcwd, path, (unsigned long)PATH_MAX); /* with the NUL */

    *is_in_tree = 0;
    if (length <= 1 || path[0] != '/')
        return 0;
    *is_in_tree = scion_beneath(run_session.tree, run_session.tree_length, path) != NULL;
    if (*is_in_tree)
        path[run_shown(path, (size_t)length - 1)] = '\0';
    return 1;
}

void run_cwd_update(void)
{
    sigset_t all, before;
    unsigned next;
    int why = errno;
    pid_t nobody = 0;

    if (!atomic_compare_exchange_strong(&process, &nobody, own_pid()) && nobody != own_pid()) {
        atomic_store(&is_shared, 1); /* what the places say is the parent's */
        return;
    }
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    while (atomic_exchange(&writer_lock, 1))
        ;
    next = atomic_load(&current) + 1;
    places[next % PLACES].is_known =
        ask_system(places[next % PLACES].path, &places[next % PLACES].is_in_tree);
    atomic_store(&current, next);
    atomic_store(&writer_lock, 0);
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = why;
}

/* A folder was renamed, by any process: the working folder may be beneath it. The root itself is
   not renamed. */
static void look_again(uint32_t moves)
{
    unsigned place = atomic_load(&current) % PLACES;

    atomic_store(&moves_seen, moves);
    if (places[place].is_known && strcmp(places[place].path, run_session.root_real) != 0)
        run_cwd_update();
}

/* Of a process that shares the places with its parent. */
static struct run_cwd read_own(char *own)
{
    int why = errno, is_in_tree, is_known = ask_system(own, &is_in_tree);

    errno = why;
    return (struct run_cwd){is_in_tree, is_known ? own : NULL};
}

struct run_cwd run_cwd_read(unsigned *version, char *own)
{
    uint32_t moves = atomic_load_explicit(&run_session.head->moves, memory_order_acquire);
    unsigned place;

    if (__builtin_expect(moves != atomic_load_explicit(&moves_seen, memory_order_relaxed), 0))
        look_again(moves);
    *version = atomic_load_explicit(&current, memory_order_acquire);
    place = *version % PLACES;
    if (__builtin_expect(atomic_load_explicit(&is_shared, memory_order_relaxed), 0) &&
        !run_is_own_process())
        return read_own(own);
    return (struct run_cwd){places[place].is_in_tree,
                            places[place].is_known ? places[place].path : NULL};
}

int run_cwd_is_same(unsigned version)
{
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&current, memory_order_relaxed) - version < PLACES - 1;
}

void run_cwd_forked(void)
{
    atomic_store(&process, own_pid());
    atomic_store(&writer_lock, 0); /* a thread of the parent may have had it */
    atomic_store(&is_shared, 0);
    run_cwd_update();
}
