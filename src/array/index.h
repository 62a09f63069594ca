/*
 * All that readers know of the arrays of a container: definitions, attributes, and where the blocks
 * are. A block takes 40 bytes and those of its box, a
 * compressed one 8 more. Pure.
 */
#ifndef SCION_ARRAY_INDEX_MEMORY_H
#define SCION_ARRAY_INDEX_MEMORY_H

#include "array/payload.h"
#include "base/table.h"

/* A text of an array, or of the container. */
struct scion_array_text_entry {
    char *key, *value;
};

struct scion_array_texts {
    struct scion_array_text_entry *list;
    int n;
};

struct scion_array {
    struct scion_array_definition definition; /* its name ends with a NUL and is this one's */
    uint32_t number;
    struct scion_array_texts texts;
    sion_int64 bytes, stored;         /* in all blocks, and what these take in the streams */
    struct scion_array_coding coding; /* of its blocks with elements */
    int is_mixed;                     /* some of which have another one */
    struct scion_array_range range;   /* of all blocks, when the index is finished */
    int lacks_range;                  /* that of a block is not known */

    uint32_t first, blocks;     /* in the index's order; when finished, without empty ones */
    uint32_t first_step, steps; /* in its step_lists */

    uint64_t section; /* while blocks are added: the task whose last block has `box` */
    uint32_t box;
    UT_hash_handle hh;
};

struct scion_array_block_entry {
    sion_int64 position; /* of the data in the task's stream */
    struct scion_array_range range;
    uint32_t step, array, task;
    uint32_t box; /* where its offsets and counts begin */
};

struct scion_array_index {
    struct scion_array *by_name;
    struct scion_array **arrays; /* [narrays] by number */
    uint32_t narrays, room;
    struct scion_array_texts texts;

    struct scion_array_block_entry *blocks; /* [nblocks] */
    uint32_t nblocks, blocks_room;
    uint64_t *packed; /* [packed_room >= nblocks] bytes and coding of data that are compressed, 0:
                         they are not; NULL: all are not */
    uint32_t packed_room;
    sion_int64 *boxes;
    uint32_t nboxes, boxes_room;

    sion_int64 *steps; /* [nsteps] all that are there; ascending when the index is finished */
    uint32_t nsteps, steps_room, last_step;
    uint32_t *slots; /* [nslots] of a hash table of steps: number + 1 */
    uint32_t nslots;

    uint32_t *order;      /* [nblocks] by array, step, task, and as they were put; not empty ones */
    uint32_t *step_lists; /* of each array */
    uint64_t sections;
    unsigned char *is_big; /* [ntasks] byte order */
    int ntasks;
};

struct scion_array_index *scion_array_index_new(int ntasks);
void scion_array_index_free(struct scion_array_index *index);

/* The data of a block as they are in the stream. */
struct scion_array_stored {
    sion_int64 bytes;
    struct scion_array_coding coding;
};

struct scion_array_stored scion_array_index_stored(const struct scion_array_index *index,
                                                   const struct scion_array_block_entry *block);

/* 1: it is compressed. */
static inline int scion_array_is_packed(const struct scion_array_index *index,
                                        const struct scion_array_block_entry *block)
{
    return index->packed && index->packed[block - index->blocks] > 0;
}

/* NULL: there is none. */
struct scion_array *scion_array_index_find(const struct scion_array_index *index, const char *name,
                                           size_t length);

/* Bytes of a task's stream, within which blocks must be. */
typedef sion_int64 scion_array_stream_length(void *data, int task);

/* Room for exactly so many blocks. */
int scion_array_index_reserve(struct scion_array_index *index, sion_int64 blocks);

/*
 * Add everything in an encoded index. stream: -1, all tasks have the numbers that the index says;
 * else only the blocks of the stream that the index ends, whatever its number was when it was
 * written. trailer: whether the index is of all tasks, and so ends task 0's stream, and whether it
 * has codings. -1, without a message: it is damaged, and `index` can only be freed.
 */
int scion_array_index_decode(struct scion_array_index *index, const unsigned char *bytes,
                             size_t length, int stream, const struct scion_array_trailer *trailer,
                             scion_array_stream_length *stream_length, void *data);

/* Add a block whose data are at `position`, or an attribute, as its header describes it. */
int scion_array_index_add(struct scion_array_index *index, int task,
                          const struct scion_array_header *header, sion_int64 position);
int scion_array_index_add_text(struct scion_array_index *index,
                               const struct scion_array_header *header, const char *data);

/* Call it when everything has been added. */
int scion_array_index_finish(struct scion_array_index *index);

/* The blocks of an array and a step, or, SION_ARRAY_NEWEST, of all: order[*first] and on. */
uint32_t scion_array_index_blocks(const struct scion_array_index *index,
                                  const struct scion_array *array, sion_int64 step,
                                  uint32_t *first);

/* Whether a block of the array has this step, be it without elements. */
int scion_array_index_has_step(const struct scion_array_index *index,
                               const struct scion_array *array, sion_int64 step);

/* Offsets of a block; its counts are after them. */
static inline const sion_int64 *scion_array_index_box(const struct scion_array_index *index,
                                                      const struct scion_array_block_entry *block)
{
    return index->boxes + block->box;
}

/* NULL: there is none. */
const char *scion_array_text_find(const struct scion_array_texts *texts, const char *key);

#endif
