/* The arrays of a container that is being written, on one process. */
#ifndef SCION_ARRAY_WRITER_H
#define SCION_ARRAY_WRITER_H

#include "api/private_abi.h"
#include "array/payload.h"
#include "base/table.h"

struct scion_array_definition_entry {
    struct scion_array_definition definition; /* its name is after this */
    uint64_t number;
    UT_hash_handle hh;
};

struct scion_array_attribute_entry {
    struct scion_array_text_of attribute; /* key and value are after this */
    UT_hash_handle hh;
    unsigned char id[]; /* array and key */
};

/* A task of this process. */
struct scion_array_task {
    int rank; /* for sion_seek */
    uint64_t blocks;
    struct scion_array_bytes code; /* of the blocks, as in the index */
    struct scion_array_before before;
    sion_int64 **boxes; /* [nboxes] of the last block of each array: offsets, then counts */
    size_t nboxes;
};

struct scion_array_writer {
    int sid, has_crc, has_ranges;
    struct scion_array_definition_entry *defined; /* in the order of their numbers */
    struct scion_array_attribute_entry *attributes;
    uint64_t ndefinitions, nattributes;
    struct scion_array_task *tasks; /* [ntasks], those that have blocks or were written to */
    int ntasks;
};

/* NULL: there is no such array. */
struct scion_array_definition_entry *
scion_array_find_definition(const struct scion_array_writer *writer, const char *name,
                            size_t length);

/*
 * Write a record into the selected task's chunk, which has room for it. range receives the range of
 * the data; NULL: the record is not a block. *position: of the data in the stream.
 */
int scion_array_write_record(struct scion_array_writer *writer, const struct sion_layer_room *room,
                             struct scion_array_header *header, const void *data,
                             struct scion_array_range *range, sion_int64 *position);

/* Bytes from the position up to the data, if the record's header begins at `offset` of the file. */
sion_int64 scion_array_pad(sion_int64 offset);

/* Make sure that `bytes` of header and data fit where the task stands, or else go to its next
   chunk; *fits is 0 if no chunk is large enough. room is updated. */
int scion_array_make_room(int sid, sion_int64 bytes, struct sion_layer_room *room, int *fits);

/* Write the indexes, at the close. */
int scion_array_end(void *writer, struct scion_comm *comm, int is_mapped);

/*
 * Merge the definitions and attributes of all processes and the sections of their blocks. Local, on
 * the process that has all indexes.
 */
struct scion_array_merge;
int scion_array_merge_begin(struct scion_array_merge **merge);
/* Add the index of a process; its bytes must stay until the end. rank: for messages. */
int scion_array_merge_add(struct scion_array_merge *merge, int rank, const unsigned char *bytes,
                          size_t length);
/* The merged index. */
int scion_array_merge_end(struct scion_array_merge *merge, struct scion_array_bytes *bytes,
                          uint64_t *blocks);
void scion_array_merge_free(struct scion_array_merge *merge);

#endif
