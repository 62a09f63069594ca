/* Compressed blocks that are read. Those that were read last are kept, since programs mostly read
   other parts of them next. */
#include <stdlib.h>
#include <string.h>

#include "array/pack.h"
#include "array/reader.h"
#include "base/error.h"
#include "base/memory.h"

enum { KEPT = 16, KEPT_BYTES = 64 << 20 }; /* at most so many, unless one is larger */

struct kept {
    unsigned char *data; /* NULL: none */
    size_t bytes;
    uint32_t task;
    sion_int64 position, stored;
    uint64_t used; /* when, in calls */
};

struct scion_array_unpacked {
    struct scion_array_unpacker *unpacker;
    struct kept kept[KEPT];
    size_t bytes; /* of all of them */
    uint64_t calls;
};

void scion_array_unpacked_free(struct scion_array_unpacked *unpacked)
{
    int i;

    if (!unpacked)
        return;
    scion_array_unpacker_free(unpacked->unpacker);
    for (i = 0; i < KEPT; i++)
        free(unpacked->kept[i].data);
    free(unpacked);
}

static int need_unpacked(struct sion_array_reader *arrays)
{
    struct scion_array_unpacked *new;

    if (arrays->unpacked)
        return 0;
    new = calloc(1, sizeof *new);
    if (new)
        new->unpacker = scion_array_unpacker_new();
    if (!new || !new->unpacker) {
        free(new);
        return scion_fail_memory("compressed blocks");
    }
    arrays->unpacked = new;
    return 0;
}

static size_t plain_bytes(const struct sion_array_reader *arrays,
                          const struct scion_array_block_entry *block)
{
    const struct scion_array_definition *definition =
        &arrays->index->arrays[block->array]->definition;

    return (size_t)scion_array_bytes(definition->type, definition->ndims,
                                     scion_array_index_box(arrays->index, block) +
                                         definition->ndims);
}

static int check_sizes(const struct sion_array_reader *arrays,
                       const struct scion_array_block_entry *block)
{
    return scion_is_size((sion_int64)plain_bytes(arrays, block)) &&
                   scion_is_size(scion_array_index_stored(arrays->index, block).bytes)
               ? 0
               : scion_fail(SION_ERR_ARGUMENT, "a block of %lld bytes does not fit into memory",
                            (sion_int64)plain_bytes(arrays, block));
}

static int damaged(const struct sion_array_reader *arrays,
                   const struct scion_array_block_entry *block, const char *why)
{
    return scion_fail(SION_ERR_DAMAGED,
                      "%.400s: array %.200s: the compressed block of task %d at byte %lld: %s",
                      arrays->file, arrays->index->arrays[block->array]->definition.name,
                      (int)block->task, block->position, why);
}

int scion_array_read_stored(struct sion_array_reader *arrays,
                            const struct scion_array_block_entry *block,
                            const unsigned char **stored)
{
    sion_int64 bytes = scion_array_index_stored(arrays->index, block).bytes;
    int rc = check_sizes(arrays, block);
    unsigned char *room;

    if (rc == 0)
        rc = need_unpacked(arrays);
    if (rc != 0)
        return rc;
    room = scion_array_unpacker_room(arrays->unpacked->unpacker, (size_t)bytes);
    *stored = room;
    return room ? scion_array_streams_read(arrays->streams, (int)block->task, block->position, room,
                                           bytes)
                : SION_ERR_MEMORY;
}

int scion_array_unpack_stored(struct sion_array_reader *arrays,
                              const struct scion_array_block_entry *block, void *to)
{
    const struct scion_array_stored stored = scion_array_index_stored(arrays->index, block);
    const struct scion_array_definition *definition =
        &arrays->index->arrays[block->array]->definition;
    const struct scion_array_pack_block plain = {definition->type, definition->ndims,
                                                 scion_array_index_box(arrays->index, block) +
                                                     definition->ndims,
                                                 NULL, plain_bytes(arrays, block)};
    const char *why;
    int rc = scion_array_unpack(arrays->unpacked->unpacker, &stored.coding, (size_t)stored.bytes,
                                &plain, to, &why);

    return why ? damaged(arrays, block, why) : rc;
}

int scion_array_unpack_into(struct sion_array_reader *arrays,
                            const struct scion_array_block_entry *block, void *to)
{
    const unsigned char *stored;
    int rc = scion_array_read_stored(arrays, block, &stored);

    return rc == 0 ? scion_array_unpack_stored(arrays, block, to) : rc;
}

/* ---- kept ones ---- */

/* An index may say that two blocks begin at one place. */
static struct kept *find(const struct sion_array_reader *arrays,
                         const struct scion_array_block_entry *block)
{
    sion_int64 stored = scion_array_index_stored(arrays->index, block).bytes;
    size_t bytes = plain_bytes(arrays, block);
    int i;

    for (i = 0; i < KEPT; i++) {
        struct kept *kept = &arrays->unpacked->kept[i];

        if (kept->data && kept->task == block->task && kept->position == block->position &&
            kept->bytes == bytes && kept->stored == stored)
            return kept;
    }
    return NULL;
}

static void drop(struct scion_array_unpacked *unpacked, struct kept *kept)
{
    free(kept->data);
    unpacked->bytes -= kept->bytes;
    *kept = (struct kept){0};
}

/* The one that was not used for the longest time, or, without data, a free one. */
static struct kept *oldest(struct scion_array_unpacked *unpacked, int has_data)
{
    struct kept *found = NULL;
    int i;

    for (i = 0; i < KEPT; i++) {
        struct kept *kept = &unpacked->kept[i];

        if (!kept->data && !has_data)
            return kept;
        if (kept->data && (!found || kept->used < found->used))
            found = kept;
    }
    return found;
}

/* A place for so many bytes. */
static struct kept *make_place(struct scion_array_unpacked *unpacked, size_t bytes)
{
    struct kept *place;

    while (unpacked->bytes > 0 &&
           (bytes > KEPT_BYTES || unpacked->bytes > (size_t)KEPT_BYTES - bytes))
        drop(unpacked, oldest(unpacked, 1));
    place = oldest(unpacked, 0);
    if (place->data)
        drop(unpacked, place);
    return place;
}

void scion_array_forget_unpacked(struct sion_array_reader *arrays)
{
    int i;

    for (i = 0; arrays->unpacked && i < KEPT; i++)
        drop(arrays->unpacked, &arrays->unpacked->kept[i]);
}

int scion_array_unpack_kept(struct sion_array_reader *arrays,
                            const struct scion_array_block_entry *block, const unsigned char **data)
{
    size_t bytes = plain_bytes(arrays, block);
    int rc = check_sizes(arrays, block);
    struct kept *kept;

    if (rc == 0)
        rc = need_unpacked(arrays);
    if (rc != 0)
        return rc;
    kept = find(arrays, block);
    if (!kept) {
        kept = make_place(arrays->unpacked, bytes);
        *kept = (struct kept){malloc(bytes),
                              bytes,
                              block->task,
                              block->position,
                              scion_array_index_stored(arrays->index, block).bytes,
                              0};
        if (!kept->data) {
            *kept = (struct kept){0};
            return scion_fail_memory("compressed blocks");
        }
        arrays->unpacked->bytes += bytes;
        rc = scion_array_unpack_into(arrays, block, kept->data);
    }
    kept->used = ++arrays->unpacked->calls;
    *data = kept->data;
    if (rc != 0)
        drop(arrays->unpacked, kept);
    return rc;
}
