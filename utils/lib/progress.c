#include "lib/progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/text.h"

enum {
    /* The clock is read once in so many bytes or calls. */
    CHECK_BYTES = 1 << 20,
    CHECK_CALLS = 64,

    BAR = 20,
    MINUTE = 60,
    HOUR = 3600
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
    if (!progress->enabled)
        return;
    progress->began = now();
    progress->next = progress->began + (choice == WHEN_ANY ? refresh_seconds : quiet_seconds);
}

/* "0:07", "1:00:00" */
static void put_time(char *into, size_t size, double seconds)
{
    long long all = (long long)seconds + ((double)(long long)seconds < seconds);

    if (all < HOUR)
        snprintf(into, size, "%lld:%02lld", all / MINUTE, all % MINUTE);
    else
        snprintf(into, size, "%lld:%02lld:%02lld", all / HOUR, all % HOUR / MINUTE, all % MINUTE);
}

/* Rate and time left, by all that has been done; what took the time, at the end. */
static void put_speed(const struct progress *progress, char *into, size_t size)
{
    double seconds = now() - progress->began;
    double rate = seconds > 0 ? (double)progress->done / seconds : 0;
    char rate_text[TEXT_SIZE], time[TEXT_SIZE];

    into[0] = '\0';
    if (rate < 1.0)
        return;
    text_size(rate_text, (sion_int64)rate);
    if (progress->done < progress->total) {
        put_time(time, sizeof time, (double)(progress->total - progress->done) / rate);
        snprintf(into, size, "  %s/s  %s left", rate_text, time);
    } else {
        put_time(time, sizeof time, seconds);
        snprintf(into, size, "  %s/s  in %s", rate_text, time);
    }
}

static void show(struct progress *progress)
{
    static const char full[BAR + 1] = "####################";
    double part = progress->total > 0 ? (double)progress->done / (double)progress->total : 1.0;
    char done[TEXT_SIZE], total[TEXT_SIZE], speed[3 * TEXT_SIZE];

    put_speed(progress, speed, sizeof speed);
    /* On a terminal the cursor goes back, so that a message of the library takes the line's place.
     */
    fprintf(stderr, "[%-*.*s] %5.1f%%  %s of %s%s%s", BAR, (int)(part * BAR), full, part * 100.0,
            text_size(done, progress->done), text_size(total, progress->total), speed,
            progress->terminal ? "\033[K\r" : "\n");
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
