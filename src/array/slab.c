/* Reading a part of an array: which blocks, which of their bytes, and where these go. */
#include <stdlib.h>
#include <string.h>

#include "array/reader.h"
#include "base/byteorder.h"
#include "base/error.h"
#include "base/memory.h"

enum {
    BUFFER = 1 << 20, /* bytes that are read at a time if they go to several places */
    ROWS = 4096,      /* at most so many places */
    GAP = 512         /* bytes that are read and dropped, because another call would cost more */
};

struct row {
    unsigned char *to;
    sion_int64 at; /* in the buffer */
    sion_int64 bytes;
};

/* Rows of a block that are being read: rows that are close together are read by one call. */
struct row_batch {
    struct sion_array_reader *arrays;
    int task, type, swaps;
    sion_int64 start, end; /* in the stream */
    unsigned char *to;     /* is_direct: all of it goes here, without a gap */
    int is_direct, nrows;
    struct row rows[ROWS];
};

static void swap_bytes(const struct row_batch *row_batch, unsigned char *to, sion_int64 bytes)
{
    size_t size = scion_array_number_size(row_batch->type);

    if (row_batch->swaps && size > 1)
        scion_swap_copy(to, to, size, (size_t)bytes / size);
}

static int collect_end(struct row_batch *row_batch)
{
    sion_int64 bytes = row_batch->end - row_batch->start;
    struct sion_array_reader *arrays = row_batch->arrays;
    int rc, i;

    if (bytes == 0)
        return 0;
    rc = scion_array_streams_read(arrays->streams, row_batch->task, row_batch->start,
                                  row_batch->is_direct ? row_batch->to : arrays->buffer, bytes);
    if (rc == 0 && row_batch->is_direct)
        swap_bytes(row_batch, row_batch->to, bytes);
    for (i = 0; i < row_batch->nrows && rc == 0 && !row_batch->is_direct; i++) {
        const struct row *row = &row_batch->rows[i];

        memcpy(row->to, arrays->buffer + row->at, (size_t)row->bytes);
        swap_bytes(row_batch, row->to, row->bytes);
    }
    row_batch->start = row_batch->end = 0;
    row_batch->nrows = 0;
    return rc;
}

static void begin_run(struct row_batch *row_batch, sion_int64 position, sion_int64 bytes,
                      unsigned char *to)
{
    row_batch->start = position;
    row_batch->end = position + bytes;
    row_batch->to = to;
    row_batch->is_direct = 1;
    row_batch->nrows = 0;
}

/* From now on the run's bytes go to the buffer first. */
static int use_buffer(struct row_batch *row_batch)
{
    if (!row_batch->arrays->buffer)
        row_batch->arrays->buffer = malloc(BUFFER);
    if (!row_batch->arrays->buffer)
        return scion_fail_memory("buffer");
    row_batch->rows[0] = (struct row){row_batch->to, 0, row_batch->end - row_batch->start};
    row_batch->nrows = 1;
    row_batch->is_direct = 0;
    return 0;
}

/* Bytes of the block's data that go to one place. */
static int collect(struct row_batch *row_batch, sion_int64 position, sion_int64 bytes,
                   unsigned char *to)
{
    sion_int64 gap = position - row_batch->end, all = position + bytes - row_batch->start;
    int rc = 0;

    if (row_batch->end > row_batch->start) {
        if (row_batch->is_direct && gap == 0 &&
            to == row_batch->to + (row_batch->end - row_batch->start)) {
            row_batch->end += bytes;
            return 0;
        }
        if (gap >= 0 && gap < GAP && all <= BUFFER && row_batch->nrows < ROWS) {
            if (row_batch->is_direct)
                rc = use_buffer(row_batch);
            if (rc != 0)
                return rc;
            row_batch->rows[row_batch->nrows++] =
                (struct row){to, position - row_batch->start, bytes};
            row_batch->end = position + bytes;
            return 0;
        }
        rc = collect_end(row_batch);
    }
    begin_run(row_batch, position, bytes, to);
    return rc;
}

/* ---- boxes ---- */

/* What two boxes have in common, as offset and count; 0: nothing. */
static int intersect(int ndims, const sion_int64 *box, const struct scion_array_slab *slab,
                     sion_int64 *offset, sion_int64 *count)
{
    int d;

    for (d = 0; d < ndims; d++) {
        sion_int64 end = box[d] + box[ndims + d], other = slab->offset[d] + slab->count[d];

        offset[d] = box[d] > slab->offset[d] ? box[d] : slab->offset[d];
        count[d] = (end < other ? end : other) - offset[d];
        if (count[d] <= 0)
            return 0;
    }
    return 1;
}

/* The index of an element among those of a box. */
static sion_int64 place_of(int ndims, const sion_int64 *element, const sion_int64 *offset,
                           const sion_int64 *count)
{
    sion_int64 place = 0;
    int d;

    for (d = 0; d < ndims; d++)
        place = place * count[d] + element[d] - offset[d];
    return place;
}

/* Go to the next row, which leaves the last dimension unchanged. 0: there is none. */
static int next_row(int ndims, const sion_int64 *offset, const sion_int64 *count, sion_int64 *at)
{
    int d;

    for (d = ndims - 2; d >= 0; d--) {
        if (++at[d] < offset[d] + count[d])
            return 1;
        at[d] = offset[d];
    }
    return 0;
}

/* A part of a block, as offset and count. */
struct block_part {
    const struct scion_array_block_entry *block;
    const sion_int64 *box, *offset, *count;
};

/* 1 if the part is the whole block, whose elements are next to each other in the slab, too. */
static int is_contiguous(const struct scion_array_slab *slab, const struct block_part *part)
{
    int ndims = slab->array->definition.ndims, d = ndims;
    size_t bytes = (size_t)ndims * sizeof *part->box;

    if (memcmp(part->offset, part->box, bytes) != 0 ||
        memcmp(part->count, part->box + ndims, bytes) != 0)
        return 0;
    while (d > 0 && part->count[d - 1] == slab->count[d - 1])
        d--;
    while (d > 1 && part->count[d - 2] == 1)
        d--;
    return d <= 1;
}

/* Of a compressed block, all is read. */
static int copy_part(const struct row_batch *row_batch, const struct scion_array_slab *slab,
                     const struct block_part *part)
{
    const sion_int64 *box = part->box, *offset = part->offset, *count = part->count;
    int ndims = slab->array->definition.ndims, rc;
    sion_int64 size = (sion_int64)scion_array_size(slab->array->definition.type),
               row = ndims > 0 ? size * count[ndims - 1] : size, at[SION_ARRAY_DIMS];
    const unsigned char *data;
    unsigned char *to = slab->data + size * place_of(ndims, offset, slab->offset, slab->count);

    if (is_contiguous(slab, part)) {
        rc = scion_array_unpack_into(row_batch->arrays, part->block, to);
        if (rc == 0)
            swap_bytes(row_batch, to,
                       scion_array_bytes(slab->array->definition.type, ndims, count));
        return rc;
    }
    rc = scion_array_unpack_kept(row_batch->arrays, part->block, &data);
    if (rc != 0)
        return rc;
    memcpy(at, offset, (size_t)ndims * sizeof *at);
    do {
        to = slab->data + size * place_of(ndims, at, slab->offset, slab->count);
        memcpy(to, data + size * place_of(ndims, at, box, box + ndims), (size_t)row);
        swap_bytes(row_batch, to, row);
    } while (next_row(ndims, offset, count, at));
    return 0;
}

static int read_box(struct row_batch *row_batch, const struct scion_array_slab *slab,
                    const struct scion_array_block_entry *block, const sion_int64 *box)
{
    const struct scion_array_definition *definition = &slab->array->definition;
    int ndims = definition->ndims, rc = 0;
    sion_int64 offset[SION_ARRAY_DIMS], count[SION_ARRAY_DIMS], at[SION_ARRAY_DIMS];
    sion_int64 size = (sion_int64)scion_array_size(definition->type);

    if (!intersect(ndims, box, slab, offset, count))
        return 0;
    row_batch->task = (int)block->task;
    row_batch->swaps = row_batch->arrays->index->is_big[block->task] != scion_host_is_big();
    if (scion_array_is_packed(row_batch->arrays->index, block))
        return copy_part(row_batch, slab, &(struct block_part){block, box, offset, count});
    memcpy(at, offset, (size_t)ndims * sizeof *at);
    do {
        rc = collect(row_batch, block->position + size * place_of(ndims, at, box, box + ndims),
                     ndims > 0 ? size * count[ndims - 1] : size,
                     slab->data + size * place_of(ndims, at, slab->offset, slab->count));
    } while (rc == 0 && next_row(ndims, offset, count, at));
    return rc != 0 ? rc : collect_end(row_batch);
}

/* ---- which blocks ---- */

/* Blocks whose elements are used; those of earlier ones hide those of later ones. */
struct block_choice {
    uint32_t *list, n, room;
    sion_int64 covered;  /* elements of the slab, as far as is known */
    unsigned char *seen; /* of many steps: a bit for each box that is chosen; else NULL */
};

enum { COMPARED = 256 }; /* chosen blocks that others are compared with */

/* 1 if a box is within what another block has of the same slab. */
static int is_within(int ndims, const sion_int64 *offset, const sion_int64 *count,
                     const sion_int64 *other_offset, const sion_int64 *other_count)
{
    int d;

    for (d = 0; d < ndims; d++) {
        if (offset[d] < other_offset[d] || offset[d] + count[d] > other_offset[d] + other_count[d])
            return 0;
    }
    return 1;
}

static int meets(int ndims, const sion_int64 *offset, const sion_int64 *count,
                 const sion_int64 *other_offset, const sion_int64 *other_count)
{
    int d;

    for (d = 0; d < ndims; d++) {
        if (offset[d] >= other_offset[d] + other_count[d] ||
            other_offset[d] >= offset[d] + count[d])
            return 0;
    }
    return 1;
}

/*
 * How a block's part of the slab relates to the chosen blocks: hidden by one of them, or apart from
 * all of them, or unknown. If many blocks are chosen, only equal boxes are recognised, which older
 * steps mostly have.
 */
enum relation { HIDDEN, APART, UNKNOWN };

static int is_seen(const struct block_choice *block_choice, uint32_t box)
{
    return block_choice->seen && (block_choice->seen[box / 8] >> box % 8 & 1);
}

static enum relation relate(const struct scion_array_index *index,
                            const struct scion_array_slab *slab,
                            const struct block_choice *block_choice, const sion_int64 *offset,
                            const sion_int64 *count)
{
    int ndims = slab->array->definition.ndims;
    sion_int64 other_offset[SION_ARRAY_DIMS], other_count[SION_ARRAY_DIMS];
    enum relation relation = APART;
    uint32_t i;

    if (block_choice->n > COMPARED)
        return UNKNOWN;
    for (i = 0; i < block_choice->n; i++) {
        intersect(ndims, scion_array_index_box(index, &index->blocks[block_choice->list[i]]), slab,
                  other_offset, other_count);
        if (is_within(ndims, offset, count, other_offset, other_count))
            return HIDDEN;
        if (meets(ndims, offset, count, other_offset, other_count))
            relation = UNKNOWN;
    }
    return relation;
}

static int choose(struct block_choice *block_choice, uint32_t block, uint32_t box)
{
    if (block_choice->seen)
        block_choice->seen[box / 8] |= (unsigned char)(1 << box % 8);
    if (block_choice->n == block_choice->room) {
        uint32_t room = 2 * block_choice->room + 16;
        uint32_t *list = scion_array_grown(block_choice->list, room, sizeof *list);

        if (!list)
            return scion_fail_memory("blocks");
        block_choice->list = list;
        block_choice->room = room;
    }
    block_choice->list[block_choice->n++] = block;
    return 0;
}

/* Elements, which fit into memory; of none, the other dimensions may be of any size. */
static sion_int64 volume(int ndims, const sion_int64 *count)
{
    sion_int64 product = 1;
    int d;

    for (d = 0; d < ndims; d++) {
        if (count[d] == 0)
            return 0;
    }
    for (d = 0; d < ndims; d++)
        product *= count[d];
    return product;
}

/* Choose blocks, beginning with the one that hides the others, until the slab is full. */
static int choose_blocks(const struct scion_array_index *index, const struct scion_array_slab *slab,
                         sion_int64 step, struct block_choice *block_choice)
{
    int ndims = slab->array->definition.ndims, rc = 0;
    sion_int64 all = volume(ndims, slab->count), offset[SION_ARRAY_DIMS], count[SION_ARRAY_DIMS];
    uint32_t first, n = scion_array_index_blocks(index, slab->array, step, &first);

    if (step == SION_ARRAY_NEWEST) {
        block_choice->seen = calloc(index->nboxes / 8 + 1, 1);
        if (!block_choice->seen)
            return scion_fail_memory("blocks");
    }
    while (n-- > 0 && rc == 0 && block_choice->covered < all) {
        uint32_t block = index->order[first + n], box = index->blocks[block].box;
        enum relation relation;

        if (is_seen(block_choice, box) ||
            !intersect(ndims, index->boxes + box, slab, offset, count))
            continue;
        relation = relate(index, slab, block_choice, offset, count);
        if (relation == HIDDEN)
            continue;
        if (relation == APART)
            block_choice->covered += volume(ndims, count);
        rc = choose(block_choice, block, box);
    }
    return rc;
}

/*
 * Blocks of a damaged task are not known. They count less than those of higher tasks; so what these
 * have of a step is right, and nothing else. A block whose header is damaged can only have what no
 * other block of its step has, unless blocks overlap; the open has warned of it.
 */
static int check_known(const struct sion_array_reader *arrays, const struct scion_array_slab *slab,
                       sion_int64 step, const struct block_choice *block_choice)
{
    sion_int64 all = volume(slab->array->definition.ndims, slab->count);
    int is_known = step != SION_ARRAY_NEWEST && block_choice->covered == all;
    uint32_t i;

    for (i = 0; i < block_choice->n && is_known; i++)
        is_known = (int)arrays->index->blocks[block_choice->list[i]].task > arrays->unknown;
    return is_known ? 0
                    : scion_fail(SION_ERR_DAMAGED,
                                 "array %.200s: task %d is damaged, so blocks with elements of "
                                 "this part may be missing",
                                 slab->array->definition.name,
                                 arrays->unknown >= 0 ? arrays->unknown : arrays->incomplete);
}

/* ---- the whole ---- */

static void fill(const struct scion_array_slab *slab, sion_int64 elements)
{
    const struct scion_array *array = slab->array;
    size_t size = scion_array_size(array->definition.type), done, part;
    size_t bytes = (size_t)elements * size;
    const char *text = scion_array_text_find(&array->texts, "_FillValue");
    unsigned char element[16];

    if (!text || scion_array_fill(array->definition.type, text, element) != 0)
        scion_array_fill(array->definition.type, NULL, element);
    memcpy(slab->data, element, size);
    for (done = size; done < bytes; done += part) {
        part = done < bytes - done ? done : bytes - done;
        memcpy(slab->data + done, slab->data, part);
    }
}

int scion_array_read_slab(struct sion_array_reader *arrays, const struct scion_array_slab *slab,
                          sion_int64 step)
{
    int ndims = slab->array->definition.ndims, type = slab->array->definition.type, rc;
    sion_int64 all = volume(ndims, slab->count),
               bytes = scion_array_bytes(type, ndims, slab->count);
    struct block_choice block_choice = {0};
    struct row_batch *row_batch;

    if (all == 0)
        return 0;
    if (!scion_is_size(bytes))
        return scion_fail(SION_ERR_ARGUMENT, "a part of %lld bytes does not fit into memory",
                          bytes);
    row_batch = malloc(sizeof *row_batch);
    rc = row_batch ? choose_blocks(arrays->index, slab, step, &block_choice)
                   : scion_fail_memory("rows");
    if (rc == 0 && (arrays->unknown >= 0 || arrays->incomplete >= 0))
        rc = check_known(arrays, slab, step, &block_choice);
    if (rc == 0) {
        row_batch->arrays = arrays;
        row_batch->type = type;
        row_batch->start = row_batch->end = 0;
        if (block_choice.covered < all)
            fill(slab, all);
    }
    /* Copy the hidden blocks first, so that the others overwrite them. */
    while (rc == 0 && block_choice.n > 0) {
        const struct scion_array_block_entry *block =
            &arrays->index->blocks[block_choice.list[--block_choice.n]];

        rc = scion_array_confirm(arrays, block);
        if (rc == 0)
            rc = read_box(row_batch, slab, block, scion_array_index_box(arrays->index, block));
    }
    free(row_batch);
    free(block_choice.list);
    free(block_choice.seen);
    return rc;
}
