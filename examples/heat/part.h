/* What rolling.c writes of a plate, and draw.c reads: a header, and the cells, row after row. */
#ifndef PART_H
#define PART_H

struct part {
    int step;
    int whole[2], start[2], extent[2]; /* rows and columns, as in struct plate */
};

#endif
