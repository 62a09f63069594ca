/* Pieces of a file, seen as bytes that follow each other from offset 0 on. */
#ifndef SCION_FILE_PIECE_VIEW_H
#define SCION_FILE_PIECE_VIEW_H

#include "format/strides.h"
#include "vfs/view.h"

struct scion_piece_view {
    struct scion_file_view view;
    struct scion_strides pieces;
    sion_int64 *at; /* [pieces.n + 1] offset in the view of each run */
};

/* The pieces are taken over in any case. NULL: out of memory. */
struct scion_piece_view *scion_piece_view_new(struct scion_strides *pieces);
struct scion_piece_view *scion_piece_view_copy(const struct scion_piece_view *from);
void scion_piece_view_free(struct scion_piece_view *piece_view); /* NULL: nothing */

#endif
