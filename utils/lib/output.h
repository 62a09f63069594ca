/* Files that tools write raw data to, and the copy into them. */
#ifndef UTILS_LIB_OUTPUT_H
#define UTILS_LIB_OUTPUT_H

#include <stdio.h>

#include "lib/input.h"
#include "lib/progress.h"
#include "lib/replace.h"

struct output {
    const char *name; /* the caller's */
    FILE *file;
    struct replace replace;
    int ends_in_hole;
};

/* Whether what is written here can have holes: a new file, and not a pipe. */
static inline int output_has_holes(const struct output *output)
{
    return output->replace.beside != NULL;
}

/* 1, with a message, if the name is one of the input's files. */
int output_is_input(const char *name, const struct input *input);

/*
 * Begin a new file, with the input's permissions under the umask; NULL means stdout. A file of the
 * input is never opened. group: as for replace_begin(). Returns TOOL_RUN, or TOOL_FAILED after a
 * message, like all functions here.
 */
int output_open(struct output *output, struct replace_group *group, const char *name,
                const struct input *input);

/*
 * End the file. If status is TOOL_RUN or TOOL_DONE, it replaces an old file of the name, in a group
 * later; else it is removed, and the old file stays. Returns status, or TOOL_FAILED if only writing
 * failed.
 */
int output_close(struct output *output, int status);

/* A copy through one buffer: small chunks are written together, and large ones in pieces. */
struct copy {
    const struct input *input;
    char *buffer;
    size_t filled;
    struct progress progress;
};

enum { COPY_PIECE = 1 << 20 }; /* bytes of the buffer */

int copy_start(struct copy *copy, const struct input *input, sion_int64 total, int stdout_is_data);
void copy_end(struct copy *copy);

/* Where the next bytes go, and how many of those that are left fit there: at least one. */
static inline char *copy_next(const struct copy *copy)
{
    return copy->buffer + copy->filled;
}

static inline size_t copy_portion(const struct copy *copy, sion_int64 left)
{
    size_t room = COPY_PIECE - copy->filled;

    return left < (sion_int64)room ? (size_t)left : room;
}

/* Append so many bytes, which are at copy_next(). */
int copy_put(struct copy *copy, size_t bytes, struct output *output);

/* Write what is in the buffer. */
int copy_flush(struct copy *copy, struct output *output);

/* Append the used bytes of one chunk; holes of a chunk become holes. */
int copy_chunk(struct copy *copy, int task, sion_int64 chunk, struct output *output);

/* Write what is in the buffer, also after a failure to read more, and output_close(). */
int copy_close(struct copy *copy, struct output *output, int status);

#endif
