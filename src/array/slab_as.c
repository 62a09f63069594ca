/* Reading a part of an array into memory of another type, a piece of bounded size at a time. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/private_abi.h"
#include "array/convert.h"
#include "array/reader.h"
#include "base/error.h"
#include "base/memory.h"

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
    struct scion_array_slab here = *slab;
    int is_as_stored = type == definition->type, rc;

    if (is_as_stored)
        here.data = *to;
    rc = scion_array_read_slab(arrays, &here, step);
    if (rc != 0)
        return rc;
    n = (size_t)scion_array_bytes(definition->type, definition->ndims, slab->count) / size;
    done = is_as_stored ? n : scion_array_convert(definition->type, slab->data, n, type, *to);
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

/* ---- memory of a device ---- */

/* Pieces of a slab, which are read and converted one after the other. */
struct slab_pieces {
    struct sion_array_reader *arrays;
    const struct scion_array_slab *slab; /* the whole */
    struct scion_array_slab part; /* its data: room for a piece before it is converted, or NULL */
    struct piece piece;
    sion_int64 step, elements; /* of a piece, at most */
    int type, is_begun;
};

static int give_piece(void *user, void *to, size_t room, size_t *got)
{
    struct slab_pieces *pieces = user;
    unsigned char *end = to;
    int rc;

    if (!pieces->is_begun)
        first_piece(pieces->slab, pieces->elements, &pieces->piece);
    else
        next_piece(pieces->slab, &pieces->piece);
    pieces->is_begun = 1;
    rc =
        read_piece(pieces->arrays, &pieces->part, pieces->step, &pieces->piece, pieces->type, &end);
    *got = rc == 0 ? (size_t)(end - (unsigned char *)to) : 0;
    assert(*got <= room);
    return rc;
}

int scion_array_store_slab(struct sion_array_reader *arrays, const struct scion_array_slab *slab,
                           sion_int64 step, int type, const struct scion_device_place *place)
{
    const struct scion_array_definition *definition = &slab->array->definition;
    struct slab_pieces pieces = {
        .arrays = arrays,
        .slab = slab,
        .step = step,
        .type = type,
    };
    size_t size = scion_array_size(definition->type), into = scion_array_size(type), bytes;
    sion_int64 all = scion_array_bytes(type, definition->ndims, slab->count);
    int rc;

    if (all == 0)
        return 0;
    if (!scion_is_size(all))
        return scion_fail(SION_ERR_ARGUMENT, "a part of %lld bytes does not fit into memory", all);
    bytes = scion_device_piece((size_t)all);
    pieces.elements = (sion_int64)(bytes / (size > into ? size : into));
    pieces.part =
        (struct scion_array_slab){slab->array, pieces.piece.offset, pieces.piece.count, NULL};
    if (type != definition->type && !(pieces.part.data = malloc(bytes)))
        return scion_fail_memory("elements");
    rc = sion_layer_device_store(place, slab->data, (size_t)all, give_piece, &pieces);
    free(pieces.part.data);
    return rc;
}
