/*
 * The commit records of one task that is written: a slot in the trailer of its present chunk says
 * how many bytes of it have been written, so that they can be found if the container is never
 * closed (doc/format.md, "Recovery").
 *
 * A slot is written after the data that it tells of, and never over the newest one.
 */
#ifndef SCION_STREAM_COMMIT_H
#define SCION_STREAM_COMMIT_H

#include <stdint.h>

#include "format/slot.h"
#include "geometry/layout.h"
#include "vfs/vfs.h"

struct scion_commit {
    int is_begun; /* 0: the other members do not count */
    uint32_t nonce;
    int task;                        /* index in its file */
    int durable;                     /* data have to be on the disk before their slot is written */
    sion_int64 sequence;             /* of the next slot */
    sion_int64 chunk, used, flushed; /* what the last slot says; chunk -1: there is none */
    sion_int64 flushed_chunk, flushed_pos; /* where the stream ended at the last flush */
};

/* Nothing is written yet. */
void scion_commit_init(struct scion_commit *commit, uint32_t nonce, int task, int durable);

/*
 * The stream ends at offset pos of a chunk, and all bytes before it have been written. is_flush:
 * because the application called for a flush. 1 with the slot that says so and its offset in the
 * file, or 0 if the last slot says so already. A chunk that is too small for a trailer has no data
 * and no slot.
 */
int scion_commit_prepare(struct scion_commit *commit, const struct scion_place *place,
                         sion_int64 chunk, sion_int64 pos, int is_flush, struct scion_slot *slot,
                         sion_int64 *offset);

/* The slot has been written. */
void scion_commit_done(struct scion_commit *commit, const struct scion_slot *slot);

/* Prepare, write, done. place: where data may go, which is what is before the trailer. */
int scion_commit_write(struct scion_commit *commit, struct scion_file *file,
                       const struct scion_place *place, sion_int64 chunk, sion_int64 pos,
                       int is_flush);

#endif
