/*
 * What a fuzz target gives to the driver, which is a test program, a libFuzzer target or an AFL++
 * target (driver.c). doc/testing.md, "Fuzzing", has the commands.
 */
#ifndef TEST_FUZZ_FUZZ_H
#define TEST_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sion_datatypes.h"

/* Takes a copy of an input to begin with. */
typedef void fuzz_take(const void *bytes, size_t size);

struct fuzz_target {
    /* The file to be read; a memory error, a leak or FUZZ_CHECK ends the process. */
    void (*run)(const uint8_t *bytes, size_t size);

    /* NULL, or a part in which most changes are made: from the result to *end <= size. dice: any
       number, to choose a part. */
    size_t (*focus)(const uint8_t *bytes, size_t size, unsigned dice, size_t *end);

    /* NULL, or correct what says how long the parts are: that from byte `from` on has been changed,
       and is longer by `change` than before. Called when `bytes` are as before. */
    void (*resized)(uint8_t *bytes, size_t size, size_t from, long change);

    /* NULL, or correct the checksums, so that the bytes that they cover are read. */
    void (*seal)(uint8_t *bytes, size_t size);

    /* NULL, or make inputs of which there is no golden file. */
    void (*make)(fuzz_take *take);

    const char *const *samples; /* golden files, then NULL */
    int rounds;                 /* of the test, for each input */
    size_t most;                /* bytes of an input of libFuzzer, or 0: 64 KiB */
};

/* A golden file, which the caller frees. */
uint8_t *fuzz_golden(const char *name, size_t *size);

extern const struct fuzz_target fuzz_target;

/* A property that must hold for every input. */
#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
