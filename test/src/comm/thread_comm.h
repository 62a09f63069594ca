/*
 * A communicator of threads, for tests of the parallel layer without MPI: every collective goes
 * through one shared buffer and two barriers.
 */
#ifndef TEST_THREAD_COMM_H
#define TEST_THREAD_COMM_H

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "comm/comm.h"

struct thread_group {
    pthread_barrier_t barrier;
    int size;
    const void **from;  /* [size] the pointer of each task */
    long long *numbers; /* [size] */
    int members;        /* communicators that still point to the group */
    pthread_mutex_t mutex;
};

struct thread_comm {
    struct scion_comm comm;
    struct thread_group *group;
};

static inline struct thread_group *thread_group_new(int size)
{
    struct thread_group *group = calloc(1, sizeof *group);

    group->size = group->members = size;
    group->from = calloc((size_t)size, sizeof *group->from);
    group->numbers = calloc((size_t)size, sizeof *group->numbers);
    pthread_barrier_init(&group->barrier, NULL, (unsigned)size);
    pthread_mutex_init(&group->mutex, NULL);
    return group;
}

static inline struct scion_comm *thread_comm_new(struct thread_group *group, int rank);

static inline struct thread_group *group_of(struct scion_comm *comm)
{
    return ((struct thread_comm *)comm)->group;
}

static inline void thread_wait(struct thread_group *group)
{
    pthread_barrier_wait(&group->barrier);
}

/* Publish a pointer, and wait until all tasks have. A second wait must follow the use. */
static inline struct thread_group *put_down(struct scion_comm *comm, const void *from)
{
    struct thread_group *group = group_of(comm);

    group->from[comm->rank] = from;
    thread_wait(group);
    return group;
}

static inline int thread_bcast(struct scion_comm *comm, void *data, size_t bytes, int root)
{
    struct thread_group *group = put_down(comm, data);

    if (comm->rank != root)
        memcpy(data, group->from[root], bytes);
    thread_wait(group);
    return 0;
}

static inline int thread_gather(struct scion_comm *comm, const void *from, void *to, size_t bytes,
                                int root)
{
    struct thread_group *group = put_down(comm, from);
    int i;

    for (i = 0; comm->rank == root && i < comm->size; i++)
        memcpy((char *)to + (size_t)i * bytes, group->from[i], bytes);
    thread_wait(group);
    return 0;
}

static inline int thread_scatter(struct scion_comm *comm, const void *from, void *to, size_t bytes,
                                 int root)
{
    struct thread_group *group = put_down(comm, from);

    memcpy(to, (const char *)group->from[root] + (size_t)comm->rank * bytes, bytes);
    thread_wait(group);
    return 0;
}

static inline int thread_gatherv(struct scion_comm *comm, const sion_int64 *from, int count,
                                 sion_int64 *to, const int *counts, const int *first, int root)
{
    struct thread_group *group = put_down(comm, from);
    int i;

    (void)count;
    for (i = 0; comm->rank == root && i < comm->size; i++)
        memcpy(to + first[i], group->from[i], (size_t)counts[i] * sizeof *to);
    thread_wait(group);
    return 0;
}

struct scattered {
    const sion_int64 *from;
    const int *first;
};

static inline int thread_scatterv(struct scion_comm *comm, const sion_int64 *from,
                                  const int *counts, const int *first, sion_int64 *to, int count,
                                  int root)
{
    const struct scattered mine = {from, first};
    struct thread_group *group = put_down(comm, &mine);
    const struct scattered *roots = group->from[root];

    (void)counts;
    memcpy(to, roots->from + roots->first[comm->rank], (size_t)count * sizeof *to);
    thread_wait(group);
    return 0;
}

static inline int thread_minimum(struct scion_comm *comm, sion_int64 *value, sion_int64 *told,
                                 int n)
{
    struct thread_group *group = group_of(comm);
    int i;

    if (n > 0)
        thread_bcast(comm, told, (size_t)n * sizeof *told, 0);

    group->numbers[comm->rank] = *value;
    thread_wait(group);
    for (i = 0; i < comm->size; i++)
        *value = group->numbers[i] < *value ? group->numbers[i] : *value;
    thread_wait(group);
    return 0;
}

struct split_seat {
    int color, key;
    struct thread_group *made; /* by the first task of its color */
};

/* Whether a seat comes before another one of its color: by key, then by rank. */
static inline int seat_before(const struct split_seat *a, int rank_a, const struct split_seat *b,
                              int rank_b)
{
    return a->key != b->key ? a->key < b->key : rank_a < rank_b;
}

static inline int thread_split(struct scion_comm *comm, int color, int key,
                               struct scion_comm **part)
{
    struct split_seat mine = {color, key, NULL};
    struct thread_group *group = put_down(comm, &mine);
    int size = 0, place = 0, first = -1, i;

    for (i = 0; i < comm->size; i++) {
        const struct split_seat *seat = group->from[i];

        if (seat->color != color)
            continue;
        first = first < 0 ? i : first;
        size++;
        place += seat_before(seat, i, &mine, comm->rank);
    }
    if (first == comm->rank)
        mine.made = thread_group_new(size);
    thread_wait(group);
    *part = thread_comm_new(((const struct split_seat *)group->from[first])->made, place);
    thread_wait(group);
    return 0;
}

static inline void thread_free(struct scion_comm *comm)
{
    struct thread_group *group = group_of(comm);
    int left;

    pthread_mutex_lock(&group->mutex);
    left = --group->members;
    pthread_mutex_unlock(&group->mutex);
    if (left == 0) {
        pthread_barrier_destroy(&group->barrier);
        pthread_mutex_destroy(&group->mutex);
        free(group->from);
        free(group->numbers);
        free(group);
    }
    free(comm);
}

static inline struct scion_comm *thread_comm_new(struct thread_group *group, int rank)
{
    static const struct scion_comm_ops ops = {
        .bcast = thread_bcast,
        .gather = thread_gather,
        .scatter = thread_scatter,
        .gatherv = thread_gatherv,
        .scatterv = thread_scatterv,
        .minimum = thread_minimum,
        .split = thread_split,
        .free = thread_free,
    };
    struct thread_comm *comm = malloc(sizeof *comm);

    comm->comm = (struct scion_comm){.ops = &ops, .rank = rank, .size = group->size};
    comm->group = group;
    return &comm->comm;
}

#endif
