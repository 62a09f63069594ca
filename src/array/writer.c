/* Definitions, attributes and blocks of a container that is being written. */
#include "array/writer.h"

#include <stdlib.h>
#include <string.h>

#include "api/parallel.h"
#include "array/bindings.h"
#include "array/index.h"
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

/* Generations are read one by one: each names all arrays and attributes. */
static void begin_generation(struct scion_array_writer *writer)
{
    static const struct scion_array_chain none = {SCION_ARRAY_NEW, 0, 0};
    int t;

    for (t = 0; t < writer->ntasks; t++)
        writer->tasks[t].chain = none;
    writer->whole = none;
    writer->has_generation = 1;
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
    if (writer->keeps) {
        begin_generation(writer);
        return;
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
    scion_array_index_free(writer->past);
    clear_tasks(writer);
    scion_array_packer_free(writer->packer);
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
        new->keeps = sion_layer_keeps(sid);
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

int scion_array_writer_of(int sid, struct scion_array_writer **writer)
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
    int rc = scion_array_writer_of(sid, &writer);

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

static int choose_codec(int sid, const char *name, const char *codec)
{
    struct scion_array_definition_entry *defined;
    struct scion_array_packing packing;
    struct scion_array_writer *writer;
    int rc = scion_array_writer_of(sid, &writer);

    if (rc != 0)
        return rc;
    defined = scion_array_must_find(writer, name);
    rc = defined ? scion_array_find_packing(codec, &defined->definition, &packing)
                 : SION_ERR_ARGUMENT;
    if (rc != 0)
        return rc;
    if (defined->is_put)
        return scion_fail(SION_ERR_ARGUMENT,
                          "array %s has blocks already, so its codec cannot be chosen any more",
                          name);
    rc = scion_array_need_codec(packing.coding.codec);
    if (rc != 0)
        return rc;
    defined->packing = packing;
    defined->definition.coding = packing.coding;
    writer->is_told = 0;
    return 0;
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

int scion_array_find_room(struct scion_array_writer *writer, struct sion_layer_room *room,
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
struct scion_array_definition_entry *scion_array_must_find(const struct scion_array_writer *writer,
                                                           const char *name)
{
    struct scion_array_definition_entry *defined =
        name ? scion_array_find_definition(writer->defined, name, strlen(name)) : NULL;

    if (!defined)
        scion_fail(SION_ERR_ARGUMENT, "array %.200s is not defined", name ? name : "NULL");
    return defined;
}

int sion_layer_array_defined(int sid, const char *name, struct sion_array_info *info)
{
    const struct scion_array_definition_entry *defined;
    struct scion_array_writer *writer;
    int rc = scion_array_writer_of(sid, &writer);

    if (rc != 0)
        return rc;
    defined = scion_array_must_find(writer, name);
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
    if (rc == 0 && scion_array_find_room(writer, &room, &task) == 0)
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
    int rc = scion_array_writer_of(sid, &writer);

    if (rc != 0)
        return rc;
    if (!key || !value)
        return scion_fail(SION_ERR_ARGUMENT, "%s is NULL", key ? "value" : "key");
    if (name)
        defined = scion_array_must_find(writer, name);
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

int sion_array_define(int sid, const char *name, int type, int ndims, const sion_int64 *shape)
{
    SCION_ARRAY_CALL(define(sid, name, type, ndims, shape));
}

int sion_array_codec(int sid, const char *name, const char *codec)
{
    SCION_ARRAY_CALL(choose_codec(sid, name, codec));
}

/* -1: as it is. */
static int set(int sid, int has_crc, int has_ranges)
{
    struct scion_array_writer *writer;
    int rc = scion_array_writer_of(sid, &writer);

    if (rc == 0 && has_crc >= 0)
        writer->has_crc = has_crc;
    if (rc == 0 && has_ranges >= 0)
        writer->has_ranges = has_ranges;
    return rc;
}

int sion_array_set_crc(int sid, int on)
{
    SCION_ARRAY_CALL(set(sid, on != 0, -1));
}

int sion_array_set_range(int sid, int on)
{
    SCION_ARRAY_CALL(set(sid, -1, on != 0));
}

int sion_array_set_attribute(int sid, const char *name, const char *key, const char *value)
{
    SCION_ARRAY_CALL(attribute(sid, name, key, value));
}
