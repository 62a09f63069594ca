/* Several files in one input: for each its size in 4 bytes, its name in 60, and its bytes. */
#ifndef TEST_FUZZ_JOINED_H
#define TEST_FUZZ_JOINED_H

#include "fuzz.h"

enum { JOINED_NAME = 60, JOINED_HEAD = 4 + JOINED_NAME, JOINED_MOST = 1 << 16 };

/* A file in the input; the last one may be cut off. */
struct joined {
    char name[JOINED_NAME + 1];
    size_t from, size; /* its bytes in the input */
};

/* The next file; set from and size to 0 before the first. 0: there is none. */
int joined_next(const uint8_t *bytes, size_t size, struct joined *file);

/* The nth file, of those that are there, for any number. 0: there is none. */
int joined_get(const uint8_t *bytes, size_t size, unsigned n, struct joined *file);

/* Add them in memory (memory.h), with names that begin with `folder`. */
void joined_add_all(const uint8_t *bytes, size_t size, const char *folder);

/* An input that grows. */
struct joined_input {
    uint8_t bytes[JOINED_MOST];
    size_t size;
};
void joined_append(struct joined_input *input, const char *name, const void *bytes, size_t size);

/* As `resized` of a target: the part that has byte `from` has become longer by `change`. */
void joined_resized(uint8_t *bytes, size_t size, size_t from, long change);

#endif
