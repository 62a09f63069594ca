#include <stdlib.h>

#include "base/error.h"
#include "base/trace.h"
#include "comm/agree.h"
#include "file/mapped.h"
#include "parallel/buddy.h"
#include "parallel/mapped.h"

/* The mapping table on the first task of file 0, which is rank 0 unless lComm is ordered oddly. */
static int need_mapping(struct scion_parallel *parallel, const struct scion_container *container)
{
    struct scion_comm *global = parallel->global;
    int leader = parallel->first_leader, rc, i;
    sion_int64 mine[2] = {container->head.filenumber, container->lrank}, *all = NULL;

    if (container->nfiles <= 1 || leader == 0)
        return 0;
    if (global->rank == leader)
        all = scion_must_allocate((size_t)global->size, sizeof mine);
    rc = scion_gather(global, mine, all, sizeof mine, leader);
    if (rc == 0 && global->rank == leader) {
        parallel->mapping.size = global->size;
        parallel->mapping.pairs = scion_must_allocate((size_t)global->size, 2 * sizeof(int));
        for (i = 0; i < 2 * global->size; i++)
            parallel->mapping.pairs[i] = (int)all[i];
    }
    free(all);
    return rc;
}

/* One file that all tasks write without a communicator of its own may have them in any order. */
int scion_rank_of_task(const struct scion_parallel *parallel, const struct scion_physical *physical,
                       int t)
{
    return parallel->local == parallel->global ? (int)physical->globalranks[t] : t;
}

static int finish_file(struct scion_parallel *parallel, struct scion_physical *physical,
                       const struct scion_lengths *gathered, const struct scion_mapping *mapping)
{
    int n = parallel->local->size, rc, t;
    struct scion_lengths *lengths = scion_must_allocate((size_t)n, sizeof *lengths);

    for (t = 0; t < n; t++)
        lengths[t] = gathered[scion_rank_of_task(parallel, physical, t)];
    rc = scion_physical_finish(physical, lengths, mapping);
    free(lengths);
    return rc;
}

static int close_writing(struct scion_parallel *parallel, struct scion_container *container)
{
    static const struct scion_mapping none = {.size = -1};
    struct scion_gathered gathered = {0};
    int rc = scion_stream_close(&container->stream), other;

    other = need_mapping(parallel, container);
    rc = rc != 0 ? rc : other;
    other = scion_gather_lengths(parallel->local, &container->own, &gathered);
    if (other == 0 && parallel->local->rank == 0)
        other = finish_file(parallel, container->physical, gathered.lengths,
                            container->head.filenumber == 0 ? &parallel->mapping : &none);
    scion_gathered_free(&gathered);
    rc = rc != 0 ? rc : other;
    other = parallel->buddies ? scion_buddy_finish(container) : 0;
    return rc != 0 ? rc : other;
}

static void list_mapped(const struct scion_container *container, struct scion_closed_task *tasks)
{
    int i;

    for (i = 0; i < container->ntasks; i++) {
        const struct scion_attached *task = &container->attached[i];

        tasks[i] = (struct scion_closed_task){task->rank, container->files[task->file]->path,
                                              task->lrank, task->place, &container->lengths[i]};
    }
}

static int call_hook(struct scion_container *container, const struct scion_place *place, int status)
{
    int is_mapped = container->view == SCION_VIEW_MAPPED, n = is_mapped ? container->ntasks : 1, rc;
    struct scion_closed_task *tasks = scion_must_allocate((size_t)n + 1, sizeof *tasks);
    const struct scion_closed closed = {container->parallel->global, status, is_mapped, tasks, n};

    if (is_mapped)
        list_mapped(container, tasks);
    else
        tasks[0] = (struct scion_closed_task){container->rank, container->name, container->lrank,
                                              *place, &container->own};
    rc = container->hook.closing(container->hook.user, &closed);
    free(tasks);
    return rc;
}

int scion_parallel_close(struct scion_container *container)
{
    const struct scion_place place = container->stream.place;
    struct scion_parallel *parallel = container->parallel;
    int rc = 0, is_agreed = 0, other;

    if (container->writing && container->view == SCION_VIEW_MAPPED)
        rc = scion_mapped_close_writing(parallel, container);
    else if (container->writing)
        rc = close_writing(parallel, container);
    if (container->writing && container->hook.closing) {
        rc = call_hook(container, &place, rc);
        is_agreed = rc != 0;
    }
    other = scion_container_close(container);
    scion_trace(SCION_TRACE_STEP, "own part: %d", rc != 0 ? rc : other);
    if (!is_agreed)
        rc = scion_agree(parallel->global, scion_name_rank(parallel->global, rc != 0 ? rc : other));
    scion_trace(SCION_TRACE_INTERNAL, "all tasks: %d", rc);
    scion_parallel_free(parallel);
    return rc;
}
