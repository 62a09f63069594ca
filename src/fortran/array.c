/*
 * Blocks of arrays in Fortran's form: the first dimension changes fastest, and an array knows its
 * extents. They are compared with the array in the container, so that no call goes beyond the data.
 */
#include "sion_array.h"

#include <stdarg.h>
#include <stdio.h>

#include "api/parallel.h"
#include "api/private_abi.h"
#include "array/bindings.h"
#include "base/checked.h"

/* Nothing calls these routines from C, so no header declares them. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC visibility push(default)

/* Numbers in Fortran's order, which the module passes. */
struct numbers {
    int n; /* -1: the argument is absent */
    sion_int64 at[15];
};

struct block {
    int type; /* of the data; integers stand for unsigned ones, too */
    void *data;
    struct numbers extents; /* of the data; the last one is -1 if the size is unknown */
    struct numbers offset, count;
};

/* A box in C's order. */
struct box {
    sion_int64 offset[SION_ARRAY_DIMS], count[SION_ARRAY_DIMS];
};

__attribute__((format(printf, 2, 3))) static int fail(const char *name, const char *format, ...)
{
    char text[500];
    int length = snprintf(text, sizeof text, "array %.200s: ", name);
    va_list args;

    va_start(args, format);
    vsnprintf(text + length, sizeof text - (size_t)length, format, args);
    va_end(args);
    sion_layer_fail(SION_ERR_ARGUMENT, text);
    return SION_ERR_ARGUMENT;
}

/* Fortran's integers stand for unsigned ones, too. */
static int is_type(int given, int known)
{
    return given == known || (given <= SION_U64 && (given + 1) / 2 == (known + 1) / 2);
}

/* The number of elements; -1: unknown, or too many. */
static sion_int64 product(const struct numbers *numbers)
{
    sion_int64 result = 1;
    int i;

    for (i = 0; i < numbers->n; i++)
        if (numbers->at[i] < 0 || scion_mul(result, numbers->at[i], &result))
            return -1;
    return result;
}

/* Returns NULL, with a failure, if the arguments for the block contradict each other. */
static const struct numbers *count_of(const char *name, const struct block *block, int ndims)
{
    int has_count = block->count.n >= 0;
    const struct numbers *count = has_count ? &block->count : &block->extents;
    sion_int64 elements = product(&block->extents);

    if (count->n != ndims)
        fail(name, "%s %d dimensions, the array has %d%s",
             has_count ? "count has" : "the data have", count->n, ndims,
             has_count ? "" : ": pass count");
    else if (elements < 0 && !has_count)
        fail(name, "the size of the data is not known: pass count");
    else if (elements >= 0 && product(count) != elements)
        fail(name, "the data do not have as many elements as count says");
    else
        return count;
    return NULL;
}

static int to_box(const char *name, const struct block *block, const struct sion_array_info *info,
                  struct box *box)
{
    const struct numbers *count;
    int n = info->ndims, d;

    if (!is_type(block->type, info->type))
        return fail(name, "the data are %s, the array is %s", sion_layer_array_type(block->type),
                    sion_layer_array_type(info->type));
    if (block->offset.n != n)
        return fail(name, "offset has %d dimensions, the array has %d", block->offset.n, n);
    count = count_of(name, block, n);
    for (d = 0; count && d < n; d++) {
        sion_int64 from = block->offset.at[d], elements = count->at[d], of = info->shape[n - 1 - d];

        if (from < 0 || elements < 0 || elements > of || from > of - elements)
            return fail(name,
                        "%lld elements after the first %lld are not within the %lld of dimension "
                        "%d",
                        elements, from, of, d + 1);
        box->offset[n - 1 - d] = from;
        box->count[n - 1 - d] = elements;
    }
    return count ? 0 : SION_ERR_ARGUMENT;
}

/* The data have as many elements as the box, which to_box has compared. */
static size_t bytes_of(const struct sion_array_info *info, const struct box *box)
{
    size_t bytes = (size_t)info->element_size;
    int d;

    for (d = 0; d < info->ndims; d++)
        bytes *= (size_t)box->count[d];
    return bytes;
}

int C_NAME(fsion_array_put_c_)(int sid, const char *name, sion_int64 step,
                               const struct block *block)
{
    struct sion_array_info info;
    struct box box;
    int rc = sion_layer_array_defined(sid, name, &info);

    if (rc == 0)
        rc = to_box(name, block, &info, &box);
    if (rc == 0)
        return sion_array_put(sid, name, step, box.offset, box.count, info.type, block->data,
                              bytes_of(&info, &box));
    sion_layer_report("fsion_array_put", 0, 1, rc);
    return SION_NOT_SUCCESS;
}

/* converts: the data may be of any type, into which the elements are converted. */
int C_NAME(fsion_array_reader_get_c_)(sion_array_reader *arrays, const char *name, sion_int64 step,
                                      const struct block *block, int converts)
{
    struct sion_array_info info;
    struct box box;
    int rc;

    SION_INIT(&info);
    if (sion_array_reader_info(arrays, name, &info) != SION_SUCCESS)
        return SION_NOT_SUCCESS;
    if (converts) {
        info.type = block->type;
        info.element_size = (sion_int64)sion_layer_array_size(block->type);
    }
    rc = to_box(name, block, &info, &box);
    if (rc == 0)
        return (converts ? sion_array_reader_get_as
                         : sion_array_reader_get)(arrays, name, step, box.offset, box.count,
                                                  info.type, block->data, bytes_of(&info, &box));
    sion_layer_report(converts ? "fsion_array_reader_get_as" : "fsion_array_reader_get", 0, 1, rc);
    return SION_NOT_SUCCESS;
}
