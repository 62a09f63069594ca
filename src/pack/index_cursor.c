/* The entries of an index, of which one block at a time is in memory. */
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "base/memory.h"
#include "pack/index_private.h"

void scion_index_cursor_begin(struct scion_index *index, struct scion_index_cursor *cursor)
{
    *cursor = (struct scion_index_cursor){.index = index, .block = -1};
}

void scion_index_cursor_end(struct scion_index_cursor *cursor)
{
    free(cursor->entries);
    free(cursor->strings);
    *cursor = (struct scion_index_cursor){.index = cursor->index, .block = -1};
}

/* ---- a block ---- */

/* While it is decoded: the strings move when they grow, so they are known by their places. */
struct decoding {
    const struct scion_index *index;
    const unsigned char *bytes;
    size_t size, at;
    char path[SCION_PACK_PATH], target[SCION_PACK_PATH];
    char *strings;
    size_t filled, room;
};

static int keep(struct decoding *decoding, const char *string, size_t *place)
{
    size_t length = strlen(string) + 1, least = decoding->filled + length;

    if (least > decoding->room) {
        char *more = scion_array_grown(decoding->strings, 2 * least, 1);

        if (!more)
            return scion_fail_memory("index of packed files");
        decoding->strings = more;
        decoding->room = 2 * least;
    }
    memcpy(decoding->strings + decoding->filled, string, length);
    *place = decoding->filled;
    decoding->filled += length;
    return 0;
}

/* places: of path and target, SIZE_MAX: none. */
static int decode_entry(struct decoding *decoding, struct scion_pack_entry *entry, size_t *places)
{
    size_t bytes = scion_index_decode(decoding->bytes + decoding->at, decoding->size - decoding->at,
                                      decoding->index->trailer.key.ntasks, decoding->path,
                                      decoding->target, entry);
    int rc;

    if (bytes == 0)
        return scion_index_damaged("an entry of it");
    decoding->at += bytes;
    places[1] = SIZE_MAX;
    rc = keep(decoding, entry->path, &places[0]);
    return rc == 0 && entry->target ? keep(decoding, entry->target, &places[1]) : rc;
}

/* They are in their order, the first one is that of the list, and they are all of the block. */
static int check_entries(const struct decoding *decoding, const struct scion_index_block *block,
                         const struct scion_pack_entry *entries)
{
    uint32_t n;

    if (decoding->at != decoding->size || strcmp(entries[0].path, block->first) != 0)
        return scion_index_damaged("an entry of it");
    for (n = 1; n < block->count; n++) {
        if (scion_pack_compare(entries[n - 1].path, entries[n].path) > 0)
            return scion_index_damaged("the order of its entries");
    }
    return 0;
}

static int decode_all(struct decoding *decoding, const struct scion_index_block *block,
                      struct scion_pack_entry *entries, size_t *places)
{
    uint32_t n;
    int rc = 0;

    for (n = 0; n < block->count && rc == 0; n++)
        rc = decode_entry(decoding, &entries[n], places + 2 * (size_t)n);
    for (n = 0; n < block->count && rc == 0; n++) {
        const size_t *place = places + 2 * (size_t)n;

        entries[n].path = decoding->strings + place[0];
        entries[n].target = place[1] == SIZE_MAX ? NULL : decoding->strings + place[1];
    }
    return rc == 0 ? check_entries(decoding, block, entries) : rc;
}

static int decode_block(struct scion_index_cursor *cursor, const struct scion_index_block *block,
                        const unsigned char *bytes)
{
    struct decoding *decoding = malloc(sizeof *decoding);
    size_t *places = scion_array(2 * (uint64_t)block->count, sizeof *places);
    int rc = 0;

    cursor->entries = scion_array(block->count, sizeof *cursor->entries);
    if (!decoding || !places || !cursor->entries) {
        rc = scion_fail_memory("index of packed files");
    } else {
        *decoding = (struct decoding){.index = cursor->index, .bytes = bytes, .size = block->size};
        rc = decode_all(decoding, block, cursor->entries, places);
        cursor->strings = decoding->strings;
    }
    free(decoding);
    free(places);
    return rc;
}

/* Have a block in memory, and be at its beginning. */
static int enter(struct scion_index_cursor *cursor, int number)
{
    const struct scion_index_block *block = &cursor->index->blocks[number];
    unsigned char *bytes;
    int rc;

    cursor->at = 0;
    if (cursor->block == number)
        return 0;
    scion_index_cursor_end(cursor);
    bytes = malloc(block->size);
    if (!bytes)
        return scion_fail_memory("index of packed files");
    rc = scion_index_fetch(cursor->index, bytes, block->size, block->offset);
    if (rc == 0 && scion_crc32c(0, bytes, block->size) != block->crc)
        rc = scion_index_damaged("a block of it");
    if (rc == 0)
        rc = decode_block(cursor, block, bytes);
    free(bytes);
    if (rc != 0) {
        scion_index_cursor_end(cursor);
        return rc;
    }
    cursor->block = number;
    cursor->count = block->count;
    return 0;
}

/* ---- one entry after the other ---- */

int scion_index_next(struct scion_index_cursor *cursor, const struct scion_pack_entry **entry)
{
    int rc;

    *entry = NULL;
    if (cursor->at == cursor->count) {
        if (cursor->block + 1 >= (int)cursor->index->trailer.blocks)
            return 0;
        rc = enter(cursor, cursor->block + 1);
        if (rc != 0)
            return rc;
    }
    *entry = &cursor->entries[cursor->at++];
    return 0;
}

void scion_index_unread(struct scion_index_cursor *cursor)
{
    cursor->at--;
}

sion_int64 scion_index_number(const struct scion_index_cursor *cursor)
{
    return cursor->block < 0 ? 0 : cursor->index->before[cursor->block] + cursor->at;
}

/* The block with the entry of a number that is there. */
static int block_of(const struct scion_index *index, sion_int64 number)
{
    int low = 0, high = (int)index->trailer.blocks - 1;

    while (low < high) {
        int middle = low + (high - low + 1) / 2;

        if (index->before[middle] <= number)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

int scion_index_go(struct scion_index_cursor *cursor, sion_int64 number)
{
    const struct scion_index *index = cursor->index;
    int block, rc;

    if (index->trailer.blocks == 0)
        return 0;
    block = block_of(index, number);
    rc = enter(cursor, block);
    if (rc != 0)
        return rc;
    number -= index->before[block];
    cursor->at = number < cursor->count ? (uint32_t)number : cursor->count;
    return 0;
}

/* ---- paths ---- */

/* The last block whose first entry is before the place, or the first one. */
static int block_before(const struct scion_index *index, const char *place, int is_after)
{
    int low = 0, high = (int)index->trailer.blocks;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (scion_pack_is_before(index->blocks[middle].first, place, is_after))
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? low - 1 : 0;
}

/* The first entry that is not before the place, in this block or at the beginning of the next one.
 */
static int search(struct scion_index_cursor *cursor, const char *place, int is_after)
{
    uint32_t low = 0, high;
    int rc;

    if (cursor->index->trailer.blocks == 0)
        return 0;
    rc = enter(cursor, block_before(cursor->index, place, is_after));
    if (rc != 0)
        return rc;
    high = cursor->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (scion_pack_is_before(cursor->entries[middle].path, place, is_after))
            low = middle + 1;
        else
            high = middle;
    }
    cursor->at = low;
    return 0;
}

int scion_index_seek(struct scion_index_cursor *cursor, const char *path)
{
    return search(cursor, path, 0);
}

int scion_index_skip(struct scion_index_cursor *cursor, const char *path)
{
    return search(cursor, path, 1);
}
