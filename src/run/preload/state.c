#include "run/preload/state.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "run/preload/closing.h"
#include "run/preload/exec.h"
#include "run/preload/folder.h"
#include "run/preload/hook.h"
#include "run/preload/known.h"
#include "run/preload/opened.h"
#include "run/preload/place.h"

_Atomic int run_state;
struct scion_session run_session;
struct scion_input run_input;

/* ---- the number of the process ---- */

static _Atomic uint32_t number = UINT32_MAX;

/* As utils/lib/share.c finds the rank that a launcher gives. */
static uint32_t rank_of_launcher(void)
{
    static const char *const names[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK"};
    const char *text;
    char *end;
    size_t i;
    long rank;

    for (i = 0; i < sizeof names / sizeof *names; i++) {
        text = secure_getenv(names[i]);
        rank = text ? strtol(text, &end, 10) : -1;
        if (rank >= 0 && rank < INT_MAX && end != text && !*end)
            return (uint32_t)rank;
    }
    return UINT32_MAX;
}

uint32_t run_owner(void)
{
    uint32_t own = atomic_load(&number), none = UINT32_MAX;

    if (own == UINT32_MAX) {
        own = scion_owners_next(&run_session);
        if (!atomic_compare_exchange_strong(&number, &none, own))
            own = none;
    }
    return own;
}

void run_set_rank(int rank)
{
    atomic_store(&number, (uint32_t)rank);
}

void run_made(uint64_t name, enum scion_owner_what what)
{
    run_comes(name);
    scion_owners_add(&run_session, name, run_owner(), what);
    run_changed();
}

void run_made_file(uint64_t name, uint32_t times)
{
    run_know_thing(name, times, RUN_OWN_FILE);
    scion_owners_add(&run_session, name, run_owner(), SCION_OWNER_CREATED);
    run_changed();
}

void run_moved(struct run_place *from, struct run_place *to, enum scion_owner_move how)
{
    struct run_cut old, new; /* without a "/" */

    run_cut(from, from->inside_length, &old);
    run_cut(to, to->inside_length, &new);
    scion_owners_move(&run_session, how, run_inside(from), run_inside(to));
    run_uncut(&new);
    run_uncut(&old);
}

/* ---- the start ---- */

/* A process without a rank has another number than its parent. */
static void forked(void)
{
    if (atomic_load(&number) >= SCION_OWNER_ALONE)
        atomic_store(&number, UINT32_MAX);
    run_cwd_forked();
    run_opened_forked();
    run_folders_forked();
    run_closing_forked();
}

static void complain(const char *folder, const char *what)
{
    char line[PATH_MAX + 256];
    int length = snprintf(line, sizeof line, "libsion_run: %s: %s (%s); files are not redirected\n",
                          folder, what,
                          errno == EBADMSG           ? "damaged"
                          : errno == EPROTONOSUPPORT ? "of another version of sionrun"
                                                     : strerror(errno));

    if (write(STDERR_FILENO, line, (size_t)length) < 0)
        return;
}

/* Whether there is a session to take part in. */
static int take_part(void)
{
    const char *folder = getauxval(AT_SECURE) ? NULL : secure_getenv("SION_RUN_SESSION");

    if (!folder || !*folder)
        return 0;
    if (scion_session_open(folder, &run_session) != 0) {
        complain(folder, "no session");
        return 0;
    }
    if (run_session.head->has_input && scion_input_open(folder, &run_input) != 0) {
        complain(folder, "no files of the input");
        return 0;
    }
    atomic_store(&number, rank_of_launcher());
    run_cwd_update();
    run_exec_start(folder);
    run_closing_start();
    pthread_atfork(NULL, NULL, forked);
    return 1;
}

int run_start(void)
{
    static __thread int is_here __attribute__((tls_model("initial-exec")));
    int expected = RUN_UNKNOWN, why = errno, state;

    if (is_here)
        return 0; /* a call out of the start itself: malloc of the program, a signal handler */
    if (atomic_compare_exchange_strong(&run_state, &expected, RUN_STARTING)) {
        is_here = 1;
        run_next_find_all();
        atomic_store(&run_state, take_part() ? RUN_ON : RUN_OFF);
        is_here = 0;
    }
    while ((state = atomic_load(&run_state)) == RUN_STARTING)
        sched_yield();
    errno = why;
    return state == RUN_ON;
}

__attribute__((constructor)) static void begin(void)
{
    run_is_on();
}
