/*
 * zfp, by the system's libzfp, which is loaded when the first array needs it: lossy compression of
 * floats and doubles in boxes of 1 to 4 dimensions. What it makes begins with zfp's full header, by
 * which zfpy and numcodecs read it, too.
 */
#ifndef SCION_BASE_ZFP_H
#define SCION_BASE_ZFP_H

#include <stddef.h>

/* Whether there is a libzfp; else an error that says what is missing. */
int scion_zfp_need(void);

struct scion_zfp_box {
    int is_double, ndims;
    size_t count[4]; /* the last dimension changes fastest */
};

/* The largest error of an element; bits of an element; no loss, and any number, also NaN. */
enum scion_zfp_mode { SCION_ZFP_ACCURACY, SCION_ZFP_RATE, SCION_ZFP_REVERSIBLE };

/*
 * Compress a box. *stored of *to, which the caller frees. NULL: done; else why not, a static
 * string. The bound of an accuracy may be missed where elements differ by more than 2^50 in size,
 * or are not finite: the caller compares.
 */
const char *scion_zfp_encode(const struct scion_zfp_box *box, enum scion_zfp_mode mode,
                             double parameter, const void *from, unsigned char **to,
                             size_t *stored);

/*
 * Decompress such a box. NULL: done; else what is wrong, a static string. Whatever the bytes say,
 * nothing is read beyond them or written beyond the box.
 */
const char *scion_zfp_decode(const struct scion_zfp_box *box, const void *from, size_t stored,
                             void *to);

#endif
