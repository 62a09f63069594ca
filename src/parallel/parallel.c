/* The group behind a container that was opened by all tasks together: begin, end, and queries. */
#include "parallel/parallel.h"

#include <stdlib.h>

#include "file/mapped.h"
#include "parallel/buddy.h"
#include "parallel/staging.h"
#include "parallel/files.h"
#include "parallel/write_batch.h"
#include "parallel/state.h"
#include "vfs/writer_lock.h"

struct scion_parallel *scion_parallel_new(struct scion_comm *comm, int kind, int threads)
{
    struct scion_parallel *new = scion_must_allocate(1, sizeof *new);

    *new = (struct scion_parallel){
        .global = comm,
        .local = comm,
        .kind = kind,
        .threads = threads,
        .mapping.size = -1,
    };
    return new;
}

void scion_parallel_free(struct scion_parallel *parallel)
{
    if (parallel->hook.release)
        parallel->hook.release(parallel->hook.user);
    scion_staging_free(parallel);
    scion_collective_free(&parallel->collective);
    scion_buddy_free(parallel, 0);
    if (parallel->turns.comm != parallel->local)
        scion_comm_free(parallel->turns.comm);
    if (parallel->local != parallel->global)
        scion_comm_free(parallel->local);
    scion_comm_free(parallel->global);
    free(parallel->mapping.pairs);
    free(parallel->mapping.counts);
    scion_length_gather_free(&parallel->gather);
    free(parallel->ranks);
    scion_reopening_free(parallel->again);
    scion_files_free(parallel->files, parallel->nfiles, 0);
    scion_writer_lock_release(parallel->lock, 0);
    free(parallel);
}

int *scion_parallel_ranks(const struct scion_container *container)
{
    struct scion_parallel *parallel = scion_parallel_of(container);
    int n = scion_container_ntasks(container), i;

    if (parallel->ranks)
        return parallel->ranks;
    parallel->ranks = scion_must_allocate((size_t)n + 1, sizeof *parallel->ranks);
    for (i = 0; i < n; i++)
        parallel->ranks[i] = scion_container_task_place(container, i)->rank;
    return parallel->ranks;
}

static int seat(const struct scion_container *container, int *size)
{
    *size = scion_parallel_size(container);
    return scion_parallel_rank(container);
}

static void free_owned(void *parallel)
{
    scion_parallel_free(parallel);
}

const struct scion_owner scion_parallel_owner = {
    .layer = SCION_OWNER_PARALLEL,
    .at_end = scion_collective_at_end,
    .entry = scion_buddy_entry,
    .flush = scion_write_batch_flush,
    .save = scion_write_batch_save,
    .refresh = scion_parallel_refresh,
    .generation = scion_parallel_generation,
    .seat = seat,
    .free = free_owned,
};

void scion_parallel_set_hook(struct scion_container *container, const struct scion_hook *hook)
{
    scion_parallel_of(container)->hook = *hook;
}

const struct scion_hook *scion_parallel_hook(const struct scion_container *container)
{
    const struct scion_parallel *parallel = scion_parallel_of(container);

    return parallel && parallel->hook.closing ? &parallel->hook : NULL;
}

int scion_parallel_rank(const struct scion_container *container)
{
    const struct scion_parallel *parallel = scion_parallel_of(container);

    return parallel ? parallel->global->rank : -1;
}

int scion_parallel_size(const struct scion_container *container)
{
    const struct scion_parallel *parallel = scion_parallel_of(container);

    return parallel ? parallel->global->size : 0;
}

int scion_parallel_kind(const struct scion_container *container)
{
    const struct scion_parallel *parallel = scion_parallel_of(container);

    return parallel ? parallel->kind : 0;
}

int scion_parallel_is_merged(const struct scion_container *container)
{
    const struct scion_parallel *parallel = scion_parallel_of(container);

    return parallel && parallel->collective.merge;
}

int scion_parallel_is_atomic(const struct scion_container *container)
{
    const struct scion_parallel *parallel = scion_parallel_of(container);

    return parallel && parallel->is_atomic;
}

int scion_parallel_threads(const struct scion_container *container)
{
    return scion_parallel_of(container)->threads;
}

struct scion_comm *scion_parallel_comm(const struct scion_container *container)
{
    return scion_parallel_of(container)->global;
}
