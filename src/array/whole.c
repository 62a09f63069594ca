/* Whole blocks with their headers, and whether the index is of these streams. */
#include <stdlib.h>
#include <string.h>

#include "array/reader.h"
#include "base/crc32c.h"
#include "base/error.h"

/* Whether a header is that of the block. */
static int describes(const struct sion_array_reader *arrays,
                     const struct scion_array_header *header,
                     const struct scion_array_block_entry *block)
{
    const struct scion_array_index *index = arrays->index;
    const struct scion_array_definition *definition = &index->arrays[block->array]->definition;
    const sion_int64 *box = scion_array_index_box(index, block);
    const struct scion_array_stored stored = scion_array_index_stored(index, block);
    size_t bytes = (size_t)definition->ndims * sizeof *box;

    return header->kind == SCION_ARRAY_BLOCK && header->type == definition->type &&
           header->ndims == definition->ndims && header->step == index->steps[block->step] &&
           header->name_length == definition->name_length &&
           memcmp(header->name, definition->name, header->name_length) == 0 &&
           memcmp(header->offset, box, bytes) == 0 &&
           memcmp(header->count, box + definition->ndims, bytes) == 0 &&
           header->coding.codec == stored.coding.codec &&
           header->coding.shuffle == stored.coding.shuffle && header->bytes == stored.bytes;
}

/* Read the header before a block's data; *is_right: it is the block's. The name is not kept. */
static int read_head(struct sion_array_reader *arrays, const struct scion_array_block_entry *block,
                     struct scion_array_header *header, int *is_right)
{
    const struct scion_array_definition *definition =
        &arrays->index->arrays[block->array]->definition;
    size_t size = scion_array_header_size(definition->ndims, definition->name_length);
    unsigned char head[SCION_ARRAY_HEADER];
    int rc = 0;

    *is_right = block->position >= (sion_int64)size;
    if (*is_right)
        rc = scion_array_streams_read(arrays->streams, (int)block->task,
                                      block->position - (sion_int64)size, head, (sion_int64)size);
    *is_right = *is_right && rc == 0 && scion_array_header_decode(head, size, header) == size &&
                describes(arrays, header, block);
    return rc;
}

int scion_array_read_record(struct sion_array_reader *arrays,
                            const struct scion_array_block_entry *block, void *to,
                            const unsigned char **stored, int *has_crc)
{
    const struct scion_array_definition *definition =
        &arrays->index->arrays[block->array]->definition;
    struct scion_array_header header;
    int is_right, rc = read_head(arrays, block, &header, &is_right);

    *stored = to;
    if (rc == 0 && !is_right)
        rc = scion_fail(SION_ERR_DAMAGED, "array %.200s: task %d has no such block at byte %lld",
                        definition->name, (int)block->task, block->position);
    if (rc == 0 && scion_array_is_packed(arrays->index, block))
        rc = scion_array_read_stored(arrays, block, stored);
    else if (rc == 0)
        rc = scion_array_streams_read(arrays->streams, (int)block->task, block->position, to,
                                      header.bytes);
    if (rc == 0 && (header.flags & SCION_ARRAY_HAS_CRC) &&
        scion_crc32c(0, *stored, (size_t)header.bytes) != header.crc)
        rc = scion_fail(SION_ERR_DAMAGED,
                        "array %.200s: the data of task %d at byte %lld do not fit their CRC",
                        definition->name, (int)block->task, block->position);
    *has_crc = rc == 0 && (header.flags & SCION_ARRAY_HAS_CRC);
    return rc;
}

int scion_array_read_block(struct sion_array_reader *arrays,
                           const struct scion_array_block_entry *block, void *to, int *has_crc)
{
    const unsigned char *stored;
    int found, rc = scion_array_read_record(arrays, block, to, &stored, &found);

    if (rc == 0 && scion_array_is_packed(arrays->index, block))
        rc = scion_array_unpack_stored(arrays, block, to);
    if (has_crc)
        *has_crc = rc == 0 && found;
    return rc;
}

/* ---- whether the index is of these streams ---- */

int scion_array_confirm(struct sion_array_reader *arrays,
                        const struct scion_array_block_entry *block)
{
    struct scion_array_header header;
    int is_right, rc;

    if (arrays->source != SCION_ARRAY_FROM_WHOLE)
        return 0;
    if (!arrays->confirmed)
        arrays->confirmed = calloc((size_t)arrays->index->ntasks, 1);
    if (!arrays->confirmed)
        return scion_fail_memory("tasks");
    if (arrays->confirmed[block->task])
        return 0;
    rc = read_head(arrays, block, &header, &is_right);
    if (rc == 0 && !is_right)
        return SCION_ARRAY_MOVED;
    arrays->confirmed[block->task] = rc == 0;
    return rc;
}

int scion_array_settle(struct sion_array_reader *arrays)
{
    uint32_t i;
    int rc = 0;

    for (i = 0; i < arrays->index->nblocks && rc == 0 && !arrays->is_settled; i++)
        rc = scion_array_confirm(arrays, &arrays->index->blocks[i]);
    if (rc == SCION_ARRAY_MOVED)
        rc = scion_array_load_again(arrays);
    if (rc == 0 && arrays->unknown >= 0)
        rc = scion_fail(SION_ERR_DAMAGED, "task %d is damaged, and its blocks are not known",
                        arrays->unknown);
    arrays->is_settled = rc == 0;
    return rc;
}
