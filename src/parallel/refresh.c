#include "parallel/refresh.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "comm/agree.h"
#include "file/column.h"
#include "file/generations.h"
#include "file/newer.h"
#include "file/physical.h"
#include "file/physical_read.h"
#include "parallel/state.h"

static sion_int64 oldest(const struct scion_generations *generations)
{
    if (!generations)
        return 1;
    return generations->head.n > 0 ? generations->list[0].number : generations->head.newest + 1;
}

void scion_see_state(const struct scion_physical *physical, struct scion_state_seen *seen)
{
    if (physical)
        *seen = (struct scion_state_seen){physical->state.generation,
                                          physical->start_of_varheader,
                                          physical->maxchunks,
                                          (unsigned long long)physical->device,
                                          (unsigned long long)physical->inode,
                                          physical->view_number,
                                          oldest(physical->generations)};
}

int scion_state_is_older(const char *name, const struct scion_state_seen *seen)
{
    struct scion_state_seen now = {0};
    struct scion_physical *physical;
    int rc = scion_column_open(name, &physical);

    if (rc != 0)
        return rc;
    scion_see_state(physical, &now);
    scion_physical_close(physical);
    return now.generation != seen->generation || now.maxchunks != seen->maxchunks ||
           now.start_of_varheader != seen->start_of_varheader || now.device != seen->device ||
           now.inode != seen->inode;
}

/* ---- what is kept of an open ---- */

static int copy_ranks(struct scion_reopening *reopening)
{
    struct scion_mapped_args *mapped = &reopening->mapped;
    size_t bytes = (size_t)mapped->ntasks * sizeof(int);

    reopening->globalranks = malloc(bytes + 1);
    if (!reopening->globalranks)
        return -1;
    if (bytes > 0)
        memcpy(reopening->globalranks, mapped->globalranks, bytes);
    mapped->globalranks = reopening->globalranks;
    mapped->name = reopening->name;
    mapped->want_stream = mapped->is_counted = 0;
    return 0;
}

struct scion_reopening *scion_reopening_new(const struct scion_parallel_args *args,
                                            const struct scion_mapped_args *mapped,
                                            const struct scion_state_seen *seen)
{
    struct scion_reopening *new = calloc(1, sizeof *new);

    if (!new)
        return NULL;
    new->seen = *seen;
    new->name = strdup(args ? args->name : mapped->name);
    if (args) {
        new->args = *args;
        new->args.name = new->name;
        new->args.want_stream = new->args.is_counted = 0;
    } else {
        new->mapped = *mapped;
    }
    if (!new->name || (mapped && copy_ranks(new) != 0)) {
        scion_reopening_free(new);
        return NULL;
    }
    return new;
}

void scion_reopening_free(struct scion_reopening *reopening)
{
    if (!reopening)
        return;
    free(reopening->globalranks);
    free(reopening->name);
    free(reopening);
}

/* ---- going on ---- */

/* 0, SCION_MORE: there is a newer state, or an error. */
static int look(const struct scion_parallel *parallel, const struct scion_container *container)
{
    const struct scion_reopening *again = parallel->again;
    int is_older;

    if (parallel->buddies)
        return scion_fail(SION_ERR_MODE, "%s is a buddy checkpoint, which does not change",
                          scion_container_name(container));
    if (!again)
        return scion_fail_memory("refresh");
    if (parallel->global->rank != 0)
        return 0;
    is_older = scion_state_is_older(again->name, &again->seen);
    return is_older > 0 ? SCION_MORE : is_older;
}

/* The communicator serves both. */
static int open_again(const struct scion_parallel *parallel, int is_mapped,
                      struct scion_container **new)
{
    const struct scion_reopening *again = parallel->again;

    parallel->global->holds++;
    return is_mapped ? again->open_mapped(parallel->global, &again->mapped, new)
                     : again->open(parallel->global, &again->args, new);
}

/* On rank 0: SCION_NEWER_*, or an error code. */
static int compare(const struct scion_reopening *before, const struct scion_reopening *now,
                   int sees_all)
{
    if (!now)
        return scion_fail_memory("refresh");
    if (sees_all && now->seen.oldest > before->seen.oldest)
        return scion_fail(SION_ERR_MODE,
                          "generations %lld to %lld of %s were forgotten: open it again to read "
                          "what is left",
                          before->seen.oldest, now->seen.oldest - 1, before->name);
    return scion_newer_compare(before->name, sees_all, before->seen.view, now->seen.view);
}

/* All of them do, or none. */
static int exchange(struct scion_parallel *parallel, struct scion_container *container,
                    struct scion_container *new, int newer)
{
    struct scion_comm *global = parallel->global;
    struct scion_mark goal = {0, 0, 0}, *to = newer == SCION_NEWER_MOVES ? &goal : NULL;
    int rc = scion_container_goes_on(container, new, newer), own;

    rc = scion_agree(global, scion_name_rank(global, rc));
    if (rc != 0)
        return rc;
    own = scion_container_exchange(container, new, to);
    rc = scion_agree(global, scion_name_rank(global, own));
    if (rc != 0 && own == 0)
        scion_container_exchange(container, new, to);
    else if (rc == 0)
        parallel->again->seen = scion_parallel_of(new)->again->seen;
    return rc;
}

static int take_over(struct scion_parallel *parallel, struct scion_container *container,
                     struct scion_container *new, int is_mapped, int *moves)
{
    const struct scion_reopening *again = parallel->again;
    const struct scion_mode *mode = is_mapped ? &again->mapped.mode : &again->args.mode;
    struct scion_comm *global = parallel->global;
    int newer = 0, rc;

    if (global->rank == 0)
        newer = compare(again, scion_parallel_of(new)->again, mode->all_generations);
    rc = scion_agree(global, scion_name_rank(global, newer < 0 ? newer : 0));
    if (rc == 0)
        rc = scion_bcast(global, &newer, sizeof newer, 0);
    if (rc != 0 || newer == SCION_NEWER_STAYS)
        return rc;
    rc = exchange(parallel, container, new, newer);
    *moves = rc == 0 && newer == SCION_NEWER_MOVES;
    return rc;
}

int scion_parallel_refresh(struct scion_container *container, int *moves)
{
    struct scion_parallel *parallel = scion_parallel_of(container);
    struct scion_comm *global = parallel->global;
    struct scion_container *new;
    int is_mapped = scion_container_is_mapped(container);
    int rc = scion_leave_calls(container), found = look(parallel, container);

    *moves = 0;
    rc = scion_agree_or_more(global, scion_name_rank(global, rc != 0 ? rc : found));
    if (rc != SCION_MORE)
        return rc;
    rc = open_again(parallel, is_mapped, &new);
    if (rc != 0)
        return rc;
    rc = take_over(parallel, container, new, is_mapped, moves);
    scion_container_close(new);
    return rc;
}
