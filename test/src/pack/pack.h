/* Tars and indexes in memory, for the tests of packed files. */
#ifndef TEST_PACK_H
#define TEST_PACK_H

#include "check.h"

#include "base/error.h"
#include "pack/tar.h"
#include "scratch.h"

struct memory {
    unsigned char *bytes;
    size_t size, room;
    size_t read; /* bytes that were read of it */
};

static inline int memory_read(void *context, void *to, size_t bytes, sion_int64 offset)
{
    struct memory *memory = context;

    CHECK(offset >= 0 && (size_t)offset <= memory->size && bytes <= memory->size - (size_t)offset);
    if (bytes > 0)
        memcpy(to, memory->bytes + offset, bytes);
    memory->read += bytes;
    return 0;
}

/* As a callback of pack/write.h, for a task or an index. */
static inline int memory_write(void *context, const void *data, size_t bytes, sion_int64 offset)
{
    struct memory *memory = context;
    size_t end = (size_t)offset + bytes;

    if (end > memory->room) {
        memory->room = 2 * end;
        memory->bytes = realloc(memory->bytes, memory->room);
    }
    if (end > memory->size) {
        memset(memory->bytes + memory->size, 0, end - memory->size);
        memory->size = end;
    }
    if (bytes > 0)
        memcpy(memory->bytes + offset, data, bytes);
    return 0;
}

static inline struct scion_pack_source memory_source(struct memory *memory)
{
    return (struct scion_pack_source){.read = memory_read, .context = memory};
}

static inline struct memory memory_of_file(const char *path)
{
    long long size = scratch_size(path);
    struct memory memory = {.size = size > 0 ? (size_t)size : 0};

    memory.room = memory.size + 1;
    memory.bytes = malloc(memory.room);
    scratch_read(path, memory.bytes, memory.size);
    return memory;
}

/* All members of a tar as a list; the result of the reader. */
static inline int list_tar(struct memory *tar, struct scion_pack_list *list)
{
    static struct scion_tar_reader reader;
    const struct scion_pack_source source = memory_source(tar);
    const struct scion_pack_entry *entry;
    int rc;

    scion_tar_open(&reader, &source, (sion_int64)tar->size, 0);
    do {
        rc = scion_tar_next(&reader, &entry);
        if (rc == 0 && entry)
            rc = scion_pack_list_add(list, entry);
    } while (rc == 0 && entry);
    return rc;
}

#endif
