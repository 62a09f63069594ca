#include "file/checksum_publish.h"

#include <stdlib.h>
#include <string.h>

#include "base/crc_sum.h"
#include "base/error.h"
#include "base/memory.h"
#include "file/mapping_pairs.h"

enum { PIECE = SCION_CHECKSUM_PIECE, NUMBERS = 4096 /* of META2 that are read at a time */ };

/* ---- the places ---- */

/* The sizes of chunks as stored: the file's creator may not have kept them. */
static int read_sizes(const struct scion_physical *physical, sion_int64 *sizes)
{
    size_t bytes = (size_t)physical->head.ntasks * sizeof *sizes;

    if (physical->chunksizes) {
        memcpy(sizes, physical->chunksizes, bytes);
        return 0;
    }
    return scion_file_read(physical->file, sizes, bytes,
                           (sion_int64)scion_meta1_fixed_size(&physical->head) + (sion_int64)bytes);
}

static int make_places(struct scion_physical *physical)
{
    struct scion_growth *growth = physical->growth;
    size_t n = (size_t)physical->head.ntasks, t;
    sion_int64 *pieces = scion_array(n + 1, sizeof *pieces), next = 0;
    int rc;

    growth->told.crcs = calloc(n, sizeof *growth->told.crcs);
    growth->news.crcs = calloc(n, sizeof *growth->news.crcs);
    growth->pieces = pieces;
    if (!pieces || !growth->told.crcs || !growth->news.crcs)
        return scion_fail_memory("checksums");
    rc = read_sizes(physical, pieces);
    for (t = 0; t < n && rc == 0; t++) {
        sion_int64 size = pieces[t];

        pieces[t] = next;
        next += scion_checksum_pieces(size, PIECE);
    }
    growth->sums_row = next * (sion_int64)sizeof *growth->told.crcs;
    return rc;
}

/* ---- the entries ---- */

/* What has not been put into the table yet. */
struct source {
    struct scion_physical *physical;
    struct scion_task_crcs *tasks; /* [ntasks] */
};

static int fail_odd(const struct scion_physical *physical)
{
    return scion_fail(SION_ERR_MISMATCH, "%s: the checksums are not those of what was written",
                      physical->path);
}

/* A chunk of `old` bytes in the newest state. */
static int put_chunk(struct source *source, sion_int64 chunk, int task, sion_int64 old,
                     sion_int64 bytes)
{
    struct scion_growth *growth = source->physical->growth;
    struct scion_task_crcs *crcs = &source->tasks[task];
    sion_int64 first = old / PIECE, end = scion_checksum_pieces(bytes, PIECE), i;
    sion_int64 at = chunk * growth->sums_row + 4 * growth->pieces[task];
    int rc = crcs->count < end - first ? fail_odd(source->physical) : 0;

    for (i = first; i < end && rc == 0; i++) {
        int is_longer = i == first && old % PIECE > 0;

        growth->news.crcs[task] = *crcs->crcs++;
        crcs->count--;
        rc = scion_area_table_add(&growth->sums,
                                  &(struct scion_entry){at + 4 * i, growth->news.crcs[task],
                                                        is_longer ? growth->told.crcs[task] : 0});
    }
    return rc;
}

static int put_news(struct source *source)
{
    struct scion_growth *growth = source->physical->growth;
    const struct scion_entries *fresh = &growth->chunks.fresh;
    int rc = 0;
    size_t i;

    memcpy(growth->news.crcs, growth->told.crcs,
           (size_t)source->physical->head.ntasks * sizeof *growth->news.crcs);
    for (i = 0; i < fresh->n && rc == 0; i++) {
        const struct scion_entry *entry = &fresh->list[i];
        sion_int64 place = entry->at / 8, n = source->physical->head.ntasks;

        rc = put_chunk(source, place / n, (int)(place % n), (sion_int64)entry->before,
                       (sion_int64)entry->is);
    }
    return rc;
}

/* Of the chunks of META2 as it has been written. */
static int put_all(struct source *source)
{
    const struct scion_physical *physical = source->physical;
    sion_int64 n = physical->head.ntasks, entries = n * physical->maxchunks, first, i;
    sion_int64 at = physical->start_of_varheader + 8 * n, numbers[NUMBERS];
    int rc = 0;

    for (first = 0; first < entries && rc == 0; first += NUMBERS) {
        sion_int64 now = entries - first < NUMBERS ? entries - first : NUMBERS;

        rc =
            scion_file_read(physical->file, numbers, (size_t)now * sizeof *numbers, at + 8 * first);
        for (i = 0; i < now && rc == 0; i++)
            rc = put_chunk(source, (first + i) / n, (int)((first + i) % n), 0, numbers[i]);
    }
    return rc;
}

static int put_entries(struct scion_physical *physical, const struct scion_task_crcs *tasks)
{
    size_t n = (size_t)physical->head.ntasks, t;
    struct source source = {physical, scion_array(n, sizeof *tasks)};
    int rc;

    if (!source.tasks)
        return scion_fail_memory("checksums");
    memcpy(source.tasks, tasks, n * sizeof *tasks);
    rc = physical->growth->sums.is_summed ? put_news(&source) : put_all(&source);
    for (t = 0; t < n && rc == 0; t++)
        rc = source.tasks[t].count > 0 ? fail_odd(physical) : 0;
    free(source.tasks);
    return rc;
}

/* ---- the table, and its head ---- */

static int write_sums(struct scion_physical *physical)
{
    struct scion_growth *growth = physical->growth;
    const struct scion_area_place place = {
        .file = physical->file,
        .to = growth->sums_at[growth->next],
        .bytes = growth->sums_row * physical->maxchunks,
        .has = growth->sums_row * growth->rows[growth->next],
        .is_hole = growth->is_hole[growth->next],
        .from = growth->sums.is_summed ? growth->sums_at[growth->now] : 0,
        .size = growth->sums.is_summed ? growth->sums_row * growth->rows[growth->now] : 0,
    };

    return scion_area_table_write(&growth->sums, &place);
}

struct pairs_sum {
    scion_crc_function *crc;
    uint32_t sum;
};

static int sum_pairs(void *user, const int *pairs, int n)
{
    struct pairs_sum *all = user;

    all->sum = all->crc(all->sum, pairs, 2 * sizeof *pairs * (size_t)n);
    return 0;
}

/* Of META2 and the mapping, which are not read for it. */
static uint32_t sum_tables(const struct scion_physical *physical,
                           const struct scion_mapping *mapping)
{
    const struct scion_growth *growth = physical->growth;
    size_t n = (size_t)physical->head.ntasks;
    scion_crc_function *crc = growth->sums.crc;
    struct pairs_sum all = {crc, crc(0, growth->news.counts, n * sizeof *growth->news.counts)};

    all.sum =
        scion_crc_join(all.sum, growth->chunks.new_sum, 8 * n * (uint64_t)physical->maxchunks);
    if (mapping->size >= 0)
        all.sum = crc(all.sum, &mapping->size, sizeof mapping->size);
    scion_mapping_each(mapping, sum_pairs, &all);
    return all.sum;
}

/* After META2 and the mapping. tasks: of each one the CRCs that are new, or all of the first state
   that this process writes; see scion_checksum_tap_news(). */
static int publish_sums(struct scion_physical *physical, const struct scion_mapping *mapping,
                        const struct scion_task_crcs *tasks)
{
    struct scion_growth *growth = physical->growth;
    struct scion_checksum_head head = {
        .is_in_area = 1, .piece = PIECE, .count = growth->sums_at[growth->next]};
    unsigned char bytes[SCION_CHECKSUM_HEAD];
    int rc = put_entries(physical, tasks);

    if (rc == 0)
        rc = write_sums(physical);
    if (rc == 0)
        rc = scion_checksum_of_meta1(physical, growth->sums.crc, &head.of_meta1);
    if (rc != 0)
        return rc;
    head.of_tables = sum_tables(physical, mapping);
    head.of_all = growth->sums.new_sum;
    scion_checksum_encode(&head, growth->sums.crc, bytes);
    rc = scion_file_write(physical->file, bytes, sizeof bytes, physical->behind, NULL);
    physical->behind += SCION_CHECKSUM_HEAD;
    return rc;
}

int scion_sums_begin(struct scion_physical *physical)
{
    struct scion_growth *growth = physical->growth;
    int rc = 0;

    if (growth->sums.crc)
        return 0;
    if (!scion_crc_find())
        return scion_crc_missing();
    if (!growth->pieces)
        rc = make_places(physical);
    if (rc != 0) {
        free(growth->pieces);
        free(growth->told.crcs);
        free(growth->news.crcs);
        growth->pieces = NULL;
        growth->told.crcs = growth->news.crcs = NULL;
        return rc;
    }
    growth->chunks.crc = growth->sums.crc = scion_crc_find();
    growth->publish_sums = publish_sums;
    return 0;
}
