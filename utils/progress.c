#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "tool.h"

enum {
    /* The clock is looked at once in so many bytes or calls. */
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

void progress_start(struct progress *progress, sion_int64 total, int stdout_is_data)
{
    const struct progress fresh = {.total = total};

    *progress = fresh;
    progress->enabled = isatty(STDERR_FILENO) && !(stdout_is_data && isatty(STDOUT_FILENO));
    if (progress->enabled)
        progress->start = progress->last = now();
}

static void show(struct progress *progress)
{
    double percent =
        progress->total > 0 ? (double)progress->done / (double)progress->total * 100.0 : 0.0;

    /* The cursor goes back, so that a message of the library takes the line's place. */
    fprintf(stderr, "%5.1f%%  %.0f of %.0f MB\033[K\r", percent, tool_mb(progress->done),
            tool_mb(progress->total));
    progress->shown = 1;
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
    if (time - progress->start < quiet_seconds || time - progress->last < refresh_seconds)
        return;
    progress->last = time;
    show(progress);
}

void progress_clear(struct progress *progress)
{
    if (!progress->shown)
        return;
    fputs("\033[K", stderr);
    progress->shown = 0;
}
