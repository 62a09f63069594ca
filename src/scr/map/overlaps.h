/* Segments of a map that share bytes. */
#ifndef SCION_SCR_OVERLAPS_H
#define SCION_SCR_OVERLAPS_H

#include "scr/map/entry.h"

/* A file of the map that shares bytes with another one, has bytes twice, or could not be
   examined. */
struct scion_overlap {
    size_t number; /* of the file, in the order of a visit to all */
    int code;
    char *reason;
};

struct scion_overlaps {
    struct scion_overlap *list; /* by number */
    size_t count, capacity;
    mode_t permissions; /* of all files that were examined */
};

/*
 * Find such files of all ranks. Files are identified by device and inode, not by name. whole_files:
 * also look at files that are named in the map by themselves, without segments. O(segments) memory,
 * O(n log n) time. Freed by scion_overlaps_free, whatever is returned.
 */
int scion_overlaps_find(const struct sion_scr_ranks *ranks, const struct scion_names *names,
                        int whole_files, struct scion_overlaps *overlaps);
void scion_overlaps_free(struct scion_overlaps *overlaps);

/* An error if the file with this number is such a file. */
int scion_overlaps_check(const struct scion_overlaps *overlaps, size_t number);

#endif
