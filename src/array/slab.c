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

/* Rows of a block that are being read: rows that lie close together are read by one call. */
struct collecting {
    struct sion_array_reader *arrays;
    int task, type, swaps;
    sion_int64 start, end; /* in the stream */
    unsigned char *to;     /* is_direct: all of it goes here, without a gap */
    int is_direct, nrows;
    struct row rows[ROWS];
};

static void swap_bytes(const struct collecting *collecting, unsigned char *to, sion_int64 bytes)
{
    size_t size = scion_array_number_size(collecting->type);

    if (collecting->swaps && size > 1)
        scion_swap_copy(to, to, size, (size_t)bytes / size);
}

static int collect_end(struct collecting *collecting)
{
    sion_int64 bytes = collecting->end - collecting->start;
    struct sion_array_reader *arrays = collecting->arrays;
    int rc, i;

    if (bytes == 0)
        return 0;
    rc = scion_array_streams_read(arrays->streams, collecting->task, collecting->start,
                                  collecting->is_direct ? collecting->to : arrays->buffer, bytes);
    if (rc == 0 && collecting->is_direct)
        swap_bytes(collecting, collecting->to, bytes);
    for (i = 0; i < collecting->nrows && rc == 0 && !collecting->is_direct; i++) {
        const struct row *row = &collecting->rows[i];

        memcpy(row->to, arrays->buffer + row->at, (size_t)row->bytes);
        swap_bytes(collecting, row->to, row->bytes);
    }
    collecting->start = collecting->end = 0;
    collecting->nrows = 0;
    return rc;
}

static void begin_run(struct collecting *collecting, sion_int64 position, sion_int64 bytes,
                      unsigned char *to)
{
    collecting->start = position;
    collecting->end = position + bytes;
    collecting->to = to;
    collecting->is_direct = 1;
    collecting->nrows = 0;
}

/* From now on the run's bytes go to the buffer first. */
static int use_buffer(struct collecting *collecting)
{
    if (!collecting->arrays->buffer)
        collecting->arrays->buffer = malloc(BUFFER);
    if (!collecting->arrays->buffer)
        return scion_fail_memory("buffer");
    collecting->rows[0] = (struct row){collecting->to, 0, collecting->end - collecting->start};
    collecting->nrows = 1;
    collecting->is_direct = 0;
    return 0;
}

/* Bytes of the block's data that go to one place. */
static int collect(struct collecting *collecting, sion_int64 position, sion_int64 bytes,
                   unsigned char *to)
{
    sion_int64 gap = position - collecting->end, all = position + bytes - collecting->start;
    int rc = 0;

    if (collecting->end > collecting->start) {
        if (collecting->is_direct && gap == 0 &&
            to == collecting->to + (collecting->end - collecting->start)) {
            collecting->end += bytes;
            return 0;
        }
        if (gap >= 0 && gap < GAP && all <= BUFFER && collecting->nrows < ROWS) {
            if (collecting->is_direct)
                rc = use_buffer(collecting);
            if (rc != 0)
                return rc;
            collecting->rows[collecting->nrows++] =
                (struct row){to, position - collecting->start, bytes};
            collecting->end = position + bytes;
            return 0;
        }
        rc = collect_end(collecting);
    }
    begin_run(collecting, position, bytes, to);
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

static int read_box(struct collecting *collecting, const struct scion_array_slab *slab,
                    const struct scion_array_block_entry *block, const sion_int64 *box)
{
    const struct scion_array_definition *definition = &slab->array->definition;
    int ndims = definition->ndims, rc = 0;
    sion_int64 offset[SION_ARRAY_DIMS], count[SION_ARRAY_DIMS], at[SION_ARRAY_DIMS];
    sion_int64 size = (sion_int64)scion_array_size(definition->type);

    if (!intersect(ndims, box, slab, offset, count))
        return 0;
    collecting->task = (int)block->task;
    collecting->swaps = collecting->arrays->index->is_big[block->task] != scion_host_is_big();
    memcpy(at, offset, (size_t)ndims * sizeof *at);
    do {
        rc = collect(collecting, block->position + size * place_of(ndims, at, box, box + ndims),
                     ndims > 0 ? size * count[ndims - 1] : size,
                     slab->data + size * place_of(ndims, at, slab->offset, slab->count));
    } while (rc == 0 && next_row(ndims, offset, count, at));
    return rc != 0 ? rc : collect_end(collecting);
}

/* ---- which blocks ---- */

/* Blocks whose elements are used; those of earlier ones hide those of later ones. */
struct chosen {
    uint32_t *list, n, room;
    sion_int64 covered;  /* elements of the slab, as far as is known */
    unsigned char *seen; /* of many steps: a bit for each box that is chosen; else NULL */
};

enum { COMPARED = 256 }; /* chosen blocks that others are compared with */

/* 1 if a box lies within what another block has of the same slab. */
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

static int is_seen(const struct chosen *chosen, uint32_t box)
{
    return chosen->seen && (chosen->seen[box / 8] >> box % 8 & 1);
}

static enum relation relate(const struct scion_array_index *index,
                            const struct scion_array_slab *slab, const struct chosen *chosen,
                            const sion_int64 *offset, const sion_int64 *count)
{
    int ndims = slab->array->definition.ndims;
    sion_int64 other_offset[SION_ARRAY_DIMS], other_count[SION_ARRAY_DIMS];
    enum relation relation = APART;
    uint32_t i;

    if (chosen->n > COMPARED)
        return UNKNOWN;
    for (i = 0; i < chosen->n; i++) {
        intersect(ndims, scion_array_index_box(index, &index->blocks[chosen->list[i]]), slab,
                  other_offset, other_count);
        if (is_within(ndims, offset, count, other_offset, other_count))
            return HIDDEN;
        if (meets(ndims, offset, count, other_offset, other_count))
            relation = UNKNOWN;
    }
    return relation;
}

static int choose(struct chosen *chosen, uint32_t block, uint32_t box)
{
    if (chosen->seen)
        chosen->seen[box / 8] |= (unsigned char)(1 << box % 8);
    if (chosen->n == chosen->room) {
        uint32_t room = 2 * chosen->room + 16;
        uint32_t *list = scion_array_grown(chosen->list, room, sizeof *list);

        if (!list)
            return scion_fail_memory("blocks");
        chosen->list = list;
        chosen->room = room;
    }
    chosen->list[chosen->n++] = block;
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
                         sion_int64 step, struct chosen *chosen)
{
    int ndims = slab->array->definition.ndims, rc = 0;
    sion_int64 all = volume(ndims, slab->count), offset[SION_ARRAY_DIMS], count[SION_ARRAY_DIMS];
    uint32_t first, n = scion_array_index_blocks(index, slab->array, step, &first);

    if (step == SION_ARRAY_NEWEST) {
        chosen->seen = calloc(index->nboxes / 8 + 1, 1);
        if (!chosen->seen)
            return scion_fail_memory("blocks");
    }
    while (n-- > 0 && rc == 0 && chosen->covered < all) {
        uint32_t block = index->order[first + n], box = index->blocks[block].box;
        enum relation relation;

        if (is_seen(chosen, box) || !intersect(ndims, index->boxes + box, slab, offset, count))
            continue;
        relation = relate(index, slab, chosen, offset, count);
        if (relation == HIDDEN)
            continue;
        if (relation == APART)
            chosen->covered += volume(ndims, count);
        rc = choose(chosen, block, box);
    }
    return rc;
}

/*
 * Blocks of a damaged task are not known. They count less than those of higher tasks; so what these
 * have of a step is right, and nothing else. A block whose header is damaged can only have what no
 * other block of its step has, unless blocks overlap; the open has warned of it.
 */
static int check_known(const struct sion_array_reader *arrays, const struct scion_array_slab *slab,
                       sion_int64 step, const struct chosen *chosen)
{
    sion_int64 all = volume(slab->array->definition.ndims, slab->count);
    int is_known = step != SION_ARRAY_NEWEST && chosen->covered == all;
    uint32_t i;

    for (i = 0; i < chosen->n && is_known; i++)
        is_known = (int)arrays->index->blocks[chosen->list[i]].task > arrays->unknown;
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
    struct chosen chosen = {0};
    struct collecting *collecting;

    if (all == 0)
        return 0;
    if (!scion_is_size(bytes))
        return scion_fail(SION_ERR_ARGUMENT, "a part of %lld bytes does not fit into memory",
                          bytes);
    collecting = malloc(sizeof *collecting);
    rc = collecting ? choose_blocks(arrays->index, slab, step, &chosen) : scion_fail_memory("rows");
    if (rc == 0 && (arrays->unknown >= 0 || arrays->incomplete >= 0))
        rc = check_known(arrays, slab, step, &chosen);
    if (rc == 0) {
        collecting->arrays = arrays;
        collecting->type = type;
        collecting->start = collecting->end = 0;
        if (chosen.covered < all)
            fill(slab, all);
    }
    /* Copy the hidden blocks first, so that the others overwrite them. */
    while (rc == 0 && chosen.n > 0) {
        const struct scion_array_block_entry *block =
            &arrays->index->blocks[chosen.list[--chosen.n]];

        rc = scion_array_confirm(arrays, block);
        if (rc == 0)
            rc = read_box(collecting, slab, block, scion_array_index_box(arrays->index, block));
    }
    free(collecting);
    free(chosen.list);
    free(chosen.seen);
    return rc;
}
