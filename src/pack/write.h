/* The streams of packed files, and the index of them all. */
#ifndef SCION_PACK_WRITE_H
#define SCION_PACK_WRITE_H

#include "pack/entry.h"
#include "pack/index.h"

/* Where streams are written. Results other than 0 end the writing and are returned. */
struct scion_pack_sink {
    int (*write)(void *context, int task, sion_int64 pos, const void *data, size_t bytes);
    int (*pass)(void *context,
                sion_int64 bytes); /* so many have been written or left out; or NULL */
    int (*whole)(void *context, int task,
                 sion_int64 pos); /* all before pos is written, and no file is cut; or NULL */
    void *context;
};

/*
 * Write the stream of a task of a list that is laid out, whose files are below `root`. Large holes
 * are left out: the sink reads zeros there. An error, with a message, if a file has changed since
 * it was listed.
 */
int scion_pack_write_task(const char *root, const struct scion_pack_list *list, int task,
                          const struct scion_pack_sink *sink);

/*
 * Write the index of such a list, which ends where the file ends; it begins at `offset`. *end:
 * where it ends. Memory: about 150 bytes for 32 KiB of the index.
 */
struct scion_pack_target {
    int (*write)(void *context, const void *data, size_t bytes, sion_int64 offset);
    void *context;
};

int scion_pack_write_index(const struct scion_pack_list *list, sion_int64 offset,
                           const struct scion_pack_target *target, sion_int64 *end);

/* The same into a file, as builder_behind() calls it. */
struct scion_file;
int scion_pack_index_file(void *list, struct scion_file *file, sion_int64 offset);

#endif
