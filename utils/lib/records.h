/*
 * The stream of one task of an input, and the key-value records in it, read from front to back in
 * constant memory.
 */
#ifndef UTILS_LIB_RECORDS_H
#define UTILS_LIB_RECORDS_H

#include <stdint.h>

#include "lib/input.h"
#include "lib/progress.h"

struct records {
    const struct input *input;
    int task;
    sion_int64 end;  /* bytes of the stream */
    sion_int64 next; /* offset of the next header */
    struct progress *progress;

    /* The present record. */
    uint64_t key;
    sion_int64 length;
    sion_int64 offset; /* of the value in the stream */

    sion_int64 chunk, before; /* that was found last, and bytes of the stream before it */

    /* Bytes of the stream that were read ahead. */
    sion_int64 first;
    size_t filled;
    unsigned char ahead[1 << 15];
};

/* progress: updated as the stream is read; or NULL. */
void records_start(struct records *records, const struct input *input, int task,
                   struct progress *progress);

/*
 * Go to the next record, even if the present one was not read to its end. TOOL_RUN; TOOL_DONE after
 * the last one; TOOL_FAILED and a message if the records are damaged.
 */
int records_next(struct records *records);

/* Read bytes of the stream, at most up to its end. TOOL_RUN, or TOOL_FAILED and a message. */
int records_read(struct records *records, sion_int64 offset, void *to, size_t bytes);

/*
 * Whether a task that is wanted is left out (input_leaves_out) because its stream cannot be read,
 * or because not all of its records can be found.
 */
int records_leave_out(const struct input *input, int task);

#endif
