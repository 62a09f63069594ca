/* What the parts of siondump's picture have in common. */
#ifndef UTILS_SIONDUMP_SVG_FRAME_H
#define UTILS_SIONDUMP_SVG_FRAME_H

#include "lib/input.h"

enum {
    SVG_LEFT = 150,   /* where the data begin; labels stand before */
    SVG_WIDTH = 1000, /* of the data */
    SVG_RIGHT = 40,
    SVG_TOP = 96,   /* title and legend */
    SVG_LEVELS = 10 /* how full a chunk is, in classes f0 (empty) to f10 (full) */
};

/* Bytes that a task may use of a chunk: in old files the table says less. */
static inline sion_int64 svg_chunksize(const struct scion_physical *file, int t)
{
    return scion_physical_place(file, t).chunksize;
}

#endif
