/* Helpers for the tests of FTI-FF: sample files, the rule of their data, checkpoints in memory. */
#ifndef TEST_FTI_CHECK_H
#define TEST_FTI_CHECK_H

#include "support.h"

#include "base/error.h"
#include "ftiff/names.h"
#include "ftiff/records.h"
#include "ftiff/write.h"

/* Element k of array `id` of a rank, in the sample files. */
static inline int32_t fti_element(int rank, int id, sion_int64 k)
{
    return (int32_t)(uint32_t)(id * 100000000LL + k + rank * 1000000000LL);
}

/* An element as the sample files have it, in little-endian order. */
static inline int32_t fti_stored(int rank, int id, sion_int64 k)
{
    int32_t element = fti_element(rank, id, k);

    if (support_host_is_big())
        support_turn((unsigned char *)&element, sizeof element, 1);
    return element;
}

static inline void fti_fill(void *to, int rank, int id, sion_int64 first, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++) {
        int32_t element = fti_stored(rank, id, first + (sion_int64)i);

        memcpy((char *)to + i * sizeof element, &element, sizeof element);
    }
}

/* Whether bytes are the elements from `first` on. */
static inline int fti_is_filled(const void *bytes, int rank, int id, sion_int64 first, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++) {
        int32_t element;

        memcpy(&element, (const char *)bytes + i * sizeof element, sizeof element);
        if (element != fti_stored(rank, id, first + (sion_int64)i))
            return 0;
    }
    return 1;
}

/* A sink that keeps the file in memory. */
struct fti_buffer {
    struct scion_fti_sink sink;
    unsigned char *bytes;
    size_t used, size;
};

static inline int fti_buffer_write(struct scion_fti_sink *sink, const void *from, size_t bytes)
{
    struct fti_buffer *buffer = (struct fti_buffer *)sink;

    if (bytes > buffer->size - buffer->used)
        return SION_ERR_NO_SPACE;
    memcpy(buffer->bytes + buffer->used, from, bytes);
    buffer->used += bytes;
    return 0;
}

static inline int fti_buffer_skip(struct scion_fti_sink *sink, sion_int64 bytes)
{
    struct fti_buffer *buffer = (struct fti_buffer *)sink;

    if ((size_t)bytes > buffer->size - buffer->used)
        return SION_ERR_NO_SPACE;
    memset(buffer->bytes + buffer->used, 0, (size_t)bytes);
    buffer->used += (size_t)bytes;
    return 0;
}

/* The bytes of a sealed checkpoint, which the caller frees; sets *size. In layout B, the unused
   bytes at the end may be missing: they are added, as 0. */
static inline unsigned char *fti_build(const struct scion_fti_image *image, const void *const *data,
                                       size_t *size)
{
    struct fti_buffer buffer = {.sink = {fti_buffer_write, fti_buffer_skip, NULL}};

    buffer.size = (size_t)image->fb.fs;
    buffer.bytes = calloc(buffer.size + 1, 1);
    CHECK_INT(scion_fti_write(&buffer.sink, image, data), 0);
    CHECK(scion_fti_is_size(image, (sion_int64)buffer.used));
    *size = buffer.size;
    return buffer.bytes;
}

/* Load the digests of a file, so that it can be built again. */
static inline void fti_load_hashes(struct scion_fti_source *source, struct scion_fti_image *image)
{
    struct scion_fti_cursor cursor;
    struct scion_fti_record record;

    image->hashes = calloc((size_t)image->nvars + 1, sizeof *image->hashes);
    scion_fti_cursor(&cursor, source, image);
    while (cursor.next < image->nvars) {
        CHECK_INT(scion_fti_cursor_next(&cursor, &record), 0);
        memcpy(image->hashes[cursor.next - 1], record.hash, sizeof record.hash);
    }
}

/* Read and verify bytes in memory as the file `name`. Returns the result. */
static inline int fti_accept(const void *bytes, size_t size, const char *name)
{
    struct scion_fti_visitor visitor = {.is_thorough = 1};
    struct scion_fti_memory memory;
    struct scion_fti_image image;
    int rc;

    scion_fti_memory(&memory, bytes, size);
    rc = scion_fti_read(&memory.source, &image);
    if (rc == 0 && scion_fti_layout(image.era)->has_id &&
        scion_fti_name_parse(name).ckptid != image.fb.ckptid)
        rc = SION_ERR_DAMAGED;
    if (rc == 0)
        rc = scion_fti_verify(&memory.source, &image, &visitor);
    scion_fti_image_clear(&image);
    return rc;
}

#endif
