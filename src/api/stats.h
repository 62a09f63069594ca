/* Reports on containers: who wants them, what they say, where they go. */
#ifndef SCION_API_STATS_H
#define SCION_API_STATS_H

#include <stdio.h>

#include "file/stats.h"

/* What a whole job has done with one container. */
struct scion_job {
    const char *name; /* of its first file */
    int writing, posix, buffered, nfiles, fsblksize;
    int nranks;
    const struct scion_stats *ranks; /* [nranks], in any unit that opens: processes or threads */
};

/* Whether containers that are opened now are counted. */
int scion_stats_requested(void);

/*
 * An open by one process: when it began; 0: nothing is counted. The container counts from here on.
 */
double scion_api_begin_open(void);
void scion_api_count_from(struct scion_container *container, double begin);

/* The same where the open has decided already. */
void scion_api_note_open(struct scion_container *container, double begin);

/* A close: what was counted, which is needed when the container is gone. */
struct scion_reporting {
    struct scion_stats *stats; /* NULL: nothing was counted */
    char *name;
    struct scion_job job; /* without ranks */
    double begin;
};

void scion_api_begin_close(struct scion_reporting *reporting, struct scion_container *container);

/* The report of a job of one process; of several: where all that they have counted is. Freed. */
void scion_api_end_close(struct scion_reporting *reporting);
void scion_api_end_close_together(struct scion_reporting *reporting,
                                  const struct scion_stats *ranks, int nranks);

/* The description of a container; the rest is the caller's. */
void scion_job_describe(struct scion_job *job, const struct scion_container *container);

/* Lines for people, and one line of JSON. */
void scion_job_print(FILE *to, const struct scion_job *job);
void scion_job_print_json(FILE *to, const struct scion_job *job);

/* Print it where SION_STATS says; nowhere if that is not set. A failure is a warning. */
void scion_job_report(const struct scion_job *job);

#endif
