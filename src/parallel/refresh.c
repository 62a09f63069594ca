#include "parallel/refresh.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "comm/agree.h"
#include "file/column.h"
#include "file/generations.h"
#include "file/newer.h"
#include "file/physical.h"
#include "file/physical_read.h"
#include "parallel/state.h"

void scion_see_state(const struct scion_physical *physical, struct scion_state_seen *seen)
{
    const struct scion_generations *generations = physical ? physical->generations : NULL;

    if (physical)
        *seen = (struct scion_state_seen){.generation = physical->state.generation,
                                          .start_of_varheader = physical->start_of_varheader,
                                          .maxchunks = physical->maxchunks,
                                          .device = (unsigned long long)physical->device,
                                          .inode = (unsigned long long)physical->inode,
                                          .view = physical->view_number,
                                          .oldest = scion_newer_oldest(generations),
                                          .newest = generations ? generations->head.newest : 0,
                                          .is_odd = physical->has_odd_generations};
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
    int i;

    if (!reopening)
        return;
    for (i = 0; i < reopening->nkept; i++)
        scion_generations_free(reopening->kept[i].generations);
    free(reopening->kept);
    free(reopening->globalranks);
    free(reopening->name);
    free(reopening);
}

static void keep_file(struct scion_physical *file, struct scion_kept_file *kept)
{
    if (!file || !file->generations)
        return;
    *kept = (struct scion_kept_file){scion_newer_first(file), file->generations};
    file->generations = NULL;
}

struct scion_reopening *scion_reopening_keep(struct scion_reopening *reopening,
                                             struct scion_physical *const *files, int n)
{
    const struct scion_mode *mode;
    int i;

    if (!reopening)
        return NULL;
    mode = reopening->globalranks ? &reopening->mapped.mode : &reopening->args.mode;
    if (!mode->all_generations || n == 0)
        return reopening;
    reopening->kept = calloc((size_t)n, sizeof *reopening->kept);
    if (!reopening->kept) {
        scion_reopening_free(reopening);
        return NULL;
    }
    reopening->nkept = n;
    for (i = 0; i < n; i++)
        keep_file(files[i], &reopening->kept[i]);
    return reopening;
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

/* What rank 0 tells the others. Words. */
struct scion_telling {
    sion_int64 newer;                /* SCION_NEWER_* */
    sion_int64 is_lost;              /* something was forgotten, and all is seen: */
    sion_int64 n;                    /* of so many generations that there were, */
    struct scion_newer_loss between; /* and of these */
};

enum { SCION_TELLING_WORDS = sizeof(struct scion_telling) / sizeof(sion_int64) };

/* On rank 0: 0, or an error code. */
static int compare(const struct scion_reopening *before, const struct scion_reopening *now,
                   int sees_all, struct scion_telling *telling)
{
    const struct scion_state_seen *old = &before->seen, *new;
    sion_int64 end;

    if (!now)
        return scion_fail_memory("refresh");
    new = &now->seen;
    if (sees_all && new->is_odd)
        return scion_fail(SION_ERR_DAMAGED, "cannot read %s: its record of generations is damaged",
                          before->name);
    end = new->oldest <= old->newest ? new->oldest : old->newest + 1;
    telling->is_lost = sees_all && new->oldest > old->oldest;
    telling->n = telling->is_lost ? end - old->oldest : 0;
    telling->between = scion_newer_between(old->newest, new->oldest);
    telling->newer = scion_newer_compare(before->name, sees_all, old->view, new->view);
    return telling->newer < 0 ? (int)telling->newer : 0;
}

/* By a task that has read files: a row of each. */
static void fill_rows(const struct scion_reopening *before, const struct scion_reopening *now,
                      const struct scion_newer_step *step, int nfiles, sion_int64 *rows)
{
    int i;

    for (i = 0; now && i < nfiles && i < before->nkept && i < now->nkept; i++) {
        const struct scion_generations *old = before->kept[i].generations;
        sion_int64 *row = rows + (size_t)i * scion_newer_row(step->n);

        if (!old)
            continue;
        row[0] = now->kept[i].first;
        memcpy(row + 1, old->list,
               (size_t)(old->head.n < step->n ? old->head.n : step->n) * sizeof *old->list);
    }
}

/* Collective, of the tasks of a file, or of all files: what each file has lost. The caller frees
 *rows. */
static int tell_lost(const struct scion_parallel *parallel, const struct scion_container *container,
                     const struct scion_container *new, struct scion_newer_step *step,
                     sion_int64 **rows)
{
    int nfiles = parallel->local != parallel->global ? 1 : scion_container_nfiles(container);
    struct scion_comm *comm = nfiles == 1 ? parallel->local : parallel->global;
    size_t words = (size_t)nfiles * scion_newer_row(step->n);

    *rows = scion_must_allocate(words, sizeof **rows);
    if (comm->rank == 0)
        fill_rows(parallel->again, scion_parallel_of(new)->again, step, nfiles, *rows);
    step->rows = *rows;
    step->nrows = nfiles;
    return scion_bcast(comm, *rows, words * sizeof **rows, 0);
}

/* All of them do, or none. */
static int exchange(struct scion_parallel *parallel, struct scion_container *container,
                    struct scion_container *new, struct scion_newer_step *step)
{
    struct scion_comm *global = parallel->global;
    int rc = scion_container_goes_on(container, new, step), own;

    rc = scion_agree(global, scion_name_rank(global, rc));
    if (rc != 0)
        return rc;
    own = scion_container_exchange(container, new, step);
    rc = scion_agree_least(global, scion_name_rank(global, own), &step->loss.first);
    if (rc != 0 && own == 0)
        scion_container_exchange_back(container, new, step);
    if (rc != 0)
        return rc;
    scion_container_drop_old_keys(container, new, step);
    return 0;
}

/* What it knows of the state. */
static void swap_seen(struct scion_parallel *parallel, struct scion_container *new)
{
    struct scion_reopening *again = parallel->again, *now = scion_parallel_of(new)->again;
    struct scion_kept_file *kept = again->kept;
    int nkept = again->nkept;

    again->seen = now->seen;
    again->kept = now->kept;
    again->nkept = now->nkept;
    now->kept = kept;
    now->nkept = nkept;
}

/* As rank 0 tells it. */
static int take_step(struct scion_parallel *parallel, struct scion_container *container,
                     struct scion_container *new, const struct scion_telling *telling,
                     sion_int64 *gone)
{
    struct scion_newer_step step = {
        .newer = (int)telling->newer, .n = (int)telling->n, .loss = telling->between};
    sion_int64 *rows = NULL;
    int rc = telling->is_lost ? tell_lost(parallel, container, new, &step, &rows) : 0;

    if (rc == 0)
        rc = exchange(parallel, container, new, &step);
    free(rows);
    if (rc != 0)
        return rc;
    *gone = step.gone;
    swap_seen(parallel, new);
    if (telling->is_lost && parallel->global->rank == 0)
        scion_newer_warn(scion_container_name(container), &step.loss);
    return 0;
}

static int take_over(struct scion_parallel *parallel, struct scion_container *container,
                     struct scion_container *new, int is_mapped, sion_int64 *gone)
{
    const struct scion_reopening *again = parallel->again;
    const struct scion_mode *mode = is_mapped ? &again->mapped.mode : &again->args.mode;
    struct scion_telling telling = {0};
    sion_int64 words[SCION_TELLING_WORDS];
    struct scion_comm *global = parallel->global;
    int rc = scion_parallel_of(new)->again ? 0 : scion_fail_memory("refresh");

    if (rc == 0 && global->rank == 0)
        rc = compare(again, scion_parallel_of(new)->again, mode->all_generations, &telling);
    memcpy(words, &telling, sizeof words);
    rc = scion_agree_telling(global, scion_name_rank(global, rc), words, SCION_TELLING_WORDS);
    memcpy(&telling, words, sizeof words);
    return rc != 0 || telling.newer == SCION_NEWER_STAYS
               ? rc
               : take_step(parallel, container, new, &telling, gone);
}

int scion_parallel_refresh(struct scion_container *container, sion_int64 *gone)
{
    struct scion_parallel *parallel = scion_parallel_of(container);
    struct scion_comm *global = parallel->global;
    struct scion_container *new;
    int is_mapped = scion_container_is_mapped(container);
    int rc = scion_leave_calls(container), found = look(parallel, container);

    *gone = 0;
    rc = scion_agree_or_more(global, scion_name_rank(global, rc != 0 ? rc : found));
    if (rc != SCION_MORE)
        return rc;
    rc = open_again(parallel, is_mapped, &new);
    if (rc != 0)
        return rc;
    rc = take_over(parallel, container, new, is_mapped, gone);
    scion_container_close(new);
    return rc;
}

int scion_parallel_generation(struct scion_container *container, sion_int64 *number)
{
    const struct scion_parallel *parallel = scion_parallel_of(container);

    *number = parallel->again ? parallel->again->seen.view : parallel->buddies ? 0 : -1;
    return scion_bcast(parallel->global, number, sizeof *number, 0);
}
