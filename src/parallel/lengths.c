/* At close: the lengths of all chunks of a file to its first task. */
#include <stdlib.h>

#include "base/error.h"
#include "parallel/private.h"

/* From every task of a file, at close. */
struct scion_closing {
    sion_int64 count;
    sion_int64 used; /* in the first chunk */
};

int scion_gathered_reserve(struct scion_gathered *gathered, int size)
{
    gathered->tasks = scion_array_to_fill((size_t)size, sizeof *gathered->tasks);
    return gathered->tasks && scion_rows_begin(&gathered->more, size) == 0 &&
                   scion_rows_make(&gathered->more) == 0
               ? 0
               : scion_fail_memory("lengths of all tasks");
}

void scion_gathered_free(struct scion_gathered *gathered)
{
    free(gathered->tasks);
    scion_rows_free(&gathered->more);
    gathered->tasks = NULL;
}

/* How many lengths a task sends after the first message, which has the first one. */
static sion_int64 count_more(sion_int64 count)
{
    return count > 1 ? count : 0;
}

/*
 * Send all chunk lengths to the file's first task. It tells the others nothing in between, which
 * saves a collective, but means that it cannot fail. A task with one chunk sends nothing in the
 * second gather.
 */
int scion_gather_lengths(struct scion_comm *local, const struct scion_lengths *own,
                         struct scion_gathered *gathered)
{
    const struct scion_closing mine = {own->count, own->used[0]};
    int is_first = local->rank == 0, rc, i;

    if (is_first && !gathered->tasks)
        while (scion_gathered_reserve(gathered, local->size) != 0)
            scion_make_room();
    rc = scion_gather(local, &mine, gathered->tasks, sizeof mine, 0);
    for (i = 0; rc == 0 && is_first && i < local->size; i++)
        scion_rows_add(&gathered->more, count_more(gathered->tasks[i].count));
    return rc != 0 ? rc
                   : scion_fill_rows(local, own->used, count_more(own->count), &gathered->more);
}

sion_int64 scion_gathered_count(const struct scion_gathered *gathered, int rank)
{
    return gathered->tasks[rank].count;
}

sion_int64 *scion_gathered_lengths(const struct scion_gathered *gathered, int rank)
{
    return gathered->more.counts[rank] > 0 ? scion_rows_of(&gathered->more, rank)
                                           : &gathered->tasks[rank].used;
}

sion_int64 scion_gathered_used(const struct scion_gathered *gathered, int rank, sion_int64 chunk)
{
    return scion_gathered_lengths(gathered, rank)[chunk];
}

/* A file without a communicator of its own may have its tasks in another order than the ranks. */
int scion_rank_of_task(const struct scion_parallel *parallel, const struct scion_physical *physical,
                       int t)
{
    return parallel->local == parallel->global && physical->globalranks
               ? (int)physical->globalranks[t]
               : t;
}
