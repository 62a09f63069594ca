/* Files whose close is told to sionrun: those of a `when` pattern that were opened for writing. */
#ifndef SCION_PRELOAD_CLOSING_H
#define SCION_PRELOAD_CLOSING_H

#include "run/preload/place.h"
#include "run/preload/state.h"

void run_written_slowly(int fd);

/* A descriptor of the tree was opened for writing. */
static inline void run_written(int fd)
{
    if (run_session.head->count[SCION_RUN_WHEN] > 0)
        run_written_slowly(fd);
}

void run_told_by_name_slowly(struct run_place *place);

/* A whole file got its name: that is as good as its close. */
static inline void run_told_by_name(struct run_place *place)
{
    if (run_session.head->count[SCION_RUN_WHEN] > 0)
        run_told_by_name_slowly(place);
}

/* At the start of a process, and in the child of a fork. */
void run_closing_start(void);
void run_closing_forked(void);

#endif
