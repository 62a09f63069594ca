/* Reading a container in memory (memory.h) in several ways, which must agree. */
#ifndef TEST_FUZZ_CONTAINER_H
#define TEST_FUZZ_CONTAINER_H

#include "fuzz.h"
#include "memory.h"

#define CONTAINER "/memory/c.sion"

/* A digest of a task's stream, and its bytes. It begins with all members 0. */
struct container_stream {
    int is_locked;         /* the task is damaged, so nothing of it is read */
    uint64_t digest, part; /* part: the newest eight bytes */
    size_t mixed;          /* bytes in the digest, with those of keys */
    sion_int64 bytes;
};

/* What sion_open has found; NULL: it has refused the container. */
struct container {
    int ntasks, is_set;
    struct container_stream *streams; /* [ntasks] */
};

/*
 * Read all data of CONTAINER by sion_open with this mode string. What an open accepts must be there
 * to the last byte; a key-value stream may be damaged. The caller frees it.
 */
struct container *container_read(const char *mode);
void container_free(struct container *container);

/* The same by sion_open_rank: each task must have the same bytes. Of a damaged task, the open or
   the reads fail. */
void container_compare_ranks(const struct container *container, const char *mode);

/* Both, of one file. */
void container_try(const uint8_t *bytes, size_t size, const char *mode);

/* Add bytes to the digest. */
void container_mix(struct container_stream *stream, const void *bytes, size_t n);

int container_same(const struct container_stream *a, const struct container_stream *b);

/* Where META2 begins, what is behind it, and its tail, if the header of `bytes` says so. */
struct container_places {
    size_t arrays, tail, meta2, end; /* end: of META2 */
    int ntasks, nfiles, maxchunks, swapped;
};

/* 1, or 0: the header is damaged. All places are at most `size` and ascend. */
int container_find(const uint8_t *bytes, size_t size, struct container_places *places);

#endif
