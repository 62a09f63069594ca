/**
 * @file sion_stream.h
 * Streams without chunks: write and read any number of bytes of a task's stream.
 *
 * sion_fwrite keeps each record in one chunk, so a record cannot be larger than a chunk.
 * The functions here see the bytes of a task as one stream, as fwrite and fread see a file: data of
 * any size go over as many chunks as they need, and each chunk is filled to its end. In the file
 * there is no difference, and every reader of the format reads such a container. Both kinds of
 * functions may be mixed on one sid; sion_fread reads within one chunk only, so read with
 * sion_stream_read what sion_stream_write has written.
 *
 * Functions are local (they do not communicate). They work for serial, parallel and mapped
 * containers, on the selected task. Key-value containers are refused, because their streams are
 * sequences of records with keys. Different threads may work on different sids at the same time,
 * but not on the same sid. A function that fails prints one line on stderr; sion_error.h says how
 * to receive that line instead.
 *
 * @param sid an open container of this process: the number that the open returned. An invalid sid
 *            only causes an error with a message.
 */
#ifndef SION_STREAM_H
#define SION_STREAM_H

#include "sion_datatypes.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Append bytes to the selected task's stream, over as many chunks as they need.
 *
 * Small data wait in the container's buffer, as with sion_fwrite; large data are passed to the
 * system without a copy.
 *
 * @param sid   container open for writing
 * @param data  [in] `bytes` bytes, which may be in memory of a CUDA or HIP device (sion(7)); may be
 *              NULL if that is 0
 * @param bytes number of bytes, not negative
 * @return bytes. Fewer after an error with a message (disk full): so many are in the stream. -1
 *         with a message if none are: the system reports an error, the sid is invalid, open for
 *         reading or a key-value container, the task's chunks have no bytes, data is NULL, or
 *         bytes is negative
 * @see doc/format.md, "Using chunks"
 */
sion_int64 sion_stream_write(int sid, const void *data, sion_int64 bytes);

/**
 * Read the next bytes of the selected task's stream, over as many chunks as they are in.
 *
 * @param sid   container open for reading
 * @param data  [out] room for `bytes` bytes, as for sion_stream_write; may be NULL if that is 0
 * @param bytes number of bytes, not negative
 * @return bytes. Fewer without a message at the end of the stream; 0 if it was there already. Fewer
 *         with a message after an error (a truncated file): so many were read. -1 with a message if
 *         none were: the system reports an error, the sid is invalid, open for writing or a
 *         key-value container, data is NULL, or bytes is negative
 */
sion_int64 sion_stream_read(int sid, void *data, sion_int64 bytes);

/**
 * Go forward in the selected task's stream without reading.
 *
 * sion_seek with SION_ABSOLUTE_POS goes to any position of the stream, also back.
 *
 * @param sid   container open for reading
 * @param bytes number of bytes, not negative
 * @return bytes; fewer at the end of the stream, where the position is then. -1 with a message, and
 *         nothing changes, if the sid is invalid, open for writing or a key-value container, or
 *         bytes is negative
 */
sion_int64 sion_stream_skip(int sid, sion_int64 bytes);

/**
 * The position in the selected task's stream, in bytes from its start.
 *
 * @return bytes written or read before the position; -1 with a message if the sid is invalid or a
 *         key-value container
 */
sion_int64 sion_stream_tell(int sid);

/**
 * The size of the selected task's stream, over all its chunks.
 *
 * @return bytes; of a container open for writing, those written so far, including buffered ones. -1
 *         with a message if the sid is invalid or a key-value container
 */
sion_int64 sion_stream_size(int sid);

/**
 * The sizes of many tasks' streams, as the places they take if they are one after the other.
 *
 * @param sid    container open for reading
 * @param ntasks number of entries of ranks; may be 0
 * @param ranks  [in] [ntasks] the tasks, named as for sion_seek; in any order, also repeatedly
 * @param starts [out] [ntasks + 1] starts[i] is the sum of the sizes of the streams before i, in
 *               bytes; the last entry is the sum of all
 * @return starts[ntasks]; -1 with a message if there is no such task, the sum is larger than a
 *         sion_int64, ntasks is negative, an array is NULL, or the sid is invalid, open for writing
 *         or a key-value container
 */
sion_int64 sion_stream_sizes(int sid, int ntasks, const int *ranks, sion_int64 *starts);

/**
 * Read the whole streams of many tasks.
 *
 * Tasks that are close together in the file are read with one system call, so a million small ones
 * take a second. List them in the order in which they are there, which is that of the ranks of a
 * file with one chunk a task. Positions and the selected task stay as they are.
 *
 *     sion_int64 bytes = sion_stream_sizes(sid, ntasks, ranks, starts);
 *     char *data = malloc(bytes);
 *
 *     sion_stream_read_tasks(sid, ntasks, ranks, starts, data, bytes);
 *
 * @param sid    container open for reading
 * @param ntasks number of entries of ranks; may be 0
 * @param ranks  [in] [ntasks] the tasks, named as for sion_seek; in any order, also repeatedly
 * @param starts [in] [ntasks] where in data, in bytes, each stream begins
 * @param data   [out] room for `bytes` bytes, as for sion_stream_write; may be NULL if that is 0
 * @param bytes  size of data
 * @return the number of bytes read; -1 with a message, after which data may hold a part of them, if
 *         the system reports an error, a file is cut off, there is no such task, a stream does not
 *         fit into data, an argument is negative or NULL, memory runs out, or the sid is invalid,
 *         open for writing or a key-value container
 */
sion_int64 sion_stream_read_tasks(int sid, int ntasks, const int *ranks, const sion_int64 *starts,
                                  void *data, sion_int64 bytes);

#ifdef __cplusplus
}
#endif

#endif
