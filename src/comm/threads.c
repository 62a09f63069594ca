#include "comm/threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "comm/transfer.h"

struct member {
    struct scion_comm comm;
    struct scion_threads *threads;
    const void *put; /* pointer that the member shows to the others */
};

/* One allocation, so that no thread can fail alone. */
struct scion_threads {
    pthread_barrier_t barrier;
    atomic_int left; /* members that are not freed */
    int size;
    int parts; /* of a group: see scion_comm; set by its first thread in transfers */
    struct member members[];
};

static struct scion_threads *threads_of(struct scion_comm *comm)
{
    return ((struct member *)comm)->threads;
}

static void wait_for_all(struct scion_comm *comm)
{
    pthread_barrier_wait(&threads_of(comm)->barrier);
}

/* Show a pointer to all members. The result is valid until the next wait_for_all(). */
static const struct member *show(struct scion_comm *comm, const void *put)
{
    ((struct member *)comm)->put = put;
    wait_for_all(comm);
    return threads_of(comm)->members;
}

static void copy(void *to, const void *from, size_t bytes)
{
    if (bytes > 0 && to != from)
        memcpy(to, from, bytes);
}

static int threads_bcast(struct scion_comm *comm, void *data, size_t bytes, int root)
{
    const struct member *members = show(comm, data);

    copy(data, members[root].put, bytes);
    wait_for_all(comm);
    return 0;
}

static int threads_gather(struct scion_comm *comm, const void *from, void *to, size_t bytes,
                          int root)
{
    const struct member *members = show(comm, from);
    int i;

    for (i = 0; comm->rank == root && i < comm->size; i++)
        copy((char *)to + (size_t)i * bytes, members[i].put, bytes);
    wait_for_all(comm);
    return 0;
}

static int threads_scatter(struct scion_comm *comm, const void *from, void *to, size_t bytes,
                           int root)
{
    const struct member *members = show(comm, from);

    copy(to, (const char *)members[root].put + (size_t)comm->rank * bytes, bytes);
    wait_for_all(comm);
    return 0;
}

static int threads_gatherv(struct scion_comm *comm, const sion_int64 *from, int count,
                           sion_int64 *to, const int *counts, const int *first, int root)
{
    const struct member *members = show(comm, from);
    int i;

    (void)count;
    for (i = 0; comm->rank == root && i < comm->size; i++)
        copy(to + first[i], members[i].put, (size_t)counts[i] * sizeof *to);
    wait_for_all(comm);
    return 0;
}

struct portions {
    const sion_int64 *from;
    const int *first;
};

static int threads_scatterv(struct scion_comm *comm, const sion_int64 *from, const int *counts,
                            const int *first, sion_int64 *to, int count, int root)
{
    const struct portions mine = {from, first};
    const struct portions *portions = show(comm, &mine)[root].put;

    (void)counts;
    if (count > 0)
        copy(to, portions->from + portions->first[comm->rank], (size_t)count * sizeof *to);
    wait_for_all(comm);
    return 0;
}

struct vote {
    sion_int64 value;
    const sion_int64 *told;
};

static int threads_minimum(struct scion_comm *comm, sion_int64 *value, sion_int64 *told, int n)
{
    const struct vote mine = {*value, told};
    const struct member *members = show(comm, &mine);
    int i;

    for (i = 0; i < comm->size; i++) {
        const struct vote *other = members[i].put;

        *value = other->value < *value ? other->value : *value;
        if (i == 0)
            copy(told, other->told, (size_t)n * sizeof *told);
    }
    wait_for_all(comm);
    return 0;
}

struct seat {
    int color, key;
    struct scion_threads *made; /* by the first of its color */
};

/* The caller's place among the tasks of its color, their number, and the first of them. */
static int find_place(const struct member *members, int rank, int size, int *places, int *first)
{
    const struct seat *mine = members[rank].put;
    int place = 0, i;

    *places = 0;
    *first = rank;
    for (i = size - 1; i >= 0; i--) {
        const struct seat *seat = members[i].put;

        if (seat->color != mine->color)
            continue;
        *first = i;
        ++*places;
        place += seat->key < mine->key || (seat->key == mine->key && i < rank);
    }
    return place;
}

static int threads_split(struct scion_comm *comm, int color, int key, struct scion_comm **part)
{
    struct seat mine = {color, key, NULL};
    const struct member *members = show(comm, &mine);
    int first, places, place = find_place(members, comm->rank, comm->size, &places, &first);
    struct scion_threads *made;

    if (first == comm->rank)
        mine.made = scion_threads_new(places);
    wait_for_all(comm);
    made = ((const struct seat *)members[first].put)->made;
    *part = made ? scion_threads_join(made, place) : NULL;
    wait_for_all(comm);
    return made ? 0 : -1;
}

struct record_list {
    struct scion_record **records;
    int n;
};

/* On the collector: move all records, in their owners' memory. */
static void move_all(struct scion_threads *threads, const struct scion_transfer *transfer)
{
    int unsuccessful = 0, from = 0, i, k;

    for (i = 0; i < threads->size; i++) {
        const struct record_list *shown = threads->members[i].put;

        for (k = 0; k < shown->n; k++) {
            scion_move_record(transfer, shown->records[k], from++);
            unsuccessful += scion_is_unsuccessful(shown->records[k]);
        }
    }
    if (scion_may_part(unsuccessful, threads->size))
        threads->parts = 1;
}

static int all_leave(const struct record_list *shown)
{
    int k = 0;

    while (k < shown->n && shown->records[k]->bytes == SCION_LEAVES)
        k++;
    return k == shown->n;
}

/* If all members leave, nobody waits any more. */
static void release_all(const struct record_list *own, const struct member *members, int n)
{
    int k;

    while (n > 0 && all_leave(members[n - 1].put))
        n--;
    for (k = 0; k < own->n && n == 0; k++)
        own->records[k]->is_released = 1;
}

/* The owners wait while the collector works. */
static int threads_transfer(struct scion_comm *comm, const struct scion_transfer *transfer,
                            struct scion_record **records, int n, const int *counts)
{
    const struct record_list mine = {records, n};
    const struct member *members = show(comm, &mine);

    (void)counts;
    if (comm->rank == 0)
        move_all(threads_of(comm), transfer);
    if (all_leave(&mine))
        release_all(&mine, members, comm->size);
    wait_for_all(comm);
    comm->parts |= threads_of(comm)->parts;
    return 0;
}

/* Threads meet in barriers of their team, where those that are still in calls do not come. */
static enum scion_parting threads_must_leave(const struct scion_comm *group)
{
    return group->parts ? SCION_MUST_LEAVE_FIRST : SCION_PARTS_FREELY;
}

/* The first thread of a process communicates for it and does its collective I/O. */
static enum scion_capability threads_capability(struct scion_comm *comm)
{
    return comm->rank == 0 ? SCION_COLLECTS : SCION_ONLY_SENDS;
}

static void threads_free(struct scion_comm *comm)
{
    struct scion_threads *threads = threads_of(comm);

    if (atomic_fetch_sub(&threads->left, 1) > 1)
        return;
    pthread_barrier_destroy(&threads->barrier);
    free(threads);
}

static const struct scion_comm_ops threads_ops = {
    .bcast = threads_bcast,
    .gather = threads_gather,
    .scatter = threads_scatter,
    .gatherv = threads_gatherv,
    .scatterv = threads_scatterv,
    .minimum = threads_minimum,
    .split = threads_split,
    .free = threads_free,
    .transfer = threads_transfer,
    .capability = threads_capability,
    .must_leave = threads_must_leave,
};

struct scion_threads *scion_threads_new(int size)
{
    struct scion_threads *new;

    /* A team without a communicator cannot tell other processes that it fails. */
    (void)scion_keep_reserve();
    new = scion_must_allocate(1, sizeof *new + (size_t)size * sizeof new->members[0]);
    if (pthread_barrier_init(&new->barrier, NULL, (unsigned)size) != 0) {
        free(new);
        return NULL;
    }
    atomic_init(&new->left, size);
    new->size = size;
    return new;
}

struct scion_comm *scion_threads_join(struct scion_threads *threads, int rank)
{
    struct member *member = &threads->members[rank];

    *member = (struct member){
        .comm = {.ops = &threads_ops, .rank = rank, .size = threads->size},
        .threads = threads,
    };
    return &member->comm;
}
