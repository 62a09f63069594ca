/*
 * What a reader of a container with generations sees when it goes on with a newer state: another
 * generation, or fewer old ones.
 */
#ifndef SCION_FILE_NEWER_H
#define SCION_FILE_NEWER_H

#include <limits.h>

#include "file/physical.h"
#include "stream/stream.h"

enum scion_newer {
    SCION_NEWER_STAYS, /* it shows nothing newer */
    SCION_NEWER_GROWS, /* the same, with bytes behind what there was, or of all generations */
    SCION_NEWER_MOVES  /* another generation: all tasks are at its first byte */
};

/* What an open has asked for, of which file `name` now shows a generation instead of the one that
   it showed before; 0: all that there is. One of SCION_NEWER_*, or an error code. */
int scion_newer_compare(const char *name, int sees_all, sion_int64 before, sion_int64 now);

/* The first chunk of a file that is left; 0: all are. */
sion_int64 scion_newer_first(const struct scion_physical *physical);

/* The stream of a task in the old state. */
struct scion_newer_task {
    const struct scion_lengths *lengths;
    const struct scion_unzip_view *unzip; /* NULL: they are those of its chunks */
    sion_int64 base;                      /* where it begins in that */
};

enum { SCION_NEWER_ALL = INT_MAX }; /* chunks */

/* Bytes that it had before a chunk of the file. */
sion_int64 scion_newer_before(const struct scion_newer_task *old, sion_int64 chunk);

/* Where a task that stood at a mark goes on, of whose chunks `count` are there now. */
void scion_newer_move(const struct scion_newer_task *old, sion_int64 count, sion_int64 first,
                      struct scion_mark *mark);

/* Generations that a reader of all has not seen to their end, and never will: from the first to the
   last number. */
struct scion_newer_loss {
    sion_int64 first, last; /* first > last: none */
};

/* Those that came and went between the two states of a file. */
void scion_newer_begin(const struct scion_physical *old, const struct scion_physical *new,
                       struct scion_newer_loss *loss);

/* Add those of which a task that has read so many bytes has not read all. */
void scion_newer_add(const struct scion_physical *file, const struct scion_newer_task *old,
                     sion_int64 read, struct scion_newer_loss *loss);

/* Warn of them. */
void scion_newer_warn(const char *name, const struct scion_newer_loss *loss);

#endif
