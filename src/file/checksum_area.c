#include "file/checksum_area.h"

#include <stdlib.h>
#include <string.h>

#include "base/byteorder.h"
#include "base/checked.h"
#include "base/crc_sum.h"
#include "base/error.h"
#include "base/memory.h"
#include "file/physical_read.h"

enum { PORTION = 1 << 20 };

/* The table, from its beginning to its end. */
struct walk {
    struct scion_file *file;
    scion_crc_function *crc;
    sion_int64 at, end; /* of the portion, in the file: what is there has been read */
    sion_int64 table_end;
    uint32_t sum;          /* of all bytes before the portion's end */
    int is_hole;           /* the portion has zeros, and is not in the buffer */
    unsigned char *buffer; /* [PORTION] */
};

/* The next bytes of the table, or zeros as far as they go. */
static int next_portion(struct walk *walk)
{
    sion_int64 left = walk->table_end - walk->end, run;
    int rc = 0;

    walk->at = walk->end;
    run = scion_file_run(walk->file, walk->at, left, &walk->is_hole);
    if (!walk->is_hole && run > PORTION)
        run = PORTION;
    if (walk->is_hole) {
        walk->sum = scion_crc_extend(walk->sum, (uint64_t)run);
    } else {
        rc = scion_file_read(walk->file, walk->buffer, (size_t)run, walk->at);
        if (rc == 0)
            walk->sum = walk->crc(walk->sum, walk->buffer, (size_t)run);
    }
    walk->end = walk->at + run;
    return rc;
}

/* Bytes at this offset, or behind what was taken before. NULL: they are passed over. */
static int take(struct walk *walk, sion_int64 at, sion_int64 bytes, unsigned char *to)
{
    int rc = 0;

    while (bytes > 0 && rc == 0) {
        sion_int64 part = walk->end - at < bytes ? walk->end - at : bytes;

        if (part <= 0) {
            rc = next_portion(walk);
            continue;
        }
        if (walk->is_hole)
            memset(to, 0, (size_t)part);
        else
            memcpy(to, walk->buffer + (at - walk->at), (size_t)part);
        at += part;
        to += part;
        bytes -= part;
    }
    return rc;
}

/* Where those of each task go on. */
struct places {
    sion_int64 *pieces; /* [ntasks + 1] that a chunk can have, of all tasks before */
    sion_int64 *next;   /* [ntasks] index of the next CRC */
};

static int make_places(const struct scion_physical *physical, const sion_int64 *first,
                       sion_int64 piece, struct places *places)
{
    size_t n = (size_t)physical->head.ntasks, t;

    places->pieces = scion_array(n + 1, sizeof *places->pieces);
    places->next = scion_array(n, sizeof *places->next);
    if (!places->pieces || !places->next)
        return scion_fail_memory("checksums");
    places->pieces[0] = 0;
    for (t = 0; t < n; t++) {
        sion_int64 pieces = scion_checksum_pieces(physical->chunksizes[t], piece);

        places->pieces[t + 1] = places->pieces[t] + pieces; /* no more than bytes of a block */
        places->next[t] = first[t];
    }
    return 0;
}

/* Chunks that a task has not have no bytes. */
static sion_int64 used_in(const struct scion_physical *physical, sion_int64 chunk, int task)
{
    const sion_int64 *used = physical->all_used ? physical->all_used : physical->used;

    return chunk < physical->counts[task]
               ? used[(size_t)chunk * (size_t)physical->head.ntasks + (size_t)task]
               : 0;
}

static int take_all(const struct scion_physical *physical, struct walk *walk,
                    const struct places *places, struct scion_checksum_table *checksums)
{
    sion_int64 row = 4 * places->pieces[physical->head.ntasks], begin = walk->at, chunk;
    int rc = 0, t;

    for (chunk = 0; chunk < physical->maxchunks; chunk++) {
        for (t = 0; t < physical->head.ntasks && rc == 0; t++) {
            sion_int64 count = scion_checksum_pieces(used_in(physical, chunk, t), checksums->piece);

            rc = take(walk, begin + chunk * row + 4 * places->pieces[t], 4 * count,
                      (unsigned char *)(checksums->crcs + places->next[t]));
            places->next[t] += count;
        }
    }
    while (rc == 0 && walk->end < walk->table_end)
        rc = next_portion(walk);
    return rc;
}

/* Chunks may claim any size, so that one row of the table may be more than a file can hold. */
static int measure(const struct scion_physical *physical, sion_int64 pieces, sion_int64 begin,
                   sion_int64 *end)
{
    sion_int64 bytes;

    if (begin > 0 && !scion_mul(pieces, 4, &bytes) &&
        !scion_mul(bytes, physical->maxchunks, &bytes) && !scion_add(begin, bytes, end) &&
        *end <= physical->size)
        return 0;
    return scion_fail(SION_ERR_DAMAGED, "the checksums are not in the file as a whole");
}

static int walk_table(const struct scion_physical *physical, const struct places *places,
                      const struct scion_checksum_head *head,
                      struct scion_checksum_table *checksums)
{
    struct walk walk = {.file = physical->file,
                        .crc = checksums->crc,
                        .at = head->count,
                        .end = head->count,
                        .buffer = malloc(PORTION)};
    int rc = walk.buffer ? 0 : scion_fail_memory("checksums");

    if (rc == 0)
        rc = measure(physical, places->pieces[physical->head.ntasks], head->count, &walk.table_end);
    if (rc == 0)
        rc = take_all(physical, &walk, places, checksums);
    checksums->are_damaged = rc == 0 && walk.sum != head->of_all;
    free(walk.buffer);
    return rc;
}

int scion_checksum_read_area(struct scion_physical *physical,
                             const struct scion_checksum_head *head,
                             struct scion_checksum_table *checksums)
{
    sion_int64 count = checksums->first[physical->head.ntasks], i;
    struct places places = {0};
    int rc = make_places(physical, checksums->first, checksums->piece, &places);

    if (rc == 0)
        checksums->crcs = scion_array((uint64_t)count + 1, sizeof *checksums->crcs);
    if (rc == 0 && !checksums->crcs)
        rc = scion_fail_memory("checksums");
    if (rc == 0)
        rc = walk_table(physical, &places, head, checksums);
    free(places.pieces);
    free(places.next);
    for (i = 0; rc == 0 && physical->head.swapped && i < count; i++)
        checksums->crcs[i] = __builtin_bswap32(checksums->crcs[i]);
    return rc;
}
