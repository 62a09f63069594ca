/* A container that a tool reads: all tasks of a file, or of a set of files. */
#ifndef UTILS_INPUT_H
#define UTILS_INPUT_H

#include <stdio.h>
#include <sys/stat.h>

#include "file/container.h"

struct input {
    char *name;
    int sid;
    const struct scion_container *container; /* for what the public interface does not tell */
    const struct scion_meta1 *head;          /* of the file that was named */
    int ntasks, nfiles, fsblksize, maxchunks;
    sion_int64 start_of_varheader;
    const sion_int64 *chunksizes, *globalranks, *counts; /* [ntasks], the library's */
    const sion_int64 *used;                              /* [maxchunks * ntasks], the library's */
    sion_int64 *bytes;                                   /* [ntasks] used by each task */
    sion_int64 total;                                    /* used by all */
};

/* TOOL_RUN, or TOOL_FAILED; then the reason has been reported. */
int input_open(char *name, struct input *input);

/* Returns status, or TOOL_FAILED if that was no failure but the close is. */
int input_close(struct input *input, int status);

/* Used bytes of a chunk that the task has. */
static inline sion_int64 input_used(const struct input *input, int task, sion_int64 chunk)
{
    return input->used[(size_t)chunk * (size_t)input->ntasks + (size_t)task];
}

/* Whether a file is one of those that the container consists of. */
int input_includes(const struct input *input, const struct stat *file);

/* ---- parts of the reports that tools have in common ---- */

void input_report_name(const struct input *input, FILE *to);
void input_report_keyval(const struct input *input, FILE *to);
void input_report_endianness(const struct input *input, FILE *to);

/* From the block size to how much of the file is used. */
void input_report_sizes(const struct input *input, FILE *to);
void input_report_max_chunksize(const struct input *input, FILE *to);

#endif
