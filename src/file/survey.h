/*
 * A file of so many tasks that no process should hold a number of each: one process goes through
 * the tables once, in pieces, and each process then reads the column of its own task.
 */
#ifndef SCION_FILE_SURVEY_H
#define SCION_FILE_SURVEY_H

#include "file/column.h"
#include "file/mapping_pairs.h"

/*
 * Of a file that was opened with scion_column_open(): check in pieces all that depends on more than
 * one task, and find the layout. Returns 1: number of chunks and chunk size of each task are sound,
 * and if `in_order`, task t has global rank t, so that no task needs to know of another one. 0:
 * they are not, or the file cannot be read; the reason is to be found by scion_physical_read(), and
 * the warnings of this one are dropped.
 */
int scion_survey(struct scion_physical *physical, int in_order);

/* Of file 0 of a set: the pairs of the mapping in pieces, each of which names a file. The same
   results; look() returns 0 to go on. */
int scion_survey_pairs(struct scion_physical *physical, scion_pairs_function *look, void *user);

/* The same of the global ranks of a file, in the order of its tasks. */
typedef int scion_ranks_function(void *user, const sion_int64 *ranks, int n);
int scion_survey_ranks(struct scion_physical *physical, scion_ranks_function *look, void *user);

/*
 * Open a file that another process has surveyed, and read nothing of it. known: its head, layout,
 * grain, maxchunks, start_of_varheader and size.
 */
int scion_survey_enter(const char *path, const struct scion_physical *known,
                       struct scion_physical **physical);

#endif
