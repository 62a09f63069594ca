/* The tables of a state that is published: what is new goes to where the state before last was. */
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "file/generations.h"
#include "file/growth.h"
#include "file/checksum_publish.h"
#include "file/physical_tables.h"
#include "file/piece_writer.h"
#include "format/checksum.h"

enum { MOST_PER_BLOCK = 16 /* a table that needs more of its bytes for its own blocks is tight */ };

/* ---- what is new ---- */

/* Number i of those that task t tells: its last chunk of the newest state, and later ones. */
static int take_length(struct scion_physical *physical, int t, sion_int64 i, sion_int64 bytes)
{
    struct scion_growth *growth = physical->growth;
    sion_int64 known = growth->told.counts[t], chunk = i + (known > 0 ? known - 1 : 0), old = 0;

    if (known > 0 && i == 0)
        old = growth->told.last[t];
    growth->news.counts[t] = chunk + 1;
    growth->news.last[t] = bytes;
    physical->bytes += bytes - old;
    /* What was not there before is zero. */
    return bytes == old
               ? 0
               : scion_area_table_add(
                     &growth->chunks,
                     &(struct scion_entry){8 * (chunk * physical->head.ntasks + (sion_int64)t),
                                           (uint64_t)bytes, (uint64_t)old});
}

static int take_row(struct scion_physical *physical, const struct scion_length_source *news,
                    sion_int64 i, sion_int64 *rows)
{
    int rc = news->row ? news->row(news->context, i) : 0, t;

    for (t = 0; t < physical->head.ntasks && rc == 0; t++) {
        sion_int64 count = news->count(news->context, t);

        *rows = count > *rows ? count : *rows;
        if (i < count || i == 0)
            rc = take_length(physical, t, i, i < count ? news->used(news->context, t, i) : 0);
    }
    return rc;
}

/* Whether all tasks tell as many. Their lengths are taken when they are written. */
static int take_even(struct scion_growth *growth, const struct scion_length_source *news, int n)
{
    sion_int64 count = news->count(news->context, 0), known = growth->told.count;
    int t = 1;

    while (t < n && news->count(news->context, t) == count)
        t++;
    if (t < n || count < 1)
        return 0;
    growth->first_row = known > 0 ? known - 1 : 0;
    growth->news.count = growth->first_row + count;
    growth->news.bytes = 0;
    return 1;
}

static int take_news(struct scion_physical *physical, const struct scion_length_source *news,
                     int has_sums)
{
    struct scion_growth *growth = physical->growth;
    sion_int64 rows = 1, i;
    int rc = 0;

    growth->chunks.fresh.n = growth->sums.fresh.n = 0;
    if (growth->is_even && !has_sums && take_even(growth, news, physical->head.ntasks))
        return 0;
    rc = scion_growth_list(physical);
    for (i = 0; i < rows && rc == 0; i++)
        rc = take_row(physical, news, i, &rows);
    return rc;
}

/* ---- where it goes ---- */

/* What a state takes, from its record on. 1 on overflow. */
static int size_of_state(const struct scion_physical *physical, sion_int64 rows, sion_int64 behind,
                         sion_int64 *size)
{
    sion_int64 sums;

    return scion_meta2_size(physical->head.ntasks, rows, size) ||
           scion_add(*size, SCION_STATE_RECORD + behind, size) ||
           scion_mul(scion_sums_row(physical->growth), rows, &sums) || scion_add(*size, sums, size);
}

/* Blocks for a state of so many rows. 1 on overflow. */
static int blocks_of_state(const struct scion_physical *physical, sion_int64 rows,
                           sion_int64 behind, sion_int64 *blocks)
{
    sion_int64 skip = physical->layout.globalskip, size;

    if (size_of_state(physical, rows, behind, &size))
        return 1;
    *blocks = (size - 1) / skip + 1;
    return 0;
}

static int too_many(const struct scion_physical *physical)
{
    return scion_fail(SION_ERR_NO_SPACE, "the tables of %s would be too large to be published",
                      physical->path);
}

/*
 * So many blocks that twice the rows fit which there are with two areas of this size; where chunks
 * are so small that areas would be mostly for their own blocks, what is needed now.
 */
static int measure_area(const struct scion_physical *physical, sion_int64 first, sion_int64 behind,
                        sion_int64 *blocks)
{
    sion_int64 row = (sion_int64)physical->head.ntasks * 8 + scion_sums_row(physical->growth);
    sion_int64 small = row * MOST_PER_BLOCK, next, i;

    if (blocks_of_state(physical, physical->maxchunks, behind, blocks))
        return too_many(physical);
    if (physical->layout.globalskip < small)
        return 0;
    for (i = 0; i < 64; i++, *blocks = next) {
        if (blocks_of_state(physical, 2 * (first + 2 * *blocks), behind, &next))
            return too_many(physical);
        if (next <= *blocks)
            break;
    }
    return 0;
}

/* Behind all that the file has. It stays where it is, also if this state fails. */
static int make_area(struct scion_physical *physical, sion_int64 behind)
{
    struct scion_growth *growth = physical->growth;
    sion_int64 first =
        physical->maxchunks > physical->floor ? physical->maxchunks : physical->floor;
    sion_int64 blocks = 0, begin, end;
    int rc = measure_area(physical, first, behind, &blocks);

    if (rc != 0)
        return rc;
    if (first + blocks > 0x7fffffff || scion_layout_end(&physical->layout, first, &begin) ||
        scion_layout_end(&physical->layout, first + blocks, &end))
        return too_many(physical);
    growth->next = growth->now == 0;
    growth->areas[growth->next] = (struct scion_area){begin, end - begin};
    growth->rows[growth->next] = 0;
    growth->is_hole[growth->next] = 1;
    physical->floor = first + blocks;
    return 0;
}

/* The sums have their place at the end of an area, which META2 grows towards. */
static int sums_fit(const struct scion_physical *physical, sion_int64 behind, int area)
{
    const struct scion_growth *growth = physical->growth;
    sion_int64 rows = physical->maxchunks, size;

    return growth->pieces == NULL || growth->rows[area] == 0 ||
           (!scion_meta2_size(physical->head.ntasks, rows, &size) &&
            growth->areas[area].begin + SCION_STATE_RECORD + size + behind <=
                growth->sums_at[area] &&
            growth->sums_at[area] + rows * scion_sums_row(growth) <=
                growth->areas[area].begin + growth->areas[area].bytes);
}

/* Behind as many rows of META2 as there can be with as many of the sums. */
static void place_sums(const struct scion_physical *physical, sion_int64 behind)
{
    struct scion_growth *growth = physical->growth;
    const struct scion_area *area = &growth->areas[growth->next];
    sion_int64 row = scion_sums_row(growth), both = 8 * (sion_int64)physical->head.ntasks + row;
    sion_int64 room =
        area->bytes - SCION_STATE_RECORD - behind - 8 * (sion_int64)physical->head.ntasks;

    if (row > 0 && growth->rows[growth->next] == 0)
        growth->sums_at[growth->next] = area->begin + area->bytes - room / both * row;
}

/* Nobody knows what another writer has left in an area. */
static void empty_area(const struct scion_physical *physical)
{
    struct scion_growth *growth = physical->growth;
    const struct scion_area *area = &growth->areas[growth->next];

    if (growth->pieces && growth->rows[growth->next] == 0 && !growth->is_hole[growth->next])
        growth->is_hole[growth->next] =
            scion_file_punch(physical->file, area->begin, area->bytes) == 0;
}

/* The area that has not the newest state, or a new one. */
static int choose_area(struct scion_physical *physical, sion_int64 behind)
{
    struct scion_growth *growth = physical->growth;
    int other = growth->now == 0, rc = 0;
    sion_int64 size;

    if (size_of_state(physical, physical->maxchunks, behind, &size))
        return too_many(physical);
    if (size > growth->areas[other].bytes || !sums_fit(physical, behind, other))
        rc = make_area(physical, behind);
    else
        growth->next = other;
    if (rc == 0)
        place_sums(physical, behind);
    return rc;
}

/* Bytes behind META2, but for the checksums themselves. */
static sion_int64 count_behind(const struct scion_physical *physical,
                               const struct scion_mapping *mapping)
{
    sion_int64 bytes = mapping->size >= 0 ? (sion_int64)scion_mapping_bytes(mapping->size) : 0;

    bytes += scion_generations_room(physical);
    return physical->growth->pieces ? bytes + SCION_CHECKSUM_HEAD : bytes;
}

static int find_place(struct scion_physical *physical, const struct scion_mapping *mapping)
{
    const struct scion_growth *growth = physical->growth;
    sion_int64 most = 1;
    int t, rc;

    for (t = 0; t < physical->head.ntasks; t++)
        most =
            scion_told_count(&growth->news, t) > most ? scion_told_count(&growth->news, t) : most;
    if (most > 0x7fffffff)
        return too_many(physical);
    physical->maxchunks = (int)most;
    rc = choose_area(physical, count_behind(physical, mapping));
    if (rc == 0)
        physical->start_of_varheader = growth->areas[growth->next].begin + SCION_STATE_RECORD;
    if (rc == 0 && physical->generations && physical->floor < most)
        physical->floor = most; /* no chunk of the next generation is in a block of this one */
    return rc;
}

/* ---- writing it ---- */

static int write_counts(struct scion_physical *physical)
{
    const struct scion_growth *growth = physical->growth;
    struct scion_piece_writer writer;
    int n = physical->head.ntasks, t, rc = 0;

    scion_piece_writer_begin(&writer, physical->file, physical->start_of_varheader,
                             8 * (sion_int64)n);
    for (t = 0; t < n && rc == 0; t++)
        rc = scion_piece_writer_put_number(&writer, scion_told_count(&growth->news, t));
    return scion_piece_writer_end(&writer, rc);
}

/* Number i of the lengths that all tasks tell. */
static int write_row(struct scion_physical *physical, const struct scion_length_source *news,
                     sion_int64 i)
{
    struct scion_told *told = &physical->growth->news;
    int n = physical->head.ntasks, t, rc = news->row ? news->row(news->context, i) : 0;
    sion_int64 row = 8 * (sion_int64)n, bytes = 0;
    struct scion_piece_writer writer;

    scion_piece_writer_begin(
        &writer, physical->file,
        physical->start_of_varheader + row * (1 + physical->growth->first_row + i), row);
    for (t = 0; t < n && rc == 0; t++) {
        sion_int64 used = news->used(news->context, t, i);

        bytes += used;
        rc = scion_piece_writer_put_number(&writer, used);
    }
    told->bytes = bytes;
    physical->bytes += bytes;
    return scion_piece_writer_end(&writer, rc);
}

/* Where all have as many chunks: what the area lacks, from the newest state, and new rows. */
static int write_even(struct scion_physical *physical, const struct scion_length_source *news)
{
    struct scion_growth *growth = physical->growth;
    sion_int64 row = 8 * (sion_int64)physical->head.ntasks, i;
    sion_int64 has = growth->rows[growth->next];
    sion_int64 from = has < growth->older_row ? has : growth->older_row;
    int rc = scion_area_copy(physical->file, growth->old_start + row * (1 + from),
                             physical->start_of_varheader + row * (1 + from),
                             row * (growth->first_row - from));

    physical->bytes -= growth->told.bytes;
    for (i = growth->first_row; i < growth->news.count && rc == 0; i++)
        rc = write_row(physical, news, i - growth->first_row);
    return rc;
}

/* META2 behind the counts; generations that are forgotten have zeros there. */
static int write_rows(struct scion_physical *physical)
{
    struct scion_growth *growth = physical->growth;
    sion_int64 row = 8 * (sion_int64)physical->head.ntasks;
    const struct scion_area_place place = {
        .file = physical->file,
        .to = physical->start_of_varheader + row,
        .bytes = row * physical->maxchunks,
        .has = row * growth->rows[growth->next],
        .is_hole = growth->is_hole[growth->next],
        .from = growth->old_start + row,
        .size = growth->old_start > 0 ? row * growth->old_maxchunks : 0,
    };
    sion_int64 first, end;
    int rc = scion_area_table_write(&growth->chunks, &place);

    if (rc == 0)
        rc = scion_generations_clear(physical, &first, &end);
    return rc != 0 || first >= end
               ? rc
               : scion_area_table_clear(&growth->chunks, &place, row * first, row * end);
}

/* What readers of the state before last find has changed, before anything of it does. */
static int clear_record(const struct scion_physical *physical)
{
    static const unsigned char none[SCION_STATE_RECORD];

    return scion_file_write(physical->file, none, sizeof none,
                            physical->start_of_varheader - SCION_STATE_RECORD, NULL);
}

static int write_state(struct scion_physical *physical, const struct scion_length_source *news,
                       const struct scion_mapping *mapping)
{
    sion_int64 size = 0;
    int rc = clear_record(physical);

    if (rc == 0)
        empty_area(physical);
    if (rc == 0)
        rc = write_counts(physical);
    if (rc == 0)
        rc = physical->growth->is_even ? write_even(physical, news) : write_rows(physical);
    scion_meta2_size(physical->head.ntasks, physical->maxchunks, &size); /* choose_area() did */
    physical->behind = physical->start_of_varheader + size;
    if (rc == 0 && mapping->size >= 0)
        rc = scion_physical_write_mapping(physical, mapping, physical->behind);
    if (mapping->size >= 0)
        physical->behind += (sion_int64)scion_mapping_bytes(mapping->size);
    return rc;
}

/* The tail says a state that does not count: before its area is used, the one that counts. */
static int take_back_tail(struct scion_physical *physical)
{
    struct scion_growth *growth = physical->growth;
    int rc;

    if (!growth->is_ahead)
        return 0;
    physical->maxchunks = physical->tail_maxchunks;
    physical->start_of_varheader = physical->tail_start;
    rc = scion_physical_write_tail(physical);
    if (rc == 0 && physical->is_durable)
        rc = scion_file_sync(physical->file);
    growth->is_ahead = rc != 0;
    return rc;
}

int scion_physical_publish(struct scion_physical *physical, const struct scion_length_source *news,
                           const struct scion_mapping *mapping, int has_sums)
{
    struct scion_growth *growth = physical->growth;
    int rc = 0;

    if (physical->layout.globalskip == 0)
        return scion_fail(SION_ERR_MODE, "%s cannot be published: its chunks hold no bytes",
                          physical->path);
    if (!growth)
        growth = physical->growth = scion_growth_new(physical);
    if (!growth)
        return SION_ERR_MEMORY;
    growth->next = -1;
    growth->old_bytes = physical->bytes;
    growth->old_maxchunks = physical->tail_maxchunks;
    growth->old_start = physical->tail_start;
    rc = take_back_tail(physical);
    if (rc == 0 && has_sums)
        rc = scion_sums_begin(physical);
    if (rc == 0)
        rc = take_news(physical, news, has_sums);
    if (rc == 0 && physical->generations)
        physical->bytes -= scion_generations_plan(physical, physical->bytes - growth->old_bytes);
    if (rc == 0)
        rc = find_place(physical, mapping);
    if (rc == 0)
        rc = write_state(physical, news, mapping);
    physical->is_ready = rc == 0;
    return rc;
}

/* ---- whether it counts ---- */

static void swap_told(struct scion_growth *growth)
{
    const struct scion_told told = growth->told;

    growth->told = growth->news;
    growth->news = told;
}

static void accept(struct scion_physical *physical)
{
    struct scion_growth *growth = physical->growth;
    int other = 1 - growth->next;

    scion_area_table_accept(&growth->chunks);
    scion_area_table_accept(&growth->sums);
    if (growth->now != other)
        growth->rows[other] = 0;
    growth->rows[growth->next] = physical->maxchunks;
    growth->now = growth->next;
    growth->older_row = growth->first_row;
    swap_told(growth);
    if (physical->generations) {
        scion_generations_accept(physical);
        scion_growth_leap(physical);
    }
}

static void reject(struct scion_physical *physical)
{
    struct scion_growth *growth = physical->growth;

    physical->bytes = growth->old_bytes;
    if (physical->tail_start != growth->old_start)
        growth->is_ahead = 1;
    physical->tail_start = growth->old_start;
    physical->tail_maxchunks = growth->old_maxchunks;
    if (growth->next >= 0)
        growth->rows[growth->next] = growth->is_hole[growth->next] = 0;
}

void scion_physical_settle_state(struct scion_physical *physical, int is_accepted)
{
    struct scion_growth *growth = physical->growth;

    if (!growth)
        return;
    if (is_accepted && growth->next >= 0)
        accept(physical);
    else
        reject(physical);
    growth->next = -1;
    physical->is_ready = 0;
    if (is_accepted)
        scion_generations_punch(physical);
}
