/* Helpers for tests of the serial interface: create and open a container. */
#ifndef TEST_SERIAL_H
#define TEST_SERIAL_H

#include "sion.h"

#include "support.h"

static char name[] = "c.sion";

/* Create a container of n tasks with these chunk sizes. */
static inline int create(const char *mode, int n, const sion_int64 *sizes, sion_int32 *fsblksize)
{
    int nfiles = 1, ranks[16], *globalranks = ranks, i;
    sion_int64 copy[16], *chunks = copy;

    for (i = 0; i < n; i++) {
        ranks[i] = i;
        copy[i] = sizes[i];
    }
    return sion_open(name, mode, &n, &nfiles, &chunks, fsblksize, &globalranks, NULL);
}

static inline int open_to_read(const char *mode)
{
    int ntasks, nfiles;
    sion_int32 fsblksize;

    return sion_open(name, mode, &ntasks, &nfiles, NULL, &fsblksize, NULL, NULL);
}

#endif
