/* The settings of sionsplit. */
#ifndef UTILS_SIONSPLIT_SETTINGS_H
#define UTILS_SIONSPLIT_SETTINGS_H

#include "lib/input.h"
#include "lib/numbers.h"
#include "lib/share.h"

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
    int files;          /* packed ones */
    int links_anywhere; /* of them: links that lead out of the folder are made, too */
    const char *prefix;
    struct numbers tasks, keys; /* that are wanted */
    struct share share;         /* of the tasks */
};

/* The number in the names of a task's files. */
static inline sion_int64 split_number(const struct split_settings *settings,
                                      const struct input *input, int task)
{
    return settings->use_globalranks ? input_globalrank(input, task) : task;
}

/* Whether this process makes files of the task. */
static inline int split_wants(const struct split_settings *settings, int task)
{
    return numbers_have(&settings->tasks, (uint64_t)task) && share_has(&settings->share, task);
}

#endif
