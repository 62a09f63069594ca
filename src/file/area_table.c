#include "file/area_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/crc_sum.h"
#include "base/error.h"
#include "base/memory.h"

enum {
    PIECE = 1 << 20, /* bytes of a table that are written at a time */
    NEAR = 4096      /* entries that are not farther apart are written together */
};

/* ---- entries ---- */

static int add_entry(struct scion_entries *entries, const struct scion_entry *entry)
{
    if (entries->n == entries->room) {
        size_t room = 2 * entries->room + 64;
        struct scion_entry *more = scion_array_grown(entries->list, room, sizeof *more);

        if (!more)
            return scion_fail_memory("published state");
        entries->list = more;
        entries->room = room;
    }
    entries->list[entries->n++] = *entry;
    return 0;
}

int scion_area_table_add(struct scion_area_table *table, const struct scion_entry *entry)
{
    return add_entry(&table->fresh, entry);
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
        rc = add_entry(all, is_newer ? two : one);
        i += !is_newer;
        j += (size_t)is_newer;
    }
    return rc;
}

static void put_value(unsigned char *to, uint64_t value, int width)
{
    const uint32_t small = (uint32_t)value;

    if (width == sizeof small)
        memcpy(to, &small, sizeof small);
    else
        memcpy(to, &value, sizeof value);
}

/* ---- writing ---- */

/* A part of the table: what was there before, and entries that are put into it. */
struct patch {
    const struct scion_area_place *place;
    int width;
    sion_int64 from, size; /* the table that was before, and its bytes; the others are zero */
    const struct scion_entry *next, *end;
    unsigned char *buffer; /* [PIECE] */
};

static int is_zero(const unsigned char *bytes, size_t n)
{
    return n == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, n - 1) == 0);
}

/* Whether nothing is put into these bytes, nor was there before. */
static int is_empty(const struct patch *patch, sion_int64 at, sion_int64 end)
{
    return patch->size <= at && (patch->next == patch->end || patch->next->at >= end);
}

static int patch_piece(struct patch *patch, sion_int64 at, sion_int64 bytes, int may_be_hole)
{
    sion_int64 known = patch->size > at ? patch->size - at : 0;
    int rc = 0;

    if (may_be_hole && is_empty(patch, at, at + bytes))
        return 0;
    known = known < bytes ? known : bytes;
    if (known > 0)
        rc = scion_file_read(patch->place->file, patch->buffer, (size_t)known, patch->from + at);
    memset(patch->buffer + known, 0, (size_t)(bytes - known));
    for (; patch->next < patch->end && patch->next->at < at + bytes; patch->next++)
        put_value(patch->buffer + (patch->next->at - at), patch->next->is, patch->width);
    if (rc != 0 || (may_be_hole && is_zero(patch->buffer, (size_t)bytes)))
        return rc;
    return scion_file_write(patch->place->file, patch->buffer, (size_t)bytes, patch->place->to + at,
                            NULL);
}

/* The last piece is written, so that the file has all of the table. */
static int patch_range(struct patch *patch, sion_int64 at, sion_int64 end)
{
    int rc = 0;

    for (; at < end && rc == 0; at += PIECE)
        rc = patch_piece(patch, at, end - at < PIECE ? end - at : PIECE,
                         patch->place->is_hole && end - at > PIECE);
    return rc;
}

/* The next entries before `limit` that are near to each other: where they end. */
static sion_int64 end_of_run(const struct patch *patch, sion_int64 limit, int *is_dense)
{
    const struct scion_entry *entry = patch->next;
    sion_int64 first = entry->at, end = first + patch->width;

    for (entry++; entry < patch->end && entry->at < limit && entry->at - end <= NEAR &&
                  entry->at - first < PIECE - patch->width;
         entry++)
        end = entry->at + patch->width;
    *is_dense = (end - first) / patch->width == entry - patch->next;
    return end;
}

/* In an area that has these bytes but for the entries. */
static int patch_runs(struct patch *patch, sion_int64 limit)
{
    sion_int64 size = patch->size;
    int rc = 0;

    while (patch->next < patch->end && patch->next->at < limit && rc == 0) {
        sion_int64 first = patch->next->at;
        int is_dense;
        sion_int64 end = end_of_run(patch, limit, &is_dense);

        patch->size = is_dense ? 0 : size;
        rc = patch_piece(patch, first, end - first, 0);
    }
    patch->size = size;
    return rc;
}

static int write_entries(const struct scion_area_table *table, const struct scion_area_place *place,
                         const struct scion_entries *entries)
{
    sion_int64 has = place->has < place->bytes ? place->has : place->bytes;
    struct patch patch = {
        .place = place,
        .width = table->width,
        .from = has > 0 ? place->to : place->from, /* the area has what it had the time before */
        .size = has > 0 ? has : place->size,
        .next = entries->list,
        .end = entries->list + entries->n,
        .buffer = malloc(PIECE),
    };
    int rc = patch.buffer ? 0 : scion_fail_memory("published state");

    if (rc == 0)
        rc = patch_runs(&patch, has);
    if (rc == 0 && has < place->bytes)
        rc = patch_range(&patch, has, place->bytes);
    free(patch.buffer);
    return rc;
}

int scion_area_copy(struct scion_file *file, sion_int64 from, sion_int64 to, sion_int64 bytes)
{
    unsigned char *buffer = bytes > 0 ? malloc(PIECE) : NULL;
    int rc = bytes > 0 && !buffer ? scion_fail_memory("published state") : 0;

    while (bytes > 0 && rc == 0) {
        size_t now = bytes < PIECE ? (size_t)bytes : PIECE;

        rc = scion_file_read(file, buffer, now, from);
        if (rc == 0)
            rc = scion_file_write(file, buffer, now, to, NULL);
        from += (sion_int64)now;
        to += (sion_int64)now;
        bytes -= (sion_int64)now;
    }
    free(buffer);
    return rc;
}

/* ---- the CRC ---- */

/* Of bytes of the file that were made otherwise: `sum` is that of those before them. */
static int sum_bytes(const struct scion_area_place *place, sion_int64 at, sion_int64 end,
                     scion_crc_function *crc, uint32_t *sum)
{
    unsigned char *buffer = malloc(PIECE);
    int rc = buffer ? 0 : scion_fail_memory("published state");

    for (; at < end && rc == 0; at += PIECE) {
        size_t bytes = end - at < PIECE ? (size_t)(end - at) : PIECE;

        rc = scion_file_read(place->file, buffer, bytes, place->from + at);
        if (rc == 0)
            *sum = crc(*sum, buffer, bytes);
    }
    free(buffer);
    return rc;
}

/* Where the newest state has more, these are chunks that nobody has. */
static sion_int64 size_before(const struct scion_area_place *place)
{
    return place->size < place->bytes ? place->size : place->bytes;
}

static uint32_t change_of(const struct scion_area_table *table, sion_int64 bytes)
{
    const struct scion_entry *entry = table->fresh.list, *end = entry + table->fresh.n;
    uint32_t changed = 0;
    sion_int64 at = 0;

    for (; entry < end; entry++) {
        unsigned char xors[sizeof entry->is];

        put_value(xors, entry->is ^ entry->before, table->width);
        changed = scion_crc_skip(changed, (uint64_t)(entry->at - at));
        changed = scion_crc_change(table->crc, changed, xors, (size_t)table->width);
        at = entry->at + table->width;
    }
    return scion_crc_skip(changed, (uint64_t)(bytes - at));
}

/* From that of the newest state, which is read once. */
static int sum(struct scion_area_table *table, const struct scion_area_place *place)
{
    sion_int64 before = size_before(place);
    int rc = 0;

    if (!table->crc)
        return 0;
    if (!table->is_summed) {
        table->sum = 0;
        rc = sum_bytes(place, 0, before, table->crc, &table->sum);
    }
    table->new_sum = scion_crc_extend(table->sum, (uint64_t)(place->bytes - before)) ^
                     change_of(table, place->bytes);
    return rc;
}

int scion_area_table_write(struct scion_area_table *table, const struct scion_area_place *place)
{
    struct scion_entries all = {0};
    int rc = 0;

    sort_entries(&table->fresh);
    if (place->has > 0)
        rc = join(&table->older, &table->fresh, &all);
    if (rc == 0)
        rc = write_entries(table, place, place->has > 0 ? &all : &table->fresh);
    free(all.list);
    return rc == 0 ? sum(table, place) : rc;
}

int scion_area_table_clear(struct scion_area_table *table, const struct scion_area_place *place,
                           sion_int64 first, sion_int64 end)
{
    sion_int64 before = size_before(place);
    uint32_t sum = 0;
    int rc = 0;

    end = end < before ? end : before;
    if (!table->crc || first >= end)
        return 0;
    /* Bytes that were not zeros, as a change of zeros to what they were. */
    sum = ~sum;
    rc = sum_bytes(place, first, end, table->crc, &sum);
    table->new_sum ^= scion_crc_skip(~sum, (uint64_t)(place->bytes - end));
    return rc;
}

void scion_area_table_accept(struct scion_area_table *table)
{
    struct scion_entries entries = table->older;

    table->older = table->fresh; /* which the other area lacks, if it has the state before */
    table->fresh = entries;
    table->sum = table->new_sum;
    table->is_summed = table->crc != NULL;
}

void scion_area_table_free(struct scion_area_table *table)
{
    free(table->older.list);
    free(table->fresh.list);
}
