#include "pack/index.h"

#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "base/memory.h"
#include "pack/index_private.h"

int scion_index_damaged(const char *what)
{
    return scion_fail(SION_ERR_DAMAGED, "the index of packed files is damaged: %s", what);
}

/* ---- the list of blocks ---- */

/* Blocks follow each other up to the list, and so do their first paths. */
static int check_block(const struct scion_index *index, uint32_t number, sion_int64 *expected)
{
    const struct scion_index_block *block = &index->blocks[number];
    sion_int64 end = block->offset + (sion_int64)block->size;

    if (block->offset != *expected || end > index->trailer.list_offset)
        return scion_index_damaged("a block has a wrong place");
    if (number > 0 && scion_pack_compare(block[-1].first, block->first) > 0)
        return scion_index_damaged("the order of its blocks");
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
            return scion_index_damaged("the list of its blocks");
        index->blocks[n].first = strcpy(path, first);
        path += strlen(first) + 1;
        at += bytes;
        index->before[n] = count;
        count += index->blocks[n].count;
        rc = check_block(index, n, &expected);
    }
    if (rc != 0)
        return rc;
    index->before[n] = count;
    return at == size && expected == index->trailer.list_offset && count == index->trailer.count
               ? 0
               : scion_index_damaged("the list of its blocks");
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
    index->before = scion_array((size_t)trailer->blocks + 1, sizeof *index->before);
    if (!list || !index->paths || !index->blocks || !index->before)
        rc = scion_fail_memory("index of packed files");
    if (rc == 0)
        rc = scion_index_fetch(index, list, (size_t)trailer->list_size, trailer->list_offset);
    if (rc == 0 && scion_crc32c(0, list, (size_t)trailer->list_size) != trailer->list_crc)
        rc = scion_index_damaged("the list of its blocks");
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
    free(index->before);
    free(index->paths);
    free(index);
}

sion_int64 scion_index_count(const struct scion_index *index)
{
    return index->trailer.count;
}
