/* Segments of a map that lie on the same bytes. */
#ifndef SCION_SCR_OVERLAPS_H
#define SCION_SCR_OVERLAPS_H

#include "scr/map/entry.h"

/* A file of the map that has bytes of another one, or bytes twice; or that could not be looked at.
 */
struct scion_overlap {
    size_t number; /* of the file, in the order of a visit to all */
    int code;
    char *reason;
};

struct scion_overlaps {
    struct scion_overlap *list; /* by number */
    size_t count, capacity;
    mode_t permissions; /* that all files have which were looked at */
};

/*
 * Find those of all ranks. Files are known by what they are, whatever they are called. whole_files:
 * also look at files that are named in the map by themselves, without segments. O(segments) memory,
 * O(n log n) time. Freed by scion_overlaps_free, whatever is returned.
 */
int scion_overlaps_find(const struct sion_scr_ranks *ranks, const struct scion_names *names,
                        int whole_files, struct scion_overlaps *overlaps);
void scion_overlaps_free(struct scion_overlaps *overlaps);

/* An error if the file with this number is one. */
int scion_overlaps_check(const struct scion_overlaps *overlaps, size_t number);

#endif
