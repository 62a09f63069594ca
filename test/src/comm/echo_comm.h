/*
 * A communicator of one real task, rank 0, and any number of others, each of which sends what rank
 * 0 sends. What it costs is the work of rank 0.
 */
#ifndef TEST_ECHO_COMM_H
#define TEST_ECHO_COMM_H

#include <stdlib.h>
#include <string.h>

#include "comm/comm.h"

/* Bytes of one task in all gathers, and in all scatters. */
static size_t echo_gathered, echo_scattered;

static int echo_files = 1; /* into which a set is split */

/* NULL, or: what another task sends in a gather differs like this from what rank 0 sends. */
static void (*echo_vary)(const struct scion_comm *comm, void *sent, size_t bytes, int rank);

static inline struct scion_comm *echo_comm(int size);

/* Every task sends the same as rank 0. */
static inline int echo_gather(struct scion_comm *comm, const void *from, void *to, size_t bytes,
                              int root)
{
    int i;

    (void)root;
    echo_gathered += bytes;
    for (i = 0; i < comm->size; i++)
        memcpy((char *)to + (size_t)i * bytes, from, bytes);
    for (i = 1; echo_vary && i < comm->size; i++)
        echo_vary(comm, (char *)to + (size_t)i * bytes, bytes, i);
    return 0;
}

static inline int echo_gatherv(struct scion_comm *comm, const sion_int64 *from, int count,
                               sion_int64 *to, const int *counts, const int *first, int root)
{
    int i;

    (void)root, (void)counts;
    echo_gathered += (size_t)count * sizeof *to;
    for (i = 0; i < comm->size; i++) {
        memcpy(to + first[i], from, (size_t)count * sizeof *to);
    }
    return 0;
}

static inline int echo_scatter(struct scion_comm *comm, const void *from, void *to, size_t bytes,
                               int root)
{
    (void)comm, (void)root;
    echo_scattered += bytes;
    memcpy(to, from, bytes);
    return 0;
}

static inline int echo_bcast(struct scion_comm *comm, void *data, size_t bytes, int root)
{
    (void)comm, (void)data, (void)bytes, (void)root;
    return 0;
}

/* How much less, once, the number of another task is in an agreement. */
static sion_int64 echo_less;

static inline int echo_minimum(struct scion_comm *comm, sion_int64 *value, sion_int64 *told, int n)
{
    (void)comm, (void)told;
    if (n > 0 || *value <= comm->size)
        return 0;
    *value -= echo_less;
    echo_less = 0;
    return 0;
}

/* NULL, or: numbers of other tasks are smaller. */
static void (*echo_lower)(sion_int64 *numbers, int n);

static inline int echo_minima(struct scion_comm *comm, sion_int64 *numbers, int n)
{
    (void)comm;
    if (echo_lower)
        echo_lower(numbers, n);
    return 0;
}

/* NULL, or: what makes the sums of all tasks of those of rank 0. */
static void (*echo_sum)(const struct scion_comm *comm, sion_int64 sums[SCION_SUMS_MOST]);

static inline int echo_combine(struct scion_comm *comm, struct scion_combined *numbers)
{
    if (echo_lower)
        echo_lower(numbers->least, 2 * SCION_RANGES_MOST);
    if (echo_sum)
        echo_sum(comm, numbers->sums);
    return 0;
}

static inline int echo_sums_before(struct scion_comm *comm, sion_int64 *numbers, int n)
{
    (void)comm;
    memset(numbers, 0, (size_t)n * sizeof *numbers);
    return 0;
}

/* Tasks can collect, but nothing is transferred. */
static inline int echo_no_transfer(struct scion_comm *comm, const struct scion_transfer *transfer,
                                   struct scion_record **records, int n, const int *counts)
{
    (void)comm, (void)transfer, (void)records, (void)n, (void)counts;
    return -1;
}

/* The tasks of file 0: the first tasks, as many as in each other file. */
static inline int echo_split(struct scion_comm *comm, int color, int key, struct scion_comm **part)
{
    (void)color, (void)key;
    *part = echo_comm(comm->size / echo_files);
    return *part ? 0 : -1;
}

/* Rank 0 collects for itself. */
static inline int echo_form_group(struct scion_comm *comm, int first, struct scion_comm **group)
{
    (void)comm, (void)first;
    *group = echo_comm(1);
    return *group ? 0 : -1;
}

static inline void echo_free(struct scion_comm *comm)
{
    free(comm);
}

static inline struct scion_comm *echo_comm(int size)
{
    static const struct scion_comm_ops ops = {
        .bcast = echo_bcast,
        .gather = echo_gather,
        .gatherv = echo_gatherv,
        .scatter = echo_scatter,
        .minimum = echo_minimum,
        .minima = echo_minima,
        .combine = echo_combine,
        .sums_before = echo_sums_before,
        .split = echo_split,
        .form_group = echo_form_group,
        .free = echo_free,
        .transfer = echo_no_transfer,
    };
    struct scion_comm *comm = malloc(sizeof *comm);

    if (comm)
        *comm = (struct scion_comm){.ops = &ops, .size = size};
    return comm;
}

#endif
