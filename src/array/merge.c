/* Merge the indexes of all processes into one. Pure. */
#include <stdlib.h>
#include <string.h>

#include "array/index.h"
#include "array/writer.h"
#include "base/error.h"
#include "base/memory.h"

/* A definition of the merged index, found by name. The name stays in the bytes of the process's
   index. */
struct name_entry {
    struct scion_array_definition definition;
    uint64_t number;
    int rank;
    UT_hash_handle hh;
};

struct text {
    struct scion_array_text_of attribute;
    int rank;
    UT_hash_handle hh;
    unsigned char id[]; /* array and key */
};

struct scion_array_merge {
    struct name_entry *name_entry;
    struct text *texts;
    struct scion_array_definition *definitions; /* of the index at hand, [nlist] */
    uint64_t *numbers;                          /* of the same arrays in the merged index */
    uint64_t nlist;
    struct scion_array_bytes sections;
    uint64_t nknown, ntexts, nsections, blocks;

    /* The beginning of the last index and its length: most indexes begin with the same bytes. */
    const unsigned char *names;
    size_t names_length;
    int has_codings; /* the last index; those before may be others */
};

int scion_array_merge_begin(struct scion_array_merge **merge)
{
    *merge = calloc(1, sizeof **merge);
    return *merge ? 0 : scion_fail_memory("index of arrays");
}

void scion_array_merge_free(struct scion_array_merge *merge)
{
    struct name_entry *name_entry, *next_known;
    struct text *text, *next_text;

    if (!merge)
        return;
    HASH_ITER(hh, merge->name_entry, name_entry, next_known)
    {
        HASH_DEL(merge->name_entry, name_entry);
        free(name_entry);
    }
    HASH_ITER(hh, merge->texts, text, next_text)
    {
        HASH_DEL(merge->texts, text);
        free(text);
    }
    free(merge->definitions);
    free(merge->numbers);
    scion_array_bytes_free(&merge->sections);
    free(merge);
}

static int damaged(int rank)
{
    return scion_fail(SION_ERR_COMM, "the index of arrays that rank %d has sent is damaged", rank);
}

/* Bytes of a name in a message. */
static int shown(size_t length)
{
    return length > 200 ? 200 : (int)length;
}

/* ---- definitions ---- */

static int add_definition(struct scion_array_merge *merge, int rank,
                          const struct scion_array_definition *definition, uint64_t *number)
{
    struct name_entry *name_entry;

    HASH_FIND(hh, merge->name_entry, definition->name, definition->name_length, name_entry);
    if (name_entry && !scion_array_is_same(&name_entry->definition, definition))
        return scion_fail(SION_ERR_MISMATCH,
                          "array %.*s is defined with another type or shape on rank %d than on "
                          "rank %d",
                          shown(definition->name_length), definition->name, rank, name_entry->rank);
    if (name_entry && (name_entry->definition.coding.codec != definition->coding.codec ||
                       name_entry->definition.coding.shuffle != definition->coding.shuffle))
        return scion_fail(SION_ERR_MISMATCH,
                          "array %.*s has another codec on rank %d than on rank %d",
                          shown(definition->name_length), definition->name, rank, name_entry->rank);
    if (!name_entry && merge->names)
        return scion_fail(SION_ERR_MISMATCH, "array %.*s is defined on rank %d, but not on others",
                          shown(definition->name_length), definition->name, rank);
    if (!name_entry) {
        name_entry = malloc(sizeof *name_entry);
        if (!name_entry)
            return scion_fail_memory("index of arrays");
        *name_entry = (struct name_entry){*definition, merge->nknown, rank, {0}};
        HASH_ADD_KEYPTR(hh, merge->name_entry, name_entry->definition.name, definition->name_length,
                        name_entry);
        if (!SCION_TABLE_HAS(name_entry)) {
            free(name_entry);
            return scion_fail_memory("index of arrays");
        }
        merge->nknown++;
    }
    *number = name_entry->number;
    return 0;
}

/* All processes define the same arrays; those of this one are known. */
static int find_missing(const struct scion_array_merge *merge, int rank)
{
    unsigned char *is_there = calloc((size_t)merge->nknown + 1, 1);
    const struct name_entry *name_entry = merge->name_entry;
    uint64_t i;
    int rc = is_there ? 0 : scion_fail_memory("index of arrays");

    for (i = 0; i < merge->nlist && rc == 0; i++)
        is_there[merge->numbers[i]] = 1;
    while (name_entry && rc == 0 && is_there[name_entry->number])
        name_entry = name_entry->hh.next;
    if (name_entry && rc == 0)
        rc = scion_fail(SION_ERR_MISMATCH, "array %.*s is defined on rank %d, but not on rank %d",
                        shown(name_entry->definition.name_length), name_entry->definition.name,
                        name_entry->rank, rank);
    free(is_there);
    return rc;
}

static int add_definitions(struct scion_array_merge *merge, int rank,
                           struct scion_array_reader *reader)
{
    uint64_t n = scion_array_get_number(reader), i;
    int rc = 0;

    if (reader->is_bad || n > (uint64_t)(reader->end - reader->at))
        return damaged(rank);
    free(merge->definitions);
    free(merge->numbers);
    merge->nlist = n;
    merge->definitions = scion_array((uint64_t)n + 1, sizeof *merge->definitions);
    merge->numbers = scion_array((uint64_t)n + 1, sizeof *merge->numbers);
    if (!merge->definitions || !merge->numbers)
        return scion_fail_memory("index of arrays");
    for (i = 0; i < n && rc == 0; i++) {
        if (scion_array_get_definition(reader, merge->has_codings, &merge->definitions[i]) != 0)
            return damaged(rank);
        rc = add_definition(merge, rank, &merge->definitions[i], &merge->numbers[i]);
    }
    return rc == 0 && merge->names ? find_missing(merge, rank) : rc;
}

/* ---- attributes ---- */

static int add_text(struct scion_array_merge *merge, int rank,
                    const struct scion_array_text_of *attribute)
{
    size_t id = sizeof attribute->array + attribute->key_length;
    struct text *new = malloc(sizeof *new + id), *old;

    if (!new)
        return scion_fail_memory("index of arrays");
    memcpy(new->id, &attribute->array, sizeof attribute->array);
    memcpy(new->id + sizeof attribute->array, attribute->key, attribute->key_length);
    new->attribute = *attribute;
    new->rank = rank;
    HASH_FIND(hh, merge->texts, new->id, id, old);
    if (!old) {
        HASH_ADD(hh, merge->texts, id[0], id, new);
        if (SCION_TABLE_HAS(new)) {
            merge->ntexts++;
            return 0;
        }
    }
    free(new);
    if (!old)
        return scion_fail_memory("index of arrays");
    return old->attribute.value_length == attribute->value_length &&
                   memcmp(old->attribute.value, attribute->value, attribute->value_length) == 0
               ? 0
               : scion_fail(SION_ERR_MISMATCH,
                            "attribute %.*s has another value on rank %d than on rank %d",
                            shown(attribute->key_length), attribute->key, rank, old->rank);
}

static int add_attributes(struct scion_array_merge *merge, int rank,
                          struct scion_array_reader *reader)
{
    struct scion_array_text_of attribute;
    uint64_t n = scion_array_get_number(reader), i;
    int rc = 0;

    for (i = 0; i < n && rc == 0; i++) {
        if (reader->is_bad || scion_array_get_attribute(reader, merge->nlist, &attribute) != 0)
            return damaged(rank);
        if (attribute.array > 0)
            attribute.array = merge->numbers[attribute.array - 1] + 1;
        rc = add_text(merge, rank, &attribute);
    }
    return reader->is_bad ? damaged(rank) : rc;
}

/* ---- blocks ---- */

/* Blocks are encoded relative to the blocks before them, so only the array's number changes. */
static int renumber(struct scion_array_merge *merge, int rank, struct scion_array_reader *reader,
                    uint64_t blocks, struct scion_array_bytes *code)
{
    struct scion_array_entry entry;
    uint64_t i;
    int rc = 0;

    for (i = 0; i < blocks && rc == 0; i++) {
        scion_array_get_entry_array(reader, &entry);
        if (reader->is_bad || entry.array >= merge->nlist)
            return damaged(rank);
        rc = scion_array_copy_entry(reader, code, &entry, merge->numbers[entry.array],
                                    &merge->definitions[entry.array]);
    }
    return rc;
}

static int has_same_numbers(const struct scion_array_merge *merge)
{
    uint64_t i = 0;

    while (i < merge->nlist && merge->numbers[i] == i)
        i++;
    return i == merge->nlist;
}

static int add_section(struct scion_array_merge *merge, int rank, struct scion_array_reader *reader,
                       int is_same_order)
{
    struct scion_array_section section;
    struct scion_array_bytes code = {0};
    struct scion_array_reader blocks;
    int rc = 0;

    if (scion_array_get_section(reader, &section) != 0)
        return damaged(rank);
    blocks = (struct scion_array_reader){.at = reader->at, .end = reader->at + section.bytes};
    reader->at += section.bytes;
    merge->blocks += section.blocks;
    merge->nsections++;
    if (!is_same_order)
        rc = renumber(merge, rank, &blocks, section.blocks, &code);
    if (!is_same_order)
        section.bytes = code.length;
    if (rc == 0)
        rc = scion_array_put_section(&merge->sections, &section);
    if (rc == 0)
        rc = scion_array_put_raw(&merge->sections, is_same_order ? blocks.at : code.at,
                                 (size_t)section.bytes);
    scion_array_bytes_free(&code);
    return rc;
}

int scion_array_merge_add(struct scion_array_merge *merge, int rank, int has_codings,
                          const unsigned char *bytes, size_t length)
{
    struct scion_array_reader reader = {.at = bytes, .end = bytes + length};
    uint64_t n;
    int rc = 0, is_same_order;

    if (merge->names_length > 0 && merge->has_codings == has_codings &&
        length >= merge->names_length && memcmp(merge->names, bytes, merge->names_length) == 0) {
        reader.at += merge->names_length;
    } else {
        merge->has_codings = has_codings;
        rc = add_definitions(merge, rank, &reader);
        if (rc == 0)
            rc = add_attributes(merge, rank, &reader);
        merge->names = bytes;
        merge->names_length = (size_t)(reader.at - bytes);
    }
    if (rc != 0)
        return rc;
    is_same_order = has_same_numbers(merge);
    for (n = scion_array_get_number(&reader); n > 0 && rc == 0 && !reader.is_bad; n--)
        rc = add_section(merge, rank, &reader, is_same_order);
    return reader.is_bad ? damaged(rank) : rc;
}

/* ---- what an older generation has named ---- */

static int find_text(const struct scion_array_merge *merge,
                     const struct scion_array_text_of *attribute)
{
    const struct text *text = merge->texts;

    while (text && (text->attribute.array != attribute->array ||
                    text->attribute.key_length != attribute->key_length ||
                    memcmp(text->attribute.key, attribute->key, attribute->key_length) != 0))
        text = text->hh.next;
    return text != NULL;
}

/* array: its number and 1; 0: of the container. */
static int inherit_texts(struct scion_array_merge *merge, const struct scion_array_texts *texts,
                         uint64_t array)
{
    int rc = 0, i;

    for (i = 0; i < texts->n && rc == 0; i++) {
        const struct scion_array_text_entry *entry = &texts->list[i];
        const struct scion_array_text_of attribute = {.array = array,
                                                      .key = entry->key,
                                                      .key_length = strlen(entry->key),
                                                      .value = entry->value,
                                                      .value_length = strlen(entry->value)};

        if (!find_text(merge, &attribute))
            rc = add_text(merge, 0, &attribute);
    }
    return rc;
}

int scion_array_merge_inherit(struct scion_array_merge *merge, const struct scion_array_index *past)
{
    const unsigned char *names = merge->names;
    int rc = inherit_texts(merge, &past->texts, 0);
    uint32_t i;

    merge->names = NULL; /* processes need not have defined them */
    for (i = 0; i < past->narrays && rc == 0; i++) {
        const struct scion_array_definition *definition = &past->arrays[i]->definition;
        const struct name_entry *known;
        uint64_t number;

        HASH_FIND(hh, merge->name_entry, definition->name, definition->name_length, known);
        if (known)
            number = known->number;
        else
            rc = add_definition(merge, 0, definition, &number);
        if (rc == 0)
            rc = inherit_texts(merge, &past->arrays[i]->texts, number + 1);
    }
    merge->names = names;
    return rc;
}

int scion_array_merge_end(struct scion_array_merge *merge, struct scion_array_bytes *bytes,
                          uint64_t *blocks, int *has_codings)
{
    const struct name_entry *name_entry;
    const struct text *text;
    int rc = scion_array_put_number(bytes, merge->nknown);

    *blocks = merge->blocks;
    *has_codings = 0;
    for (name_entry = merge->name_entry; name_entry; name_entry = name_entry->hh.next)
        *has_codings |= name_entry->definition.coding.codec != SCION_ARRAY_PLAIN;
    for (name_entry = merge->name_entry; name_entry && rc == 0; name_entry = name_entry->hh.next)
        rc = scion_array_put_definition(bytes, *has_codings, &name_entry->definition);
    if (rc == 0)
        rc = scion_array_put_number(bytes, merge->ntexts);
    for (text = merge->texts; text && rc == 0; text = text->hh.next)
        rc = scion_array_put_attribute(bytes, &text->attribute);
    if (rc == 0)
        rc = scion_array_put_number(bytes, merge->nsections);
    return rc != 0 ? rc : scion_array_put_raw(bytes, merge->sections.at, merge->sections.length);
}
