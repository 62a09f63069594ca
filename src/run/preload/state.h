/* What the library knows in a process: the session, the process's number, its working folder. */
#ifndef SCION_PRELOAD_STATE_H
#define SCION_PRELOAD_STATE_H

#include <limits.h>
#include <stdatomic.h>

#include "run/input.h"
#include "run/owners.h"
#include "run/session.h"

enum run_state { RUN_UNKNOWN, RUN_ON, RUN_OFF, RUN_STARTING };

extern _Atomic int run_state;
extern struct scion_session run_session;
extern struct scion_input run_input; /* head is NULL if there is none */

int run_start(void);

/* Whether paths are redirected. The first call starts the library, because it may come from a
   library that is initialised before this one. */
static inline int run_is_on(void)
{
    int state = atomic_load_explicit(&run_state, memory_order_acquire);

    return __builtin_expect(state == RUN_ON, 1) || (state != RUN_OFF && run_start());
}

/* Number of this process among the owners; a rank, or one of those for processes without. */
uint32_t run_owner(void);

/* From now on this process has a rank. */
void run_set_rank(int rank);

/* A file, folder or link was made in the tree: name is the scion_name_hash() of its path. */
void run_made(uint64_t name, enum scion_owner_what what);

/* The same for a file of the program's, after run_comes(). */
void run_made_file(uint64_t name, uint32_t times);

/* What has the name of one place in the tree got that of another, or both. */
struct run_place;
void run_moved(struct run_place *from, struct run_place *to, enum scion_owner_move how);

/* A file of the tree changes. */
static inline void run_changed(void)
{
    atomic_fetch_add_explicit(&run_session.head->changes, 1, memory_order_relaxed);
}

/* A link was made beneath the root that is not redirected, but may lead to what is. Folders that
   were without links may be no more so. */
static inline void run_made_real_link(void)
{
    atomic_fetch_add(&run_session.head->real_links, 1);
    atomic_fetch_add(&run_session.head->links, 1);
}

/* ---- the working folder as the program sees it (cwd.c) ---- */

struct run_cwd {
    int is_in_tree;   /* the system's working folder is that of the tree */
    const char *path; /* without detours; NULL: it has none */
};

/* After a change: ask the system. */
void run_cwd_update(void);

/*
 * The present one. It may change while it is read: run_cwd_is_same() says whether what was read is
 * good. `own` has room for a path, for that of a process that shares memory with its parent
 * (vfork).
 */
struct run_cwd run_cwd_read(unsigned *version, char *own);
int run_cwd_is_same(unsigned version);

/* The child of a fork has a working folder of its own. */
void run_cwd_forked(void);

/* Whether this process is not one that shares memory with its parent. */
int run_is_own_process(void);

/* A path that the system has told, as the program may see it: in place, of `length` bytes with room
   for PATH_MAX. Returns the length. */
size_t run_shown(char *path, size_t length);

#endif
