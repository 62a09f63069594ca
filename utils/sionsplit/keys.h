/* Key-value containers: a file for each key of each task. */
#ifndef UTILS_SIONSPLIT_KEYS_H
#define UTILS_SIONSPLIT_KEYS_H

#include "lib/output.h"
#include "sionsplit/settings.h"

/* Bytes that are read at a time from a key-value container. */
size_t split_buffer_size(const struct input *input);

/* One file for each key of each task. path: room for prefix, numbers and NUMBER_MAX. */
int split_keys(const struct split_settings *settings, struct copy *copy,
               struct replace_group *group, char *path, size_t size);

#endif
