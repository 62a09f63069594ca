/*
 * The pieces of a physical file that have checksums: where they are, what their CRCs should be, and
 * which of them have been compared.
 */
#ifndef SCION_FILE_GUARD_PIECES_H
#define SCION_FILE_GUARD_PIECES_H

#include <stdint.h>

#include "base/crc.h"
#include "vfs/view.h"

/* Of one task, from its first read on. */
struct scion_task_sums {
    uint32_t *crcs;      /* of all pieces of the task */
    sion_int64 *before;  /* [chunks + 1] pieces in the chunks before each one */
    unsigned char *good; /* a bit for each piece that has been compared */
};

/* A task that has data. */
struct scion_guarded_task {
    sion_int64 start;   /* where its chunk 0 begins */
    sion_int64 crcs_at; /* where its first CRC is in the file */
    uint32_t *crcs;     /* or all of them; else NULL */
    sion_int64 ncrcs;
    sion_int64 chunks;
    sion_int64 first; /* index in `used` of its chunk 0 */
    int task;         /* in the file */
    struct scion_task_sums *sums;
};

struct scion_guard_pieces {
    scion_crc_function *crc;
    sion_int64 piece;      /* bytes of data under one CRC */
    sion_int64 globalskip; /* from a chunk to the task's next one */
    int swapped;           /* the CRCs have the other byte order */
    int n;
    struct scion_guarded_task *tasks; /* [n], in the order of the file */
    sion_int64 *used, nused;          /* bytes in all chunks */
};

/* A piece, or bytes between the data. */
struct scion_segment {
    sion_int64 begin, end;           /* offsets in the file */
    struct scion_guarded_task *task; /* NULL: nothing says what these bytes should be */
    sion_int64 chunk, piece;
};

void scion_guard_find(const struct scion_guard_pieces *pieces, sion_int64 offset,
                      struct scion_segment *segment);

/* NULL: the task that begins there has no data. */
const struct scion_guarded_task *scion_guard_task_at(const struct scion_guard_pieces *pieces,
                                                     sion_int64 start);

/* Read the task's CRCs with `plain` if that has not been done. */
int scion_guard_need_sums(const struct scion_guard_pieces *pieces, struct scion_guarded_task *task,
                          scion_read_some *plain, struct scion_file *file);

/* Of a segment whose task has its CRCs. */
int scion_guard_is_good(const struct scion_segment *segment);
void scion_guard_note_good(const struct scion_segment *segment);
uint32_t scion_guard_crc(const struct scion_segment *segment);

void scion_guard_free_sums(struct scion_task_sums *sums);

#endif
