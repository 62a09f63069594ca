#include "array/index.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static int no_memory(void)
{
    return scion_fail_memory("index of arrays");
}

struct scion_array_index *scion_array_index_new(int ntasks)
{
    struct scion_array_index *index = calloc(1, sizeof *index);

    if (index)
        index->is_big = calloc((size_t)ntasks + 1, 1);
    if (!index || !index->is_big) {
        no_memory();
        free(index);
        return NULL;
    }
    index->ntasks = ntasks;
    return index;
}

static void free_texts(struct scion_array_texts *texts)
{
    int i;

    for (i = 0; i < texts->n; i++)
        free(texts->list[i].key);
    free(texts->list);
}

void scion_array_index_free(struct scion_array_index *index)
{
    uint32_t i;

    if (!index)
        return;
    HASH_CLEAR(hh, index->by_name);
    for (i = 0; i < index->narrays; i++) {
        free_texts(&index->arrays[i]->texts);
        free(index->arrays[i]);
    }
    free_texts(&index->texts);
    free(index->arrays);
    free(index->blocks);
    free(index->packed);
    free(index->boxes);
    free(index->steps);
    free(index->slots);
    free(index->order);
    free(index->step_lists);
    free(index->is_big);
    free(index);
}

/* Room for `more` elements after n of `size` bytes; 0 or an error. There are less than 2^32. */
static int grow(void **list, uint32_t *room, uint32_t n, uint32_t more, size_t size)
{
    uint64_t wanted = n + (uint64_t)more, rooms = wanted + wanted / 2 + 16;
    void *larger;

    if (wanted <= *room)
        return 0;
    if (wanted >= UINT32_MAX)
        return scion_fail(SION_ERR_NO_SPACE, "more than 2^32 blocks, or numbers of them");
    if (rooms > UINT32_MAX)
        rooms = UINT32_MAX;
    larger = scion_array_grown(*list, rooms, size);
    if (!larger)
        return no_memory();
    *list = larger;
    *room = (uint32_t)rooms;
    return 0;
}

#define GROW(list, room, n, more)                                                                  \
    __extension__({                                                                                \
        void *grown = (list);                                                                      \
        int grow_rc = grow(&grown, &(room), (n), (more), sizeof *(list));                          \
                                                                                                   \
        (list) = grown;                                                                            \
        grow_rc;                                                                                   \
    })

/* ---- definitions ---- */

struct scion_array *scion_array_index_find(const struct scion_array_index *index, const char *name,
                                           size_t length)
{
    struct scion_array *array;

    HASH_FIND(hh, index->by_name, name, length, array);
    return array;
}

static int define(struct scion_array_index *index, const struct scion_array_definition *definition,
                  struct scion_array **array)
{
    struct scion_array *new;
    char *name;

    *array = scion_array_index_find(index, definition->name, definition->name_length);
    if (*array)
        return scion_array_is_same(&(*array)->definition, definition)
                   ? 0
                   : scion_fail(SION_ERR_MISMATCH,
                                "array %.200s has different types or shapes in different tasks",
                                (*array)->definition.name);
    if (GROW(index->arrays, index->room, index->narrays, 1) != 0)
        return SION_ERR_MEMORY;
    new = calloc(1, sizeof *new + definition->name_length + 1);
    if (!new)
        return no_memory();
    name = (char *)(new + 1);
    memcpy(name, definition->name, definition->name_length);
    new->definition = *definition;
    new->definition.name = name;
    new->number = index->narrays;
    scion_array_range_begin(definition->type, &new->range);
    HASH_ADD_KEYPTR(hh, index->by_name, name, definition->name_length, new);
    if (!SCION_TABLE_HAS(new)) {
        free(new);
        return no_memory();
    }
    index->arrays[index->narrays++] = new;
    *array = new;
    return 0;
}

/* ---- attributes ---- */

const char *scion_array_text_find(const struct scion_array_texts *texts, const char *key)
{
    int i;

    for (i = 0; i < texts->n; i++) {
        if (strcmp(texts->list[i].key, key) == 0)
            return texts->list[i].value;
    }
    return NULL;
}

/* If a key appears twice, the last value counts. */
static int add_text(struct scion_array_texts *texts, const char *key, size_t key_length,
                    const char *value, size_t value_length)
{
    struct scion_array_text_entry *list, new;
    int i = 0;

    new.key = calloc(key_length + value_length + 2, 1);
    list = scion_array_grown(texts->list, (size_t)texts->n + 1, sizeof *list);
    texts->list = list ? list : texts->list;
    if (!new.key || !list) {
        free(new.key);
        return no_memory();
    }
    new.value = new.key + key_length + 1;
    memcpy(new.key, key, key_length);
    memcpy(new.value, value, value_length);
    while (i < texts->n && strcmp(list[i].key, new.key) != 0)
        i++;
    if (i < texts->n)
        free(list[i].key);
    else
        texts->n++;
    list[i] = new;
    return 0;
}

int scion_array_index_add_text(struct scion_array_index *index,
                               const struct scion_array_header *header, const char *data)
{
    const char *nul = memchr(data, '\0', (size_t)header->bytes);
    struct scion_array_texts *texts = &index->texts;
    struct scion_array *array;

    if (!nul)
        return 0;
    if (header->name_length > 0) {
        array = scion_array_index_find(index, header->name, header->name_length);
        if (!array) /* no block of it has been seen */
            return 0;
        texts = &array->texts;
    }
    if (scion_array_check_name("key", data, (size_t)(nul - data)) != 0)
        return 0;
    return add_text(texts, data, (size_t)(nul - data), nul + 1,
                    (size_t)(header->bytes - (nul + 1 - data)));
}

/* ---- steps ---- */

static uint32_t find_slot(const struct scion_array_index *index, sion_int64 step)
{
    uint64_t hash = (uint64_t)step * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t slot = (uint32_t)(hash >> 32) & (index->nslots - 1);

    while (index->slots[slot] != 0 && index->steps[index->slots[slot] - 1] != step)
        slot = (slot + 1) & (index->nslots - 1);
    return slot;
}

static int need_slots(struct scion_array_index *index)
{
    uint32_t *old = index->slots, i;

    if (2 * (uint64_t)index->nsteps < index->nslots)
        return 0;
    index->nslots = index->nslots == 0 ? 64 : 4 * index->nslots;
    index->slots = calloc(index->nslots, sizeof *index->slots);
    free(old);
    if (!index->slots)
        return no_memory();
    for (i = 0; i < index->nsteps; i++)
        index->slots[find_slot(index, index->steps[i])] = i + 1;
    return 0;
}

static int number_step(struct scion_array_index *index, sion_int64 step, uint32_t *number)
{
    uint32_t slot;

    if (index->nsteps > 0 && index->steps[index->last_step] == step) {
        *number = index->last_step;
        return 0;
    }
    if (need_slots(index) != 0 || GROW(index->steps, index->steps_room, index->nsteps, 1) != 0)
        return SION_ERR_MEMORY;
    slot = find_slot(index, step);
    if (index->slots[slot] == 0) {
        index->steps[index->nsteps++] = step;
        index->slots[slot] = index->nsteps;
    }
    *number = index->last_step = index->slots[slot] - 1;
    return 0;
}

/* ---- blocks ---- */

static int is_last_box(const struct scion_array_index *index, const struct scion_array *array,
                       const sion_int64 *offset, const sion_int64 *count)
{
    uint32_t ndims = (uint32_t)array->definition.ndims;
    size_t bytes = ndims * sizeof *offset;

    return array->blocks > 0 && memcmp(index->boxes + array->box, offset, bytes) == 0 &&
           memcmp(index->boxes + array->box + ndims, count, bytes) == 0;
}

/* A box, that of the array's last block or a new one. */
static int need_box(struct scion_array_index *index, struct scion_array *array,
                    const sion_int64 *offset, const sion_int64 *count)
{
    uint32_t ndims = (uint32_t)array->definition.ndims;
    size_t bytes = ndims * sizeof *offset;

    if (is_last_box(index, array, offset, count))
        return 0;
    /* One more, so that there is memory even if no array has a dimension. */
    if (GROW(index->boxes, index->boxes_room, index->nboxes, 2 * ndims + 1) != 0)
        return SION_ERR_MEMORY;
    array->box = index->nboxes;
    memcpy(index->boxes + array->box, offset, bytes);
    memcpy(index->boxes + array->box + ndims, count, bytes);
    index->nboxes += 2 * ndims;
    return 0;
}

/* A block of integers without a range was not searched; one of others may have NaN only. */
static int is_searched(int type, const struct scion_array_range *range)
{
    enum scion_array_kind kind = scion_array_kind(type);

    return scion_array_range_is_known(type, range) ||
           (kind != SCION_SIGNED && kind != SCION_UNSIGNED);
}

/* ---- data that are compressed ---- */

enum { CODEC_AT = 48, SHUFFLE_AT = 56 }; /* bits; a file has fewer than 2^48 bytes */

struct scion_array_stored scion_array_index_stored(const struct scion_array_index *index,
                                                   const struct scion_array_block_entry *block)
{
    const struct scion_array_definition *definition = &index->arrays[block->array]->definition;
    const sion_int64 *count = scion_array_index_box(index, block) + definition->ndims;
    uint64_t packed = index->packed ? index->packed[block - index->blocks] : 0;
    struct scion_array_stored stored = {
        0, {(int)(packed >> CODEC_AT & 255), (int)(packed >> SHUFFLE_AT)}};

    stored.bytes = packed > 0 ? (sion_int64)(packed & ((UINT64_C(1) << CODEC_AT) - 1))
                              : scion_array_bytes(definition->type, definition->ndims, count);
    return stored;
}

/* The same for the block that is added next. */
static int set_packed(struct scion_array_index *index, const struct scion_array_entry *entry,
                      const struct scion_array_coding *coding)
{
    uint32_t old = index->packed_room;

    if (entry->stored == 0 && !index->packed)
        return 0;
    if (GROW(index->packed, index->packed_room, index->nblocks, 1) != 0)
        return SION_ERR_MEMORY;
    memset(index->packed + old, 0, (index->packed_room - old) * sizeof *index->packed);
    if (entry->stored > 0)
        index->packed[index->nblocks] = (uint64_t)entry->stored |
                                        (uint64_t)coding->codec << CODEC_AT |
                                        (uint64_t)coding->shuffle << SHUFFLE_AT;
    return 0;
}

/* ---- adding blocks ---- */

/* Count the elements of a block in what is known of its array. */
static void add_data(const struct scion_array_index *index, struct scion_array *array,
                     const struct scion_array_block_entry *block, sion_int64 bytes)
{
    const struct scion_array_stored stored = scion_array_index_stored(index, block);

    if (array->bytes == 0)
        array->coding = stored.coding;
    array->is_mixed |= array->coding.codec != stored.coding.codec ||
                       array->coding.shuffle != stored.coding.shuffle;
    array->bytes += bytes;
    array->stored += stored.bytes;
    scion_array_range_join(array->definition.type, &block->range, &array->range);
    array->lacks_range |= !is_searched(array->definition.type, &block->range);
}

/* The block has the array's present box. coding: if its data are compressed. */
static int add_block(struct scion_array_index *index, struct scion_array *array, int task,
                     const struct scion_array_entry *entry, const struct scion_array_coding *coding)
{
    const struct scion_array_definition *definition = &array->definition;
    struct scion_array_block_entry *block;
    sion_int64 bytes;
    uint32_t number;
    int rc = number_step(index, entry->step, &number);

    if (rc == 0)
        rc = GROW(index->blocks, index->blocks_room, index->nblocks, 1);
    if (rc == 0)
        rc = set_packed(index, entry, coding);
    if (rc != 0)
        return rc;
    block = &index->blocks[index->nblocks++];
    *block = (struct scion_array_block_entry){entry->position, entry->range,   number,
                                              array->number,   (uint32_t)task, array->box};
    array->blocks++;
    bytes = scion_array_bytes(definition->type, definition->ndims,
                              index->boxes + array->box + definition->ndims);
    if (bytes > 0)
        add_data(index, array, block, bytes);
    return 0;
}

int scion_array_index_reserve(struct scion_array_index *index, sion_int64 blocks)
{
    if (index->blocks || blocks >= UINT32_MAX)
        return 0;
    index->blocks = scion_array((uint64_t)blocks + 1, sizeof *index->blocks);
    index->blocks_room = (uint32_t)blocks;
    return index->blocks ? 0 : no_memory();
}

int scion_array_index_add(struct scion_array_index *index, int task,
                          const struct scion_array_header *header, sion_int64 position)
{
    struct scion_array_definition definition = {.name = header->name,
                                                .name_length = header->name_length,
                                                .type = header->type,
                                                .ndims = header->ndims};
    struct scion_array_entry entry = {.step = header->step, .position = position};
    struct scion_array *array;
    int rc;

    memcpy(definition.shape, header->shape, (size_t)header->ndims * sizeof *header->shape);
    rc = define(index, &definition, &array);
    if (rc == 0)
        rc = need_box(index, array, header->offset, header->count);
    if (rc != 0)
        return rc;
    index->is_big[task] = (header->flags & SCION_ARRAY_BIG_ENDIAN) != 0;
    array->lacks_range = 1;
    scion_array_range_begin(header->type, &entry.range);
    if (header->coding.codec != SCION_ARRAY_PLAIN)
        entry.stored = header->bytes;
    return add_block(index, array, task, &entry, &header->coding);
}

/* ---- an encoded index ---- */

/* An array, and how this index says that its blocks are stored. */
struct numbered {
    struct scion_array *array;
    struct scion_array_definition definition;
};

struct decoder {
    struct scion_array_index *index;
    struct scion_array_reader reader;
    struct numbered *list; /* [n] arrays by their numbers in the encoded index */
    uint64_t n;
    int stream;
    const struct scion_array_trailer *trailer;
    scion_array_stream_length *stream_length;
    void *data;
};

static int decode_definitions(struct decoder *decoder)
{
    struct scion_array_reader *reader = &decoder->reader;
    struct numbered *at;
    uint64_t i;
    int rc = 0;

    decoder->n = scion_array_get_number(reader);
    if (reader->is_bad || decoder->n > (uint64_t)(reader->end - reader->at))
        return -1;
    decoder->list = scion_array((uint64_t)decoder->n + 1, sizeof *decoder->list);
    if (!decoder->list)
        return no_memory();
    for (i = 0; i < decoder->n && rc == 0; i++) {
        at = &decoder->list[i];
        rc = scion_array_get_definition(reader, decoder->trailer->has_codings, &at->definition);
        if (rc == 0)
            rc = define(decoder->index, &at->definition, &at->array);
    }
    return rc;
}

static int decode_texts(struct decoder *decoder)
{
    struct scion_array_text_of text;
    uint64_t n = scion_array_get_number(&decoder->reader), i;
    int rc = 0;

    for (i = 0; i < n && rc == 0; i++) {
        rc = scion_array_get_attribute(&decoder->reader, decoder->n, &text);
        if (rc == 0)
            rc = add_text(text.array > 0 ? &decoder->list[text.array - 1].array->texts
                                         : &decoder->index->texts,
                          text.key, text.key_length, text.value, text.value_length);
    }
    return rc;
}

static int decode_block(struct decoder *decoder, int task, struct scion_array_before *before,
                        sion_int64 end)
{
    struct scion_array_index *index = decoder->index;
    sion_int64 offset[SION_ARRAY_DIMS] = {0}, count[SION_ARRAY_DIMS] = {0};
    struct scion_array_entry entry = {.offset = offset, .count = count};
    const struct numbered *numbered;
    struct scion_array *array;
    size_t bytes;
    int rc;

    scion_array_get_entry_array(&decoder->reader, &entry);
    if (decoder->reader.is_bad || entry.array >= decoder->n)
        return -1;
    numbered = &decoder->list[entry.array];
    array = numbered->array;
    bytes = (size_t)array->definition.ndims * sizeof *offset;
    if (array->section == index->sections && array->blocks > 0) {
        memcpy(offset, index->boxes + array->box, bytes);
        memcpy(count, index->boxes + array->box + array->definition.ndims, bytes);
    } else if (entry.is_same_box && array->definition.ndims > 0) {
        return -1;
    }
    scion_array_range_begin(array->definition.type, &entry.range);
    rc = scion_array_get_entry(&decoder->reader, &entry, &numbered->definition, before);
    if (rc == 0 && before->end > end)
        return -1;
    if (rc == 0)
        rc = need_box(index, array, offset, count);
    array->section = index->sections;
    return rc != 0 ? rc : add_block(index, array, task, &entry, &numbered->definition.coding);
}

static int decode_section(struct decoder *decoder)
{
    struct scion_array_section section;
    struct scion_array_before before = {0};
    const unsigned char *end;
    sion_int64 length;
    int rc = 0;

    if (scion_array_get_section(&decoder->reader, &section) != 0)
        return -1;
    end = decoder->reader.at + section.bytes;
    if (decoder->stream >= 0 && decoder->trailer->is_whole && section.task != 0) {
        decoder->reader.at = end;
        return 0;
    }
    if (decoder->stream >= 0)
        section.task = (uint64_t)decoder->stream;
    if (section.task >= (uint64_t)decoder->index->ntasks)
        return -1;
    decoder->index->is_big[section.task] = (section.flags & SCION_ARRAY_BIG_ENDIAN) != 0;
    decoder->index->sections++;
    length = decoder->stream_length(decoder->data, (int)section.task);
    for (; section.blocks > 0 && rc == 0; section.blocks--)
        rc = decode_block(decoder, (int)section.task, &before, length);
    return rc == 0 && decoder->reader.at != end ? -1 : rc;
}

int scion_array_index_decode(struct scion_array_index *index, const unsigned char *bytes,
                             size_t length, int stream, const struct scion_array_trailer *trailer,
                             scion_array_stream_length *stream_length, void *data)
{
    struct decoder decoder = {.index = index,
                              .reader = {.at = bytes, .end = bytes + length},
                              .stream = stream,
                              .trailer = trailer,
                              .stream_length = stream_length,
                              .data = data};
    uint64_t sections;
    int rc = decode_definitions(&decoder);

    if (rc == 0)
        rc = decode_texts(&decoder);
    sections = rc == 0 ? scion_array_get_number(&decoder.reader) : 0;
    for (; sections > 0 && rc == 0; sections--)
        rc = decode_section(&decoder);
    if (rc == 0 && decoder.reader.is_bad)
        rc = -1;
    free(decoder.list);
    return rc;
}
