/* The settings of sionsplit. */
#ifndef UTILS_SIONSPLIT_SETTINGS_H
#define UTILS_SIONSPLIT_SETTINGS_H

#include "lib/input.h"

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

#endif
