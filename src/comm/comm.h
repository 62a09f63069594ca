/*
 * A communicator, as the parallel layer sees it: one table of a few functions. MPI, threads, their
 * combination and communicators of the user are tables; everything above is written once.
 */
#ifndef SCION_COMM_COMM_H
#define SCION_COMM_COMM_H

#include <stddef.h>

#include "sion_datatypes.h"

struct scion_comm;
struct scion_transfer;
struct scion_record;

enum {
    /* From split, on all: tasks that need each other to talk to the rest would be separated. */
    SCION_COMM_TORN = -200,

    /* Numbers that a reduction can bring along. */
    SCION_TOLD_MOST = 15
};

/* What a task can do in transfers. */
enum scion_capability { SCION_COLLECTS, SCION_ONLY_SENDS, SCION_WORKS_ALONE };

/* 64-bit numbers for one task, or from one. */
struct scion_message {
    int peer;
    sion_int64 *words;
    sion_int64 count;
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

    /* A signal without contents, from one task to another. NULL where tasks cannot do that. */
    int (*signal)(struct scion_comm *comm, int to);
    int (*wait)(struct scion_comm *comm, int from);

    /* For transfers (transfer.h), on communicators that group made. NULL where tasks cannot do
     * that.
     */
    int (*transfer)(struct scion_comm *comm, const struct scion_transfer *transfer,
                    struct scion_record **records, int n, const int *counts);
    int (*form_group)(struct scion_comm *comm, int first, struct scion_comm **group);
    enum scion_capability (*capability)(struct scion_comm *comm); /* NULL: all may collect */

    /* A number that the tasks of a node share, and no others. NULL: by the name of the host. */
    int (*node)(struct scion_comm *comm, sion_int64 *node);

    /* See scion_exchange(). NULL: by way of rank 0. */
    int (*exchange)(struct scion_comm *comm, const struct scion_message *out, int nout,
                    struct scion_message *in, int nin);
};

struct scion_comm {
    const struct scion_comm_ops *ops;
    int rank, size;
};

/*
 * What the layers above call: collective over comm, 0 or an error code with a text. Byte counts
 * are multiples of 8, so that every kind of communicator can carry them.
 */

/* bytes from root to all. */
int scion_bcast(struct scion_comm *comm, void *data, size_t bytes, int root);

/* bytes from each to root, in rank order. to: size * bytes at root, else ignored. */
int scion_gather(struct scion_comm *comm, const void *from, void *to, size_t bytes, int root);

/* bytes for each from root, in rank order. from: size * bytes at root, else ignored. */
int scion_scatter(struct scion_comm *comm, const void *from, void *to, size_t bytes, int root);

/*
 * 64-bit numbers, count of them from or for each. At root: counts[size], and first[size], where
 * each rank's numbers begin.
 */
int scion_gatherv(struct scion_comm *comm, const sion_int64 *from, int count, sion_int64 *to,
                  const int *counts, const int *first, int root);
int scion_scatterv(struct scion_comm *comm, const sion_int64 *from, const int *counts,
                   const int *first, sion_int64 *to, int count, int root);

/* The smallest value on all; and n <= SCION_TOLD_MOST numbers of rank 0 to all. */
int scion_minimum(struct scion_comm *comm, sion_int64 *value, sion_int64 *told, int n);

/*
 * Tasks of equal color, ordered by key, get a communicator of their own; those of a negative one
 * get none, *part is NULL. SCION_COMM_TORN: these parts cannot be.
 */
int scion_split(struct scion_comm *comm, int color, int key, struct scion_comm **part);

/*
 * Not collective: tell one task something that it waits for. They need a communicator of their own:
 * what a communicator of the application carries between two tasks is the application's.
 */
int scion_signal(struct scion_comm *comm, int to);
int scion_wait(struct scion_comm *comm, int from);

/*
 * Messages between any tasks: at most one from a task to another (or to itself), in the order of
 * the peers, and every one of them named on both sides with the same count. A communicator of the
 * application needs to be split before: what it carries between two tasks is the application's.
 * Where tasks cannot talk to each other directly all messages go through rank 0, a few MiB at a
 * time.
 */
int scion_exchange(struct scion_comm *comm, const struct scion_message *out, int nout,
                   struct scion_message *in, int nin);

/*
 * A number that the tasks of a node share, and no others: of SION_NODE in the environment of the
 * task, or else as the communicator knows it, or of the host's name.
 */
int scion_node(struct scion_comm *comm, sion_int64 *node);

/* Whether scion_signal() works here. */
int scion_can_signal(const struct scion_comm *comm);

/* Local. NULL: nothing. */
void scion_comm_free(struct scion_comm *comm);

/* The communicator of one task: nothing is sent. */
int scion_comm_self(struct scion_comm **comm);

#endif
