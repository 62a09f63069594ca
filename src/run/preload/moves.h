/*
 * Folders that other processes, or threads, rename while a call looks for a name that is relative
 * to one of them.
 *
 *     struct run_watch watch = run_watch();
 *
 *     do
 *         rc = remove_once(folder, path, flags);
 *     while (rc != 0 && run_has_moved(&watch, path));
 *
 * A rename is told before it begins and when it is done (`moving` and `moves` of the session). So a
 * call that has found nothing, and during which none was under way, has looked in the right folder.
 */
#ifndef SCION_PRELOAD_MOVES_H
#define SCION_PRELOAD_MOVES_H

#include <stdatomic.h>
#include <stdint.h>

#include "run/preload/state.h"

struct run_watch {
    uint32_t begun, done;
    int tries;
};

/* Before the path of any folder is made use of. */
static inline struct run_watch run_watch(void)
{
    struct run_watch watch = {0};

    if (run_session.head) {
        watch.done = atomic_load_explicit(&run_session.head->moves, memory_order_acquire);
        watch.begun = atomic_load_explicit(&run_session.head->moving, memory_order_acquire);
    }
    return watch;
}

/* The call has failed (errno): whether it is to be made again. */
int run_has_moved(struct run_watch *watch, const char *path);

/* This call itself renames a folder, and has done so, or tried to. */
void run_move_begins(struct run_watch *watch);
void run_move_ends(struct run_watch *watch);

#endif
