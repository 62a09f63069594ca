/* Calls of tests that use memory of the right type and size: they are those of the array. */
#ifndef TEST_ARRAY_ANY_H
#define TEST_ARRAY_ANY_H

#include "array/bindings.h"
#include "array/reader.h"
#include "sion_array.h"

/* What sion_array_codec takes, and no call of it. */
static const char *const any_codecs[] = {
    NULL,
#ifdef HAVE_ZSTD
    "zstd",
    "zstd:5,shuffle",
#endif
};

static inline size_t any_bytes(const struct sion_array_info *info, const sion_int64 *count)
{
    int is_known = info->type > 0 && (count || info->ndims == 0);
    sion_int64 bytes = is_known ? scion_array_bytes(info->type, info->ndims, count) : 0;

    return bytes > 0 ? (size_t)bytes : 0;
}

static inline int put_any(int sid, const char *name, sion_int64 step, const sion_int64 *offset,
                          const sion_int64 *count, const void *data)
{
    struct sion_array_info info;

    if (!name || sion_layer_array_defined(sid, name, &info) != 0)
        info = (struct sion_array_info){.ndims = 0};
    return sion_array_put(sid, name, step, offset, count, info.type, data, any_bytes(&info, count));
}

static inline int get_any(sion_array_reader *arrays, const char *name, sion_int64 step,
                          const sion_int64 *offset, const sion_int64 *count, void *data)
{
    const struct scion_array *array =
        arrays && name ? scion_array_index_find(arrays->index, name, strlen(name)) : NULL;
    struct sion_array_info info = {.ndims = 0};

    if (array) {
        info.type = array->definition.type;
        info.ndims = array->definition.ndims;
    }
    return sion_array_reader_get(arrays, name, step, offset, count, info.type, data,
                                 any_bytes(&info, count));
}

#endif
