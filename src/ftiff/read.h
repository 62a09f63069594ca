/*
 * Checkpoints that exist: which release wrote it, its structure, whether all bytes are as they were
 * written. Where the bytes come from is a source: a file, a stream of a container, memory.
 */
#ifndef SCION_FTIFF_READ_H
#define SCION_FTIFF_READ_H

#include <stddef.h>

#include "ftiff/image.h"

struct scion_fti_source {
    sion_int64 size;     /* bytes */
    int is_differential; /* 1: of differential checkpoints, as its name says */

    /* All bytes, which lie below size. 0 or an error code. */
    int (*read)(struct scion_fti_source *source, void *to, size_t bytes, sion_int64 offset);
};

/* A source of `size` bytes in memory, which must live as long. */
struct scion_fti_memory {
    struct scion_fti_source source;
    const unsigned char *bytes;
};
void scion_fti_memory(struct scion_fti_memory *memory, const void *bytes, size_t size);

/*
 * Find out what it is, and read and check its structure into `image`, which the caller clears.
 * SION_ERR_NOT_SION: not FTI-FF at all; SION_ERR_DAMAGED. Memory: less than the file has bytes.
 */
int scion_fti_read(struct scion_fti_source *source, struct scion_fti_image *image);

/* What to do while a checkpoint is verified; every member may be NULL or 0. */
struct scion_fti_visitor {
    void *data;

    /* Where the used bytes of a container shall go: chunksize bytes; NULL: nowhere, and they are
       read only if the digest of the whole needs them. Without this function all are read. */
    void *(*target)(void *data, const struct scion_fti_image *image, int var);

    /* Some damage; the first one's text is the error record at the end, too. */
    void (*damage)(void *data, const char *text);

    /* 1: the unused ends of the containers, too, which have to be 0. */
    int is_thorough;
};

/* Read all data and compare them with all digests. 0, or the error code of the first damage. */
int scion_fti_verify(struct scion_fti_source *source, const struct scion_fti_image *image,
                     const struct scion_fti_visitor *visitor);

/* Reed-Solomon bytes of level 3, which a file block follows. */
struct scion_fti_encoded {
    enum scion_fti_era era; /* C stands for C and D, which cannot be told apart */
    struct scion_fti_fb fb;
    sion_int64 bytes; /* before the file block */
};

/* Read the file block and compare the bytes with its digest; they are not decoded. */
int scion_fti_read_encoded(struct scion_fti_source *source, struct scion_fti_encoded *encoded);

/* The bytes of the file block, fb_bytes of the image's era. */
int scion_fti_read_fb(struct scion_fti_source *source, enum scion_fti_era era,
                      unsigned char bytes[SCION_FTI_FB_MOST]);

#endif
