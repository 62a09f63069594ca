#include "pack/index.h"

#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "base/memory.h"
#include "pack/index_bytes.h"

struct scion_index {
    struct scion_pack_source source;
    struct scion_index_trailer trailer;
    struct scion_index_block *blocks; /* [trailer.blocks] */
    char *paths;                      /* the first ones, one after the other */
};

static int damaged(const char *what)
{
    return scion_fail(SION_ERR_DAMAGED, "the index of packed files is damaged: %s", what);
}

static int fetch(const struct scion_index *index, void *to, size_t bytes, sion_int64 offset)
{
    return index->source.read(index->source.context, to, bytes, offset);
}

/* ---- the list of blocks ---- */

/* Blocks follow each other up to the list, and so do their first paths. */
static int check_block(const struct scion_index *index, uint32_t number, sion_int64 *expected)
{
    const struct scion_index_block *block = &index->blocks[number];
    sion_int64 end = block->offset + (sion_int64)block->size;

    if (block->offset != *expected || end > index->trailer.list_offset)
        return damaged("a block has a wrong place");
    if (number > 0 && scion_pack_compare(block[-1].first, block->first) > 0)
        return damaged("the order of its blocks");
    *expected = end;
    return 0;
}

static int parse_list(struct scion_index *index, const unsigned char *list)
{
    sion_int64 expected = index->trailer.begin, count = 0;
    size_t at = 0, size = (size_t)index->trailer.list_size, bytes;
    char *path = index->paths;
    uint32_t n;
    int rc = 0;

    for (n = 0; n < index->trailer.blocks && rc == 0; n++) {
        char first[SCION_PACK_PATH];

        bytes = scion_index_decode_block(list + at, size - at, &index->blocks[n], first);
        if (bytes == 0)
            return damaged("the list of its blocks");
        index->blocks[n].first = strcpy(path, first);
        path += strlen(first) + 1;
        at += bytes;
        count += index->blocks[n].count;
        rc = check_block(index, n, &expected);
    }
    if (rc != 0)
        return rc;
    return at == size && expected == index->trailer.list_offset && count == index->trailer.count
               ? 0
               : damaged("the list of its blocks");
}

/* Paths with their NULs take less than the list, because a block has other numbers, too. */
static int read_list(struct scion_index *index)
{
    const struct scion_index_trailer *trailer = &index->trailer;
    unsigned char *list =
        scion_is_size(trailer->list_size) ? malloc((size_t)trailer->list_size + 1) : NULL;
    int rc = 0;

    index->paths = list ? malloc((size_t)trailer->list_size + 1) : NULL;
    index->blocks = scion_array((size_t)trailer->blocks + 1, sizeof *index->blocks);
    if (!list || !index->paths || !index->blocks)
        rc = scion_fail_memory("index of packed files");
    if (rc == 0)
        rc = fetch(index, list, (size_t)trailer->list_size, trailer->list_offset);
    if (rc == 0 && scion_crc32c(0, list, (size_t)trailer->list_size) != trailer->list_crc)
        rc = damaged("the list of its blocks");
    if (rc == 0)
        rc = parse_list(index, list);
    free(list);
    return rc;
}

/* ---- open ---- */

static int is_key(const struct scion_index_key *a, const struct scion_index_key *b)
{
    return a->ntasks == b->ntasks && a->total == b->total && a->crc == b->crc;
}

static int read_index(struct scion_index *index, const unsigned char *end, sion_int64 size,
                      const struct scion_index_key *key)
{
    int rc = scion_index_decode_trailer(end, size, &index->trailer);

    if (rc == 0 && !is_key(&index->trailer.key, key))
        rc = scion_fail(SION_ERR_DAMAGED, "the index of packed files is that of other streams");
    return rc == 0 ? read_list(index) : rc;
}

int scion_index_open(const struct scion_pack_source *source, sion_int64 size,
                     const struct scion_index_key *key, struct scion_index **index)
{
    unsigned char end[SCION_INDEX_TRAILER];
    struct scion_index *new;
    int rc;

    *index = NULL;
    if (size < SCION_INDEX_TRAILER)
        return 0;
    rc = source->read(source->context, end, sizeof end, size - SCION_INDEX_TRAILER);
    if (rc != 0 || !scion_index_is_trailer(end))
        return rc;
    new = calloc(1, sizeof *new);
    if (!new)
        return scion_fail_memory("index of packed files");
    new->source = *source;
    rc = read_index(new, end, size, key);
    if (rc == 0)
        *index = new;
    else
        scion_index_close(new);
    return rc;
}

void scion_index_close(struct scion_index *index)
{
    if (!index)
        return;
    free(index->blocks);
    free(index->paths);
    free(index);
}

sion_int64 scion_index_count(const struct scion_index *index)
{
    return index->trailer.count;
}

/* ---- cursors ---- */

void scion_index_cursor_begin(struct scion_index *index, struct scion_index_cursor *cursor)
{
    cursor->index = index;
    cursor->block = -1;
    cursor->bytes = NULL;
    cursor->size = cursor->at = 0;
    cursor->left = 0;
    cursor->is_peeked = 0;
}

void scion_index_cursor_end(struct scion_index_cursor *cursor)
{
    free(cursor->bytes);
    cursor->bytes = NULL;
    cursor->block = -1;
}

static void rewind_block(struct scion_index_cursor *cursor)
{
    cursor->at = 0;
    cursor->left = cursor->index->blocks[cursor->block].count;
    cursor->path[0] = '\0';
    cursor->is_peeked = 0;
}

/* To the begin of a block, which may be in memory already. */
static int enter(struct scion_index_cursor *cursor, int number)
{
    const struct scion_index_block *block = &cursor->index->blocks[number];
    unsigned char *bytes;
    int rc;

    if (cursor->block != number) {
        cursor->block = -1;
        bytes = realloc(cursor->bytes, block->size);
        if (!bytes)
            return scion_fail_memory("index of packed files");
        cursor->bytes = bytes;
        rc = fetch(cursor->index, bytes, block->size, block->offset);
        if (rc == 0 && scion_crc32c(0, bytes, block->size) != block->crc)
            rc = damaged("a block of it");
        if (rc != 0)
            return rc;
        cursor->block = number;
        cursor->size = block->size;
    }
    rewind_block(cursor);
    return 0;
}

/* Entries are in their order, the first one is that of the list, and they are all of the block. */
static int decode(struct scion_index_cursor *cursor)
{
    char before[SCION_PACK_PATH];
    int is_first = cursor->at == 0;
    size_t bytes;

    strcpy(before, cursor->path);
    bytes = scion_index_decode(cursor->bytes + cursor->at, cursor->size - cursor->at,
                               cursor->index->trailer.key.ntasks, cursor->path, cursor->target,
                               &cursor->entry);
    cursor->at += bytes;
    cursor->left--;
    if (bytes == 0 || (cursor->left == 0 && cursor->at != cursor->size) ||
        (is_first ? strcmp(cursor->path, cursor->index->blocks[cursor->block].first) != 0
                  : scion_pack_compare(before, cursor->path) > 0)) {
        cursor->left = 0;
        return damaged("an entry of it");
    }
    cursor->is_peeked = 1;
    return 0;
}

static int is_last(const struct scion_index_cursor *cursor)
{
    return cursor->block + 1 >= (int)cursor->index->trailer.blocks;
}

/* Have the next entry in the cursor, unless there is none. */
static int peek(struct scion_index_cursor *cursor)
{
    int rc = 0;

    if (cursor->is_peeked)
        return 0;
    if (cursor->left == 0) {
        if (is_last(cursor))
            return 0;
        rc = enter(cursor, cursor->block + 1);
    }
    return rc == 0 ? decode(cursor) : rc;
}

int scion_index_next(struct scion_index_cursor *cursor, const struct scion_pack_entry **entry)
{
    int rc = peek(cursor);

    *entry = rc == 0 && cursor->is_peeked ? &cursor->entry : NULL;
    cursor->is_peeked = 0;
    return rc;
}

/* The first entry for which scion_pack_is_before() does not hold: in this block or at the begin of
 * the next.
 */
static int search(struct scion_index_cursor *cursor, const char *place, int is_after)
{
    const struct scion_index *index = cursor->index;
    int low = 0, high = (int)index->trailer.blocks, rc;

    while (low < high) {
        int middle = low + (high - low) / 2;
        const char *first = index->blocks[middle].first;

        if (scion_pack_is_before(first, place, is_after))
            low = middle + 1;
        else
            high = middle;
    }
    if (index->trailer.blocks == 0)
        return 0;
    rc = enter(cursor, low > 0 ? low - 1 : 0);
    while (rc == 0) {
        rc = peek(cursor);
        if (rc != 0 || !cursor->is_peeked || !scion_pack_is_before(cursor->path, place, is_after))
            return rc;
        cursor->is_peeked = 0;
    }
    return rc;
}

int scion_index_seek(struct scion_index_cursor *cursor, const char *path)
{
    return search(cursor, path, 0);
}

int scion_index_skip(struct scion_index_cursor *cursor, const char *path)
{
    return search(cursor, path, 1);
}
