#include "file/guard_pieces.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "format/checksum.h"

enum { BITS = 8 };

/* The last task that begins at this offset or before it; the first one does. */
static int last_before(const struct scion_guard_pieces *pieces, sion_int64 offset)
{
    int low = 0, high = pieces->n;

    while (high - low > 1) {
        int middle = low + (high - low) / 2;

        if (pieces->tasks[middle].start <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

const struct scion_guarded_task *scion_guard_task_at(const struct scion_guard_pieces *pieces,
                                                     sion_int64 start)
{
    const struct scion_guarded_task *task = pieces->tasks + last_before(pieces, start);

    return pieces->n > 0 && task->start == start ? task : NULL;
}

/* Where the next task's chunk begins, in this block or the next one. */
static sion_int64 next_start(const struct scion_guard_pieces *pieces, sion_int64 block_offset,
                             int i)
{
    sion_int64 offset;
    int last = i + 1 == pieces->n;

    if (last &&
        (pieces->globalskip <= 0 || scion_add(block_offset, pieces->globalskip, &block_offset)))
        return INT64_MAX;
    return scion_add(block_offset, pieces->tasks[last ? 0 : i + 1].start, &offset) ? INT64_MAX
                                                                                   : offset;
}

void scion_guard_find(const struct scion_guard_pieces *pieces, sion_int64 offset,
                      struct scion_segment *segment)
{
    sion_int64 first = pieces->n > 0 ? pieces->tasks[0].start : INT64_MAX, block = 0, pos, used;
    struct scion_guarded_task *task;
    int i;

    *segment = (struct scion_segment){.begin = offset, .end = first};
    if (offset < first)
        return;
    if (pieces->globalskip > 0)
        block = (offset - first) / pieces->globalskip;
    i = last_before(pieces, offset - block * pieces->globalskip);
    task = &pieces->tasks[i];
    pos = offset - block * pieces->globalskip - task->start;
    used = block < task->chunks ? pieces->used[task->first + block] : 0;
    if (pos >= used) {
        segment->end = next_start(pieces, block * pieces->globalskip, i);
        return;
    }
    segment->task = task;
    segment->chunk = block;
    segment->piece = pos / pieces->piece;
    segment->begin = offset - pos % pieces->piece;
    segment->end = offset - pos + used;
    if (segment->end - segment->begin > pieces->piece)
        segment->end = segment->begin + pieces->piece;
}

/* ---- the CRCs ---- */

static sion_int64 number_of(const struct scion_segment *segment)
{
    return segment->task->sums->before[segment->chunk] + segment->piece;
}

int scion_guard_is_good(const struct scion_segment *segment)
{
    sion_int64 number = number_of(segment);

    return segment->task->sums->good[number / BITS] >> number % BITS & 1;
}

void scion_guard_note_good(const struct scion_segment *segment)
{
    sion_int64 number = number_of(segment);

    segment->task->sums->good[number / BITS] |= (unsigned char)(1 << number % BITS);
}

uint32_t scion_guard_crc(const struct scion_segment *segment)
{
    return segment->task->sums->crcs[number_of(segment)];
}

void scion_guard_free_sums(struct scion_task_sums *sums)
{
    if (!sums)
        return;
    free(sums->crcs);
    free(sums->before);
    free(sums->good);
    free(sums);
}

static int read_crcs(const struct scion_guard_pieces *pieces, const struct scion_guarded_task *task,
                     scion_read_some *plain, struct scion_file *file, struct scion_task_sums *sums,
                     sion_int64 count)
{
    size_t bytes = (size_t)count * sizeof *sums->crcs, got;
    sion_int64 i;
    int rc;

    if (task->crcs && task->ncrcs == count) {
        memcpy(sums->crcs, task->crcs, bytes);
        return 0;
    }
    rc = plain(file, sums->crcs, bytes, task->crcs_at, &got);

    if (rc == 0 && got < bytes)
        rc = scion_fail(SION_ERR_DAMAGED, "checksums are cut off after %zu bytes", got);
    for (i = 0; rc == 0 && pieces->swapped && i < count; i++)
        sums->crcs[i] = __builtin_bswap32(sums->crcs[i]);
    return rc;
}

int scion_guard_need_sums(const struct scion_guard_pieces *pieces, struct scion_guarded_task *task,
                          scion_read_some *plain, struct scion_file *file)
{
    struct scion_task_sums *sums = task->sums ? NULL : calloc(1, sizeof *sums);
    sion_int64 chunk, count = 0;
    int rc;

    if (task->sums)
        return 0;
    if (sums)
        sums->before = scion_array((uint64_t)task->chunks + 1, sizeof *sums->before);
    for (chunk = 0; sums && sums->before && chunk < task->chunks; chunk++) {
        sums->before[chunk] = count;
        count += scion_checksum_pieces(pieces->used[task->first + chunk], pieces->piece);
    }
    if (sums && sums->before) {
        sums->crcs = scion_array((uint64_t)count + 1, sizeof *sums->crcs);
        sums->good = calloc((size_t)count / BITS + 1, 1);
    }
    rc = sums && sums->crcs && sums->good ? read_crcs(pieces, task, plain, file, sums, count)
                                          : scion_fail_memory("checksums");
    if (rc != 0)
        scion_guard_free_sums(sums);
    else
        task->sums = sums;
    return rc;
}
