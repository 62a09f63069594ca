/*
 * A container whose tasks write to folders of their nodes (stage/part.h) until it is drained. Rank
 * 0 of all chooses it; if a node cannot do it, the open begins again without it.
 */
#ifndef SCION_PARALLEL_STAGING_H
#define SCION_PARALLEL_STAGING_H

#include "file/container.h"
#include "stage/part.h"

struct scion_opening;
struct scion_parallel;
struct scion_staging;
struct scion_staged;

/* What a task keeps of it. */
struct scion_staging {
    struct scion_stage_part part; /* until the list has it: with its strings */
    char *record, *target;        /* copies of the part's */
    struct scion_staged *listed;  /* NULL: not yet, or not any more */
    int index, ntasks;            /* of the task in its node; of that */
    int nodes, nfiles;
    int leads;    /* it is the first task of its node */
    int has_lock; /* of the name */
    int is_open;  /* the open has succeeded */
    int is_sealed;
    int number; /* of the file whose first task it is; -1: of none */
    sion_int64 flag2;
};

/*
 * On rank 0 of all: if the mode asks for staging and it is possible, set
 * opening->parallel->staging. What cannot be staged is written directly, with a warning if the mode
 * string asks for staging. The nonce has been chosen.
 */
int scion_staging_choose(struct scion_opening *opening);

/*
 * Collective, on all tasks, before files of a set are made: find the nodes, and let each one begin
 * its part. *refused: on all, a node cannot, and the open has to begin again.
 */
int scion_staging_join(struct scion_opening *opening, int *refused);

/* The new file `number` of the container, beside its name: made by the first task of the file. */
int scion_staging_make_new(struct scion_staging *staging, int number, mode_t permissions,
                           char **path);

/* Where commit records will tell what was flushed, and on all tasks: this task's row, until the
   close writes it. physical: on the first task of its file, else NULL. */
int scion_staging_announces(const struct scion_staging *staging);
int scion_staging_announce(const struct scion_parallel *parallel, struct scion_container *container,
                           const struct scion_physical *physical);

/* This task's row, after its streams have ended. place: of its chunks. */
int scion_staging_note(struct scion_parallel *parallel, const struct scion_container *container,
                       const struct scion_place *place);

/* On each node's first task, when all tasks have written: the part is complete. */
int scion_staging_seal(struct scion_parallel *parallel, int is_synced);

/* At the very end of a close, which has succeeded on all tasks: the drain begins. */
void scion_staging_hand_over(struct scion_parallel *parallel);

/* Collective: the same, and wait for the drain. */
int scion_staging_drain(struct scion_parallel *parallel);

/* After the file's first task has emptied it: the other nodes' parts, too. */
int scion_staging_restart(const struct scion_parallel *parallel);

/* Give up what was not handed over: the files are removed, unless they have commit records. */
void scion_staging_free(struct scion_parallel *parallel);

#endif
