/* sionarray copy: the records of arrays, from one container into another one. */
#include <stdlib.h>
#include <string.h>

#include "array/writer.h"
#include "base/byteorder.h"
#include "base/error.h"
#include "sionarray/copy.h"

static const struct scion_array *array_of(const struct recoder *recoder,
                                          const struct scion_array_block_entry *block)
{
    return recoder->arrays->index->arrays[block->array];
}

static const struct scion_array_block_entry *block_of(const struct recoder *recoder, uint32_t i)
{
    return &recoder->arrays->index->blocks[recoder->blocks[i].block];
}

/* Bytes of its header, and of its elements. */
static sion_int64 head_of(const struct recoder *recoder,
                          const struct scion_array_block_entry *block)
{
    const struct scion_array_definition *definition = &array_of(recoder, block)->definition;

    return (sion_int64)scion_array_header_size(definition->ndims, definition->name_length);
}

static sion_int64 plain_of(const struct recoder *recoder,
                           const struct scion_array_block_entry *block)
{
    const struct scion_array_definition *definition = &array_of(recoder, block)->definition;

    return scion_array_bytes(definition->type, definition->ndims,
                             scion_array_index_box(recoder->arrays->index, block) +
                                 definition->ndims);
}

/* ---- what else is in a stream ---- */

static int refuse(const struct recoder *recoder, int task, sion_int64 position)
{
    return scion_fail(SION_ERR_ARGUMENT,
                      "%.400s: task %d has bytes at %lld of its stream that are of no array, and "
                      "would not be where they are looked for",
                      recoder->arrays->file, task, position);
}

/* Up to 63 zeros, which are before a record. */
static size_t count_zeros(const unsigned char *bytes, size_t length)
{
    size_t n = 0;

    while (n < length && n < SCION_ARRAY_ALIGN - 1 && bytes[n] == 0)
        n++;
    return n;
}

/* Bytes of the zeros and the record, or of the end of an index, that begin here; 0: they are
   others. is_block: a block follows behind all bytes. */
static sion_int64 record_at(const unsigned char *bytes, size_t length, int is_block)
{
    size_t zeros = count_zeros(bytes, length), size;
    struct scion_array_trailer trailer;
    struct scion_array_header header;
    int is_later;

    if (zeros == length)
        return is_block ? (sion_int64)zeros : 0;
    if (length >= SCION_ARRAY_TRAILER && scion_array_trailer_decode(bytes, &trailer, &is_later))
        return SCION_ARRAY_TRAILER;
    if (length - zeros < SCION_ARRAY_ALIGN)
        return 0;
    size = scion_array_header_decode(bytes + zeros, length - zeros, &header);
    return size > 0 && size <= length - zeros && header.kind != SCION_ARRAY_BLOCK
               ? (sion_int64)(zeros + size) + header.bytes
               : 0;
}

/* Bytes before a block, or behind the last one, are attributes and indexes. */
static int check_gap(const struct recoder *recoder, int task, sion_int64 from, sion_int64 to,
                     int is_block)
{
    unsigned char bytes[SCION_ARRAY_ALIGN + SCION_ARRAY_HEADER];
    sion_int64 length, record;
    int rc = 0;

    for (; from < to && rc == 0; from += record) {
        length = to - from < (sion_int64)sizeof bytes ? to - from : (sion_int64)sizeof bytes;
        rc = scion_array_streams_read(recoder->arrays->streams, task, from, bytes, length);
        record = rc == 0 ? record_at(bytes, (size_t)length, is_block && length == to - from) : 0;
        if (rc == 0 && (record == 0 || record > to - from))
            rc = refuse(recoder, task, from);
    }
    return rc;
}

int recode_check(const struct recoder *recoder, int task)
{
    sion_int64 length = scion_array_streams_length(recoder->arrays->streams, task), end = 0;
    int rc = length < 0 ? SION_ERR_MEMORY : 0;
    uint32_t i;

    for (i = recoder->first[task]; i < recoder->first[task + 1] && rc == 0; i++) {
        const struct scion_array_block_entry *block = block_of(recoder, i);

        rc = check_gap(recoder, task, end, block->position - head_of(recoder, block), 1);
        end = block->position + scion_array_index_stored(recoder->arrays->index, block).bytes;
    }
    return rc == 0 ? check_gap(recoder, task, end, length, 0) : rc;
}

sion_int64 recode_room(const struct recoder *recoder, int task)
{
    enum { INDEX = 64 << 10, ENTRY = 192, MORE = 1 << 10 };
    sion_int64 room = INDEX;
    uint32_t i;

    for (i = recoder->first[task]; i < recoder->first[task + 1]; i++) {
        const struct scion_array_block_entry *block = block_of(recoder, i);
        sion_int64 plain = plain_of(recoder, block);

        room += head_of(recoder, block) + plain + plain / 64 + ENTRY + MORE;
    }
    return room;
}

/* ---- names ---- */

static int result(int done)
{
    return done == SION_SUCCESS ? 0 : sion_error_code();
}

static int define(const struct recoder *recoder, int sid, uint32_t number)
{
    const struct scion_array_definition *definition =
        &recoder->arrays->index->arrays[number]->definition;
    struct scion_array_definition_entry *defined;
    struct scion_array_writer *writer;
    int rc = result(sion_array_define(sid, definition->name, definition->type, definition->ndims,
                                      definition->shape));

    if (rc == 0)
        rc = scion_array_writer_of(sid, &writer);
    defined = rc == 0 ? scion_array_must_find(writer, definition->name) : NULL;
    if (defined)
        defined->definition.coding = recoder->recodings[number].packing.coding;
    return rc;
}

int recode_define(const struct recoder *recoder, int sid)
{
    uint32_t i;
    int rc = 0;

    for (i = 0; i < recoder->arrays->index->narrays && rc == 0; i++)
        rc = define(recoder, sid, i);
    return rc;
}

static int set_texts(int sid, const char *name, const struct scion_array_texts *texts)
{
    int rc = 0, i;

    for (i = 0; i < texts->n && rc == 0; i++)
        rc = result(sion_array_set_attribute(sid, name, texts->list[i].key, texts->list[i].value));
    return rc;
}

int recode_attributes(const struct recoder *recoder, int sid)
{
    const struct scion_array_index *index = recoder->arrays->index;
    int rc = set_texts(sid, NULL, &index->texts);
    uint32_t i;

    for (i = 0; i < index->narrays && rc == 0; i++)
        rc = set_texts(sid, index->arrays[i]->definition.name, &index->arrays[i]->texts);
    return rc;
}

/* ---- blocks ---- */

/* The elements of a block, or what they are compressed to. */
struct passed {
    const struct scion_array_block_entry *block;
    struct scion_array_header header;
    const unsigned char *data;
    sion_int64 plain;
    int has_crc;
};

static int need_buffer(struct recoder *recoder, sion_int64 bytes)
{
    if ((sion_int64)recoder->size >= bytes && recoder->buffer)
        return 0;
    free(recoder->buffer);
    recoder->size = (size_t)bytes;
    recoder->buffer = malloc((size_t)bytes + 1);
    return recoder->buffer ? 0 : scion_fail_memory("a block");
}

static void describe(const struct recoder *recoder, struct passed *passed)
{
    const struct scion_array_index *index = recoder->arrays->index;
    const struct scion_array_definition *definition = &array_of(recoder, passed->block)->definition;
    const sion_int64 *box = scion_array_index_box(index, passed->block);
    const struct scion_array_stored stored = scion_array_index_stored(index, passed->block);
    size_t bytes = (size_t)definition->ndims * sizeof *box;

    passed->header = (struct scion_array_header){.kind = SCION_ARRAY_BLOCK,
                                                 .type = definition->type,
                                                 .ndims = definition->ndims,
                                                 .coding = stored.coding,
                                                 .bytes = stored.bytes,
                                                 .step = index->steps[passed->block->step],
                                                 .name = definition->name,
                                                 .name_length = definition->name_length};
    memcpy(passed->header.shape, definition->shape, bytes);
    memcpy(passed->header.offset, box, bytes);
    memcpy(passed->header.count, box + definition->ndims, bytes);
}

/* In the byte order of this machine, which packers take. */
static int unpack(struct recoder *recoder, struct passed *passed, int swaps)
{
    size_t number = scion_array_number_size(passed->header.type);
    int rc = 0;

    if (passed->header.coding.codec != SCION_ARRAY_PLAIN)
        rc = scion_array_unpack_stored(recoder->arrays, passed->block, recoder->buffer);
    if (rc == 0 && swaps)
        scion_swap_copy(recoder->buffer, recoder->buffer, number, (size_t)passed->plain / number);
    passed->header.coding = (struct scion_array_coding){SCION_ARRAY_PLAIN, 0};
    passed->header.bytes = passed->plain;
    passed->data = recoder->buffer;
    return rc;
}

static int pack(struct recoder *recoder, struct passed *passed)
{
    const struct scion_array_packing *packing = &recoder->recodings[passed->block->array].packing;
    const struct scion_array_pack_block block = {passed->header.type, passed->header.ndims,
                                                 passed->header.count, passed->data,
                                                 (size_t)passed->plain};
    const unsigned char *packed;
    size_t stored = 0;
    int rc = 0;

    if (packing->coding.codec == SCION_ARRAY_PLAIN || passed->plain == 0)
        return 0;
    if (!recoder->packer)
        recoder->packer = scion_array_packer_new();
    rc = recoder->packer ? scion_array_pack(recoder->packer, packing, &block, &packed, &stored)
                         : SION_ERR_MEMORY;
    if (rc != 0 || stored == 0)
        return rc;
    passed->header.coding = packing->coding;
    passed->header.bytes = (sion_int64)stored;
    passed->data = packed;
    return 0;
}

/* What keeps its codec is copied as it is stored, unless the machine has another byte order. */
static int pass(struct recoder *recoder, int sid, const struct scion_array_block_entry *block)
{
    struct passed passed = {.block = block, .plain = plain_of(recoder, block)};
    int swaps = recoder->arrays->index->is_big[block->task] != scion_host_is_big(),
        rc = need_buffer(recoder, passed.plain);

    if (rc != 0)
        return rc;
    describe(recoder, &passed);
    rc = scion_array_read_record(recoder->arrays, block, recoder->buffer, &passed.data,
                                 &passed.has_crc);
    if (rc == 0 && (swaps || recoder->recodings[block->array].is_changed)) {
        rc = unpack(recoder, &passed, swaps);
        if (rc == 0)
            rc = pack(recoder, &passed);
    }
    if (rc == 0)
        rc = result(sion_array_set_crc(sid, passed.has_crc));
    if (rc == 0)
        rc = scion_array_put_stored(sid, &passed.header, passed.data, &block->range);
    progress_step(&recoder->progress, passed.plain);
    return rc;
}

int recode_blocks(struct recoder *recoder, int sid, int task)
{
    uint32_t i;
    int rc = 0;

    for (i = recoder->first[task]; i < recoder->first[task + 1] && rc == 0; i++)
        rc = pass(recoder, sid, block_of(recoder, i));
    return rc;
}
