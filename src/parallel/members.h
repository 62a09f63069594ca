/*
 * Members of merged streams: which bytes of a collector's stream are whose is noted while they are
 * written, gathered at the close, and dealt out at an open.
 */
#ifndef SCION_PARALLEL_MEMBERS_H
#define SCION_PARALLEL_MEMBERS_H

#include "parallel/mapped.h"
#include "parallel/opening.h"

/* Whether a collective write of this container appends to the collector's stream. */
int scion_member_log_is_on(const struct scion_container *container);

/*
 * A task notes its part of a collective write: before it begins, and after it has ended, with the
 * result and the bytes of the task's own record. begin fails if there is no memory for that; then
 * the write has to fail.
 */
int scion_member_log_begin(struct scion_container *container);
void scion_member_log_end(struct scion_container *container, int rc, sion_int64 bytes);

/*
 * On a collector, in between: a record begins; a piece of it was appended; the record was removed
 * again; all of this write were.
 */
int scion_member_log_begin_record(struct scion_container *container);
void scion_member_log_add(struct scion_container *container, const struct scion_piece *piece);
void scion_member_log_drop_record(struct scion_container *container);
void scion_member_log_drop(struct scion_container *container);

/*
 * Collective over the tasks of a file that is closed: write the record of its members after all
 * other tables, if it was merged and no task has failed. rc: this task's result so far.
 */
int scion_write_members(struct scion_parallel *parallel, struct scion_container *container, int rc);

/*
 * Collective over the tasks of a file that was opened to be read by members, and of which nothing
 * has been read yet: each task gets its stream, if the file has a record.
 */
int scion_open_members(struct scion_opening *opening);

/* The same of a mapped open: over all processes. */
int scion_open_mapped_members(struct scion_mapped_root *root, struct scion_container *container);

#endif
