/*
 * Callbacks that an application passes to the generic interface, made of plain threads: its groups
 * are communicators of threads.
 */
#ifndef TEST_GENERIC_CALLBACKS_H
#define TEST_GENERIC_CALLBACKS_H

#include "check.h"
#include "sion.h"
#include "src/comm/thread_comm.h"

/* A group of the application is a communicator of threads. */
static inline struct scion_comm *generic_comm_of(void *group)
{
    return group;
}

static inline size_t generic_size_of(int dtype, int nelem)
{
    return (size_t)nelem * (dtype == _SION_INT32 ? 4 : dtype == _SION_CHAR ? 1 : 8);
}

static inline int generic_create_group(void **lcomm, void *gcomm, int grank, int gsize, int lrank,
                                       int lsize, int filenumber, int numfiles)
{
    struct scion_comm *part = NULL;
    int rc = generic_comm_of(gcomm)->ops->split(gcomm, filenumber, lrank, &part);

    if (filenumber < 0) { /* in no group this time */
        part->ops->free(part);
        return *lcomm || lrank != 0 || lsize != 0 ? 1 : rc;
    }
    if (*lcomm || numfiles < 1 || grank != generic_comm_of(gcomm)->rank ||
        gsize != generic_comm_of(gcomm)->size || part->rank != lrank || part->size != lsize)
        return 1;
    *lcomm = part;
    return rc;
}

static inline int generic_free_group(void *comm)
{
    generic_comm_of(comm)->ops->free(comm);
    return 0;
}

static inline int generic_wait_for_all(void *comm)
{
    thread_wait(group_of(comm));
    return 0;
}

static inline int generic_bcast(void *data, void *comm, int dtype, int nelem, int root)
{
    return thread_bcast(comm, data, generic_size_of(dtype, nelem), root);
}

static inline int generic_gather(void *in, void *out, void *comm, int dtype, int nelem, int root)
{
    return thread_gather(comm, in, out, generic_size_of(dtype, nelem), root);
}

static inline int generic_scatter(void *in, void *out, void *comm, int dtype, int nelem, int root)
{
    return thread_scatter(comm, in, out, generic_size_of(dtype, nelem), root);
}

/* Where each rank's numbers begin at root. */
static inline int *generic_first_of(const struct scion_comm *comm, const int *counts, int root)
{
    int *first = calloc((size_t)comm->size + 1, sizeof *first), i;

    if (!first)
        abort();
    for (i = 1; comm->rank == root && i < comm->size; i++)
        first[i] = first[i - 1] + counts[i - 1];
    return first;
}

static inline int generic_gatherv(void *in, void *out, void *comm, int dtype, int *counts,
                                  int nelem, int root)
{
    int *first = generic_first_of(comm, counts, root);
    int rc = dtype == _SION_INT64 ? thread_gatherv(comm, in, nelem, out, counts, first, root) : 1;

    free(first);
    return rc;
}

/* Applications disagree on the order of the two buffers, so the library must not call it. */
static inline int generic_scatterv(void *out, void *in, void *comm, int dtype, int *counts,
                                   int nelem, int root)
{
    (void)out, (void)in, (void)comm, (void)dtype, (void)counts, (void)nelem, (void)root;
    printf("# scattervr is called\n");
    abort();
}

/* An interface with the eight callbacks that every open needs. */
static inline int generic_make_api(void)
{
    char name[] = "threads";
    int aid = sion_generic_create_api(name);

    CHECK_INT(sion_generic_register_create_local_commgroup_cb(aid, generic_create_group), 1);
    CHECK_INT(sion_generic_register_free_local_commgroup_cb(aid, generic_free_group), 1);
    CHECK_INT(sion_generic_register_barrier_cb(aid, generic_wait_for_all), 1);
    CHECK_INT(sion_generic_register_bcastr_cb(aid, generic_bcast), 1);
    CHECK_INT(sion_generic_register_gatherr_cb(aid, generic_gather), 1);
    CHECK_INT(sion_generic_register_scatterr_cb(aid, generic_scatter), 1);
    CHECK_INT(sion_generic_register_gathervr_cb(aid, generic_gatherv), 1);
    CHECK_INT(sion_generic_register_scattervr_cb(aid, generic_scatterv), 1);
    return aid;
}

enum { GENERIC_MOST = 16 };

/*
 * Transfers for groups with a communicator each, as the simplest application would make them: with
 * its own gather and scatter, for records of at most GENERIC_LARGEST bytes.
 */
enum { GENERIC_LARGEST = 2000 };

static inline int generic_gather_and_execute(const void *data, sion_int64 *spec, int spec_len,
                                             sion_int64 fsblksize, void *group, int collector,
                                             int first, int last, int sid,
                                             int process(const void *, sion_int64 *, int))
{
    sion_int64 specs[GENERIC_MOST + 1][2];
    static _Thread_local char all[GENERIC_MOST + 1][GENERIC_LARGEST], mine[GENERIC_LARGEST];
    int rank;

    (void)spec_len, (void)fsblksize;
    if (spec[1] > 0)
        memcpy(mine, data, (size_t)spec[1]);
    generic_gather(spec, specs, group, _SION_INT64, 2, collector);
    generic_gather(mine, all, group, _SION_CHAR, sizeof mine, collector);
    for (rank = first; generic_comm_of(group)->rank == collector && rank <= last; rank++) {
        if (specs[rank][1] > 0)
            process(all[rank], specs[rank], sid);
    }
    return 0;
}

static inline int generic_execute_and_scatter(void *data, sion_int64 *spec, int spec_len,
                                              sion_int64 fsblksize, void *group, int collector,
                                              int first, int last, int sid,
                                              int process(void *, sion_int64 *, int))
{
    sion_int64 specs[GENERIC_MOST + 1][2];
    static _Thread_local char all[GENERIC_MOST + 1][GENERIC_LARGEST], mine[GENERIC_LARGEST];
    int rank;

    (void)spec_len, (void)fsblksize;
    generic_gather(spec, specs, group, _SION_INT64, 2, collector);
    for (rank = first; generic_comm_of(group)->rank == collector && rank <= last; rank++) {
        if (specs[rank][1] > 0)
            process(all[rank], specs[rank], sid);
    }
    generic_scatter(all, mine, group, _SION_CHAR, sizeof mine, collector);
    if (generic_comm_of(group)->rank != collector && spec[1] > 0)
        memcpy(data, mine, (size_t)spec[1]);
    return 0;
}

static inline int generic_get_capability(void *group)
{
    (void)group;
    return SION_CAPABILITY_FULL;
}

static inline void generic_add_transfers(int aid)
{
    CHECK_INT(sion_generic_register_gather_and_execute_cb(aid, generic_gather_and_execute), 1);
    CHECK_INT(sion_generic_register_execute_and_scatter_cb(aid, generic_execute_and_scatter), 1);
    CHECK_INT(sion_generic_register_get_capability_cb(aid, generic_get_capability), 1);
}

/* Run a function in this many threads. Each gets a communicator of all, which it frees. */
static inline void generic_run_threads(int tasks, void *(*function)(void *))
{
    struct thread_group *group = thread_group_new(tasks);
    struct scion_comm *comms[GENERIC_MOST];
    pthread_t threads[GENERIC_MOST];
    int i;

    for (i = 0; i < tasks; i++)
        comms[i] = thread_comm_new(group, i);
    for (i = 0; i < tasks; i++)
        pthread_create(&threads[i], NULL, function, comms[i]);
    for (i = 0; i < tasks; i++)
        pthread_join(threads[i], NULL);
}

#endif
