/* The packed files of a container that a tool reads (pack/read.h). */
#ifndef UTILS_LIB_PACKED_H
#define UTILS_LIB_PACKED_H

#include "lib/input.h"
#include "pack/read.h"

struct packed {
    const struct input *input;
    struct scion_packed *files;
    struct scion_file *file; /* file 0 */

    int task;           /* whose chunks are known, or -1 */
    sion_int64 *starts; /* bytes of its stream before each chunk, and all */
    sion_int64 chunks;
};

/*
 * TOOL_RUN, or TOOL_FAILED and a message, also if the container has no packed files. What is
 * missing because of damage is warned of, and tool_finish() will fail.
 */
int packed_open(const struct input *input, struct packed *packed);

/* The same, but files is NULL if it has none. */
int packed_look(const struct input *input, struct packed *packed);

void packed_close(struct packed *packed);

/* As scion_extract_how's run: context is the packed. */
int packed_run(void *packed, int task, sion_int64 pos, sion_int64 *bytes, int *is_hole);

/* A message of the last failure, and TOOL_FAILED. */
int packed_failed(const struct packed *packed);

/* How ls shows it: -rw-r--r--, into text[PACKED_MODE]. */
enum { PACKED_MODE = 11 };
const char *packed_mode(char *text, const struct scion_pack_entry *entry);

/* file, folder, link, hard link or pipe. */
const char *packed_type(int type);

#endif
