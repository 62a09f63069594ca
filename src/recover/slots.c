/* Find the data that commit records describe. */
#include "recover/private.h"

#include "sion_const.h"

#include "file/slots.h"

int scion_salvage_chunk(const struct scion_salvaged_file *file, int task, sion_int64 chunk,
                        sion_int64 *begin, sion_int64 *room)
{
    const struct scion_place place = scion_physical_place(file->physical, task);

    *room = place.chunksize;
    return scion_chunk_start(&place, chunk, begin);
}

int scion_salvage_slot(const struct scion_salvaged_file *file, int task, sion_int64 chunk,
                       sion_int64 behind, struct scion_slot *slot)
{
    return scion_physical_slot(file->physical, file->size, task, chunk, behind, slot);
}

/* One more chunk with a slot. The first one has its place in the lengths already. */
static int add_chunk(struct scion_salvaged_task *task, const struct scion_slot *slot)
{
    int rc = slot->chunk > 0 ? scion_lengths_append(&task->lengths) : 0;

    if (rc != 0)
        return rc;
    task->lengths.used[slot->chunk] = slot->used;
    if (slot->flushed > 0)
        task->flushed = task->certain + slot->flushed;
    task->certain += slot->used;
    task->sequence = slot->sequence;
    return 0;
}

/* Whether a chunk with this slot can be a part of the stream: key-value records go on in the next
 * chunk only where the chunks before are full, and a container with a gap could not be opened. */
static int goes_on(const struct scion_salvaged_file *file, int task, const struct scion_slot *slot)
{
    sion_int64 room = scion_physical_place(file->physical, task).chunksize;

    return scion_meta1_keyval(&file->physical->head) != SION_KEYVAL_INLINE || slot->used == 0 ||
           file->tasks[task].certain == slot->chunk * room;
}

/* Up to the first chunk without a slot that is newer than that of the chunk before. */
int scion_salvage_follow_task(struct scion_salvaged_file *file, int task)
{
    struct scion_salvaged_task *found = &file->tasks[task];
    struct scion_slot slot;
    sion_int64 chunk;
    int rc = 1;

    found->sequence = -1;
    for (chunk = 0; rc == 1; chunk++) {
        rc = scion_salvage_slot(file, task, chunk, found->sequence, &slot);
        if (rc == 1 && !goes_on(file, task, &slot))
            return 0;
        if (rc == 1) {
            int added = add_chunk(found, &slot);

            rc = added != 0 ? added : 1;
        }
    }
    return rc;
}

int scion_salvage_follow_slots(struct scion_salvaged_file *file)
{
    int rc = 0, t;

    for (t = 0; t < file->physical->head.ntasks && rc == 0; t++)
        rc = scion_salvage_follow_task(file, t);
    return rc;
}
