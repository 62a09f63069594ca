#include "run/preload/moves.h"

#include <errno.h>
#include <sched.h>
#include <time.h>

#include "run/preload/opened.h"

enum { QUICK_TRIES = 50, TRIES = 100 };

/* Counts of renames that were waited for in vain: a process that had begun was killed. Until they
   change, it is not waited for again. */
static _Atomic uint64_t vain;

static uint64_t counts(const struct run_watch *watch)
{
    return (uint64_t)watch->begun << 32 | watch->done;
}

/* A rename is under way. Returns 0 if it was waited for long enough. */
static int await(struct run_watch *watch)
{
    static const struct timespec millisecond = {0, 1000000};

    if (counts(watch) == atomic_load(&vain))
        return 0;
    if (++watch->tries > TRIES) {
        atomic_store(&vain, counts(watch));
        return 0;
    }
    if (watch->tries <= QUICK_TRIES)
        sched_yield();
    else
        nanosleep(&millisecond, NULL);
    return 1;
}

int run_has_moved(struct run_watch *watch, const char *path)
{
    struct run_watch now = run_watch();
    int why = errno, has_changed = counts(&now) != counts(watch);

    if (why != ENOENT || !path || *path == '/' || (!has_changed && now.begun == now.done))
        return 0;
    now.tries = has_changed ? 0 : watch->tries;
    *watch = now;
    if (!has_changed && !await(watch)) {
        errno = why;
        return 0;
    }
    run_cwd_update();
    run_opened_ask_again();
    errno = why;
    return 1;
}

/* ---- by this call itself ---- */

void run_move_begins(struct run_watch *watch)
{
    atomic_fetch_add(&run_session.head->moving, 1);
    watch->begun++;
}

void run_move_ends(struct run_watch *watch)
{
    atomic_fetch_add(&run_session.head->moves, 1);
    watch->done++;
}
