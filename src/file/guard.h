/*
 * A guard of a physical file that has checksums: every piece of data is compared with its CRC when
 * some of it is read for the first time, and no byte of a piece that differs is delivered.
 */
#ifndef SCION_FILE_GUARD_H
#define SCION_FILE_GUARD_H

#include <stdint.h>

#include "format/damage.h"
#include "geometry/layout.h"
#include "stream/lengths.h"
#include "vfs/guard.h"

struct scion_guard;

/* Where the CRCs of a file are, and what all of its tasks have in common. 64-bit words, because
   tasks send it to each other. */
struct scion_guard_facts {
    sion_int64 piece;      /* bytes of data under one CRC; 0: the file has none */
    sion_int64 swapped;    /* the CRCs have the other byte order */
    sion_int64 globalskip; /* from a chunk to the task's next one */
};

/* For up to ntasks tasks, which have so many chunks. */
int scion_guard_new(const struct scion_guard_facts *facts, int ntasks, sion_int64 chunks,
                    struct scion_guard **guard);

/* Add a task of the file, whose first CRC is at this offset. The lengths are copied. */
void scion_guard_add(struct scion_guard *guard, int task, sion_int64 start, sion_int64 crcs_at,
                     const struct scion_lengths *lengths);

/* The CRCs of the task that was added last, which are copied: they are not looked for in the file.
 */
int scion_guard_give(struct scion_guard *guard, const uint32_t *crcs, sion_int64 count);

/* All tasks have been added. NULL: no guard. */
void scion_guard_watch(struct scion_guard *guard, struct scion_file *file);

/* The same tasks, of which nothing has been compared. *copy of NULL: NULL. */
int scion_guard_copy(const struct scion_guard *guard, struct scion_guard **copy);

/* Compare all data of the task whose chunk 0 begins there, in a file that the guard does not watch.
 *damage: of the first piece that differs, else unchanged. */
int scion_guard_compare(struct scion_guard *guard, struct scion_file *file, sion_int64 start,
                        struct scion_damage *damage);

/* Free what is only there to be fast. NULL: nothing. */
void scion_guard_rest(struct scion_guard *guard);

/* Bytes of memory. */
sion_int64 scion_guard_cost(const struct scion_guard *guard);

void scion_guard_free(struct scion_guard *guard); /* NULL: nothing */

#endif
