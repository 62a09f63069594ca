#include "lib/progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/text.h"

enum {
    /* The clock is read once in so many bytes or calls. */
    CHECK_BYTES = 1 << 20,
    CHECK_CALLS = 64
};

static const double quiet_seconds = 1.0, refresh_seconds = 0.2;

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

enum { WHEN_LONG, WHEN_ANY, WHEN_NEVER };

static int choice = WHEN_LONG;

int progress_choose(const char *when)
{
    static const char *const names[] = {"auto", "always", "never"};
    int i;

    for (i = 0; i < 3; i++) {
        if (strcmp(when, names[i]) == 0) {
            choice = i;
            return 0;
        }
    }
    return -1;
}

void progress_start(struct progress *progress, sion_int64 total, int stdout_is_data)
{
    const struct progress fresh = {.total = total};

    *progress = fresh;
    progress->terminal = isatty(STDERR_FILENO);
    progress->enabled = choice == WHEN_ANY || (choice == WHEN_LONG && progress->terminal &&
                                               !(stdout_is_data && isatty(STDOUT_FILENO)));
    if (progress->enabled)
        progress->next = now() + (choice == WHEN_ANY ? refresh_seconds : quiet_seconds);
}

static void show(struct progress *progress)
{
    double percent =
        progress->total > 0 ? (double)progress->done / (double)progress->total * 100.0 : 100.0;

    /* On a terminal the cursor goes back, so that a message of the library takes the line's place.
     */
    fprintf(stderr, "%5.1f%%  %.0f of %.0f MB%s", percent, text_mb(progress->done),
            text_mb(progress->total), progress->terminal ? "\033[K\r" : "\n");
    progress->shown = progress->terminal;
}

void progress_step(struct progress *progress, sion_int64 bytes)
{
    double time;

    progress->done += bytes;
    progress->unchecked += bytes;
    if (!progress->enabled ||
        (progress->unchecked < CHECK_BYTES && ++progress->calls < CHECK_CALLS))
        return;
    progress->unchecked = 0;
    progress->calls = 0;
    time = now();
    if (time < progress->next)
        return;
    progress->next = time + refresh_seconds;
    show(progress);
}

void progress_clear(struct progress *progress)
{
    if (!progress->shown)
        return;
    fputs("\033[K", stderr);
    progress->shown = 0;
}

void progress_end(struct progress *progress)
{
    if (choice != WHEN_ANY)
        progress_clear(progress);
    else {
        show(progress);
        if (progress->terminal)
            fputc('\n', stderr);
    }
}
