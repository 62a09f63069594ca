/*
 * One task of a physical file, without the numbers of all the others: they are passed over, because
 * the places of chunks follow from all sizes, but not kept. Memory: O(the task's chunks).
 */
#ifndef SCION_FILE_COLUMN_H
#define SCION_FILE_COLUMN_H

#include "file/physical.h"

struct scion_column {
    int lrank; /* of the task in the file */
    sion_int64 globalrank, chunksize, start;
    sion_int64 count; /* chunks */
    sion_int64 rows;  /* the same, and one more if the table has it: a length there is damage */
    sion_int64 *used; /* [rows] */
    struct scion_damage damage; /* or the reason why it is not read, and one empty chunk */
};

/*
 * Open a file; its header and the sizes of its tables are read and checked, and nothing of a task.
 * Of file 0 of a set mapping.size is set, without the pairs.
 */
int scion_column_open(const char *path, struct scion_physical **physical);

/* Read and check a task; lrank is in range. */
int scion_column_read(struct scion_physical *physical, int lrank, struct scion_column *column);

/*
 * The same in steps, if another process goes through the numbers of all tasks (file/survey.h).
 * First the chunk size; *room: what the task takes of a block. The caller then sets column->start.
 */
int scion_column_read_size(struct scion_physical *physical, int lrank, struct scion_column *column,
                           sion_int64 *room);
int scion_column_read_chunks(struct scion_physical *physical, struct scion_column *column);
void scion_column_free(struct scion_column *column);

/* And in a set: if the task's global rank is not `rank`, it counts as damaged. */
int scion_column_check_rank(struct scion_physical *physical, int rank, struct scion_column *column);

/* A chunk that says bytes which it cannot have. */
struct scion_chunk_repair {
    struct scion_damage damage; /* what is wrong with it */
    sion_int64 entry;           /* offset in the file of the number that is 0 from now on */
};

/*
 * The numbers of a task that is damaged, of a file that has been read and is open: each such chunk
 * counts as 0 bytes, which `mended` is told. column->damage says what is still wrong; then used may
 * be NULL. The file does not change.
 */
int scion_column_mend(struct scion_physical *physical, int lrank, struct scion_column *column,
                      int (*repair)(void *user, const struct scion_chunk_repair *chunk),
                      void *user);

/* Of file 0 of a set: where a rank is, pair[0] is the file and pair[1] the index in it. */
int scion_column_find(struct scion_physical *physical, int rank, int *pair);

#endif
