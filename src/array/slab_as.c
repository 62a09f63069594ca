/* Reading a part of an array into memory of another type, a piece of bounded size at a time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/convert.h"
#include "array/reader.h"
#include "base/error.h"

enum { PIECE = 1 << 22 }; /* bytes that are read before they are converted */

/* A piece of a slab, in the order of elements: whole dimensions after `split`, up to `most` indexes
   of that, and one of each dimension before. */
struct piece {
    int split;
    sion_int64 most, offset[SION_ARRAY_DIMS], count[SION_ARRAY_DIMS];
};

static void limit(const struct scion_array_slab *slab, struct piece *piece)
{
    sion_int64 left =
        slab->offset[piece->split] + slab->count[piece->split] - piece->offset[piece->split];

    piece->count[piece->split] = left < piece->most ? left : piece->most;
}

static void first_piece(const struct scion_array_slab *slab, sion_int64 elements,
                        struct piece *piece)
{
    int ndims = slab->array->definition.ndims, d = ndims - 1;

    for (; d > 0 && slab->count[d] <= elements; d--)
        elements /= slab->count[d];
    piece->split = d;
    piece->most = elements;
    for (d = 0; d < ndims; d++) {
        piece->offset[d] = slab->offset[d];
        piece->count[d] = d < piece->split ? 1 : slab->count[d];
    }
    if (ndims > 0)
        limit(slab, piece);
}

/* 0: there is none. */
static int next_piece(const struct scion_array_slab *slab, struct piece *piece)
{
    int d;

    for (d = piece->split; d >= 0; d--) {
        piece->offset[d] += piece->count[d];
        if (piece->offset[d] < slab->offset[d] + slab->count[d])
            break;
        piece->offset[d] = slab->offset[d];
    }
    if (d >= 0)
        limit(slab, piece);
    return d >= 0;
}

/* Say which element of a piece cannot be converted: its number there, and the element. */
static int refuse(const struct scion_array_definition *definition, const struct piece *piece,
                  size_t number, const void *element, int type)
{
    char value[SCION_ARRAY_TEXT], index[SION_ARRAY_DIMS * 22] = "";
    sion_int64 at[SION_ARRAY_DIMS], left = (sion_int64)number;
    size_t length = 0;
    int d;

    for (d = definition->ndims - 1; d >= 0; d--) {
        at[d] = piece->offset[d] + left % piece->count[d];
        left /= piece->count[d];
    }
    for (d = 0; d < definition->ndims; d++)
        length += (size_t)snprintf(index + length, sizeof index - length, "%s%lld",
                                   d > 0 ? ", " : "", at[d]);
    return scion_fail(
        SION_ERR_MISMATCH, "array %.200s: element (%s) of type %s is %s, which %s cannot represent",
        definition->name, index, scion_array_type_name(definition->type),
        scion_array_text(definition->type, element, value), scion_array_type_name(type));
}

/* *to: where the elements of the piece go, and then, of the next one. */
static int read_piece(struct sion_array_reader *arrays, const struct scion_array_slab *slab,
                      sion_int64 step, const struct piece *piece, int type, unsigned char **to)
{
    const struct scion_array_definition *definition = &slab->array->definition;
    size_t size = scion_array_size(definition->type), n, done;
    int rc = scion_array_read_slab(arrays, slab, step);

    if (rc != 0)
        return rc;
    n = (size_t)scion_array_bytes(definition->type, definition->ndims, slab->count) / size;
    done = scion_array_convert(definition->type, slab->data, n, type, *to);
    *to += n * scion_array_size(type);
    return done == n ? 0 : refuse(definition, piece, done, slab->data + done * size, type);
}

int scion_array_read_slab_as(struct sion_array_reader *arrays, const struct scion_array_slab *slab,
                             sion_int64 step, int type)
{
    const struct scion_array_definition *definition = &slab->array->definition;
    sion_int64 bytes = scion_array_bytes(definition->type, definition->ndims, slab->count);
    struct piece piece;
    struct scion_array_slab part = {slab->array, piece.offset, piece.count, NULL};
    unsigned char *to = slab->data;
    int rc;

    if (type == definition->type || bytes == 0)
        return scion_array_read_slab(arrays, slab, step);
    part.data = malloc(bytes < PIECE ? (size_t)bytes : PIECE);
    if (!part.data)
        return scion_fail_memory("elements");
    first_piece(slab, PIECE / (sion_int64)scion_array_size(definition->type), &piece);
    do {
        rc = read_piece(arrays, &part, step, &piece, type, &to);
    } while (rc == 0 && next_piece(slab, &piece));
    free(part.data);
    return rc;
}
