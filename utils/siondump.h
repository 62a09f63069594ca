/* The parts of siondump's output. */
#ifndef UTILS_SIONDUMP_H
#define UTILS_SIONDUMP_H

#include "input.h"

struct dump_settings {
    int blocks;        /* -a */
    int bytes;         /* -l */
    int mapping;       /* -m */
    int mapping_table; /* -M */
    int keys;          /* -k */
    int records;       /* -K */
    int cost;          /* -S */
};

/* How much is used of chunks and of file system blocks. */
void dump_usage(const struct input *input);

/* One line for each task in each group of ten blocks; sizes in bytes or MB. */
void dump_blocks(const struct input *input, int bytes);

/* The line that separates tables. */
void dump_rule(void);

/* Keys of each task with sums, and all its records. TOOL_FAILED if there are no keys to show. */
int dump_key_statistic(const struct input *input);
int dump_key_list(const struct input *input);

/* TOOL_RUN, or TOOL_FAILED when out of memory. */
int dump_files(const struct input *input, const struct dump_settings *settings);

#endif
