/* The tables of a container that all its tasks write, at a publish and at the close. */
#ifndef SCION_PARALLEL_TABLES_H
#define SCION_PARALLEL_TABLES_H

#include "parallel/state.h"

/* What the first task of a file writes after META2. */
const struct scion_mapping *scion_mapping_of(const struct scion_parallel *parallel,
                                             const struct scion_container *container);

/* Whether the first task of file 0 gathers the mapping at a close; on that task, local: the memory
   for it. */
int scion_gathers_mapping(const struct scion_parallel *parallel);
int scion_reserve_mapping(struct scion_parallel *parallel, int nfiles);

/* After the open has agreed on how the tasks are dealt, by leader; rc > 0 as in scion_opening. */
int scion_settle_deal(struct scion_parallel *parallel, int nfiles, int rc);

/* Collective: write META2 of each file, with the present lengths of the streams. */
int scion_write_tables(struct scion_parallel *parallel, struct scion_container *container);

/* When all tasks know that there is something to publish: from now on the tail comes last of all.
 */
void scion_begin_growing(struct scion_parallel *parallel, struct scion_container *container);

/* The same of a state that is published. */
int scion_write_new_tables(struct scion_parallel *parallel, struct scion_container *container);

/* That of one file, if there is something new; *is_new is equal on all tasks. */
int scion_write_news(struct scion_parallel *parallel, struct scion_container *container,
                     const struct scion_length_news *news, int *is_new);

/*
 * After these, and what goes behind them: where files grow, their new tables become the newest
 * state, if those of all files are complete. Collective, without messages if there is one file or
 * the container is mapped.
 */
int scion_switch_states(struct scion_parallel *parallel, struct scion_container *container,
                        int is_closed);

/*
 * Collective: publish what all tasks have written. If it fails on any task, it fails on all, and
 * readers see the state before.
 */
int scion_parallel_publish(struct scion_container *container);

/* The same when all tasks have left their calls, with this task's result so far. */
int scion_publish_now(struct scion_container *container, int rc);

/* Whether it can be, by what is equal on all tasks: 0, or an error. */
int scion_parallel_publish_check(const struct scion_parallel *parallel,
                                 const struct scion_container *container);

#endif
