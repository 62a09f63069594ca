/* A container that a tool reads: all tasks of a file, or of a set of files. */
#ifndef UTILS_LIB_INPUT_H
#define UTILS_LIB_INPUT_H

#include <stdio.h>
#include <sys/stat.h>

#include "file/container.h"
#include "lib/numbers.h"
#include "lib/tool.h"

struct input {
    char *name;
    int sid;                           /* the number that the library would give it */
    struct scion_container *container; /* its tables; it has no cursors */
    const struct scion_meta1 *head;    /* of the file that was named */
    int is_set;    /* the named file is file 0, through which all files were opened */
    int is_merged; /* it was written merged, and says which bytes are whose */
    int keyval;    /* SION_KEYVAL_* */
    int ntasks, nfiles, fsblksize, maxchunks;
    sion_int64 start_of_varheader;
    sion_int64 *bytes; /* [ntasks] used by each task; NULL where its one chunk says it */
    sion_int64 total;  /* used by all */
};

/*
 * TOOL_RUN, or TOOL_FAILED; then the reason has been reported. Memory: 32 bytes a task, 40 in sets,
 * 8 for each chunk of each task, and 8 a task more where there is more than one chunk.
 */
int input_open(char *name, struct input *input);

/* The same; each task of merged streams has one chunk, which holds its own bytes. */
int input_open_members(char *name, struct input *input);

/* The same, but compressed streams are those that are stored. */
int input_open_stored(char *name, struct input *input);

/* An option of tools that open containers by these functions. */
tool_read input_read_generation;

/* The same as a mode has it; 0, and not all: none was chosen. */
struct scion_mode;
const struct scion_mode *input_generation(void);

#define INPUT_GENERATION_OPTION                                                                    \
    {                                                                                              \
        "generation", 0, input_read_generation, 0, 0                                               \
    }
#define INPUT_GENERATION_HELP                                                                      \
    "  --generation=latest|all|<n>\n"                                                              \
    "                   of a container with generations: its latest one, all as one\n"             \
    "                   stream, that number, or -1 for the one before the latest\n"

/* The tables as they are in the file: merged streams as they are, compressed ones as stored, all
   generations. */
int input_open_tables(char *name, struct input *input);

/* Whether its streams are compressed, however it was opened. */
int input_is_zipped(const struct input *input);

/*
 * The same of a container that was perhaps never closed: what sionrecover would make of it, by its
 * commit records. What holes tell is no data. Nothing is changed on the disk.
 */
int input_open_recovered(char *name, struct input *input);

/* Returns status, or TOOL_FAILED if only the close failed. */
int input_close(struct input *input, int status);

/* The tables' entries of a task, by its number in the container. */
sion_int64 input_chunksize(const struct input *input, int task);
sion_int64 input_globalrank(const struct input *input, int task);
sion_int64 input_count(const struct input *input, int task);

/* Used bytes of a chunk. If the task does not have the chunk: the number in the table, -1 in
   sets. */
sion_int64 input_used(const struct input *input, int task, sion_int64 chunk);

/* Where a chunk that the task has begins in its file. */
sion_int64 input_offset(const struct input *input, int task, sion_int64 chunk);

/* What is wrong with a task that cannot be read; NULL: it can. */
const struct scion_damage *input_damage(const struct input *input, int task);

/*
 * Whether a task that is wanted cannot be read: then this is reported, the tool goes on with the
 * others, and tool_finish() fails.
 */
int input_leaves_out(const struct input *input, int task);

/* TOOL_RUN if it has all tasks of a list; else a message and TOOL_FAILED. */
int input_check_tasks(const struct input *input, const struct numbers *tasks);

/* Likewise if its streams are key-value records. */
int input_check_keyval(const struct input *input);

/* Used bytes of all tasks of a list. */
sion_int64 input_bytes_of(const struct input *input, const struct numbers *tasks);

/* Used bytes of all chunks. */
static inline sion_int64 input_bytes(const struct input *input, int task)
{
    return input->bytes ? input->bytes[task] : input_used(input, task, 0);
}

/* Read used bytes of a chunk. TOOL_RUN, or TOOL_FAILED and a message. */
int input_read(const struct input *input, int task, sion_int64 chunk, sion_int64 pos, void *to,
               size_t bytes);

/*
 * Whether used bytes of a chunk from `pos` on are a hole, and how many of them, at most *run, are
 * alike; so that a copy has holes, too. Likewise.
 */
int input_run(const struct input *input, int task, sion_int64 chunk, sion_int64 pos,
              sion_int64 *run, int *is_hole);

/*
 * To be called before all data are written as bytes, or read: a small file can claim any number of
 * bytes, as holes. TOOL_RUN if there are at most a gigabyte and eight times what the file holds, or
 * with --force; else a message and TOOL_FAILED.
 */
int input_check_holes(const struct input *input);

/* Whether a file is one of those that the container consists of. */
int input_includes(const struct input *input, const struct stat *file);

/* The permissions of the file that was named. */
mode_t input_permissions(const struct input *input);

/* ---- parts of the reports that tools have in common ---- */

void input_report_name(const struct input *input, FILE *to);
void input_report_keyval(const struct input *input, FILE *to);
void input_report_endianness(const struct input *input, FILE *to);

/* Print a number of bytes, also in MB, with this many blanks between. */
void input_report_bytes(FILE *to, const char *label, sion_int64 bytes, int blanks);

/* Print the lines from the block size to how much of the file is used. */
void input_report_sizes(const struct input *input, FILE *to);
void input_report_max_chunksize(const struct input *input, FILE *to);

#endif
