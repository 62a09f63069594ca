/*
 * Compressed streams before they are in a container, whose header says how long they are: a file
 * without a name, in the container's folder, has those of this process's tasks, one behind the
 * other.
 */
#ifndef UTILS_SIONDEFRAG_SPOOL_H
#define UTILS_SIONDEFRAG_SPOOL_H

#include "stream/stream.h"

struct spool {
    const char *container; /* for messages; the caller's */
    char *path;            /* that the file had, for messages */
    struct scion_file *file;
    struct scion_zip zip;
    struct scion_zip_task frames; /* of the present task */
    struct scion_stream stream;
    struct scion_lengths lengths;
    sion_int64 written, taken; /* bytes */
};

/* TOOL_RUN, or TOOL_FAILED after a message, as from all these. */
int spool_open(struct spool *spool, const char *container, const struct scion_zip_plan *plan);

/* The stream of the next task, from its first byte on, and its end; *stored: bytes of it. */
int spool_begin(struct spool *spool);
int spool_write(struct spool *spool, const void *data, size_t bytes);
int spool_end(struct spool *spool, sion_int64 *stored);

/* The next stored bytes, which are there; they are not there any more afterwards. */
int spool_take(struct spool *spool, void *to, size_t bytes);

void spool_close(struct spool *spool); /* also after a failure of spool_open() */

#endif
