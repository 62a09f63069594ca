/*
 * What SCR compares before it takes a dataset: how many ranks the files of the map and the summary
 * next to it say that there are, and how many files and bytes.
 */
#ifndef SCION_SCR_CENSUS_H
#define SCION_SCR_CENSUS_H

#include "scr/map/map.h"

/* What is there: counted while all files of a map are visited. */
struct scion_census {
    const struct sion_scr_ranks *ranks;
    sion_int64 files, bytes;
    int is_open;         /* the size of a file is not known */
    int next;            /* entry of ranks after that of the last file */
    sion_int64 lacking;  /* ranks without a file, up to there */
    sion_int64 lacking1; /* the first of them */
};

/* A file of a rank, in the order of ranks; size -1: unknown. */
void scion_census_count(struct scion_census *census, sion_int64 rank, sion_int64 size);

/* Called for each difference. rank -1: of no rank. */
typedef void scion_census_tell(void *data, enum sion_scr_fault fault, sion_int64 rank,
                               const char *file, const char *text);

/*
 * Compare with the map and the summary in this folder, when all files were counted. Differences are
 * told, with their number in *faults. An error only if there is no memory.
 */
int scion_census_compare(struct scion_census *census, const char *folder,
                         const struct sion_scr_fetch_options *options, scion_census_tell *tell,
                         void *data, int *faults);

#endif
