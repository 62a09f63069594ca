/*
 * What a reader of a container with generations sees when it goes on with a newer state: another
 * generation, or fewer old ones.
 */
#ifndef SCION_FILE_NEWER_H
#define SCION_FILE_NEWER_H

#include <limits.h>

#include "file/generations.h"
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

/* The number of the oldest generation that is left, or of the first one to come; 1: there are none.
 */
sion_int64 scion_newer_oldest(const struct scion_generations *generations);

/* The stream of a task in the old state. */
struct scion_newer_task {
    const struct scion_lengths *lengths;
    const struct scion_unzip_view *unzip; /* NULL: they are those of its chunks */
    sion_int64 base;                      /* where it begins in that */
};

enum { SCION_NEWER_ALL = INT_MAX }; /* chunks */

/* Bytes that it had before a chunk of the file. */
sion_int64 scion_newer_before(const struct scion_newer_task *old, sion_int64 chunk);

/*
 * Whether all of that is there now, but for the chunks before the first one that is left. States
 * only add bytes to chunks. What is seen decompressed has one chunk.
 */
int scion_newer_has_all(const struct scion_newer_task *old, const struct scion_lengths *now,
                        sion_int64 first);

/* Where a task that stood at a mark goes on, of whose chunks `count` are there now. */
void scion_newer_move(const struct scion_newer_task *old, sion_int64 count, sion_int64 first,
                      struct scion_mark *mark);

/* Generations that a reader of all has not seen to their end, and never will: from the first to the
   last number. */
struct scion_newer_loss {
    sion_int64 first, last; /* first > last: none */
};

/* Those that came and went between the two states of a file; newest: the number of the old one. */
struct scion_newer_loss scion_newer_between(sion_int64 newest, sion_int64 oldest);
void scion_newer_begin(const struct scion_physical *old, const struct scion_physical *new,
                       struct scion_newer_loss *loss);

/* Add those of a file's old ones, list[n], of which a task that has read so many bytes has not read
   all. */
void scion_newer_add(const struct scion_generation *list, int n, const struct scion_newer_task *old,
                     sion_int64 read, struct scion_newer_loss *loss);

/* Warn of them. */
void scion_newer_warn(const char *name, const struct scion_newer_loss *loss);

/* ---- of a container that was opened by all together ---- */

/* Words that say what a file has lost: its first chunk that is left, and n generations that there
   were (struct scion_generation). */
static inline size_t scion_newer_row(int n)
{
    return 1 + (size_t)n * (sizeof(struct scion_generation) / sizeof(sion_int64));
}

/* How a process goes on. */
struct scion_newer_step {
    int newer;              /* SCION_NEWER_* */
    const sion_int64 *rows; /* of each file, or of the only one of this process; NULL: nothing */
    int nrows, n;           /* is lost */
    struct scion_newer_loss loss; /* of the tasks of this process */
    sion_int64 gone;              /* bytes that the selected task had */
    struct scion_mark was;        /* where the only task of this process stood */
};

#endif
