/*
 * Collective writes in batches: a sender gathers its records and sends them to its collector in
 * some of the calls. doc/parallel.md describes it. Only for groups whose communicator has batches,
 * and for containers whose data need not be certain when a call returns.
 */
#ifndef SCION_PARALLEL_WRITE_BATCH_H
#define SCION_PARALLEL_WRITE_BATCH_H

#include "file/container.h"

/* Whether the group writes in batches; equal on all its tasks. */
int scion_writes_batches(const struct scion_container *container);

/* As scion_collective_write(). */
int scion_write_batch_write(struct scion_container *container, int sid, int status,
                            const void *data, sion_int64 bytes);

/*
 * Local: the task writes what it has gathered itself, and waits until its collector has written
 * what it was sent. 0, or the failure of a record that was accepted before.
 */
int scion_write_batch_flush(struct scion_container *container);

/*
 * The same at the end of the process: without a message, so it also writes again what its collector
 * may have written. The state does not change.
 */
int scion_write_batch_save(struct scion_container *container);

/*
 * Collective over a group that gathers: the collector writes everything, also what tasks send that
 * are still in calls. The result is as that of a flush.
 */
int scion_write_batch_settle(struct scion_container *container);

/* Local, before that, for a new start: what is gathered is not written. */
void scion_write_batch_drop(struct scion_container *container);

#endif
