#include "format/meta2.h"

#include <string.h>

#include "base/byteorder.h"
#include "base/checked.h"
#include "base/error.h"
#include "format/meta1.h"
#include "format/slot.h"

int scion_meta2_size(sion_int64 ntasks, sion_int64 maxchunks, sion_int64 *size)
{
    sion_int64 numbers;

    return scion_add(maxchunks, 1, &numbers) || scion_mul(numbers, ntasks, &numbers) ||
           scion_mul(numbers, 8, size);
}

/* META2 is after the last block; or, written on a full disk, in the gap after META1. */
static int is_in_place(const struct scion_chunk_plan *plan, int maxchunks,
                       sion_int64 start_of_varheader, sion_int64 end)
{
    sion_int64 blocks;

    if (start_of_varheader == scion_meta1_size(plan->ntasks) && end <= plan->start_of_data)
        return 1;
    return !scion_mul(plan->globalskip, maxchunks, &blocks) &&
           !scion_add(plan->start_of_data, blocks, &blocks) && blocks == start_of_varheader;
}

int scion_meta2_check_extent(int ntasks, int maxchunks, sion_int64 start_of_varheader,
                             sion_int64 file_size, sion_int64 *end)
{
    sion_int64 size;

    if (start_of_varheader == 0)
        return scion_fail(SION_ERR_NOT_CLOSED,
                          "bad value for start_of_varheader (=0): the container was never closed, "
                          "see sionrecover");
    if (maxchunks < 1)
        return scion_fail(SION_ERR_DAMAGED, "header says %d chunks", maxchunks);
    if (start_of_varheader < scion_meta1_size(ntasks))
        return scion_fail(SION_ERR_DAMAGED, "bad value for start_of_varheader (=%lld)",
                          start_of_varheader);
    if (scion_meta2_size(ntasks, maxchunks, &size) || scion_add(start_of_varheader, size, end) ||
        *end > file_size)
        return scion_fail(SION_ERR_DAMAGED,
                          "file is cut off: metadata of %d tasks and %d chunks at offset %lld "
                          "would end beyond the file's %lld bytes",
                          ntasks, maxchunks, start_of_varheader, file_size);
    return 0;
}

int scion_meta2_check_place(const struct scion_chunk_plan *plan, int maxchunks,
                            sion_int64 start_of_varheader, sion_int64 file_size, sion_int64 *end)
{
    int rc = scion_meta2_check_extent(plan->ntasks, maxchunks, start_of_varheader, file_size, end);

    if (rc == 0 && !is_in_place(plan, maxchunks, start_of_varheader, *end))
        return scion_fail(SION_ERR_DAMAGED,
                          "bad value for start_of_varheader (=%lld): %d blocks of %lld bytes from "
                          "offset %lld on do not end there",
                          start_of_varheader, maxchunks, plan->globalskip, plan->start_of_data);
    return rc;
}

/* End of the last used byte of a chunk. */
static int chunk_end(const struct scion_chunk_plan *plan, int task, sion_int64 chunk,
                     sion_int64 used, sion_int64 *end)
{
    sion_int64 skip;

    return scion_mul(plan->globalskip, chunk, &skip) || scion_add(plan->starts[task], skip, end) ||
           scion_add(*end, used, end);
}

int scion_meta2_check_task(const struct scion_chunk_plan *plan, int task, int maxchunks,
                           sion_int64 limit, sion_int64 count, const sion_int64 *used)
{
    sion_int64 b, end, room;

    if (count < 1 || count > maxchunks)
        return scion_fail(SION_ERR_DAMAGED, "task %d says %lld chunks, of at most %d",
                          plan->first + task, count, maxchunks);
    if (scion_round_up(plan->sizes[task], plan->grain, &room))
        return scion_fail(SION_ERR_DAMAGED, "chunk size of task %d is %lld", plan->first + task,
                          plan->sizes[task]);
    for (b = 0; b < count; b++) {
        sion_int64 bytes = used[b * plan->ntasks];

        if (bytes < SCION_USED_UNKNOWN || bytes > room)
            return scion_fail(SION_ERR_DAMAGED,
                              "chunk %lld of task %d says %lld bytes used of %lld", b,
                              plan->first + task, bytes, room);
        if (bytes > 0 && (chunk_end(plan, task, b, bytes, &end) || end > limit))
            return scion_fail(SION_ERR_DAMAGED,
                              "data of chunk %lld of task %d would lie beyond offset %lld", b,
                              plan->first + task, limit);
    }
    return 0;
}

int scion_meta2_check(const struct scion_chunk_plan *plan, int maxchunks, sion_int64 limit,
                      const sion_int64 *counts, const sion_int64 *used)
{
    sion_int64 most = 0;
    int task, rc = 0;

    for (task = 0; task < plan->ntasks && rc == 0; task++) {
        rc = scion_meta2_check_task(plan, task, maxchunks, limit, counts[task], used + task);
        if (counts[task] > most)
            most = counts[task];
    }
    if (rc == 0 && most != maxchunks)
        return scion_fail(SION_ERR_DAMAGED, "header says %d chunks, but no task has more than %lld",
                          maxchunks, most);
    return rc;
}

/*
 * Whether a chunk is full, as every chunk must be whose last record goes on in the next one.
 * Recovered data may end before chunks that have none.
 */
static int is_full(const struct scion_chunk_plan *plan, int task, sion_int64 bytes,
                   sion_int64 bytes_behind)
{
    return bytes == SCION_USED_UNKNOWN ||
           bytes == scion_trailer_room(plan->sizes[task], plan->trailer) ||
           (plan->trailer > 0 && bytes_behind == 0);
}

int scion_meta2_check_keyval_task(const struct scion_chunk_plan *plan, int task, sion_int64 count,
                                  const sion_int64 *used)
{
    sion_int64 b = count - 1, behind = used[b * plan->ntasks];

    while (b-- > 0) {
        sion_int64 bytes = used[b * plan->ntasks];

        if (!is_full(plan, task, bytes, behind))
            return scion_fail(SION_ERR_DAMAGED,
                              "key-value file, but chunk %lld of task %d is only partly filled", b,
                              plan->first + task);
        behind |= bytes;
    }
    return 0;
}

int scion_meta2_check_keyval(const struct scion_chunk_plan *plan, const sion_int64 *counts,
                             const sion_int64 *used)
{
    int task, rc = 0;

    for (task = 0; task < plan->ntasks && rc == 0; task++)
        rc = scion_meta2_check_keyval_task(plan, task, counts[task], used + task);
    return rc;
}

static void note_entry(struct scion_meta2_entries *entries, sion_int64 chunk, int task,
                       sion_int64 bytes)
{
    if (entries->number++ == 0) {
        entries->chunk = chunk;
        entries->task = task;
        entries->bytes = bytes;
    }
}

void scion_meta2_mend(const struct scion_chunk_plan *plan, int maxchunks, const sion_int64 *counts,
                      sion_int64 *used, struct scion_meta2_odd *odd)
{
    sion_int64 b;
    int t;

    memset(odd, 0, sizeof *odd);
    for (b = 0; b < maxchunks; b++) {
        sion_int64 *row = used + b * plan->ntasks;

        for (t = 0; t < plan->ntasks; t++) {
            if (b >= counts[t]) {
                if (row[t] != 0 && row[t] != SCION_USED_UNKNOWN)
                    note_entry(&odd->behind, b, plan->first + t, row[t]);
            } else if (row[t] == SCION_USED_UNKNOWN) {
                note_entry(&odd->unknown, b, plan->first + t, row[t]);
                row[t] = 0;
            }
        }
    }
}

size_t scion_mapping_bytes(int size)
{
    return 4 + 8 * (size_t)size;
}

int scion_mapping_decode_size(const unsigned char *from, int swapped, sion_int64 bytes, int *size)
{
    *size = scion_load_i32(from, swapped);
    if (*size < 1 || *size > (bytes - 4) / 8)
        return scion_fail(SION_ERR_DAMAGED, "mapping says %d tasks, with %lld bytes left for it",
                          *size, bytes - 4);
    return 0;
}

void scion_mapping_decode_pairs(struct scion_mapping *mapping, int swapped)
{
    if (swapped)
        scion_swap_copy(mapping->pairs, mapping->pairs, 4, 2 * (size_t)mapping->size);
}

int scion_mapping_check_pair(const int *pair, int task, int nfiles)
{
    if (pair[0] >= 0 && pair[0] < nfiles && pair[1] >= 0)
        return 0;
    return scion_fail(SION_ERR_DAMAGED, "mapping says task %d is task %d of file %d of %d", task,
                      pair[1], pair[0], nfiles);
}

int scion_mapping_check(const struct scion_mapping *mapping, int nfiles)
{
    int i, rc = 0;

    if (nfiles > mapping->size)
        return scion_fail(SION_ERR_DAMAGED, "mapping has %d tasks, fewer than the %d files",
                          mapping->size, nfiles);
    for (i = 0; i < mapping->size && rc == 0; i++)
        rc = scion_mapping_check_pair(mapping->pairs + 2 * (size_t)i, i, nfiles);
    return rc;
}
