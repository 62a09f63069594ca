#include "lib/follow.h"

#include <signal.h>
#include <time.h>

#include "base/error.h"
#include "base/mode.h"
#include "lib/input.h"
#include "lib/message.h"
#include "lib/tool.h"
#include "sion_const.h"
#include "vfs/writer_lock.h"

enum { PAUSE = 250 * 1000 * 1000 /* nanoseconds between two looks */, MOST_SILENT = 60 /* s */ };

static volatile sig_atomic_t is_stopped;

static void stop(int number)
{
    (void)number;
    is_stopped = 1;
}

/* It interrupts the pause; a second one ends the tool. */
static void catch_interrupts(void)
{
    struct sigaction action = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND};

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

static int failed(void)
{
    tool_error("%s", scion_error_text());
    return TOOL_FAILED;
}

static int has_writer(const struct follow *follow)
{
    struct scion_writer writer;

    return scion_writer_find(scion_container_name(follow->container), &writer);
}

/* A writer that was never seen may have no lock, or one that only its node sees. */
static int is_old(const struct follow *follow)
{
    const struct scion_state *state = follow_state(follow);

    return !state || (long long)time(NULL) - state->time / 1000000000 > MOST_SILENT;
}

/* Before a look at the container, which may still find what the writer did at last. */
static int may_be_lost(struct follow *follow)
{
    if (scion_writer_is_missing(scion_container_name(follow->container)))
        return follow->had_writer || is_old(follow);
    follow->had_writer |= has_writer(follow);
    return 0;
}

static int lost(const struct follow *follow)
{
    tool_error("the program that wrote %s has ended without a close: nothing more will come",
               scion_container_name(follow->container));
    return FOLLOW_LOST;
}

int follow_open(char *name, struct follow *follow)
{
    static const struct scion_mode mode = {.access = SCION_ACCESS_READ,
                                           .posix = 1,
                                           .keyval = SION_KEYVAL_NOTSET,
                                           .all_generations = 1};
    int rc;

    if (input_generation()->generation != 0) {
        tool_error("--follow goes on to newer generations: it takes no other than all or latest");
        return TOOL_USAGE;
    }
    follow->from_oldest = input_generation()->all_generations;
    rc = scion_name_check(name);
    if (rc == 0)
        rc = scion_container_open(name, &mode, &follow->container);
    if (rc != 0)
        return failed();
    tool_print_warnings();
    if (scion_container_file(follow->container, 0)->has_odd_generations) {
        tool_error("cannot follow %s: its record of generations is damaged", name);
        return follow_close(follow, TOOL_FAILED);
    }
    catch_interrupts();
    follow->had_writer = has_writer(follow);
    return TOOL_RUN;
}

const struct scion_state *follow_state(const struct follow *follow)
{
    const struct scion_state *state = &scion_container_file(follow->container, 0)->state;

    return state->generation > 0 ? state : NULL;
}

sion_int64 follow_number(const struct follow *follow)
{
    return scion_container_file(follow->container, 0)->state.generation;
}

const struct scion_generations *follow_generations(const struct follow *follow)
{
    return scion_container_file(follow->container, 0)->generations;
}

static int refresh(struct follow *follow)
{
    sion_int64 bytes;

    if (scion_container_refresh(follow->container, &bytes) != 0)
        return failed();
    tool_print_warnings();
    return TOOL_RUN;
}

int follow_check(struct follow *follow, int *is_newest)
{
    sion_int64 before = follow_number(follow);
    int status = follow_generations(follow) ? refresh(follow) : TOOL_RUN;

    *is_newest = follow_number(follow) == before;
    return status;
}

int follow_next(struct follow *follow)
{
    static const struct timespec pause = {.tv_nsec = PAUSE};
    sion_int64 before = follow_number(follow);

    if (follow_is_closed(follow->container))
        return TOOL_DONE;
    while (!is_stopped) {
        int is_lost;

        nanosleep(&pause, NULL);
        if (is_stopped)
            break;
        is_lost = may_be_lost(follow);
        if (refresh(follow) != TOOL_RUN)
            return TOOL_FAILED;
        if (follow_number(follow) != before)
            return TOOL_RUN;
        if (is_lost)
            return lost(follow);
    }
    return TOOL_DONE;
}

int follow_close(struct follow *follow, int status)
{
    return scion_container_close(follow->container) != 0 ? failed() : status;
}
