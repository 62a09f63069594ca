#include "file/slots.h"


int scion_physical_slot(const struct scion_physical *physical, sion_int64 size, int task,
                        sion_int64 chunk, sion_int64 behind, struct scion_slot *slot)
{
    const struct scion_meta1 *head = &physical->head;
    const struct scion_place place = scion_physical_place(physical, task);
    struct scion_slot wanted = {.task = task, .chunk = chunk, .sequence = behind};
    unsigned char trailer[SCION_TRAILER_SIZE] = {0};
    sion_int64 begin, room = place.chunksize;
    size_t got;
    int rc;

    scion_marker_trailer(head->flag2, &wanted.nonce);
    if (scion_chunk_start(&place, chunk, &begin) || room == 0 || begin >= size - room)
        return 0;
    /* The last chunk may end before its second slot. */
    rc = scion_file_read_some(physical->file, trailer, sizeof trailer, begin + room, &got);
    return rc != 0 ? rc : scion_slot_find(trailer, head->swapped, &wanted, room, slot);
}
