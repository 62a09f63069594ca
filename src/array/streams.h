/* Bytes of tasks' streams in the files of a container. They may be in several pieces. */
#ifndef SCION_ARRAY_STREAMS_H
#define SCION_ARRAY_STREAMS_H

#include "api/private_abi.h"

struct scion_array_streams;

int scion_array_streams_open(const char *name, const char *mode,
                             struct scion_array_streams **streams);
void scion_array_streams_close(struct scion_array_streams *streams);

int scion_array_streams_count(const struct scion_array_streams *streams);

/* Tasks are named by their numbers (numbers.h). -1: it is damaged, or there is no memory. */
sion_int64 scion_array_streams_length(struct scion_array_streams *streams, int task);

/* 1: the task's numbers are damaged, or it is locked out, so nothing of it can be read; the error
   says why. */
int scion_array_streams_is_damaged(const struct scion_array_streams *streams, int task);

/* After a failure: lock the task out if the last read was of damaged bytes of it. 1: it is locked
   out; 0: it is not; or an error. */
int scion_array_streams_lock_out(struct scion_array_streams *streams, int task);

/* The bytes must be there. */
int scion_array_streams_read(struct scion_array_streams *streams, int task, sion_int64 position,
                             void *to, sion_int64 bytes);

/* How many of the bytes, which must be there, are a hole of the file: in *hole, from the first on.
 */
int scion_array_streams_hole(struct scion_array_streams *streams, int task, sion_int64 position,
                             sion_int64 bytes, sion_int64 *hole);

/* Find bytes in a file; -1: they are not in one piece. *path belongs to the container. */
sion_int64 scion_array_streams_locate(struct scion_array_streams *streams, int task,
                                      sion_int64 position, sion_int64 bytes, const char **path);

#endif
