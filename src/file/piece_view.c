#include "file/piece_view.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

static sion_int64 find(const struct scion_file_view *view, sion_int64 offset, sion_int64 *there)
{
    const struct scion_piece_view *piece_view = (const struct scion_piece_view *)view;
    sion_int64 low = 0, high = piece_view->pieces.n, piece;
    const struct scion_stride *run;

    if (offset < 0 || offset >= piece_view->pieces.bytes)
        return 0;
    while (high - low > 1) {
        sion_int64 middle = low + (high - low) / 2;

        if (piece_view->at[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    run = &piece_view->pieces.list[low];
    offset -= piece_view->at[low];
    piece = offset / run->size;
    offset -= piece * run->size;
    *there = run->offset + piece * run->stride + offset;
    return run->size - offset;
}

struct scion_piece_view *scion_piece_view_new(struct scion_strides *pieces)
{
    struct scion_piece_view *new = calloc(1, sizeof *new);
    sion_int64 *at = scion_array((uint64_t)pieces->n + 1, sizeof *at), i;

    if (!new || !at) {
        free(new);
        free(at);
        scion_strides_free(pieces);
        scion_fail_memory("pieces of a merged stream");
        return NULL;
    }
    new->view.find = find;
    new->pieces = *pieces;
    new->at = at;
    for (at[0] = 0, i = 0; i < pieces->n; i++)
        at[i + 1] = at[i] + pieces->list[i].size * pieces->list[i].count;
    *pieces = (struct scion_strides){0};
    return new;
}

struct scion_piece_view *scion_piece_view_copy(const struct scion_piece_view *from)
{
    struct scion_strides pieces = {0};
    sion_int64 i;
    int rc = 0;

    for (i = 0; i < from->pieces.n && rc == 0; i++)
        rc = scion_strides_add(&pieces, &from->pieces.list[i]);
    if (rc == 0)
        return scion_piece_view_new(&pieces);
    scion_strides_free(&pieces);
    return NULL;
}

void scion_piece_view_free(struct scion_piece_view *piece_view)
{
    if (!piece_view)
        return;
    scion_strides_free(&piece_view->pieces);
    free(piece_view->at);
    free(piece_view);
}
