/*
 * A communicator, as the parallel layer sees it: a table of a few functions. There is one table
 * each for MPI, threads, their combination and the application's callbacks; all layers above are
 * written once.
 */
#ifndef SCION_COMM_COMM_H
#define SCION_COMM_COMM_H

#include <stddef.h>

#include "sion_datatypes.h"

struct scion_comm;
struct scion_transfer;
struct scion_record;
struct scion_batch;
struct scion_outcome;
struct scion_combined;

enum {
    /*
     * Result of split, on all: it would separate tasks that can reach the others only through each
     * other.
     */
    SCION_COMM_TORN = -200,

    /* Most numbers that a reduction can carry from rank 0 to all. */
    SCION_TOLD_MOST = 18,

    /* Numbers whose ranges, and whose sums, one reduction finds. */
    SCION_RANGES_MOST = 8,
    SCION_SUMS_MOST = 2,

    /* Most numbers of a gather that was reserved, of all tasks and of each one. */
    SCION_GATHER_MOST = 1 << 18,
    SCION_GATHER_EACH = 1 << 15
};

/* Of so many numbers of all n tasks, those of each one: two, at least. */
static inline int scion_gather_each(int numbers, int n)
{
    int each = numbers / n;

    return each > SCION_GATHER_EACH ? SCION_GATHER_EACH : each > 2 ? each : 2;
}

/* Whether, and when, the tasks of a group must leave it. */
enum scion_parting { SCION_PARTS_FREELY, SCION_MUST_LEAVE, SCION_MUST_LEAVE_FIRST };

/* What a task can do in transfers. */
enum scion_capability { SCION_COLLECTS, SCION_ONLY_SENDS, SCION_WORKS_ALONE };

/* 64-bit numbers for one task, or from it. */
struct scion_message {
    int peer;
    sion_int64 *words;
    sion_int64 count;
};

/* What one reduction makes of those of all tasks: the smallest ones, and the sums. */
struct scion_combined {
    sion_int64 least[2 * SCION_RANGES_MOST], sums[SCION_SUMS_MOST];
};

/*
 * What an implementation provides. 0 is success; any other number goes into the message. Memory
 * and time of gathers and scatters are O(size) at the root.
 */
struct scion_comm_ops {
    int (*bcast)(struct scion_comm *comm, void *data, size_t bytes, int root);
    int (*gather)(struct scion_comm *comm, const void *from, void *to, size_t bytes, int root);
    int (*scatter)(struct scion_comm *comm, const void *from, void *to, size_t bytes, int root);
    int (*gatherv)(struct scion_comm *comm, const sion_int64 *from, int count, sion_int64 *to,
                   const int *counts, const int *first, int root);
    int (*scatterv)(struct scion_comm *comm, const sion_int64 *from, const int *counts,
                    const int *first, sion_int64 *to, int count, int root);
    int (*minimum)(struct scion_comm *comm, sion_int64 *value, sion_int64 *told, int n);
    int (*split)(struct scion_comm *comm, int color, int key, struct scion_comm **part);
    void (*free)(struct scion_comm *comm); /* local */

    /* A number from one task to another. NULL: not supported. */
    int (*signal)(struct scion_comm *comm, int to, int number);
    int (*wait)(struct scion_comm *comm, int from, int *number);

    /* Transfers (transfer.h), on communicators made by form_group. NULL: not supported. */
    int (*transfer)(struct scion_comm *comm, const struct scion_transfer *transfer,
                    struct scion_record **records, int n, const int *counts);
    int (*form_group)(struct scion_comm *comm, int first, struct scion_comm **group);

    /* Batches (transfer.h); all or none. NULL: every record moves in its own call. */
    int (*send_batch)(struct scion_comm *comm, const struct scion_batch *batch);
    int (*receive_outcome)(struct scion_comm *comm, struct scion_outcome *outcome);
    int (*collect_batches)(struct scion_comm *comm, const struct scion_transfer *transfer, int all);
    enum scion_capability (*capability)(struct scion_comm *comm); /* NULL: all may collect */

    /* See scion_must_leave(). NULL: they need not. */
    enum scion_parting (*must_leave)(const struct scion_comm *group);

    /*
     * A number that is equal on the tasks of a node and differs between nodes. NULL: made from the
     * host's name.
     */
    int (*node)(struct scion_comm *comm, sion_int64 *node);

    /* See scion_split_by_node(). NULL: by the host's name. */
    int (*split_by_node)(struct scion_comm *comm, struct scion_comm **part);

    /* See scion_exchange(). NULL: all messages pass through rank 0. */
    int (*exchange)(struct scion_comm *comm, const struct scion_message *out, int nout,
                    struct scion_message *in, int nin);

    /* See scion_find_ranges(): each of n numbers becomes the smallest one; scion_combine();
       scion_sums_before(). All or none. NULL: not supported. */
    int (*minima)(struct scion_comm *comm, sion_int64 *numbers, int n);
    int (*combine)(struct scion_comm *comm, struct scion_combined *numbers);
    int (*sums_before)(struct scion_comm *comm, sion_int64 *numbers, int n);

    /* See scion_comm_reserve(). NULL: no memory is needed. */
    int (*reserve)(struct scion_comm *comm);

    /* See scion_comm_refusal(). NULL: it always works. */
    const char *(*refusal)(struct scion_comm *comm);
};

/*
 * How far a task has left a group of transfers (transfer.h). _FOR_ALL: it takes part for all tasks
 * of its process, which do not.
 */
enum scion_leaving { SCION_STAYS, SCION_LEAVES_NOW, SCION_LEAVES_FOR_ALL, SCION_HAS_LEFT };

struct scion_comm {
    const struct scion_comm_ops *ops;
    int rank, size;
    enum scion_leaving leaving;
    int parts; /* of a group: tasks may stop at different calls, as all know that would wait */
    int holds; /* so many calls of scion_comm_free() do nothing */
};

/*
 * The functions that the layers above call. They are collective over comm and return 0, or an error
 * code with its reason in the error record. Byte counts are multiples of 8, so that every kind of
 * communicator can carry them.
 */

/* bytes from root to all. */
int scion_bcast(struct scion_comm *comm, void *data, size_t bytes, int root);

/* bytes from each to root, in rank order. to: size * bytes at root, else ignored. */
int scion_gather(struct scion_comm *comm, const void *from, void *to, size_t bytes, int root);

/* bytes for each from root, in rank order. from: size * bytes at root, else ignored. */
int scion_scatter(struct scion_comm *comm, const void *from, void *to, size_t bytes, int root);

/*
 * 64-bit numbers, `count` from or for each task. At root: counts[size], and first[size], the index
 * at which each rank's numbers begin.
 */
int scion_gatherv(struct scion_comm *comm, const sion_int64 *from, int count, sion_int64 *to,
                  const int *counts, const int *first, int root);
int scion_scatterv(struct scion_comm *comm, const sion_int64 *from, const int *counts,
                   const int *first, sion_int64 *to, int count, int root);

/*
 * Set *value to the smallest one of all tasks, and broadcast n <= SCION_TOLD_MOST numbers from rank
 * 0.
 */
int scion_minimum(struct scion_comm *comm, sion_int64 *value, sion_int64 *told, int n);

/*
 * Whether there are so many tasks that rank 0 should hold as little as possible of each of them,
 * and the communicator has the functions below, and gathers that carry any number of bytes.
 * Equal on all tasks.
 */
int scion_is_large(const struct scion_comm *comm);
extern int scion_large_from; /* tasks; tests set it */

/* The smallest and the largest of each of n <= SCION_RANGES_MOST numbers, by one reduction. */
struct scion_range {
    sion_int64 least, most;
};
int scion_find_ranges(struct scion_comm *comm, const sion_int64 *numbers, int n,
                      struct scion_range *ranges);

/* The same of SCION_RANGES_MOST numbers; and each of the sums becomes that of all tasks, modulo
   2^64. */
int scion_find_ranges_and_sums(struct scion_comm *comm, const sion_int64 *numbers,
                               struct scion_range *ranges, sion_int64 sums[SCION_SUMS_MOST]);

/* Each of n <= SCION_TOLD_MOST numbers becomes the sum of those of all tasks before this one. */
int scion_sums_before(struct scion_comm *comm, sion_int64 *numbers, int n);

/*
 * Tasks of equal color, ordered by key, get a communicator of their own. With a negative color a
 * task gets none, and *part is NULL. SCION_COMM_TORN: this communicator cannot be split so.
 */
int scion_split(struct scion_comm *comm, int color, int key, struct scion_comm **part);

/*
 * Not collective: send a number to a task that waits for it. Call them only on communicators of our
 * own: on the application's, our messages could be taken for its own.
 */
int scion_signal(struct scion_comm *comm, int to, int number);
int scion_wait(struct scion_comm *comm, int from, int *number);

/*
 * Exchange messages between any tasks. A task sends at most one message to another task (or to
 * itself). Both sides list their messages in the order of the peers, with equal counts. Call it
 * only on communicators of our own: on the application's, our messages could be taken for its own.
 * If tasks cannot send messages to each other directly, all pass through rank 0, a few MiB at a
 * time.
 */
int scion_exchange(struct scion_comm *comm, const struct scion_message *out, int nout,
                   struct scion_message *in, int nin);

/*
 * A number that is equal on the tasks of a node and differs between nodes. It is made from
 * SION_NODE in the task's environment, else by the communicator, else from the host's name.
 */
int scion_node(struct scion_comm *comm, sion_int64 *node);

/*
 * The tasks of a node, in the order of their ranks, get a communicator of their own. All or none
 * may have SION_NODE in their environment: scion_has_named_node(). *number: as scion_node()
 * says it where the tasks are found by a name; tasks of two nodes may have come together, if this
 * differs between them.
 */
int scion_has_named_node(void);
int scion_split_by_node(struct scion_comm *comm, struct scion_comm **part, sion_int64 *number);

/* Whether scion_signal() works here. */
int scion_can_signal(const struct scion_comm *comm);

/*
 * Local: allocate what later gathers on rank 0 of up to scion_gather_each(SCION_GATHER_MOST, size)
 * numbers of each task need besides the caller's tables. It stays untouched until then.
 */
int scion_comm_reserve(struct scion_comm *comm);

/*
 * Local: why the communicator cannot be used any more, because the application has ended what it is
 * made of; NULL: it can.
 */
const char *scion_comm_refusal(struct scion_comm *comm);

/* Local. NULL: nothing. */
void scion_comm_free(struct scion_comm *comm);

/* A communicator of one task. It sends nothing. */
int scion_comm_self(struct scion_comm **comm);

#endif
