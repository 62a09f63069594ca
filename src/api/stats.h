/* Reports on containers: who requests them, what they contain, where they are printed. */
#ifndef SCION_API_STATS_H
#define SCION_API_STATS_H

#include <stdio.h>

#include "file/stats.h"

/* Statistics of a whole job on one container. */
struct scion_job {
    const char *name; /* of its first file */
    int writing, posix, buffered, nfiles, fsblksize;
    int nranks;
    const struct scion_stats *ranks; /* [nranks], one for each process or thread that opened it */
};

/* Whether containers that are opened now are counted. */
int scion_stats_requested(void);

/*
 * For opens by one process: the time at which it begins; 0: no statistics. Then make the container
 * count.
 */
double scion_api_begin_open(void);
void scion_api_count_from(struct scion_container *container, double begin);

/* The same for an open that has decided already whether to count. */
void scion_api_note_open(struct scion_container *container, double begin);

/* The statistics of a container that is closed, which are needed after it has been freed. */
struct scion_stats_report {
    struct scion_stats *stats; /* NULL: nothing was counted */
    char *name;
    struct scion_job job; /* without ranks */
    double begin;
};

void scion_api_begin_close(struct scion_stats_report *stats_report,
                           struct scion_container *container);

/* Print the report, of one process or of all ranks, and free it. */
void scion_api_end_close(struct scion_stats_report *stats_report);
void scion_api_end_close_together(struct scion_stats_report *stats_report,
                                  const struct scion_stats *ranks, int nranks);

/* Lines for people, and one line of JSON. */
void scion_job_print(FILE *to, const struct scion_job *job);
void scion_job_print_json(FILE *to, const struct scion_job *job);

#endif
