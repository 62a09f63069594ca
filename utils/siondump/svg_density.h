/* A picture of many chunks. */
#ifndef UTILS_SIONDUMP_SVG_DENSITY_H
#define UTILS_SIONDUMP_SVG_DENSITY_H

#include <stdio.h>

#include "lib/input.h"

/* The picture is divided into cells; a cell shows how full all its chunks are together. */
int svg_density_height(const struct input *input);
int svg_density(const struct input *input, FILE *to);

#endif
