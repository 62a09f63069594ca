#include "format/meta2.h"

#include <string.h>

#include "base/byteorder.h"
#include "base/checked.h"
#include "base/error.h"
#include "format/meta1.h"
#include "format/state.h"
#include "format/slot.h"

int scion_meta2_size(sion_int64 ntasks, sion_int64 maxchunks, sion_int64 *size)
{
    sion_int64 numbers;

    return scion_add(maxchunks, 1, &numbers) || scion_mul(numbers, ntasks, &numbers) ||
           scion_mul(numbers, 8, size);
}

/* META2 written on a full disk, in the gap after META1. */
static int is_in_gap(const struct scion_chunk_plan *plan, sion_int64 start_of_varheader,
                     sion_int64 end)
{
    return start_of_varheader == scion_meta1_size(plan->ntasks) && end <= plan->start_of_data;
}

static int is_after_blocks(const struct scion_chunk_plan *plan, sion_int64 start_of_varheader)
{
    sion_int64 blocks;

    return !scion_mul(plan->globalskip, plan->maxchunks, &blocks) &&
           !scion_add(plan->start_of_data, blocks, &blocks) && blocks == start_of_varheader;
}

/* Behind its record, which begins with a block. */
static int is_in_area(struct scion_chunk_plan *plan, sion_int64 start_of_varheader, sion_int64 end)
{
    sion_int64 record = start_of_varheader - SCION_STATE_RECORD - plan->start_of_data;

    if (!plan->has_record || plan->globalskip <= 0 || record < 0 || record % plan->globalskip != 0)
        return 0;
    plan->area = record / plan->globalskip;
    plan->area_end = (end - plan->start_of_data - 1) / plan->globalskip + 1;
    return 1;
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

int scion_meta2_check_place(struct scion_chunk_plan *plan, sion_int64 start_of_varheader,
                            sion_int64 file_size, sion_int64 *end)
{
    int rc =
        scion_meta2_check_extent(plan->ntasks, plan->maxchunks, start_of_varheader, file_size, end);

    if (rc != 0)
        return rc;
    plan->is_in_gap = is_in_gap(plan, start_of_varheader, *end);
    if (plan->is_in_gap || is_after_blocks(plan, start_of_varheader) ||
        is_in_area(plan, start_of_varheader, *end))
        return 0;
    return scion_fail(SION_ERR_DAMAGED,
                      "bad value for start_of_varheader (=%lld): %d blocks of %lld bytes from "
                      "offset %lld on do not end there",
                      start_of_varheader, plan->maxchunks, plan->globalskip, plan->start_of_data);
}

/* End of the last used byte of a chunk. */
static int chunk_end(const struct scion_chunk_plan *plan, int task, sion_int64 chunk,
                     sion_int64 used, sion_int64 *end)
{
    sion_int64 skip;

    return scion_mul(plan->globalskip, chunk, &skip) || scion_add(plan->starts[task], skip, end) ||
           scion_add(*end, used, end);
}

int scion_meta2_find_bad(const struct scion_chunk_plan *plan, int task, sion_int64 limit,
                         sion_int64 first, sion_int64 count, const sion_int64 *used,
                         struct scion_damage *damage)
{
    sion_int64 room = 0, end, b;

    *damage = (struct scion_damage){.task = plan->first + task};
    scion_round_up(plan->sizes[task], plan->grain, &room); /* fits: the layout was computed */
    for (b = first; b < count && damage->kind == SCION_SOUND; b++) {
        sion_int64 bytes = used[b * plan->ntasks];

        damage->chunk = b;
        damage->found = bytes;
        if (bytes < SCION_USED_UNKNOWN || bytes > room) {
            damage->kind = SCION_DAMAGE_USED;
            damage->bound = room;
        } else if (bytes > 0 && (chunk_end(plan, task, b, bytes, &end) || end > limit)) {
            damage->kind = SCION_DAMAGE_BEYOND;
            damage->bound = limit;
        } else if (bytes > 0 && b >= plan->area && b < plan->area_end) {
            damage->kind = SCION_DAMAGE_BEYOND;
            damage->bound = plan->start_of_data + plan->globalskip * plan->area;
        }
    }
    return damage->kind != SCION_SOUND;
}

/*
 * Whether a chunk is full, as every chunk must be whose last record goes on in the next one. Chunks
 * that lie where older tables are have no bytes, nor have those behind the last byte of a container
 * that was published or recovered.
 */
static int is_full(const struct scion_chunk_plan *plan, int task, sion_int64 bytes,
                   sion_int64 bytes_behind)
{
    return bytes == SCION_USED_UNKNOWN || bytes == 0 || bytes_behind == 0 ||
           bytes == scion_trailer_room(plan->sizes[task], plan->trailer);
}

/* Of key-value records: the last inner chunk that is not full. */
static void find_partly_filled(const struct scion_chunk_plan *plan, int task, sion_int64 count,
                               const sion_int64 *used, struct scion_damage *damage)
{
    sion_int64 b = count - 1, behind = used[b * plan->ntasks];

    while (b-- > 0 && damage->kind == SCION_SOUND) {
        sion_int64 bytes = used[b * plan->ntasks];

        if (!is_full(plan, task, bytes, behind)) {
            damage->kind = SCION_DAMAGE_PARTLY;
            damage->chunk = b;
            damage->found = bytes;
            damage->bound = plan->sizes[task];
        }
        behind |= bytes;
    }
}

int scion_meta2_is_sound(const struct scion_chunk_plan *plan, int task, sion_int64 limit,
                         sion_int64 count, const sion_int64 *used, struct scion_damage *damage)
{
    if (count < 1 || count > plan->maxchunks) {
        *damage = (struct scion_damage){SCION_DAMAGE_COUNT, plan->first + task, 0, count,
                                        plan->maxchunks};
        return 0;
    }
    if (!scion_meta2_find_bad(plan, task, limit, 0, count, used, damage) && plan->is_keyval)
        find_partly_filled(plan, task, count, used, damage);
    return damage->kind == SCION_SOUND;
}

/* Zeros stay untouched, because a table of zeros may be a hole. */
static void clear_entry(sion_int64 *entry)
{
    if (*entry != 0)
        *entry = 0;
}

int scion_meta2_lock_out(const struct scion_chunk_plan *plan, const struct scion_damage *damage,
                         sion_int64 *counts, sion_int64 *used, struct scion_damages *damages)
{
    size_t task = (size_t)(damage->task - plan->first), b;

    for (b = 0; b < (size_t)plan->maxchunks; b++)
        clear_entry(&used[b * (size_t)plan->ntasks + task]);
    counts[task] = 1;
    return scion_damages_add(damages, plan->ntasks, damage);
}

/* The first entry behind a task's last chunk that says bytes; 0: there is none. */
static sion_int64 find_behind(const struct scion_chunk_plan *plan, int task, sion_int64 count,
                              const sion_int64 *used)
{
    sion_int64 b;

    for (b = count; b < plan->maxchunks; b++) {
        if (used[b * plan->ntasks + task] != 0 &&
            used[b * plan->ntasks + task] != SCION_USED_UNKNOWN)
            return b;
    }
    return 0;
}

/* No task has as many chunks as the header says: a count is wrong of those that have bytes behind.
 */
static int check_rows(const struct scion_chunk_plan *plan, sion_int64 *counts, sion_int64 *used,
                      struct scion_damages *damages)
{
    int task, rc = 0;

    for (task = 0; task < plan->ntasks && rc == 0; task++) {
        struct scion_damage damage = {SCION_DAMAGE_ROWS, plan->first + task, 0, counts[task],
                                      plan->maxchunks};

        damage.chunk = find_behind(plan, task, counts[task], used);
        if (damage.chunk > 0)
            rc = scion_meta2_lock_out(plan, &damage, counts, used, damages);
    }
    return rc;
}

int scion_meta2_check(const struct scion_chunk_plan *plan, sion_int64 limit, sion_int64 *counts,
                      sion_int64 *used, struct scion_damages *damages)
{
    struct scion_damage damage;
    sion_int64 most = 0;
    int task, rc = 0;

    for (task = 0; task < plan->ntasks && rc == 0; task++) {
        if (counts[task] > most)
            most = counts[task];
        if (!scion_meta2_is_sound(plan, task, limit, counts[task], used + task, &damage)) {
            if (damage.kind == SCION_DAMAGE_COUNT) /* it may be the one that has most */
                most = plan->maxchunks;
            rc = scion_meta2_lock_out(plan, &damage, counts, used, damages);
        }
    }
    if (rc != 0 || most >= plan->maxchunks)
        return rc;
    if (plan->is_in_gap)
        return scion_fail(SION_ERR_DAMAGED, "header says %d chunks, but no task has more than %lld",
                          plan->maxchunks, most);
    return check_rows(plan, counts, used, damages);
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

void scion_meta2_mend(const struct scion_chunk_plan *plan, const sion_int64 *counts,
                      sion_int64 *used, struct scion_meta2_odd *odd)
{
    sion_int64 b;
    int t;

    memset(odd, 0, sizeof *odd);
    for (b = 0; b < plan->maxchunks; b++) {
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
    return nfiles <= mapping->size
               ? 0
               : scion_fail(SION_ERR_DAMAGED, "mapping has %d tasks, fewer than the %d files",
                            mapping->size, nfiles);
}
