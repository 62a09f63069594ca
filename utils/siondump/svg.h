/* The parts of siondump's picture. */
#ifndef UTILS_SIONDUMP_SVG_H
#define UTILS_SIONDUMP_SVG_H

#include <stdio.h>

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

/*
 * Few chunks: each is drawn, as wide as it is large, with its number and what is in it. The height
 * of the picture is 0 if there are too many.
 */
int svg_chunks_height(const struct input *input);
void svg_chunks(const struct input *input, FILE *to);

/* Many: the picture is divided into cells, and a cell says how full all its chunks are together. */
int svg_density_height(const struct input *input);
int svg_density(const struct input *input, FILE *to);

#endif
