/* Where the frames of a compressed stream are. */
#ifndef SCION_FILE_UNZIP_TABLE_H
#define SCION_FILE_UNZIP_TABLE_H

#include <sys/uio.h>

#include "file/unzip_view.h"

/* Stored bytes of a task's stream, which must be there. */
int scion_zipped_read(const struct scion_zipped_task *task, scion_read_some *plain,
                      struct scion_file *file, void *to, size_t bytes, sion_int64 offset);

/*
 * The same of a file without a guard and, in the last call to the system, what is behind them.
 * behind->iov_len: how many of these bytes came along: all, or 0.
 */
int scion_zipped_read_behind(const struct scion_zipped_task *task, scion_read_some *plain,
                             struct scion_file *file, void *to, size_t bytes, sion_int64 offset,
                             struct iovec *behind);

/*
 * By the seek table, or else by the frames themselves, as far as they go. The task has its place
 * and lengths.
 */
int scion_zipped_find_frames(struct scion_zipped_task *task, struct scion_file *file,
                             struct scion_damage *damage);

#endif
