/* A picture of few chunks. */
#ifndef UTILS_SIONDUMP_SVG_CHUNKS_H
#define UTILS_SIONDUMP_SVG_CHUNKS_H

#include <stdio.h>

#include "lib/input.h"

/*
 * Each chunk is drawn, with a width proportional to its size, its number, and its data. The height
 * of the picture is 0 if there are too many chunks.
 */
int svg_chunks_height(const struct input *input);
void svg_chunks(const struct input *input, FILE *to);

#endif
