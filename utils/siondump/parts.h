/* The parts of siondump's output. */
#ifndef UTILS_SIONDUMP_PARTS_H
#define UTILS_SIONDUMP_PARTS_H

#include "lib/input.h"
#include "lib/zips.h"

struct dump_settings {
    int blocks;        /* -a */
    int bytes;         /* -l */
    int mapping;       /* -m */
    int mapping_table; /* -M */
    int keys;          /* -k */
    int records;       /* -K */
    int cost;          /* -S */
    int verbose;       /* -v: changes nothing */
    int json;          /* --json */
    const char *svg;   /* --svg: name of the picture, "-" is stdout; or NULL */
};

/*
 * Sums over all chunks. Bytes of empty chunks are unsigned: a damaged set of files can claim more
 * than a file can hold, and then the number is wrong but the program is not.
 */
struct usage {
    unsigned long long reserved, empty_bytes;
    sion_int64 full_bytes, partly_bytes;
    sion_int64 full, partly, empty;            /* chunks */
    sion_int64 full_fsblocks, partly_fsblocks; /* file system blocks */
    sion_int64 partly_fsblocks_bytes;          /* used in the latter */
};

void usage_collect(struct usage *usage, const struct input *input);

/* Print how much of chunks and of file system blocks is used. */
void dump_usage(const struct input *input);

/* The states of a container that was published or written on, the newest first. */
void dump_states(const struct input *input);

/* One line for each task in each group of ten blocks; sizes in bytes or MB. */
void dump_blocks(const struct input *input, int bytes);

/* The bytes of each member of merged streams. */
int dump_members(const struct input *input);

/*
 * How the streams are compressed, if they are; with `tasks` also of each task. plain: the container
 * once more, which shows their plain bytes.
 */
void dump_zips(const struct input *plain, int tasks);

/* The line that separates tables. */
void dump_rule(void);

/* Print the keys of each task with sums, or all its records. TOOL_FAILED if there are no keys to
   show. */
int dump_key_statistic(const struct input *input);
int dump_key_list(const struct input *input);

/* TOOL_RUN, or TOOL_FAILED when out of memory. */
int dump_files(const struct input *input, const struct dump_settings *settings);

/* Everything as JSON on stdout; plain: as above, or NULL. TOOL_RUN or TOOL_FAILED, as from the
 * next. */
int dump_json(const struct input *input, const struct input *plain,
              const struct dump_settings *settings);

/* A picture of where the data are and how full chunks are. */
int dump_svg(const struct input *input, const char *name);

#endif
