#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/trace.h"
#include "comm/agree.h"
#include "parallel/private.h"

enum { INLINE_CHUNKS = 6 };

/* From every task of a file, at close. */
struct closing {
    sion_int64 count;
    sion_int64 used[INLINE_CHUNKS];
    sion_int64 unused;
};

/* What the file's first task has from all. */
struct gathered {
    struct closing *tasks;         /* [size] */
    struct scion_lengths *lengths; /* [size], views */
    sion_int64 *more;              /* all numbers, if some task has more than fit inline */
    int *counts, *first;           /* [size] */
};

static void free_gathered(struct gathered *gathered)
{
    free(gathered->tasks);
    free(gathered->lengths);
    free(gathered->more);
    free(gathered->counts);
    free(gathered->first);
}

/* 1: the inline numbers are all; else room is made for the others. */
static int prepare_more(struct gathered *gathered, int size, int *complete)
{
    sion_int64 total = 0, most = 0;
    int i;

    for (i = 0; i < size; i++) {
        total += gathered->tasks[i].count;
        most = gathered->tasks[i].count > most ? gathered->tasks[i].count : most;
    }
    *complete = most <= INLINE_CHUNKS;
    gathered->lengths = calloc((size_t)size, sizeof *gathered->lengths);
    if (*complete)
        return gathered->lengths ? 0 : scion_fail_memory("chunk lengths");
    if (total > INT32_MAX)
        return scion_fail(SION_ERR_NO_SPACE, "%lld chunks in one physical file are too many",
                          total);
    gathered->counts = malloc((size_t)size * sizeof *gathered->counts);
    gathered->first = malloc((size_t)size * sizeof *gathered->first);
    gathered->more = malloc((size_t)total * sizeof *gathered->more);
    if (!gathered->lengths || !gathered->counts || !gathered->first || !gathered->more)
        return scion_fail_memory("chunk lengths");
    for (i = 0, total = 0; i < size; i++) {
        gathered->counts[i] = (int)gathered->tasks[i].count;
        gathered->first[i] = (int)total;
        total += gathered->counts[i];
    }
    return 0;
}

static void view_lengths(struct gathered *gathered, int size, int complete)
{
    int i;

    for (i = 0; i < size; i++) {
        struct closing *task = &gathered->tasks[i];

        scion_lengths_view(&gathered->lengths[i],
                           complete ? task->used : gathered->more + gathered->first[i], 1,
                           task->count);
    }
}

/* All chunk lengths to the file's first task. */
static int gather_lengths(struct scion_comm *local, const struct scion_lengths *own,
                          struct gathered *gathered)
{
    struct closing mine = {.count = own->count};
    sion_int64 go[2] = {0, 0}; /* status, complete */
    int complete = 0, rc;

    memcpy(mine.used, own->used,
           (size_t)(own->count < INLINE_CHUNKS ? own->count : INLINE_CHUNKS) * sizeof mine.used[0]);
    if (local->rank == 0)
        gathered->tasks = scion_must_allocate((size_t)local->size, sizeof *gathered->tasks);
    rc = scion_gather(local, &mine, gathered->tasks, sizeof mine, 0);
    if (rc == 0 && local->rank == 0) {
        go[0] = prepare_more(gathered, local->size, &complete);
        go[1] = complete;
    }
    if (rc == 0)
        rc = scion_bcast(local, go, sizeof go, 0);
    if (rc == 0 && go[0] != 0)
        rc = local->rank == 0 ? (int)go[0] : 0;
    else if (rc == 0 && !go[1])
        rc = scion_gatherv(local, own->used, (int)own->count, gathered->more, gathered->counts,
                           gathered->first, 0);
    if (rc == 0 && local->rank == 0)
        view_lengths(gathered, local->size, (int)go[1]);
    return rc;
}

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

static int close_writing(struct scion_parallel *parallel, struct scion_container *container)
{
    static const struct scion_mapping none = {.size = -1};
    struct gathered gathered = {0};
    int rc = scion_stream_close(&container->stream), other;

    other = need_mapping(parallel, container);
    rc = rc != 0 ? rc : other;
    other = gather_lengths(parallel->local, &container->own, &gathered);
    if (other == 0 && parallel->local->rank == 0)
        other = scion_physical_finish(container->physical, gathered.lengths,
                                      container->head.filenumber == 0 ? &parallel->mapping : &none);
    free_gathered(&gathered);
    return rc != 0 ? rc : other;
}

int scion_parallel_close(struct scion_container *container)
{
    struct scion_parallel *parallel = container->parallel;
    int rc = 0, other;

    if (container->writing)
        rc = close_writing(parallel, container);
    other = scion_container_close(container);
    scion_trace(SCION_TRACE_STEP, "own part: %d", rc != 0 ? rc : other);
    rc = scion_agree(parallel->global, scion_name_rank(parallel->global, rc != 0 ? rc : other));
    scion_trace(SCION_TRACE_INTERNAL, "all tasks: %d", rc);
    scion_parallel_free(parallel);
    return rc;
}
