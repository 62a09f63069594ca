/* Blocks of a container that is being written. */
#include <stdlib.h>
#include <string.h>

#include "api/parallel.h"
#include "array/writer.h"
#include "base/error.h"
#include "base/memory.h"

/* The box of the array's last block of this task, made at the first; NULL: no memory. */
static sion_int64 *need_box(struct scion_array_task *task,
                            const struct scion_array_definition_entry *defined, int *is_new)
{
    size_t number = (size_t)defined->number, n;

    if (number >= task->nboxes) {
        sion_int64 **boxes;

        n = 2 * number + 8;
        boxes = scion_array_grown(task->boxes, n, sizeof *boxes);
        if (!boxes)
            return NULL;
        memset(boxes + task->nboxes, 0, (n - task->nboxes) * sizeof *boxes);
        task->boxes = boxes;
        task->nboxes = n;
    }
    *is_new = !task->boxes[number];
    if (*is_new)
        task->boxes[number] = calloc(2 * (size_t)defined->definition.ndims + 1, sizeof(sion_int64));
    return task->boxes[number];
}

/* ---- blocks ---- */

/* A block that is being written, or a part of it. */
struct block_write {
    struct scion_array_writer *writer;
    struct scion_array_definition_entry *defined;
    sion_int64 step;
};

static int note_block(struct scion_array_task *task, const struct block_write *block_write,
                      const struct scion_array_header *header,
                      const struct scion_array_range *range, sion_int64 position)
{
    const struct scion_array_definition *definition = &block_write->defined->definition;
    size_t bytes = (size_t)definition->ndims * sizeof(sion_int64);
    sion_int64 offset[SION_ARRAY_DIMS], count[SION_ARRAY_DIMS];
    struct scion_array_entry entry = {.array = block_write->defined->number,
                                      .step = block_write->step,
                                      .position = position,
                                      .offset = offset,
                                      .count = count,
                                      .range = *range};
    int is_new, rc;
    sion_int64 *box = need_box(task, block_write->defined, &is_new);

    if (!box)
        return scion_fail_memory("index of arrays");
    memcpy(offset, header->offset, bytes);
    memcpy(count, header->count, bytes);
    if (header->coding.codec != SCION_ARRAY_PLAIN)
        entry.stored = header->bytes;
    entry.has_range = scion_array_range_is_known(definition->type, range);
    entry.is_same_box =
        memcmp(box, offset, bytes) == 0 && memcmp(box + definition->ndims, count, bytes) == 0;
    rc = scion_array_put_entry(&task->code, &entry, definition, box, box + definition->ndims,
                               &task->before);
    memcpy(box, offset, bytes);
    memcpy(box + definition->ndims, count, bytes);
    task->blocks++;
    return rc;
}

static int put_here(const struct block_write *block_write, const struct sion_layer_room *room,
                    struct scion_array_task *task, struct scion_array_header *header,
                    const void *data)
{
    struct scion_array_range range;
    sion_int64 position;
    int rc;

    scion_array_range_begin(header->type, &range);
    rc = scion_array_write_record(block_write->writer, room, header, data,
                                  block_write->writer->has_ranges ? &range : NULL, &position);
    return rc != 0 ? rc : note_block(task, block_write, header, &range, position);
}

/* The slowest dimension that has more than one element; header->ndims: none has. */
static int slowest(const struct scion_array_header *header)
{
    int d = 0;

    while (d < header->ndims && header->count[d] == 1)
        d++;
    return d;
}

static int no_room(const struct sion_layer_room *room)
{
    return scion_fail(SION_ERR_NO_SPACE,
                      "a chunk of %lld bytes has no room for one element and its header",
                      room->chunksize);
}

static int put_box(const struct block_write *block_write, const struct scion_array_header *whole,
                   const unsigned char *data);

/*
 * Write a block that does not fit into a chunk: as many slices of its slowest dimension as fit into
 * the rest of this chunk, and then into others. A slice that does not fit is cut in the same way.
 */
static int put_slices(const struct block_write *block_write, const struct scion_array_header *whole,
                      const unsigned char *data, sion_int64 head, struct sion_layer_room *room)
{
    struct scion_array_header part = *whole;
    sion_int64 slice, fitting, done;
    int d = slowest(whole), rc = 0;

    if (d == whole->ndims)
        return no_room(room);
    slice = whole->bytes / whole->count[d];
    for (done = 0; done < whole->count[d] && rc == 0; done += part.count[d]) {
        fitting = (room->left - scion_array_pad(room->offset) - head) / slice;
        if (fitting < 1)
            fitting = (room->chunksize - scion_array_pad(room->next) - head) / slice;
        part.count[d] = whole->count[d] - done;
        if (part.count[d] > fitting)
            part.count[d] = fitting > 1 ? fitting : 1;
        part.offset[d] = whole->offset[d] + done;
        part.bytes = part.count[d] * slice;
        rc = put_box(block_write, &part, data + done * slice);
        if (rc == 0)
            rc = sion_layer_room(block_write->writer->sid, room);
    }
    return rc;
}

static int put_box(const struct block_write *block_write, const struct scion_array_header *whole,
                   const unsigned char *data)
{
    struct scion_array_header header = *whole;
    sion_int64 head = (sion_int64)scion_array_header_size(whole->ndims, whole->name_length);
    struct scion_array_task *task;
    struct sion_layer_room room;
    int rc = scion_array_find_room(block_write->writer, &room, &task), fits = 0;

    if (rc == 0)
        rc = scion_array_make_room(block_write->writer->sid, head + whole->bytes, &room, &fits);
    if (rc != 0 || (!fits && whole->bytes == 0)) /* where no record fits, there is no such step */
        return rc;
    return fits ? put_here(block_write, &room, task, &header, data)
                : put_slices(block_write, whole, data, head, &room);
}

/* ---- compressed blocks ---- */

static int pack(const struct block_write *block_write, const struct scion_array_header *whole,
                const void *data, const unsigned char **packed, size_t *stored)
{
    const struct scion_array_pack_block block = {whole->type, whole->ndims, whole->count, data,
                                                 (size_t)whole->bytes};
    struct scion_array_writer *writer = block_write->writer;

    if (!writer->packer)
        writer->packer = scion_array_packer_new();
    return writer->packer ? scion_array_pack(writer->packer, &block_write->defined->packing, &block,
                                             packed, stored)
                          : SION_ERR_MEMORY;
}

static int put_packed_here(const struct block_write *block_write,
                           const struct sion_layer_room *room, struct scion_array_task *task,
                           struct scion_array_header *header, const void *data,
                           const unsigned char *packed, size_t stored)
{
    size_t elements = (size_t)header->bytes / scion_array_size(header->type);
    struct scion_array_range range;
    sion_int64 position;
    int rc;

    scion_array_range_begin(header->type, &range);
    if (block_write->writer->has_ranges)
        scion_array_range_add(header->type, data, elements, &range);
    header->bytes = (sion_int64)stored;
    header->coding = block_write->defined->packing.coding;
    rc = scion_array_write_record(block_write->writer, room, header, packed, NULL, &position);
    return rc != 0 ? rc : note_block(task, block_write, header, &range, position);
}

static int put_packed(const struct block_write *block_write, const struct scion_array_header *whole,
                      const unsigned char *data);

/* Write a block that no chunk has room for as two halves of its slowest dimension. */
static int put_halves(const struct block_write *block_write, const struct scion_array_header *whole,
                      const unsigned char *data, const struct sion_layer_room *room)
{
    struct scion_array_header half = *whole;
    int d = slowest(whole), rc;
    sion_int64 slice;

    if (d == whole->ndims)
        return no_room(room);
    slice = whole->bytes / whole->count[d];
    half.count[d] = (whole->count[d] + 1) / 2;
    half.bytes = half.count[d] * slice;
    rc = put_packed(block_write, &half, data);
    data += half.bytes;
    half.offset[d] += half.count[d];
    half.count[d] = whole->count[d] - half.count[d];
    half.bytes = half.count[d] * slice;
    return rc == 0 ? put_packed(block_write, &half, data) : rc;
}

static int put_packed(const struct block_write *block_write, const struct scion_array_header *whole,
                      const unsigned char *data)
{
    struct scion_array_header header = *whole;
    sion_int64 head = (sion_int64)scion_array_header_size(whole->ndims, whole->name_length);
    struct scion_array_task *task;
    struct sion_layer_room room;
    const unsigned char *packed;
    size_t stored;
    int rc = pack(block_write, whole, data, &packed, &stored), fits = 0;

    if (rc == 0 && stored == 0)
        return put_box(block_write, whole, data);
    if (rc == 0)
        rc = scion_array_find_room(block_write->writer, &room, &task);
    if (rc == 0)
        rc = scion_array_make_room(block_write->writer->sid, head + (sion_int64)stored, &room,
                                   &fits);
    if (rc != 0)
        return rc;
    return fits ? put_packed_here(block_write, &room, task, &header, data, packed, stored)
                : put_halves(block_write, whole, data, &room);
}

/* Data of a device come to the host as a whole: they are compressed there. */
struct fetched {
    unsigned char *at;
    size_t done;
};

static int take_piece(void *user, const void *piece, size_t bytes)
{
    struct fetched *fetched = user;

    memcpy(fetched->at + fetched->done, piece, bytes);
    fetched->done += bytes;
    return 0;
}

static int put_packed_from(const struct block_write *block_write,
                           const struct scion_array_header *whole, const void *data)
{
    struct scion_array_writer *writer = block_write->writer;
    struct fetched fetched = {NULL, 0};
    int rc;

    if (!writer->place.driver)
        return put_packed(block_write, whole, data);
    fetched.at = malloc((size_t)whole->bytes);
    if (!fetched.at)
        return scion_fail_memory("compressed blocks");
    rc = sion_layer_device_fetch(&writer->place, data, (size_t)whole->bytes, take_piece, &fetched);
    writer->place.driver = NULL;
    if (rc == 0)
        rc = put_packed(block_write, whole, fetched.at);
    free(fetched.at);
    return rc;
}

int scion_array_put_stored(int sid, const struct scion_array_header *block, const void *data,
                           const struct scion_array_range *range)
{
    sion_int64 head = (sion_int64)scion_array_header_size(block->ndims, block->name_length),
               position;
    struct scion_array_header header = *block;
    struct block_write block_write = {.step = block->step};
    struct scion_array_task *task;
    struct sion_layer_room room;
    int fits, rc = scion_array_writer_of(sid, &block_write.writer);

    if (rc == 0) {
        block_write.defined = scion_array_must_find(block_write.writer, block->name);
        rc = block_write.defined ? 0 : SION_ERR_ARGUMENT;
    }
    if (rc == 0)
        rc = scion_array_find_room(block_write.writer, &room, &task);
    if (rc == 0)
        rc = scion_array_make_room(sid, head + block->bytes, &room, &fits);
    if (rc == 0 && !fits)
        rc = no_room(&room);
    if (rc == 0)
        rc = scion_array_write_record(block_write.writer, &room, &header, data, NULL, &position);
    return rc == 0 ? note_block(task, &block_write, &header, range, position) : rc;
}

/* ---- what a program passes ---- */

/* What a program passes with a block: its type, and memory of so many bytes. */
struct block_data {
    int type;
    const void *data;
    size_t bytes;
};

static int put(int sid, const char *name, sion_int64 step, const sion_int64 *offset,
               const sion_int64 *count, const struct block_data *block_data)
{
    struct scion_array_header header = {.kind = SCION_ARRAY_BLOCK, .step = step};
    struct block_write block_write = {.step = step};
    const struct scion_array_definition *definition;
    size_t bytes;
    int rc = scion_array_writer_of(sid, &block_write.writer);

    if (rc != 0)
        return rc;
    block_write.defined = scion_array_must_find(block_write.writer, name);
    if (!block_write.defined)
        return SION_ERR_ARGUMENT;
    definition = &block_write.defined->definition;
    if (step < 0)
        return scion_fail(SION_ERR_ARGUMENT, "array %s: step %lld", name, step);
    rc = scion_array_check_box(name, definition->ndims, definition->shape, offset, count);
    if (rc != 0)
        return rc;
    bytes = (size_t)definition->ndims * sizeof *offset;
    header.type = definition->type;
    header.ndims = definition->ndims;
    header.name = definition->name;
    header.name_length = definition->name_length;
    if (bytes > 0) {
        memcpy(header.shape, definition->shape, bytes);
        memcpy(header.offset, offset, bytes);
        memcpy(header.count, count, bytes);
    }
    header.bytes = scion_array_bytes(header.type, header.ndims, header.count);
    if (!scion_is_size(header.bytes))
        return scion_fail(SION_ERR_ARGUMENT, "a block of %lld bytes does not fit into memory",
                          header.bytes);
    rc = scion_array_check_memory(definition, header.bytes, block_data->type, block_data->data,
                                  block_data->bytes);
    if (rc != 0)
        return rc;
    block_write.writer->place.driver = NULL;
    if (header.bytes > 0)
        sion_layer_device_find(sid, block_data->data, &block_write.writer->place);
    block_write.defined->is_put = 1;
    rc = header.bytes > 0 && block_write.defined->packing.coding.codec != SCION_ARRAY_PLAIN
             ? put_packed_from(&block_write, &header, block_data->data)
             : put_box(&block_write, &header, block_data->data);
    block_write.writer->place.driver = NULL;
    return rc;
}

/* ---- the public function ---- */

int sion_array_put(int sid, const char *name, sion_int64 step, const sion_int64 *offset,
                   const sion_int64 *count, int type, const void *data, size_t bytes)
{
    const struct block_data block_data = {type, data, bytes};

    SCION_ARRAY_CALL(put(sid, name, step, offset, count, &block_data));
}
