/* The tables of a state that is published: what is new goes to where the state before last was. */
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "file/generations.h"
#include "file/growth.h"
#include "file/physical_tables.h"
#include "file/piece_writer.h"
#include "format/checksum.h"

enum {
    PIECE = 1 << 20,    /* bytes of a table that are written at a time */
    NEAR = 4096,        /* entries that are not farther apart are written together */
    MOST_PER_BLOCK = 16 /* a table that needs more of its own bytes for its own blocks is tight */
};

/* ---- what is known ---- */

static int told_new(struct scion_told *told, size_t n)
{
    told->counts = calloc(n, sizeof *told->counts);
    told->last = calloc(n, sizeof *told->last);
    return told->counts && told->last ? 0 : -1;
}

static void told_free(struct scion_told *told)
{
    free(told->counts);
    free(told->last);
}

/* As a task that goes on counts its chunks. */
static void learn_told(struct scion_growth *growth, const struct scion_physical *physical)
{
    size_t n = (size_t)physical->head.ntasks, t;

    for (t = 0; t < n; t++) {
        sion_int64 count = physical->counts[t];

        while (count > 1 && physical->used[(size_t)(count - 1) * n + t] == 0)
            count--;
        growth->told.counts[t] = count;
        growth->told.last[t] = physical->used[(size_t)(count - 1) * n + t];
    }
}

/* Areas that a record tells, if they can be areas of this file. */
static void learn_areas(struct scion_growth *growth, const struct scion_physical *physical)
{
    const struct scion_layout *layout = &physical->layout;
    sion_int64 start = physical->start_of_varheader, end = 0;
    int i;

    if (physical->state.generation == 0 || layout->globalskip <= 0 ||
        scion_layout_end(layout, physical->state.floor, &end))
        return;
    for (i = 0; i < 2; i++) {
        const struct scion_area *area = &physical->state.areas[i];

        if (area->bytes <= SCION_STATE_RECORD || area->begin < layout->start_of_data ||
            (area->begin - layout->start_of_data) % layout->globalskip != 0 ||
            area->bytes > end - area->begin)
            continue;
        growth->areas[i] = *area;
        if (start == area->begin + SCION_STATE_RECORD)
            growth->now = i;
    }
}

struct scion_growth *scion_growth_new(const struct scion_physical *physical)
{
    struct scion_growth *growth = calloc(1, sizeof *growth);
    size_t n = (size_t)physical->head.ntasks;

    if (!growth || told_new(&growth->told, n) != 0 || told_new(&growth->news, n) != 0) {
        scion_growth_free(growth);
        scion_fail_memory("published state");
        return NULL;
    }
    growth->now = growth->next = -1;
    if (physical->counts) {
        learn_told(growth, physical);
        learn_areas(growth, physical);
    }
    growth->is_ahead = physical->is_back;
    return growth;
}

void scion_growth_free(struct scion_growth *growth)
{
    if (!growth)
        return;
    told_free(&growth->told);
    told_free(&growth->news);
    free(growth->older.list);
    free(growth->fresh.list);
    free(growth);
}

/* ---- what is new ---- */

static int add_entry(struct scion_entries *entries, sion_int64 at, sion_int64 bytes)
{
    if (entries->n == entries->room) {
        size_t room = 2 * entries->room + 64;
        struct scion_entry *more = scion_array_grown(entries->list, room, sizeof *more);

        if (!more)
            return scion_fail_memory("published state");
        entries->list = more;
        entries->room = room;
    }
    entries->list[entries->n++] = (struct scion_entry){at, bytes};
    return 0;
}

static int compare_entries(const void *a, const void *b)
{
    const struct scion_entry *one = a, *two = b;

    return (one->at > two->at) - (one->at < two->at);
}

static void sort_entries(struct scion_entries *entries)
{
    size_t i = 1;

    while (i < entries->n && entries->list[i - 1].at < entries->list[i].at)
        i++;
    if (i < entries->n)
        qsort(entries->list, entries->n, sizeof *entries->list, compare_entries);
}

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
    return bytes == old ? 0
                        : add_entry(&growth->fresh,
                                    8 * (chunk * physical->head.ntasks + (sion_int64)t), bytes);
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

static int take_news(struct scion_physical *physical, const struct scion_length_source *news)
{
    sion_int64 rows = 1, i;
    int rc = 0;

    physical->growth->fresh.n = 0;
    for (i = 0; i < rows && rc == 0; i++)
        rc = take_row(physical, news, i, &rows);
    sort_entries(&physical->growth->fresh);
    return rc;
}

/* ---- where it goes ---- */

/* What a state takes, from its record on. 1 on overflow. */
static int size_of_state(const struct scion_physical *physical, sion_int64 rows, sion_int64 behind,
                         sion_int64 *size)
{
    return scion_meta2_size(physical->head.ntasks, rows, size) ||
           scion_add(*size, SCION_STATE_RECORD + behind, size);
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
                        int is_tight, sion_int64 *blocks)
{
    sion_int64 small = (sion_int64)physical->head.ntasks * 8 * MOST_PER_BLOCK, next, i;

    if (blocks_of_state(physical, physical->maxchunks, behind, blocks))
        return too_many(physical);
    if (is_tight || physical->layout.globalskip < small)
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
static int make_area(struct scion_physical *physical, sion_int64 behind, int is_tight)
{
    struct scion_growth *growth = physical->growth;
    sion_int64 first =
        physical->maxchunks > physical->floor ? physical->maxchunks : physical->floor;
    sion_int64 blocks = 0, begin, end;
    int rc = measure_area(physical, first, behind, is_tight, &blocks);

    if (rc != 0)
        return rc;
    if (first + blocks > 0x7fffffff || scion_layout_end(&physical->layout, first, &begin) ||
        scion_layout_end(&physical->layout, first + blocks, &end))
        return too_many(physical);
    growth->next = growth->now == 0;
    growth->areas[growth->next] = (struct scion_area){begin, end - begin};
    growth->rows[growth->next] = 0;
    physical->floor = first + blocks;
    return 0;
}

/*
 * The area that has not the newest state, or a new one. Readers look at checksums later, so an area
 * with these is not used again.
 */
static int choose_area(struct scion_physical *physical, sion_int64 behind, int has_sums)
{
    struct scion_growth *growth = physical->growth;
    int other = growth->now == 0;
    sion_int64 size;

    if (size_of_state(physical, physical->maxchunks, behind, &size))
        return too_many(physical);
    if (has_sums || size > growth->areas[other].bytes)
        return make_area(physical, behind, has_sums);
    growth->next = other;
    return 0;
}

/* Bytes behind META2, at most: a chunk has a CRC for each piece that is begun. */
static sion_int64 count_behind(const struct scion_physical *physical,
                               const struct scion_mapping *mapping, int has_sums)
{
    const sion_int64 *counts = physical->growth->news.counts;
    sion_int64 bytes = mapping->size >= 0 ? (sion_int64)scion_mapping_bytes(mapping->size) : 0;
    sion_int64 sums = physical->bytes / SCION_CHECKSUM_PIECE;
    int t;

    for (t = 0; has_sums && t < physical->head.ntasks; t++)
        sums += counts[t];
    bytes += scion_generations_room(physical);
    return has_sums ? bytes + SCION_CHECKSUM_HEAD + 4 * sums : bytes;
}

static int find_place(struct scion_physical *physical, const struct scion_mapping *mapping,
                      int has_sums)
{
    const struct scion_growth *growth = physical->growth;
    sion_int64 most = 1;
    int t, rc;

    for (t = 0; t < physical->head.ntasks; t++)
        most = growth->news.counts[t] > most ? growth->news.counts[t] : most;
    if (most > 0x7fffffff)
        return too_many(physical);
    physical->maxchunks = (int)most;
    rc = choose_area(physical, count_behind(physical, mapping, has_sums), has_sums);
    if (rc == 0)
        physical->start_of_varheader = growth->areas[growth->next].begin + SCION_STATE_RECORD;
    if (rc == 0 && physical->generations && physical->floor < most)
        physical->floor = most; /* no chunk of the next generation is in a block of this one */
    return rc;
}

/* ---- writing it ---- */

/* A part of the table of chunks: what was there before, and entries that are put into it. */
struct patch {
    struct scion_file *file;
    sion_int64 to;         /* where the table begins */
    sion_int64 from, size; /* the table that was before, and its bytes; the others are zero */
    const struct scion_entry *next, *end;
    unsigned char *buffer; /* [PIECE] */
};

static int patch_piece(struct patch *patch, sion_int64 at, sion_int64 bytes)
{
    sion_int64 known = patch->size > at ? patch->size - at : 0;
    int rc = 0;

    known = known < bytes ? known : bytes;
    if (known > 0)
        rc = scion_file_read(patch->file, patch->buffer, (size_t)known, patch->from + at);
    memset(patch->buffer + known, 0, (size_t)(bytes - known));
    for (; patch->next < patch->end && patch->next->at < at + bytes; patch->next++)
        memcpy(patch->buffer + (patch->next->at - at), &patch->next->bytes, 8);
    return rc != 0
               ? rc
               : scion_file_write(patch->file, patch->buffer, (size_t)bytes, patch->to + at, NULL);
}

static int patch_range(struct patch *patch, sion_int64 at, sion_int64 end)
{
    int rc = 0;

    for (; at < end && rc == 0; at += PIECE)
        rc = patch_piece(patch, at, end - at < PIECE ? end - at : PIECE);
    return rc;
}

/* The next entries before `limit` that are near to each other: where they end. */
static sion_int64 end_of_run(const struct patch *patch, sion_int64 limit, int *is_dense)
{
    const struct scion_entry *entry = patch->next;
    sion_int64 first = entry->at, end = first + 8;

    for (entry++; entry < patch->end && entry->at < limit && entry->at - end <= NEAR &&
                  entry->at - first < PIECE - 8;
         entry++)
        end = entry->at + 8;
    *is_dense = (end - first) / 8 == entry - patch->next;
    return end;
}

/* In an area that has these rows but for the entries. */
static int patch_runs(struct patch *patch, sion_int64 limit)
{
    sion_int64 size = patch->size;
    int rc = 0;

    while (patch->next < patch->end && patch->next->at < limit && rc == 0) {
        sion_int64 first = patch->next->at;
        int is_dense;
        sion_int64 end = end_of_run(patch, limit, &is_dense);

        patch->size = is_dense ? 0 : size;
        rc = patch_piece(patch, first, end - first);
    }
    patch->size = size;
    return rc;
}

static int write_rows(struct scion_physical *physical, const struct scion_entries *entries)
{
    const struct scion_growth *growth = physical->growth;
    sion_int64 n = physical->head.ntasks, row = 8 * n, old = growth->rows[growth->next],
               end = row * physical->maxchunks;
    struct patch patch = {
        .file = physical->file,
        .to = physical->start_of_varheader + row,
        .next = entries->list,
        .end = entries->list + entries->n,
        .buffer = malloc(PIECE),
    };
    int rc = patch.buffer ? 0 : scion_fail_memory("published state");

    if (old > 0) { /* the area has what it had the time before */
        patch.from = patch.to;
        patch.size = row * old;
    } else if (growth->old_start > 0) {
        patch.from = growth->old_start + row;
        patch.size = row * growth->old_maxchunks;
    }
    if (rc == 0)
        rc = patch_runs(&patch, row * old);
    if (rc == 0 && row * old < end)
        rc = patch_range(&patch, row * old, end);
    free(patch.buffer);
    return rc;
}

/* Of two entries for one place, the newer one counts. */
static int join(const struct scion_entries *older, const struct scion_entries *newer,
                struct scion_entries *all)
{
    size_t i = 0, j = 0;
    int rc = 0;

    while ((i < older->n || j < newer->n) && rc == 0) {
        const struct scion_entry *one = i < older->n ? &older->list[i] : NULL;
        const struct scion_entry *two = j < newer->n ? &newer->list[j] : NULL;
        int is_newer = !one || (two && two->at <= one->at);

        if (is_newer && one && two->at == one->at)
            i++;
        rc = is_newer ? add_entry(all, two->at, two->bytes) : add_entry(all, one->at, one->bytes);
        i += !is_newer;
        j += (size_t)is_newer;
    }
    return rc;
}

static int write_counts(struct scion_physical *physical)
{
    const struct scion_growth *growth = physical->growth;
    struct scion_piece_writer writer;
    int n = physical->head.ntasks, t, rc = 0;

    scion_piece_writer_begin(&writer, physical->file, physical->start_of_varheader,
                             8 * (sion_int64)n);
    for (t = 0; t < n && rc == 0; t++)
        rc = scion_piece_writer_put_number(&writer, growth->news.counts[t]);
    return scion_piece_writer_end(&writer, rc);
}

/* What readers of the state before last find has changed, before anything of it does. */
static int clear_record(const struct scion_physical *physical)
{
    static const unsigned char none[SCION_STATE_RECORD];

    return scion_file_write(physical->file, none, sizeof none,
                            physical->start_of_varheader - SCION_STATE_RECORD, NULL);
}

static int write_state(struct scion_physical *physical, const struct scion_mapping *mapping)
{
    struct scion_growth *growth = physical->growth;
    struct scion_entries all = {0};
    sion_int64 size = 0;
    int rc = clear_record(physical), is_known = growth->rows[growth->next] > 0;

    if (rc == 0)
        rc = write_counts(physical);
    if (rc == 0 && is_known)
        rc = join(&growth->older, &growth->fresh, &all);
    if (rc == 0)
        rc = write_rows(physical, is_known ? &all : &growth->fresh);
    if (rc == 0)
        rc = scion_generations_clear(physical);
    free(all.list);
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
    if (rc == 0)
        rc = take_news(physical, news);
    if (rc == 0 && physical->generations)
        physical->bytes -= scion_generations_plan(physical, physical->bytes - growth->old_bytes);
    if (rc == 0)
        rc = find_place(physical, mapping, has_sums);
    if (rc == 0)
        rc = write_state(physical, mapping);
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

void scion_growth_leap(struct scion_physical *physical)
{
    struct scion_told *told = &physical->growth->told;
    int t;

    for (t = 0; t < physical->head.ntasks; t++) {
        told->counts[t] = physical->floor + 1;
        told->last[t] = 0;
    }
}

static void accept(struct scion_physical *physical)
{
    struct scion_growth *growth = physical->growth;
    struct scion_entries entries = growth->older;
    int other = 1 - growth->next;

    growth->older = growth->fresh; /* which the other area lacks, if it has the state before */
    growth->fresh = entries;
    if (growth->now != other)
        growth->rows[other] = 0;
    growth->rows[growth->next] = physical->maxchunks;
    growth->now = growth->next;
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
        growth->rows[growth->next] = 0;
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
