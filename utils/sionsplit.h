/* The parts of sionsplit. */
#ifndef UTILS_SIONSPLIT_H
#define UTILS_SIONSPLIT_H

#include "input.h"
#include "output.h"

enum {
    /* No file system takes longer names. */
    DIGITS_MAX = 255,
    /* Bytes that a number, a key and a NUL take at most besides. */
    NUMBER_MAX = 64
};

struct split_settings {
    int use_globalranks;
    int digits;
    int verbose;
    const char *prefix;
};

/* The number in the names of a task's files. */
static inline sion_int64 split_number(const struct split_settings *settings,
                                      const struct input *input, int task)
{
    return settings->use_globalranks ? input_globalrank(input, task) : task;
}

/* Bytes that are read at a time from a key-value container. */
size_t split_buffer_size(const struct input *input);

/* One file for each key of each task. path: room for prefix, numbers and NUMBER_MAX. */
int split_keys(const struct split_settings *settings, struct copy *copy, char *path, size_t size);

#endif
