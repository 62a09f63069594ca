/*
 * The progress of a long copy, its rate and the time that it still takes, on stderr. By default it
 * is shown on a terminal only, after one second, and removed at the end. "always" also shows it at
 * the end, and in lines of its own if stderr is not a terminal.
 */
#ifndef UTILS_LIB_PROGRESS_H
#define UTILS_LIB_PROGRESS_H

#include "sion_datatypes.h"

struct progress {
    sion_int64 done, total; /* bytes */
    sion_int64 unchecked;   /* bytes since the last look at the clock */
    int calls;              /* likewise */
    int enabled;
    int shown;
    int terminal;
    double began; /* second */
    double next;  /* second in which it is shown again */
};

/* auto, always or never, for copies that begin afterwards. 0, or -1: the text is none of them. */
int progress_choose(const char *when);

/* stdout_is_data: what goes to stdout is not to be mixed with progress on the same terminal. */
void progress_start(struct progress *progress, sion_int64 total, int stdout_is_data);

/* Some bytes, possibly none, have been copied. */
void progress_step(struct progress *progress, sion_int64 bytes);

/* Remove the line, before other output. */
void progress_clear(struct progress *progress);

void progress_end(struct progress *progress);

#endif
