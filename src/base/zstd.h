/*
 * zstd, by the system's libzstd, which is loaded when the first container needs it: the core is
 * linked with no library that compresses.
 */
#ifndef SCION_BASE_ZSTD_H
#define SCION_BASE_ZSTD_H

#include <stddef.h>

/* Whether there is a libzstd; else an error that says what is missing, and that `what` need it. */
int scion_zstd_need(const char *what);

/*
 * What one thread compresses with, of one level, and the threads that help it; a child of fork gets
 * new ones. NULL: out of memory.
 */
struct scion_zstd_encoder;
struct scion_zstd_encoder *scion_zstd_encoder_new(int level, int threads);
void scion_zstd_encoder_free(struct scion_zstd_encoder *encoder); /* NULL: nothing */

/* Most bytes of a frame that holds so many. */
size_t scion_zstd_bound(size_t bytes);

/* One whole frame, which says how many bytes it holds. 0: it does not fit. */
size_t scion_zstd_encode(struct scion_zstd_encoder *encoder, const void *from, size_t bytes,
                         void *to, size_t room);

struct scion_zstd_decoder;
struct scion_zstd_decoder *scion_zstd_decoder_new(void);
void scion_zstd_decoder_free(struct scion_zstd_decoder *decoder); /* NULL: nothing */

/*
 * Whole frames that hold `room` bytes. NULL: done; else what is wrong with them, a static string.
 * Whatever they say, nothing is written beyond `room`, and no memory depends on it.
 */
const char *scion_zstd_decode(struct scion_zstd_decoder *decoder, const void *from, size_t bytes,
                              void *to, size_t room);

#endif
