/*
 * Which bytes of its parts a node has written: where several nodes write a file, a block of the
 * file system may have bytes of two of them, and each one's part has zeros in place of the other's.
 */
#ifndef SCION_STAGE_ROWS_H
#define SCION_STAGE_ROWS_H

#include "stage/part.h"

enum { SCION_STAGE_NO_TASK = -1 };

/* What one task has written, as it is in the file of rows. */
struct scion_stage_row {
    sion_int64 file;
    sion_int64 start, size, skip; /* its chunks: the first one, of so many bytes; distance */
    sion_int64 count;             /* of them; -1: as many as the file has, until the close */
    sion_int64 head_end,
        tail; /* the file's first task: the bytes before the data, and from here on */

    /* What the tables say of it, which another node may have, and of the file. */
    sion_int64 rank, lrank; /* its numbers; lrank: SCION_STAGE_NO_TASK: it has only tables */
    sion_int64 last;        /* bytes in the last chunk */
    sion_int64 flag1, flag2;
    int32_t fsblksize, big_endian;
    int32_t is_listed; /* the bytes of each chunk are behind the rows; else the others are full */
    int32_t ntasks;    /* rows of the file of rows */
};

/* Path of the file of rows; to be freed. NULL: out of memory. */
char *scion_stage_rows_name(const char *record);

/* Write the row of the task that is number `index` of its node. used: if the bytes of each chunk
   are listed: these. */
int scion_stage_row_write(const char *record, int index, const struct scion_stage_row *row,
                          const sion_int64 *used);

/* Wait until the rows are on the disk. */
int scion_stage_rows_sync(const struct scion_stage_part *part);

/*
 * For a container that is made without some nodes: put the rows beside the new file; whether a node
 * has; read what it has put there, malloc'd. An error if there are none.
 */
int scion_stage_rows_share(const struct scion_stage_part *part);
int scion_stage_rows_are_shared(const struct scion_stage_part *part, int node, int *are_shared);
int scion_stage_rows_of(const struct scion_stage_part *part, int node,
                        struct scion_stage_row **rows, int *n);

/* The bytes of each chunk of a task, the node's number `index`, which has written all: malloc'd. */
int scion_stage_row_lengths(const struct scion_stage_part *part, int node, int index,
                            const struct scion_stage_row *row, sion_int64 **used);
void scion_stage_rows_withdraw(const struct scion_stage_part *part, int node);

/* The node's own bytes of a file of `size` bytes, in ascending order; malloc'd. */
struct scion_stage_range {
    sion_int64 begin, end;
};

/* An error if a row is missing. */
int scion_stage_ranges(const struct scion_stage_part *part, int file, sion_int64 size,
                       struct scion_stage_range **ranges, size_t *n);

#endif
