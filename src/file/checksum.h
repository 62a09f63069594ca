/*
 * The checksums of a physical file, after its tables: written at close, read and compared. All
 * need scion_crc_find() to have one.
 */
#ifndef SCION_FILE_CHECKSUM_H
#define SCION_FILE_CHECKSUM_H

#include <stdint.h>

#include "file/physical.h"
#include "format/checksum.h"

/* CRCs of a task's chunks, each of which begins a new piece. */
sion_int64 scion_checksum_count(const struct scion_lengths *lengths, sion_int64 piece);

/* Compute the CRCs from the data in the file: crcs[scion_checksum_count()]. */
int scion_checksum_of_task(struct scion_file *file, const struct scion_place *place,
                           const struct scion_lengths *lengths, sion_int64 piece,
                           scion_crc_function *crc, uint32_t *crcs);

/*
 * After scion_physical_finish() without a failure: write the CRCs of all tasks in their order,
 * [count]. mapping: as passed to that.
 */
int scion_checksum_write(struct scion_physical *physical, const struct scion_mapping *mapping,
                         const uint32_t *crcs, sion_int64 count);

/* Of one task: CRCs of its pieces, in their order. */
struct scion_task_crcs {
    const uint32_t *crcs;
    sion_int64 count;
};

/*
 * The same by [ntasks]: all CRCs of each task; of a state that is published, after
 * scion_physical_publish(), those that are new, see scion_checksum_tap_news().
 */
int scion_checksum_write_tasks(struct scion_physical *physical, const struct scion_mapping *mapping,
                               const struct scion_task_crcs *tasks);

/* Of META1, with the tail that belongs to the tables. */
int scion_checksum_of_meta1(const struct scion_physical *physical, scion_crc_function *crc,
                            uint32_t *sum);

/* The checksums of a file that was read. */
struct scion_checksum_table {
    scion_crc_function *crc;
    sion_int64 piece;  /* bytes of data under one CRC */
    sion_int64 at;     /* offset of the first CRC in the file */
    uint32_t *crcs;    /* [first[ntasks]]; NULL: not read */
    sion_int64 *first; /* [ntasks + 1] where those of each task begin */
    int are_early; /* they are of a state in an area, so crcs are here, which may not stay there */
    int are_damaged; /* some of the CRCs; those that the data have are not */
};

/*
 * Read the checksums of a file whose tables were read, and compare those of the tables. *checksums
 * is NULL, without an error, if the file has none.
 */
int scion_checksum_table_read(struct scion_physical *physical,
                              struct scion_checksum_table **checksums);

/* The same without the CRCs themselves, unless these are early: their number does not count. */
int scion_checksum_table_find(struct scion_physical *physical,
                              struct scion_checksum_table **checksums);

/* Where the CRCs of all tasks are, of a file of which no task's numbers need have been read. Their
   number is still to be compared with what the tasks have. piece 0: there are none. */
struct scion_checksum_span {
    sion_int64 piece, at, count;
};

/* Compares the CRCs of the tables. Fails also if the CRCs are those of a state in an area. */
int scion_checksum_span_find(struct scion_physical *physical, struct scion_checksum_span *span);

void scion_checksum_table_free(struct scion_checksum_table *checksums); /* NULL: nothing */

/* Where a task's first CRC is in the file. */
sion_int64 scion_checksum_place(const struct scion_checksum_table *checksums, int task);

/* A piece of data whose CRC is wrong, or that could not be read (rc, with a message). */
struct scion_bad_piece {
    int task; /* in the file */
    sion_int64 chunk, piece;
    sion_int64 size; /* of a whole piece */
    uint32_t expected, found;
    int rc;
};

/*
 * Compare the data of one task, with 1 MiB of memory. bad: called for each damaged piece; a result
 * other than 0 ends the comparison and is returned.
 */
int scion_checksum_table_check(const struct scion_checksum_table *checksums,
                               struct scion_physical *physical, int task,
                               int (*bad)(void *user, const struct scion_bad_piece *piece),
                               void *user);

/*
 * For an open that verifies: compare all data of a file that has checksums. A task with a piece
 * that differs is damaged from then on. Fails if they cannot be compared, because the checksums are
 * of other tables, or damaged. task: only this one; -1: all.
 */
int scion_checksum_verify_physical(struct scion_physical *physical, int task);

/*
 * For an open that does not: from now on each piece of the file's data is compared when it is read
 * for the first time. Fails if they cannot be compared.
 */
int scion_checksum_watch_physical(struct scion_physical *physical);

#endif
