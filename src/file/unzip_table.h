/* Where the frames of a compressed stream are. */
#ifndef SCION_FILE_UNZIP_TABLE_H
#define SCION_FILE_UNZIP_TABLE_H

#include <sys/uio.h>

#include "file/unzip_view.h"

/* Stored bytes of a task's stream, which must be there. */
int scion_zipped_read(const struct scion_zipped_task *task, scion_read_some *plain,
                      struct scion_file *file, void *to, size_t bytes, sion_int64 offset);

/*
 * The same of a file without a guard, in n runs, which are used up, if possible by one call to the
 * system. The first `least` bytes must be there; of the rest, which is the last run, *more says
 * whether it came along.
 */
int scion_zipped_read_runs(const struct scion_zipped_task *task, scion_read_some *plain,
                           struct scion_file *file, struct iovec *runs, int n, size_t least,
                           sion_int64 offset, int *more);

/*
 * By the seek table, or else by the frames themselves, as far as they go. The task has its place
 * and lengths.
 */
int scion_zipped_find_frames(struct scion_zipped_task *task, struct scion_file *file,
                             struct scion_damage *damage);

#endif
