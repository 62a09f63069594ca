#include "stream/commit.h"

void scion_commit_init(struct scion_commit *commit, uint32_t nonce, int task, int durable)
{
    *commit = (struct scion_commit){.is_begun = 1,
                                    .nonce = nonce,
                                    .task = task,
                                    .durable = durable,
                                    .chunk = -1,
                                    .flushed_chunk = -1};
}

/* Of the bytes before pos, those that were there at the last flush. */
static sion_int64 flushed_of(const struct scion_commit *commit, sion_int64 chunk, sion_int64 pos)
{
    if (chunk != commit->flushed_chunk)
        return chunk < commit->flushed_chunk ? pos : 0;
    return commit->flushed_pos < pos ? commit->flushed_pos : pos;
}

int scion_commit_prepare(struct scion_commit *commit, const struct scion_place *place,
                         sion_int64 chunk, sion_int64 pos, int is_flush, struct scion_slot *slot,
                         sion_int64 *offset)
{
    if (is_flush) {
        commit->flushed_chunk = chunk;
        commit->flushed_pos = pos;
    }
    *slot = (struct scion_slot){
        .nonce = commit->nonce,
        .task = commit->task,
        .chunk = chunk,
        .sequence = commit->sequence,
        .used = pos,
        .flushed = flushed_of(commit, chunk, pos),
    };
    if (place->chunksize == 0 || (pos == 0 && commit->sequence == 0))
        return 0;
    if (commit->chunk == chunk && commit->used == pos && commit->flushed == slot->flushed)
        return 0;
    /* No overflow: the stream is in this chunk. */
    scion_chunk_start(place, chunk, offset);
    *offset += place->chunksize + (slot->sequence & 1) * SCION_SLOT_SIZE;
    return 1;
}

void scion_commit_done(struct scion_commit *commit, const struct scion_slot *slot)
{
    commit->sequence = slot->sequence + 1;
    commit->chunk = slot->chunk;
    commit->used = slot->used;
    commit->flushed = slot->flushed;
}

int scion_commit_write(struct scion_commit *commit, struct scion_file *file,
                       const struct scion_place *place, sion_int64 chunk, sion_int64 pos,
                       int is_flush)
{
    unsigned char bytes[SCION_SLOT_SIZE];
    struct scion_slot slot;
    sion_int64 offset;
    int rc;

    if (!scion_commit_prepare(commit, place, chunk, pos, is_flush, &slot, &offset))
        return 0;
    rc = scion_file_check_flushed(file);
    if (rc != 0)
        return rc;
    scion_slot_encode(&slot, bytes);
    rc = scion_file_write(file, bytes, sizeof bytes, offset, NULL);
    if (rc == 0)
        scion_commit_done(commit, &slot);
    return rc;
}
