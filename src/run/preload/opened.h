/* The paths of folders that are open. */
#ifndef SCION_PRELOAD_OPENED_H
#define SCION_PRELOAD_OPENED_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* The path of a descriptor, without links, as the system tells it. Returns its length, or 0: it has
   none. `path` has room for PATH_MAX. errno stays. */
size_t run_opened_path(int fd, char *path);

/*
 * The same without a system call, if it was asked for since the descriptor was opened; 0: not
 * known. A direct system call may have closed the descriptor, and the number may be another
 * folder's: so what is recalled may say that a call has nothing to do with us, but no other file
 * may be taken.
 */
size_t run_opened_recall(int fd, char *path);

/* What recalls a descriptor's folder: equal to an earlier one if that is so for the same folder. */
struct run_opened_key {
    uint64_t stamp;
    uint32_t moves;
};

/* Returns 0 if it is not recalled. */
int run_opened_key(int fd, struct run_opened_key *key);

/* What the system calls a descriptor, which may also be a pipe; 0: nothing. Sets errno. */
size_t run_opened_name(int fd, char *path);

enum { RUN_LINK_ROOM = 40 };

/* The same; and the name that stands for the file itself, whatever other names it gets. */
size_t run_opened_link(int fd, char *name, size_t room, char *path);

enum { RUN_OPENED_MOST = 4096 }; /* descriptors that are remembered */

/* Odd for a descriptor that a call of ours has opened, and never the same again. */
extern _Atomic uint64_t run_opened_stamps[RUN_OPENED_MOST];

/* A call of ours has opened it. */
static inline void run_opened(int fd)
{
    uint64_t stamp;

    if (fd < 0 || fd >= RUN_OPENED_MOST)
        return;
    stamp = atomic_load_explicit(&run_opened_stamps[fd], memory_order_relaxed);
    atomic_store_explicit(&run_opened_stamps[fd], stamp + 1 + (stamp & 1), memory_order_release);
}

/* It is about to be closed, or made another one. */
static inline void run_closes(int fd)
{
    uint64_t stamp;

    if (fd < 0 || fd >= RUN_OPENED_MOST)
        return;
    stamp = atomic_load_explicit(&run_opened_stamps[fd], memory_order_relaxed);
    if (stamp & 1)
        atomic_store_explicit(&run_opened_stamps[fd], stamp + 1, memory_order_release);
}

/* Folders may have other paths now, though no rename is done. */
void run_opened_ask_again(void);

/* Threads have descriptors of their own from now on: nothing is recalled. */
void run_opened_distrust(void);

/* In the child of a fork. */
void run_opened_forked(void);

#endif
