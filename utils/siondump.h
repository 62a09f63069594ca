/* The parts of siondump's output. */
#ifndef UTILS_SIONDUMP_H
#define UTILS_SIONDUMP_H

#include "input.h"

struct dump_settings {
    int blocks;        /* -a */
    int bytes;         /* -l */
    int mapping;       /* -m */
    int mapping_table; /* -M */
    int cost;          /* -S */
};

/* How much is used of chunks and of file system blocks. */
void dump_usage(const struct input *input);

/* One line for each task in each group of ten blocks; sizes in bytes or MB. */
void dump_blocks(const struct input *input, int bytes);

/* TOOL_RUN, or TOOL_FAILED when out of memory. */
int dump_files(const struct input *input, const struct dump_settings *settings);

#endif
