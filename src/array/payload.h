/*
 * The bytes of an index: definitions, attributes, and for each task its blocks, in numbers of as
 * few bytes as they need. Pure.
 */
#ifndef SCION_ARRAY_PAYLOAD_H
#define SCION_ARRAY_PAYLOAD_H

#include "array/codec.h"

/* Bytes that grow. */
struct scion_array_bytes {
    unsigned char *at;
    size_t length, capacity;
};

/* 0, or an error: no memory. */
int scion_array_put_raw(struct scion_array_bytes *bytes, const void *from, size_t length);
int scion_array_put_number(struct scion_array_bytes *bytes, uint64_t number);
int scion_array_put_text(struct scion_array_bytes *bytes, const char *text, size_t length);
void scion_array_bytes_free(struct scion_array_bytes *bytes);

/* Bytes from a file. Reading past their end, or an impossible value, sets is_bad and returns 0. At
   least four readable bytes must be beyond the end. */
struct scion_array_reader {
    const unsigned char *at, *end;
    int is_bad;
};

uint64_t scion_array_get_number(struct scion_array_reader *reader);
const char *scion_array_get_text(struct scion_array_reader *reader, size_t *length);
const unsigned char *scion_array_get_raw(struct scion_array_reader *reader, size_t length);

/* ---- what is in it ---- */

struct scion_array_definition {
    const char *name;
    size_t name_length;
    int type, ndims;
    sion_int64 shape[SION_ARRAY_DIMS];
    struct scion_array_coding coding; /* of its blocks in one index; plain ones may be among them */
};

/* Whether type and shape are equal; the names and codings are not compared. */
int scion_array_is_same(const struct scion_array_definition *a,
                        const struct scion_array_definition *b);

/* has_codings: as that of the trailer. Without it, all blocks are plain. */
int scion_array_put_definition(struct scion_array_bytes *bytes, int has_codings,
                               const struct scion_array_definition *definition);
/* 0, or -1: is_bad is set, or the definition is impossible. */
int scion_array_get_definition(struct scion_array_reader *reader, int has_codings,
                               struct scion_array_definition *definition);

/* array: 0 for the container, else the number of a definition + 1. */
struct scion_array_text_of {
    uint64_t array;
    const char *key, *value;
    size_t key_length, value_length;
};

int scion_array_put_attribute(struct scion_array_bytes *bytes,
                              const struct scion_array_text_of *attribute);
int scion_array_get_attribute(struct scion_array_reader *reader, uint64_t arrays,
                              struct scion_array_text_of *attribute);

/* A task's blocks: `bytes` of them follow. */
struct scion_array_section {
    uint64_t task, flags, blocks, bytes;
};

int scion_array_put_section(struct scion_array_bytes *bytes,
                            const struct scion_array_section *section);
int scion_array_get_section(struct scion_array_reader *reader, struct scion_array_section *section);

/* ---- blocks ---- */

/* What a block is encoded relative to: the one before it in the section. */
struct scion_array_before {
    sion_int64 step, end; /* its step, and where its data end in the stream */
};

struct scion_array_entry {
    uint64_t array;
    int is_same_box; /* as the block of this array before it in the section: offset, count are its
                      */
    int has_range;
    sion_int64 step, position;  /* of the data in the stream */
    sion_int64 stored;          /* bytes of compressed data; 0: they are plain */
    sion_int64 *offset, *count; /* [ndims]; before decoding, those of the block before it, or 0 */
    struct scion_array_range range;
};

/* entry->offset and ->count are the block's; `last` those of the block before it (NULL: none). */
int scion_array_put_entry(struct scion_array_bytes *bytes, const struct scion_array_entry *entry,
                          const struct scion_array_definition *definition,
                          const sion_int64 *last_offset, const sion_int64 *last_count,
                          struct scion_array_before *before);

/* Decode in two steps: first the array's number, then the rest, for which its definition is
   needed. */
void scion_array_get_entry_array(struct scion_array_reader *reader,
                                 struct scion_array_entry *entry);
int scion_array_get_entry(struct scion_array_reader *reader, struct scion_array_entry *entry,
                          const struct scion_array_definition *definition,
                          struct scion_array_before *before);

/* Copy one entry under another number of its array. */
int scion_array_copy_entry(struct scion_array_reader *reader, struct scion_array_bytes *bytes,
                           const struct scion_array_entry *entry, uint64_t array,
                           const struct scion_array_definition *definition);

/* Whether a program's memory is of the array's type, and has the bytes that are needed. */
int scion_array_check_memory(const struct scion_array_definition *definition, sion_int64 needed,
                             int type, const void *data, size_t bytes);

/* The bytes only; needed is what scion_array_bytes returned. */
int scion_array_check_room(const struct scion_array_definition *definition, sion_int64 needed,
                           const void *data, size_t bytes);

#endif
