/*
 * The checksums of the data that a process writes: a tap on its stream computes them while the data
 * are written. Data that the tap did not see in order are read again.
 */
#ifndef SCION_FILE_CHECKSUM_TAP_H
#define SCION_FILE_CHECKSUM_TAP_H

#include <stdint.h>

#include "stream/stream.h"

struct scion_checksum_tap;

/* Put the tap on a stream that serves ntasks tasks, in turn; freed by scion_checksum_tap_free. */
int scion_checksum_tap_begin(struct scion_stream *stream, int ntasks,
                             struct scion_checksum_tap **sums);

/* One more tap that sees what this one sees. */
void scion_checksum_tap_pass_on(struct scion_checksum_tap *sums, const struct scion_tap *tap);

/* Of a task that has been written before: the CRCs that are its stream's by now, [count]. */
int scion_checksum_tap_go_on(struct scion_checksum_tap *sums, int task,
                             const struct scion_lengths *lengths, const uint32_t *crcs,
                             sion_int64 count);

/*
 * The CRCs of a task whose last byte is in the file `path`: those of chunk 0 and on, each from its
 * first piece on. *crcs is the sums' until they are freed.
 */
int scion_checksum_tap_get(struct scion_checksum_tap *sums, int task, const char *path,
                           const struct scion_place *place, const struct scion_lengths *lengths,
                           const uint32_t **crcs, sion_int64 *count);

/*
 * The same, for a state that is published: those that the newest state has not, by the lengths that
 * have been told; all of them until scion_checksum_tap_told() was called.
 */
int scion_checksum_tap_news(struct scion_checksum_tap *sums, int task, const char *path,
                            const struct scion_place *place, const struct scion_lengths *lengths,
                            const uint32_t **crcs, sion_int64 *count);

/* A state has been published with what that gave for all tasks. NULL: nothing. */
void scion_checksum_tap_told(struct scion_checksum_tap *sums);

/*
 * The same of data whose file another process has: *count is -1 if not all bytes were seen in
 * order. Reads nothing.
 */
void scion_checksum_tap_seen(struct scion_checksum_tap *sums, int task,
                             const struct scion_lengths *lengths, const uint32_t **crcs,
                             sion_int64 *count);

void scion_checksum_tap_free(struct scion_checksum_tap *sums); /* NULL: nothing */

#endif
