/* Generations of a container that all tasks write: what they have to know of each other. */
#ifndef SCION_PARALLEL_GENERATIONS_H
#define SCION_PARALLEL_GENERATIONS_H

#include "parallel/state.h"

/*
 * Collective, before a state: whether any task has new bytes, and what is to be forgotten. If tasks
 * differ in that, news->rc is the failure on all; what they have said is forgotten, too. Before
 * that it is the failure of this task.
 */
void scion_agree_on_generations(struct scion_parallel *parallel, struct scion_container *container,
                                struct scion_length_news *news);

/* Collective over a file's tasks, before its checksums: which chunks have none. */
void scion_tell_forgotten(const struct scion_parallel *parallel, struct scion_container *container);

/* Local: what was published is noted, and with generations the task goes on behind it. */
void scion_begin_generation(struct scion_container *container);

/* Local: in the files whose tables this task writes, blocks of what is forgotten are freed. */
void scion_punch_files(const struct scion_parallel *parallel,
                       const struct scion_container *container);

/* Collective, after the last state; rc: of this task's switch. Blocks are freed if all have. */
void scion_end_generations(const struct scion_parallel *parallel, struct scion_container *container,
                           int rc);

#endif
