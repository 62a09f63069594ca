/* The public functions that read arrays. */
#include "array/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/parallel.h"
#include "base/error.h"
#include "base/sized.h"

static int report(const char *function, int rc)
{
    if (rc != 0)
        sion_layer_report(function, 0, 1, rc);
    return rc == 0 ? SION_SUCCESS : SION_NOT_SUCCESS;
}

static sion_array_reader *open_arrays(const char *function, const char *fname, const char *mode)
{
    struct sion_array_reader *arrays = calloc(1, sizeof *arrays);
    int rc = arrays ? scion_array_streams_open(fname, mode, &arrays->streams)
                    : scion_fail_memory("arrays");

    if (rc == 0 && !(arrays->file = strdup(fname)))
        rc = scion_fail_memory("arrays");
    if (rc == 0)
        rc = scion_array_load(arrays);
    if (rc == 0)
        return arrays;
    report(function, rc);
    sion_array_reader_close(arrays);
    return NULL;
}

sion_array_reader *sion_array_reader_open(const char *fname)
{
    return open_arrays(__func__, fname, "rb");
}

sion_array_reader *sion_array_reader_open_mode(const char *fname, const char *mode)
{
    return open_arrays(__func__, fname, mode);
}

void sion_array_reader_close(sion_array_reader *arrays)
{
    if (!arrays)
        return;
    if (arrays->uses_device)
        sion_layer_device_hold(0);
    scion_array_streams_close(arrays->streams);
    scion_array_index_free(arrays->index);
    scion_array_index_free(arrays->disused);
    free(arrays->confirmed);
    free(arrays->buffer);
    scion_array_unpacked_free(arrays->unpacked);
    free(arrays->file);
    free(arrays);
}

/* ---- what there is ---- */

int sion_array_reader_count(const sion_array_reader *arrays)
{
    return arrays ? (int)arrays->index->narrays : 0;
}

const char *sion_array_reader_name(const sion_array_reader *arrays, int index)
{
    return index >= 0 && index < sion_array_reader_count(arrays)
               ? arrays->index->arrays[index]->definition.name
               : NULL;
}

static struct scion_array *find(const struct sion_array_reader *arrays, const char *name)
{
    return arrays && name ? scion_array_index_find(arrays->index, name, strlen(name)) : NULL;
}

struct scion_array *scion_arrays_find(const struct sion_array_reader *arrays, const char *name)
{
    struct scion_array *array = find(arrays, name);

    if (!array)
        scion_fail(arrays ? SION_ERR_ARGUMENT : SION_ERR_HANDLE, "there is no array %.200s",
                   name ? name : "NULL");
    return array;
}

int sion_array_reader_info(const sion_array_reader *arrays, const char *name,
                           struct sion_array_info *info)
{
    const struct scion_array *array = scion_arrays_find(arrays, name);
    struct sion_array_info own;

    if (!array)
        return report(__func__, SION_ERR_ARGUMENT);
    own = (struct sion_array_info){
        .type = array->definition.type,
        .ndims = array->definition.ndims,
        .element_size = (sion_int64)scion_array_size(array->definition.type),
        .blocks = array->blocks,
        .bytes = array->bytes,
        .steps = array->steps,
        .has_range = scion_array_range_is_known(array->definition.type, &array->range),
        .low = array->range.low,
        .high = array->range.high,
        .stored = array->stored,
        .codec = array->is_mixed ? "mixed" : scion_array_coding_text(&array->coding),
    };
    memcpy(own.shape, array->definition.shape, (size_t)own.ndims * sizeof *own.shape);
    return report(__func__, scion_sized_give(info, &own, sizeof own, "struct sion_array_info"));
}

sion_int64 sion_array_reader_step(const sion_array_reader *arrays, const char *name,
                                  sion_int64 index)
{
    const struct scion_array *array = find(arrays, name);

    if (!array || index < 0 || index >= array->steps)
        return -1;
    return arrays->index->steps[arrays->index->step_lists[array->first_step + index]];
}

static const struct scion_array_texts *find_texts(const struct sion_array_reader *arrays,
                                                  const char *name)
{
    const struct scion_array *array;

    if (!name)
        return arrays ? &arrays->index->texts : NULL;
    array = find(arrays, name);
    return array ? &array->texts : NULL;
}

const char *sion_array_reader_attribute(const sion_array_reader *arrays, const char *name,
                                        const char *key)
{
    const struct scion_array_texts *texts = find_texts(arrays, name);

    return texts && key ? scion_array_text_find(texts, key) : NULL;
}

const char *sion_array_reader_key(const sion_array_reader *arrays, const char *name, int index)
{
    const struct scion_array_texts *texts = find_texts(arrays, name);

    return texts && index >= 0 && index < texts->n ? texts->list[index].key : NULL;
}

/* ---- reading ---- */

/* Where a program wants the elements: memory of a type and so many bytes. */
struct destination {
    int type, converts; /* 0: the type must be that of the array */
    void *data;
    size_t bytes;
};

static int check_destination(const struct scion_array_definition *definition,
                             const sion_int64 *count, const struct destination *destination)
{
    int type = destination->converts ? destination->type : definition->type;
    sion_int64 needed;

    if (!scion_array_is_type(type))
        return scion_fail(SION_ERR_ARGUMENT, "array %s: there is no type %d", definition->name,
                          type);
    needed = scion_array_bytes(type, definition->ndims, count);
    return destination->converts
               ? scion_array_check_room(definition, needed, destination->data, destination->bytes)
               : scion_array_check_memory(definition, needed, destination->type, destination->data,
                                          destination->bytes);
}

static int find_device(struct sion_array_reader *arrays, const struct destination *destination,
                       struct scion_device_place *place)
{
    if (!sion_layer_device_find(-1, destination->data, place))
        return 0;
    if (!arrays->uses_device)
        sion_layer_device_hold(1);
    arrays->uses_device = 1;
    return 1;
}

static int get(struct sion_array_reader *arrays, const char *name, sion_int64 step,
               const sion_int64 *offset, const sion_int64 *count,
               const struct destination *destination)
{
    struct scion_array_slab slab = {scion_arrays_find(arrays, name), offset, count,
                                    destination->data};
    const struct scion_array_definition *definition;
    struct scion_device_place place;
    int rc;

    if (!slab.array)
        return SION_ERR_ARGUMENT;
    definition = &slab.array->definition;
    if (step < 0 && step != SION_ARRAY_NEWEST)
        return scion_fail(SION_ERR_ARGUMENT, "array %s: step %lld", name, step);
    rc = arrays->has_generations && step >= 0 &&
                 !scion_array_index_has_step(arrays->index, slab.array, step)
             ? scion_fail(SION_ERR_ARGUMENT,
                          "array %s has no step %lld: it was forgotten, or is in a generation that "
                          "is not read",
                          name, step)
             : 0;
    if (rc == 0)
        rc = scion_array_check_box(name, definition->ndims, definition->shape, offset, count);
    if (rc == 0)
        rc = check_destination(definition, count, destination);
    if (rc == 0 && find_device(arrays, destination, &place))
        return scion_array_store_slab(arrays, &slab, step,
                                      destination->converts ? destination->type : definition->type,
                                      &place);
    return rc != 0 ? rc
           : destination->converts
               ? scion_array_read_slab_as(arrays, &slab, step, destination->type)
               : scion_array_read_slab(arrays, &slab, step);
}

/* The same, and once more if the index turns out to be of other streams. */
static int get_part(struct sion_array_reader *arrays, const char *name, sion_int64 step,
                    const sion_int64 *offset, const sion_int64 *count,
                    const struct destination *destination)
{
    int rc = get(arrays, name, step, offset, count, destination);

    if (rc == SCION_ARRAY_MOVED) {
        rc = scion_array_load_again(arrays);
        rc = rc == 0 ? get(arrays, name, step, offset, count, destination) : rc;
    }
    return rc;
}

int sion_array_reader_get(sion_array_reader *arrays, const char *name, sion_int64 step,
                          const sion_int64 *offset, const sion_int64 *count, int type, void *data,
                          size_t bytes)
{
    const struct destination destination = {type, 0, data, bytes};

    return report(__func__, get_part(arrays, name, step, offset, count, &destination));
}

int sion_array_reader_get_as(sion_array_reader *arrays, const char *name, sion_int64 step,
                             const sion_int64 *offset, const sion_int64 *count, int type,
                             void *data, size_t bytes)
{
    const struct destination destination = {type, 1, data, bytes};

    return report(__func__, get_part(arrays, name, step, offset, count, &destination));
}

static void describe(struct sion_array_reader *arrays, const struct scion_array *array,
                     const struct scion_array_block_entry *entry, struct sion_array_block *block)
{
    const struct scion_array_definition *definition = &array->definition;
    const sion_int64 *box = scion_array_index_box(arrays->index, entry);
    const struct scion_array_stored stored = scion_array_index_stored(arrays->index, entry);
    size_t numbers = (size_t)definition->ndims * sizeof *box;

    *block = (struct sion_array_block){
        .step = arrays->index->steps[entry->step],
        .task = (int)entry->task,
        .bytes = scion_array_bytes(definition->type, definition->ndims, box + definition->ndims),
        .big_endian = arrays->index->is_big[entry->task],
        .has_range = scion_array_range_is_known(definition->type, &entry->range),
        .low = entry->range.low,
        .high = entry->range.high,
        .stored = stored.bytes,
        .codec = scion_array_coding_text(&stored.coding),
    };
    block->stored_position = scion_array_streams_locate(
        arrays->streams, block->task, entry->position, block->stored, &block->file);
    block->position = stored.coding.codec == SCION_ARRAY_PLAIN ? block->stored_position : -1;
    memcpy(block->offset, box, numbers);
    memcpy(block->count, box + definition->ndims, numbers);
}

/* Fill n structs of the program, whose size is that of the first. */
static int give_blocks(struct sion_array_reader *arrays, const struct scion_array *array,
                       uint32_t first, sion_int64 n, struct sion_array_block *blocks)
{
    char *at = (char *)blocks;
    struct sion_array_block own;
    size_t size = 0;
    sion_int64 i;
    int rc = 0;

    for (i = 0; i < n && rc == 0; i++, at += size) {
        if (i > 0)
            memcpy(at, &size, sizeof size);
        else if (blocks)
            size = blocks->size;
        describe(arrays, array, &arrays->index->blocks[arrays->index->order[first + i]], &own);
        rc = scion_sized_give(at, &own, sizeof own, "struct sion_array_block");
    }
    return rc;
}

sion_int64 sion_array_reader_blocks(sion_array_reader *arrays, const char *name, sion_int64 step,
                                    sion_int64 first, sion_int64 n, struct sion_array_block *blocks)
{
    int rc = arrays ? scion_array_settle(arrays) : 0;
    const struct scion_array *array = rc == 0 ? scion_arrays_find(arrays, name) : NULL;
    uint32_t begin, count;
    sion_int64 left = 0;

    if (!array && rc == 0)
        rc = SION_ERR_ARGUMENT;
    if (rc == 0) {
        count = scion_array_index_blocks(arrays->index, array, step, &begin);
        left = first >= 0 && first < count ? count - first : 0;
        rc = give_blocks(arrays, array, begin + (uint32_t)(left > 0 ? first : 0),
                         n < left ? n : left, blocks);
    }
    return report(__func__, rc) == SION_SUCCESS ? left : -1;
}
