#include "array/payload.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* ---- growing bytes ---- */

int scion_array_put_raw(struct scion_array_bytes *bytes, const void *from, size_t length)
{
    if (bytes->capacity - bytes->length < length) {
        size_t capacity = 2 * (bytes->length + length) + 64;
        unsigned char *more = realloc(bytes->at, capacity);

        if (!more)
            return scion_fail_memory("index of arrays");
        bytes->at = more;
        bytes->capacity = capacity;
    }
    if (length > 0)
        memcpy(bytes->at + bytes->length, from, length);
    bytes->length += length;
    return 0;
}

void scion_array_bytes_free(struct scion_array_bytes *bytes)
{
    free(bytes->at);
    *bytes = (struct scion_array_bytes){0};
}

/* Seven bits a byte, low ones first; the highest bit says that more follow. */
int scion_array_put_number(struct scion_array_bytes *bytes, uint64_t number)
{
    unsigned char encoded[10];
    size_t length = 0;

    while (number > 127) {
        encoded[length++] = (unsigned char)(number | 128);
        number >>= 7;
    }
    encoded[length++] = (unsigned char)number;
    return scion_array_put_raw(bytes, encoded, length);
}

/* Numbers near 0 of both signs become small: 0, -1, 1, -2, ... */
static int put_signed(struct scion_array_bytes *bytes, sion_int64 number)
{
    return scion_array_put_number(bytes,
                                  (uint64_t)number << 1 ^ (number < 0 ? UINT64_MAX : UINT64_C(0)));
}

int scion_array_put_text(struct scion_array_bytes *bytes, const char *text, size_t length)
{
    int rc = scion_array_put_number(bytes, length);

    return rc != 0 ? rc : scion_array_put_raw(bytes, text, length);
}

/* ---- reading ---- */

uint64_t scion_array_get_number(struct scion_array_reader *reader)
{
    uint64_t number = 0;
    int shift;

    for (shift = 0; shift < 64 && reader->at < reader->end; shift += 7) {
        unsigned char byte = *reader->at++;

        number |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return number;
    }
    reader->is_bad = 1;
    return 0;
}

static sion_int64 get_signed(struct scion_array_reader *reader)
{
    uint64_t number = scion_array_get_number(reader);

    return (sion_int64)(number >> 1 ^ (number & 1 ? UINT64_MAX : 0));
}

/* Read a number that also fits into a signed integer. */
static sion_int64 get_extent(struct scion_array_reader *reader)
{
    uint64_t number = scion_array_get_number(reader);

    if (number > INT64_MAX)
        reader->is_bad = 1;
    return reader->is_bad ? 0 : (sion_int64)number;
}

const unsigned char *scion_array_get_raw(struct scion_array_reader *reader, size_t length)
{
    const unsigned char *at = reader->at;

    if (length > (size_t)(reader->end - reader->at)) {
        reader->is_bad = 1;
        return NULL;
    }
    reader->at += length;
    return at;
}

const char *scion_array_get_text(struct scion_array_reader *reader, size_t *length)
{
    uint64_t number = scion_array_get_number(reader);

    *length = (size_t)number;
    if (number > (uint64_t)(reader->end - reader->at))
        reader->is_bad = 1;
    return reader->is_bad ? NULL : (const char *)scion_array_get_raw(reader, *length);
}

/* ---- definitions, attributes, sections ---- */

int scion_array_is_same(const struct scion_array_definition *a,
                        const struct scion_array_definition *b)
{
    return a->type == b->type && a->ndims == b->ndims &&
           memcmp(a->shape, b->shape, (size_t)a->ndims * sizeof *a->shape) == 0;
}

int scion_array_put_definition(struct scion_array_bytes *bytes, int has_codings,
                               const struct scion_array_definition *definition)
{
    unsigned char kind[2] = {(unsigned char)definition->type, (unsigned char)definition->ndims};
    unsigned char coding[2] = {(unsigned char)definition->coding.codec,
                               (unsigned char)definition->coding.shuffle};
    int rc = scion_array_put_text(bytes, definition->name, definition->name_length), d;

    if (rc == 0)
        rc = scion_array_put_raw(bytes, kind, sizeof kind);
    for (d = 0; d < definition->ndims && rc == 0; d++)
        rc = scion_array_put_number(bytes, (uint64_t)definition->shape[d]);
    if (rc == 0 && has_codings)
        rc = scion_array_put_raw(bytes, coding, sizeof coding);
    return rc;
}

/* The coding of an array, or plain: 0, or -1. */
static int get_coding(struct scion_array_reader *reader, int has_codings,
                      struct scion_array_definition *definition)
{
    const unsigned char *coding = has_codings ? scion_array_get_raw(reader, 2) : NULL;

    definition->coding = (struct scion_array_coding){SCION_ARRAY_PLAIN, 0};
    if (coding)
        definition->coding = (struct scion_array_coding){coding[0], coding[1]};
    return !reader->is_bad && scion_array_is_coding(definition->type, &definition->coding) ? 0 : -1;
}

int scion_array_get_definition(struct scion_array_reader *reader, int has_codings,
                               struct scion_array_definition *definition)
{
    const unsigned char *kind;
    int d;

    definition->name = scion_array_get_text(reader, &definition->name_length);
    kind = scion_array_get_raw(reader, 2);
    if (reader->is_bad || !scion_array_is_type(kind[0]) || kind[1] > SION_ARRAY_DIMS ||
        scion_array_check_name("name", definition->name, definition->name_length) != 0)
        return -1;
    definition->type = kind[0];
    definition->ndims = kind[1];
    for (d = 0; d < definition->ndims; d++)
        definition->shape[d] = get_extent(reader);
    return reader->is_bad ||
                   scion_array_bytes(definition->type, definition->ndims, definition->shape) < 0
               ? -1
               : get_coding(reader, has_codings, definition);
}

int scion_array_put_attribute(struct scion_array_bytes *bytes,
                              const struct scion_array_text_of *attribute)
{
    int rc = scion_array_put_number(bytes, attribute->array);

    if (rc == 0)
        rc = scion_array_put_text(bytes, attribute->key, attribute->key_length);
    return rc != 0 ? rc : scion_array_put_text(bytes, attribute->value, attribute->value_length);
}

int scion_array_get_attribute(struct scion_array_reader *reader, uint64_t arrays,
                              struct scion_array_text_of *attribute)
{
    attribute->array = scion_array_get_number(reader);
    attribute->key = scion_array_get_text(reader, &attribute->key_length);
    attribute->value = scion_array_get_text(reader, &attribute->value_length);
    return reader->is_bad || attribute->array > arrays ||
                   attribute->value_length > SCION_ARRAY_VALUE ||
                   scion_array_check_name("key", attribute->key, attribute->key_length) != 0
               ? -1
               : 0;
}

int scion_array_put_section(struct scion_array_bytes *bytes,
                            const struct scion_array_section *section)
{
    const uint64_t numbers[] = {section->task, section->flags, section->blocks, section->bytes};
    int rc = 0, i;

    for (i = 0; i < 4 && rc == 0; i++)
        rc = scion_array_put_number(bytes, numbers[i]);
    return rc;
}

int scion_array_get_section(struct scion_array_reader *reader, struct scion_array_section *section)
{
    section->task = scion_array_get_number(reader);
    section->flags = scion_array_get_number(reader);
    section->blocks = scion_array_get_number(reader);
    section->bytes = scion_array_get_number(reader);
    return reader->is_bad || section->bytes > (uint64_t)(reader->end - reader->at) ||
                   section->blocks > section->bytes
               ? -1
               : 0;
}

/* ---- blocks ---- */

enum { SAME_BOX = 1, NO_RANGE = 2, FLAGS = 2 };

static int put_range(struct scion_array_bytes *bytes, int type,
                     const struct scion_array_range *range)
{
    unsigned char numbers[16];
    size_t size = scion_array_number_size(type);

    scion_array_pack_value(type, range->low, numbers);
    scion_array_pack_value(type, range->high, numbers + size);
    return scion_array_put_raw(bytes, numbers, 2 * size);
}

/* Bytes that the data take in the stream. */
static sion_int64 stored_bytes(const struct scion_array_entry *entry,
                               const struct scion_array_definition *definition)
{
    return entry->stored > 0 ? entry->stored
                             : scion_array_bytes(definition->type, definition->ndims, entry->count);
}

int scion_array_put_entry(struct scion_array_bytes *bytes, const struct scion_array_entry *entry,
                          const struct scion_array_definition *definition,
                          const sion_int64 *last_offset, const sion_int64 *last_count,
                          struct scion_array_before *before)
{
    uint64_t flags = (entry->is_same_box ? SAME_BOX : 0) | (entry->has_range ? 0 : NO_RANGE);
    int rc = scion_array_put_number(bytes, entry->array << FLAGS | flags), d;

    if (rc == 0)
        rc = put_signed(bytes, entry->step - before->step);
    if (rc == 0)
        rc = put_signed(bytes, entry->position - before->end);
    if (rc == 0 && definition->coding.codec != SCION_ARRAY_PLAIN)
        rc = scion_array_put_number(bytes, (uint64_t)entry->stored);
    for (d = 0; d < definition->ndims && rc == 0 && !entry->is_same_box; d++) {
        rc = put_signed(bytes, entry->offset[d] - (last_offset ? last_offset[d] : 0));
        if (rc == 0)
            rc = put_signed(bytes, entry->count[d] - (last_count ? last_count[d] : 0));
    }
    if (rc == 0 && entry->has_range)
        rc = put_range(bytes, definition->type, &entry->range);
    before->step = entry->step;
    before->end = entry->position + stored_bytes(entry, definition);
    return rc;
}

void scion_array_get_entry_array(struct scion_array_reader *reader, struct scion_array_entry *entry)
{
    uint64_t number = scion_array_get_number(reader);

    entry->array = number >> FLAGS;
    entry->is_same_box = (number & SAME_BOX) != 0;
    entry->has_range = !(number & NO_RANGE);
}

/* Add numbers from a file, with a check for overflow. */
static sion_int64 add(struct scion_array_reader *reader, sion_int64 to, sion_int64 number)
{
    sion_int64 sum = 0;

    if (__builtin_add_overflow(to, number, &sum) || sum < 0)
        reader->is_bad = 1;
    return sum;
}

static int is_block(const struct scion_array_entry *entry,
                    const struct scion_array_definition *definition)
{
    int d;

    for (d = 0; d < definition->ndims; d++) {
        if (entry->count[d] < 0 || entry->count[d] > definition->shape[d] ||
            entry->offset[d] > definition->shape[d] - entry->count[d])
            return 0;
    }
    return entry->stored == 0 ||
           scion_array_may_hold(
               definition->coding.codec, entry->stored,
               scion_array_bytes(definition->type, definition->ndims, entry->count));
}

static void get_range(struct scion_array_reader *reader, int type, struct scion_array_entry *entry)
{
    size_t size = scion_array_number_size(type);
    const unsigned char *numbers = scion_array_get_raw(reader, 2 * size);

    if (numbers) {
        entry->range.low = scion_array_unpack_value(type, numbers);
        entry->range.high = scion_array_unpack_value(type, numbers + size);
    }
    if (scion_array_kind(type) == SCION_COMPLEX)
        reader->is_bad = 1;
}

int scion_array_get_entry(struct scion_array_reader *reader, struct scion_array_entry *entry,
                          const struct scion_array_definition *definition,
                          struct scion_array_before *before)
{
    int d;

    entry->step = add(reader, before->step, get_signed(reader));
    entry->position = add(reader, before->end, get_signed(reader));
    entry->stored = definition->coding.codec != SCION_ARRAY_PLAIN ? get_extent(reader) : 0;
    for (d = 0; d < definition->ndims && !entry->is_same_box; d++) {
        entry->offset[d] = add(reader, entry->offset[d], get_signed(reader));
        entry->count[d] = add(reader, entry->count[d], get_signed(reader));
    }
    if (entry->has_range)
        get_range(reader, definition->type, entry);
    if (reader->is_bad || !is_block(entry, definition))
        return -1;
    before->step = entry->step;
    before->end = add(reader, entry->position, stored_bytes(entry, definition));
    return reader->is_bad ? -1 : 0;
}

int scion_array_copy_entry(struct scion_array_reader *reader, struct scion_array_bytes *bytes,
                           const struct scion_array_entry *entry, uint64_t array,
                           const struct scion_array_definition *definition)
{
    const unsigned char *rest = reader->at;
    uint64_t flags = (entry->is_same_box ? SAME_BOX : 0) | (entry->has_range ? 0 : NO_RANGE);
    int numbers = 2 + (entry->is_same_box ? 0 : 2 * definition->ndims) +
                  (definition->coding.codec != SCION_ARRAY_PLAIN),
        i, rc;

    for (i = 0; i < numbers; i++)
        scion_array_get_number(reader);
    if (entry->has_range)
        scion_array_get_raw(reader, 2 * scion_array_number_size(definition->type));
    if (reader->is_bad)
        return scion_fail(SION_ERR_COMM, "a task's index of arrays is damaged");
    rc = scion_array_put_number(bytes, array << FLAGS | flags);
    return rc != 0 ? rc : scion_array_put_raw(bytes, rest, (size_t)(reader->at - rest));
}

int scion_array_check_memory(const struct scion_array_definition *definition, sion_int64 needed,
                             int type, const void *data, size_t bytes)
{
    if (type != definition->type)
        return scion_fail(
            SION_ERR_ARGUMENT, "array %.200s: the memory is of type %s, the array is %s",
            definition->name, scion_array_is_type(type) ? scion_array_type_name(type) : "unknown",
            scion_array_type_name(definition->type));
    return scion_array_check_room(definition, needed, data, bytes);
}

int scion_array_check_room(const struct scion_array_definition *definition, sion_int64 needed,
                           const void *data, size_t bytes)
{
    if (needed < 0)
        return scion_fail(SION_ERR_ARGUMENT, "array %.200s: the part is larger than 2^63-1 bytes",
                          definition->name);
    if (bytes < (size_t)needed)
        return scion_fail(SION_ERR_ARGUMENT, "array %.200s: the memory has %zu bytes, not %lld",
                          definition->name, bytes, needed);
    return needed > 0 && !data
               ? scion_fail(SION_ERR_ARGUMENT, "array %.200s: data is NULL", definition->name)
               : 0;
}
