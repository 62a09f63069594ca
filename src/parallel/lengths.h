/* The lengths of all tasks' chunks, gathered for META2. */
#ifndef SCION_PARALLEL_LENGTHS_H
#define SCION_PARALLEL_LENGTHS_H

#include <stdint.h>

#include "comm/comm.h"
#include "file/container.h"

/*
 * Lengths of all tasks' chunks on their way to a communicator's rank 0. What a task sends is the
 * column that it has in META2: the number of its chunks, their lengths, and zeros. If no task has
 * more than one chunk, it is only the length.
 */
struct scion_length_gather {
    struct scion_comm *comm;
    int each, step;             /* numbers of a task in a piece: at most, and of this gather */
    sion_int64 *own;            /* [each] what this task sends */
    sion_int64 *counts, *piece; /* on rank 0: [size], [size * each] */
    sion_int64 *all;            /* on rank 0: all pieces, if they are kept; or NULL */
    sion_int64 most, come;      /* chunks of the task that has most; numbers that have come */
    const void *row;            /* of rank 0: number width * rank is the length of rank's chunk */
    int width;
    int is_even; /* all tasks have as many chunks, of the same lengths; own[0]: of one of them */
    int is_one_length; /* all tasks have the same length of their longest chunks */
    int is_small;      /* or all lengths have 32 bits, and so have the numbers in pieces */
    int is_read_once;  /* rows are asked for in order, after all counts; equal on all tasks */
    int status;        /* SION_ERR_COMM: no more pieces will come */
    const struct scion_lengths *lengths; /* of this task */
};

/*
 * Local: allocate what all gathers of lengths over comm will need, which is untouched until then.
 * So a close does not fail for lack of it. *gathered is all zero, or was reserved before.
 */
int scion_length_gather_reserve(struct scion_length_gather *gather, struct scion_comm *comm);
void scion_length_gather_free(struct scion_length_gather *gather);

/*
 * Collective: a reduction, by which all know how many pieces there are, and the first piece, with
 * all counts. Most files have no other one. Between these two calls rank 0 asks for the rows of
 * META2, in order; so the other tasks send pieces when it writes them. kept: if all pieces have no
 * more bytes than this, and there is memory, rank 0 keeps them.
 */
int scion_length_gather_begin(struct scion_length_gather *gather, const struct scion_lengths *own,
                              sion_int64 kept);
int scion_length_gather_end(struct scion_length_gather *gather);

/*
 * The same for a publish, if there is something new, in the same collectives. rc: this task's
 * result so far; is_new: it has more bytes than were published last; most: chunks of the task that
 * had most then, equal on all tasks; has_ending: it has something to write before. 0: nothing is
 * new; SCION_FIRST: a task has something to write before; in both cases there is no end to be
 * called. SCION_MORE: go on; or the code of a task's failure, on all.
 */
struct scion_length_news {
    int rc, is_new, has_ending;
    int keeps_state; /* with generations, on all: a task has failed, and readers see an older state */
    sion_int64 most;
};
int scion_length_gather_news(struct scion_length_gather *gather, const struct scion_lengths *own,
                             const struct scion_length_news *news);

/* On rank 0, after the gather has begun: chunks of a rank; where no task has more than one, all
   have it. Once the counts of small numbers have gone, all have what the longest one has. */
sion_int64 scion_length_gather_count(const struct scion_length_gather *gather, int rank);

/* After a row was asked for: the length of that chunk of a rank; 0: it has fewer. */
static inline sion_int64 scion_length_gather_used(const struct scion_length_gather *gather,
                                                  int rank)
{
    size_t i = (size_t)rank * (size_t)gather->width;

    return gather->is_small ? (sion_int64)((const uint32_t *)gather->row)[i]
                            : ((const sion_int64 *)gather->row)[i];
}

/* Whose lengths are those of a file's tasks. */
struct scion_length_order {
    struct scion_length_gather *gather;
    const sion_int64 *ranks; /* of the tasks; NULL: task `nempty` is rank `first`, and so on */
    int nempty, first;       /* so many tasks before that have no data */
};

/* On rank 0: what META2 is written of. `order` stays where it is as long as that is used. */
struct scion_length_source scion_length_gather_source(const struct scion_length_order *order);

/* On rank 0, after the end: all lengths of a rank's chunks. Fails if they were not kept. */
int scion_length_gather_copy(struct scion_length_gather *gather, int rank, sion_int64 *used);

#endif
