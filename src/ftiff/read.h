/*
 * Existing checkpoints: which release wrote one, its structure, whether its bytes are undamaged.
 * The bytes come from a source: a file, a stream of a container, or memory.
 */
#ifndef SCION_FTIFF_READ_H
#define SCION_FTIFF_READ_H

#include <stddef.h>

#include "ftiff/image.h"

struct scion_fti_source {
    sion_int64 size;     /* bytes */
    int is_differential; /* 1: of differential checkpoints, as its name says */

    /* Read all of the bytes, which are below size. 0 or an error code. */
    int (*read)(struct scion_fti_source *source, void *to, size_t bytes, sion_int64 offset);
};

/* A source of `size` bytes in memory, which must live as long. */
struct scion_fti_memory {
    struct scion_fti_source source;
    const unsigned char *bytes;
};
void scion_fti_memory(struct scion_fti_memory *memory, const void *bytes, size_t size);

/*
 * Find out the layout, and read and check the structure into `image`, which the caller clears.
 * SION_ERR_NOT_SION: not FTI-FF at all; SION_ERR_DAMAGED. Memory: less than the file has bytes.
 */
int scion_fti_read(struct scion_fti_source *source, struct scion_fti_image *image);

/* How to verify a checkpoint; every member may be NULL or 0. */
struct scion_fti_visitor {
    void *data;

    /* Returns memory for the used bytes of a container, chunksize bytes. NULL: the bytes are not
       wanted, and are read only if the digest of the whole file needs them. Without this function
       all are read. */
    void *(*target)(void *data, const struct scion_fti_image *image, int var);

    /* Called for each damage; at the end the error record has the text of the first one. */
    void (*damage)(void *data, const char *text);

    /* 1: also check the unused ends of the containers, which must be 0. */
    int is_thorough;
};

/* Read all data and compare them with all digests. 0, or the error code of the first damage. */
int scion_fti_verify(struct scion_fti_source *source, const struct scion_fti_image *image,
                     const struct scion_fti_visitor *visitor);

/* Reed-Solomon bytes of level 3, which a file block follows. */
struct scion_fti_parity {
    enum scion_fti_era era; /* C stands for C and D, which cannot be told apart */
    struct scion_fti_fb fb;
    sion_int64 bytes; /* before the file block */
};

/* Read the file block and compare the bytes with its digest; they are not decoded. */
int scion_fti_read_encoded(struct scion_fti_source *source, struct scion_fti_parity *encoded);

/* The bytes of the file block, fb_bytes of the image's era. */
int scion_fti_read_fb(struct scion_fti_source *source, enum scion_fti_era era,
                      unsigned char bytes[SCION_FTI_FB_MOST]);

#endif
