/* Where a task's data lie. The process that has the metadata of a file sends it to the process that
   uses the task. */
#ifndef SCION_FILE_PLACED_H
#define SCION_FILE_PLACED_H

#include "geometry/layout.h"

/* 64-bit words, because tasks send it to each other. */
struct scion_placed {
    int rank;        /* global */
    int file, lrank; /* number of its physical file, and its index in it */
    int index;       /* of the file among those that the process has open */
    struct scion_place place;
    sion_int64 count; /* reading: chunks */
};

#endif
