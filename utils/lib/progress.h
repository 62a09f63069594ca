/*
 * How far a long copy has come, on stderr: only on a terminal, only from the second second on, and
 * gone at the end; or always, at the end too, in lines of their own where stderr is no terminal.
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
    double next; /* second in which it is shown again */
};

/* auto, always or never: for all that begins afterwards. 0, or -1: it is none of them. */
int progress_choose(const char *when);

/* stdout_is_data: what goes to stdout is not to be mixed with progress on the same terminal. */
void progress_start(struct progress *progress, sion_int64 total, int stdout_is_data);

/* Some bytes, possibly none, have been copied. */
void progress_step(struct progress *progress, sion_int64 bytes);

/* Take the line away: before other output. */
void progress_clear(struct progress *progress);

void progress_end(struct progress *progress);

#endif
