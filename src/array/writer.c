/* Definitions, attributes and blocks of a container that is being written. */
#include "array/writer.h"

#include <stdlib.h>
#include <string.h>

#include "api/parallel.h"
#include "array/bindings.h"
#include "base/byteorder.h"
#include "base/crc32c.h"
#include "base/env.h"
#include "base/error.h"
#include "base/memory.h"
#include "sion_common.h"

/* ---- the writer of a container ---- */

static void clear_task(struct scion_array_task *task)
{
    size_t i;

    for (i = 0; i < task->nboxes; i++)
        free(task->boxes[i]);
    free(task->boxes);
    scion_array_bytes_free(&task->code);
}

static void clear_tasks(void *user)
{
    struct scion_array_writer *writer = user;
    int t;

    for (t = 0; t < writer->ntasks; t++)
        clear_task(&writer->tasks[t]);
    free(writer->tasks);
    writer->tasks = NULL;
    writer->ntasks = 0;
}

static void free_attributes(struct scion_array_writer *writer)
{
    struct scion_array_attribute_entry *attributes, *next;

    HASH_ITER(hh, writer->attributes, attributes, next)
    {
        HASH_DEL(writer->attributes, attributes);
        free(attributes);
    }
    writer->nattributes = 0;
}

static void go_on(struct scion_array_chain *chain)
{
    if (chain->next > 0)
        *chain = (struct scion_array_chain){SCION_ARRAY_BEHIND, chain->next, 0};
}

/* What comes now goes into other indexes, which need no attributes that these have. */
void scion_array_published(void *user)
{
    struct scion_array_writer *writer = user;
    int t;

    for (t = 0; t < writer->ntasks; t++) {
        struct scion_array_task *task = &writer->tasks[t];

        clear_task(task);
        go_on(&task->chain);
        *task = (struct scion_array_task){
            .is_used = task->is_used, .rank = task->rank, .chain = task->chain};
    }
    free_attributes(writer);
    go_on(&writer->whole);
    writer->is_told = 1;
}

static void release(void *user)
{
    struct scion_array_writer *writer = user;

    scion_array_free_definitions(writer->defined);
    scion_array_free_definitions(writer->old);
    free_attributes(writer);
    clear_tasks(writer);
    free(writer);
}

/* Blocks are found by where they are in a stream; that of a collector, as it is, is not that of the
   task: tools would copy another one. */
static int check_streams(int sid)
{
    return sion_layer_is_merged(sid)
               ? scion_fail(SION_ERR_MODE,
                            "sid %d is a merged container (cmerge), which has no arrays", sid)
               : 0;
}

static int attach(int sid, struct scion_array_writer **writer)
{
    struct scion_array_writer *new = calloc(1, sizeof *new);
    struct scion_ending ending = {scion_array_end, scion_array_published, clear_tasks, release,
                                  new};
    long long crc = 0, range = 1;
    int rc = new ? check_streams(sid) : scion_fail_memory("arrays");

    if (rc == 0) {
        new->sid = sid;
        rc = scion_array_look_back(new);
    }
    if (rc == 0)
        rc = sion_layer_attach_ending(sid, &ending);
    if (rc != 0) {
        if (new)
            release(new);
        return rc;
    }
    scion_env_number("ARRAY_CRC", &crc);
    scion_env_number("ARRAY_RANGE", &range);
    new->has_crc = crc != 0;
    new->has_ranges = range != 0;
    *writer = new;
    return 0;
}

/* The writer of a sid, made if there is none yet; 0 or an error. */
static int writer_of(int sid, struct scion_array_writer **writer)
{
    *writer = sion_layer_ending(sid, scion_array_end);
    return *writer ? 0 : attach(sid, writer);
}

/* ---- definitions ---- */

static int add_definition(struct scion_array_writer *writer,
                          const struct scion_array_definition *definition)
{
    int rc = scion_array_add_definition(&writer->defined, definition, writer->ndefinitions);

    writer->ndefinitions += rc == 0;
    writer->is_told = 0;
    return rc;
}

static int check_definition(const struct scion_array_definition_entry *defined,
                            const struct scion_array_definition *definition, const char *where)
{
    return !defined || scion_array_is_same(&defined->definition, definition)
               ? 0
               : scion_fail(SION_ERR_MISMATCH, "array %s was defined with another type or shape%s",
                            definition->name, where);
}

static int define(int sid, const char *name, int type, int ndims, const sion_int64 *shape)
{
    struct scion_array_definition definition = {.name = name, .type = type, .ndims = ndims};
    const struct scion_array_definition_entry *defined;
    struct scion_array_writer *writer;
    int rc = writer_of(sid, &writer);

    if (rc != 0)
        return rc;
    if (!name || (ndims > 0 && !shape))
        return scion_fail(SION_ERR_ARGUMENT, "%s is NULL", name ? "shape" : "name");
    definition.name_length = strlen(name);
    rc = scion_array_check_name("the name of an array", name, definition.name_length);
    if (rc != 0)
        return rc;
    if (!scion_array_is_type(type) || ndims < 0 || ndims > SION_ARRAY_DIMS)
        return scion_fail(SION_ERR_ARGUMENT, "array %s: type %d, %d dimensions", name, type, ndims);
    if (ndims > 0)
        memcpy(definition.shape, shape, (size_t)ndims * sizeof *shape);
    rc = scion_array_check_shape(name, type, ndims, definition.shape);
    if (rc != 0)
        return rc;
    defined = scion_array_find_definition(writer->defined, name, definition.name_length);
    if (defined)
        return check_definition(defined, &definition, "");
    rc = check_definition(scion_array_find_definition(writer->old, name, definition.name_length),
                          &definition, " in the container");
    return rc == 0 ? add_definition(writer, &definition) : rc;
}

/* ---- tasks ---- */

static int need_tasks(struct scion_array_writer *writer, int ntasks)
{
    struct scion_array_task *tasks;

    if (writer->ntasks >= ntasks)
        return 0;
    tasks = scion_array_grown(writer->tasks, (size_t)ntasks, sizeof *tasks);
    if (!tasks)
        return scion_fail_memory("tasks with arrays");
    memset(tasks + writer->ntasks, 0, (size_t)(ntasks - writer->ntasks) * sizeof *tasks);
    writer->tasks = tasks;
    writer->ntasks = ntasks;
    return 0;
}

/* The selected task, and its position. */
static int find_room(struct scion_array_writer *writer, struct sion_layer_room *room,
                     struct scion_array_task **task)
{
    int rc = sion_layer_room(writer->sid, room);

    if (rc == 0)
        rc = need_tasks(writer, room->tasks);
    if (rc != 0)
        return rc;
    *task = &writer->tasks[room->task];
    (*task)->rank = room->rank;
    if (!(*task)->is_used)
        rc = scion_array_look_back_at(writer, room, &(*task)->chain);
    (*task)->is_used = rc == 0;
    return rc;
}

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
    const struct scion_array_definition_entry *defined;
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
    int d = 0, rc = 0;

    while (d < whole->ndims && whole->count[d] == 1)
        d++;
    if (d == whole->ndims)
        return scion_fail(SION_ERR_NO_SPACE,
                          "a chunk of %lld bytes has no room for one element and its header",
                          room->chunksize);
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
    int rc = find_room(block_write->writer, &room, &task), fits = 0;

    if (rc == 0)
        rc = scion_array_make_room(block_write->writer->sid, head + whole->bytes, &room, &fits);
    if (rc != 0 || (!fits && whole->bytes == 0)) /* where no record fits, there is no such step */
        return rc;
    return fits ? put_here(block_write, &room, task, &header, data)
                : put_slices(block_write, whole, data, head, &room);
}

/* NULL, with a failure: there is no such array. */
static const struct scion_array_definition_entry *must_find(const struct scion_array_writer *writer,
                                                            const char *name)
{
    const struct scion_array_definition_entry *defined =
        name ? scion_array_find_definition(writer->defined, name, strlen(name)) : NULL;

    if (!defined)
        scion_fail(SION_ERR_ARGUMENT, "array %.200s is not defined", name ? name : "NULL");
    return defined;
}

int sion_layer_array_defined(int sid, const char *name, struct sion_array_info *info)
{
    const struct scion_array_definition_entry *defined;
    struct scion_array_writer *writer;
    int rc = writer_of(sid, &writer);

    if (rc != 0)
        return rc;
    defined = must_find(writer, name);
    if (!defined)
        return SION_ERR_ARGUMENT;
    *info = (struct sion_array_info){
        .type = defined->definition.type,
        .ndims = defined->definition.ndims,
        .element_size = (sion_int64)scion_array_size(defined->definition.type),
    };
    memcpy(info->shape, defined->definition.shape, sizeof info->shape);
    return 0;
}

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
    int rc = writer_of(sid, &block_write.writer);

    if (rc != 0)
        return rc;
    block_write.defined = must_find(block_write.writer, name);
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
    rc = put_box(&block_write, &header, block_data->data);
    block_write.writer->place.driver = NULL;
    return rc;
}

/* ---- attributes ---- */

/* Write a record as well, so that the attribute is not lost if the container is never closed; only
   if there is room. */
static int write_attribute(struct scion_array_writer *writer, const char *name,
                           const struct scion_array_text_of *attribute)
{
    struct scion_array_header header = {
        .kind = SCION_ARRAY_ATTRIBUTE, .name = name, .name_length = name ? strlen(name) : 0};
    struct scion_array_bytes bytes = {0};
    struct scion_array_task *task;
    struct sion_layer_room room;
    sion_int64 position;
    int rc = scion_array_put_raw(&bytes, attribute->key, attribute->key_length + 1), fits = 0;

    if (rc == 0)
        rc = scion_array_put_raw(&bytes, attribute->value, attribute->value_length);
    header.bytes = (sion_int64)bytes.length;
    if (rc == 0 && find_room(writer, &room, &task) == 0)
        rc = scion_array_make_room(
            writer->sid, header.bytes + (sion_int64)scion_array_header_size(0, header.name_length),
            &room, &fits);
    if (rc == 0 && fits)
        rc = scion_array_write_record(writer, &room, &header, bytes.at, NULL, &position);
    scion_array_bytes_free(&bytes);
    return rc;
}

static void forget(struct scion_array_writer *writer,
                   struct scion_array_attribute_entry *attributes)
{
    HASH_DEL(writer->attributes, attributes);
    free(attributes);
    writer->nattributes--;
}

/* The value that the key had before stays until the new one is in the table. */
static int note_attribute(struct scion_array_writer *writer,
                          const struct scion_array_text_of *attribute)
{
    size_t id = sizeof attribute->array + attribute->key_length;
    struct scion_array_attribute_entry *new, *old;
    char *texts;

    new = malloc(sizeof *new + id + attribute->key_length + attribute->value_length + 2);
    if (!new)
        return scion_fail_memory("attribute");
    memcpy(new->id, &attribute->array, sizeof attribute->array);
    memcpy(new->id + sizeof attribute->array, attribute->key, attribute->key_length);
    texts = (char *)new->id + id;
    memcpy(texts, attribute->key, attribute->key_length + 1);
    memcpy(texts + attribute->key_length + 1, attribute->value, attribute->value_length + 1);
    new->attribute = *attribute;
    new->attribute.key = texts;
    new->attribute.value = texts + attribute->key_length + 1;
    HASH_FIND(hh, writer->attributes, new->id, id, old);
    HASH_ADD(hh, writer->attributes, id[0], id, new);
    if (!SCION_TABLE_HAS(new)) {
        free(new);
        return scion_fail_memory("attribute");
    }
    writer->nattributes++;
    writer->is_told = 0;
    if (old)
        forget(writer, old);
    return 0;
}

static int check_fill(const char *name, int type, const char *value)
{
    unsigned char element[16];

    return scion_array_fill(type, value, element) == 0
               ? 0
               : scion_fail(SION_ERR_ARGUMENT,
                            "array %s: _FillValue '%.60s' is not a number of type %s", name, value,
                            scion_array_type_name(type));
}

static int attribute(int sid, const char *name, const char *key, const char *value)
{
    struct scion_array_text_of text = {.key = key, .value = value};
    const struct scion_array_definition_entry *defined = NULL;
    struct scion_array_writer *writer;
    int rc = writer_of(sid, &writer);

    if (rc != 0)
        return rc;
    if (!key || !value)
        return scion_fail(SION_ERR_ARGUMENT, "%s is NULL", key ? "value" : "key");
    if (name)
        defined = must_find(writer, name);
    if (name && !defined)
        return SION_ERR_ARGUMENT;
    text.array = defined ? defined->number + 1 : 0;
    text.key_length = strlen(key);
    text.value_length = strlen(value);
    rc = scion_array_check_name("the key of an attribute", key, text.key_length);
    if (rc == 0 && text.value_length > SCION_ARRAY_VALUE)
        rc = scion_fail(SION_ERR_ARGUMENT, "the value of attribute %s has %zu bytes, at most %d",
                        key, text.value_length, SCION_ARRAY_VALUE);
    if (rc == 0)
        rc = scion_array_check_value(key, value);
    if (rc == 0 && defined && strcmp(key, "_FillValue") == 0)
        rc = check_fill(name, defined->definition.type, value);
    if (rc == 0)
        rc = note_attribute(writer, &text);
    return rc != 0 ? rc : write_attribute(writer, name, &text);
}

/* ---- public functions ---- */

/* Messages of the functions that are called here are suppressed: the error record has the
   reason. */
#define CALL(call)                                                                                 \
    do {                                                                                           \
        int rc;                                                                                    \
                                                                                                   \
        sion_layer_quiet(1);                                                                       \
        rc = call;                                                                                 \
        sion_layer_quiet(0);                                                                       \
        if (rc == 0)                                                                               \
            return SION_SUCCESS;                                                                   \
        sion_layer_report(__func__, 0, 1, rc);                                                     \
        return SION_NOT_SUCCESS;                                                                   \
    } while (0)

int sion_array_define(int sid, const char *name, int type, int ndims, const sion_int64 *shape)
{
    CALL(define(sid, name, type, ndims, shape));
}

int sion_array_put(int sid, const char *name, sion_int64 step, const sion_int64 *offset,
                   const sion_int64 *count, int type, const void *data, size_t bytes)
{
    const struct block_data block_data = {type, data, bytes};

    CALL(put(sid, name, step, offset, count, &block_data));
}

/* -1: as it is. */
static int set(int sid, int has_crc, int has_ranges)
{
    struct scion_array_writer *writer;
    int rc = writer_of(sid, &writer);

    if (rc == 0 && has_crc >= 0)
        writer->has_crc = has_crc;
    if (rc == 0 && has_ranges >= 0)
        writer->has_ranges = has_ranges;
    return rc;
}

int sion_array_set_crc(int sid, int on)
{
    CALL(set(sid, on != 0, -1));
}

int sion_array_set_range(int sid, int on)
{
    CALL(set(sid, -1, on != 0));
}

int sion_array_set_attribute(int sid, const char *name, const char *key, const char *value)
{
    CALL(attribute(sid, name, key, value));
}
