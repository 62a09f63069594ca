/* Generations of a container that is closed: the oldest ones are forgotten in place. */
#ifndef SCION_FILE_FORGET_H
#define SCION_FILE_FORGET_H

#include "sion_datatypes.h"

struct scion_forgotten {
    sion_int64 before, after; /* how many generations the container had, and has */
    sion_int64 oldest;        /* the number of the first one that is left */
};

/*
 * All generations but the last `keep` (0: all), and those before this number (0: none), are no part
 * of the container any more, and their bytes are freed where the file system can; else it warns.
 * The newest one stays in any case. Whoever is killed while it does this leaves what was there, or
 * what should be. Fails if there are no generations, or the container is being written.
 */
int scion_forget_generations(const char *name, int keep, sion_int64 before,
                             struct scion_forgotten *result);

#endif
