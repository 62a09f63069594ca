/* The index of a list of packed files. */
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "base/memory.h"
#include "pack/index_bytes.h"
#include "pack/write.h"
#include "vfs/vfs.h"

struct index_writer {
    const struct scion_pack_target *target;
    struct scion_index_trailer trailer;
    sion_int64 offset; /* where the block begins that is being filled */
    struct scion_index_block block;
    unsigned char *bytes; /* [SCION_INDEX_BLOCK + SCION_INDEX_ENTRY_MOST] */
    unsigned char *list;
    size_t list_size, list_room;
};

static int append_to_list(struct index_writer *writer)
{
    size_t least = writer->list_size + SCION_INDEX_LISTED + SCION_PACK_PATH;

    if (writer->list_room < least) {
        unsigned char *more = scion_array_grown(writer->list, 2 * least, 1);

        if (!more)
            return scion_fail_memory("index of packed files");
        writer->list = more;
        writer->list_room = 2 * least;
    }
    writer->list_size += scion_index_encode_block(&writer->block, writer->list + writer->list_size);
    return 0;
}

static int put(const struct index_writer *writer, const void *data, size_t bytes, sion_int64 offset)
{
    return writer->target->write(writer->target->context, data, bytes, offset);
}

static int end_block(struct index_writer *writer)
{
    struct scion_index_block *block = &writer->block;
    int rc;

    if (block->count == 0)
        return 0;
    block->offset = writer->offset;
    block->crc = scion_crc32c(0, writer->bytes, block->size);
    rc = put(writer, writer->bytes, block->size, writer->offset);
    if (rc == 0)
        rc = append_to_list(writer);
    writer->offset += (sion_int64)block->size;
    writer->trailer.blocks++;
    *block = (struct scion_index_block){0};
    return rc;
}

static int put_entry(struct index_writer *writer, const struct scion_pack_entry *entry,
                     const char *before)
{
    struct scion_index_block *block = &writer->block;

    if (block->count == 0)
        block->first = entry->path;
    block->size += (uint32_t)scion_index_encode(entry, block->count == 0 ? "" : before,
                                                writer->bytes + block->size);
    block->count++;
    return block->size >= SCION_INDEX_BLOCK ? end_block(writer) : 0;
}

static int put_list(struct index_writer *writer)
{
    struct scion_index_trailer *trailer = &writer->trailer;
    int rc = end_block(writer);

    trailer->list_offset = writer->offset;
    trailer->list_size = (sion_int64)writer->list_size;
    trailer->list_crc = scion_crc32c(0, writer->list, writer->list_size);
    return rc == 0 && writer->list_size > 0
               ? put(writer, writer->list, writer->list_size, writer->offset)
               : rc;
}

static int put_trailer(const struct index_writer *writer, sion_int64 *end)
{
    unsigned char bytes[SCION_INDEX_TRAILER];
    sion_int64 offset = writer->offset + writer->trailer.list_size;

    scion_index_encode_trailer(&writer->trailer, bytes);
    *end = offset + SCION_INDEX_TRAILER;
    return put(writer, bytes, sizeof bytes, offset);
}

int scion_pack_write_index(const struct scion_pack_list *list, sion_int64 offset,
                           const struct scion_pack_target *target, sion_int64 *end)
{
    struct index_writer writer = {.target = target, .offset = offset};
    int rc = 0, t;
    size_t i;

    writer.bytes = malloc(SCION_INDEX_BLOCK + SCION_INDEX_ENTRY_MOST);
    if (!writer.bytes)
        return scion_fail_memory("index of packed files");
    writer.trailer.begin = offset;
    writer.trailer.count = (sion_int64)list->count;
    for (t = 0; t < list->ntasks; t++)
        scion_index_key_add(&writer.trailer.key, list->used[t]);
    for (i = 0; i < list->count && rc == 0; i++)
        rc = put_entry(&writer, &list->entries[i], i > 0 ? list->entries[i - 1].path : "");
    if (rc == 0)
        rc = put_list(&writer);
    if (rc == 0)
        rc = put_trailer(&writer, end);
    free(writer.bytes);
    free(writer.list);
    return rc;
}

static int put_in_file(void *file, const void *data, size_t bytes, sion_int64 offset)
{
    return scion_file_write(file, data, bytes, offset, NULL);
}

int scion_pack_index_file(void *list, struct scion_file *file, sion_int64 offset)
{
    const struct scion_pack_target target = {.write = put_in_file, .context = file};
    sion_int64 end;

    return scion_pack_write_index(list, offset, &target, &end);
}
