/* At close: the lengths of all chunks of a file to its first task. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "parallel/private.h"

enum { INLINE_CHUNKS = 6 };

/* From every task of a file, at close. */
struct scion_closing {
    sion_int64 count;
    sion_int64 used[INLINE_CHUNKS];
    sion_int64 unused;
};

void scion_gathered_free(struct scion_gathered *gathered)
{
    free(gathered->tasks);
    free(gathered->lengths);
    free(gathered->more);
    free(gathered->counts);
    free(gathered->first);
}

/* Chunks of a task whose lengths do not come with their number. */
static sion_int64 count_more(sion_int64 count)
{
    return count > INLINE_CHUNKS ? count : 0;
}

static void prepare_more(struct scion_gathered *gathered, int size)
{
    sion_int64 total = 0;
    int i;

    gathered->lengths = scion_must_allocate((size_t)size, sizeof *gathered->lengths);
    gathered->counts = scion_must_allocate((size_t)size, sizeof *gathered->counts);
    gathered->first = scion_must_allocate((size_t)size, sizeof *gathered->first);
    for (i = 0; i < size; i++) {
        gathered->counts[i] = (int)count_more(gathered->tasks[i].count);
        gathered->first[i] = (int)total;
        total += gathered->counts[i];
        if (total > INT32_MAX)
            scion_give_up("more than 2^31 chunks in one physical file");
    }
    gathered->more = scion_must_allocate((size_t)total, sizeof *gathered->more);
}

static void view_lengths(struct scion_gathered *gathered, int size)
{
    int i;

    for (i = 0; i < size; i++) {
        struct scion_closing *task = &gathered->tasks[i];

        scion_lengths_view(&gathered->lengths[i],
                           gathered->counts[i] == 0 ? task->used
                                                    : gathered->more + gathered->first[i],
                           1, task->count);
    }
}

/*
 * All chunk lengths to the file's first task. Nothing is said to the others in between, which
 * saves a collective and leaves the first task no way to fail; who has no more numbers sends none.
 */
int scion_gather_lengths(struct scion_comm *local, const struct scion_lengths *own,
                         struct scion_gathered *gathered)
{
    struct scion_closing mine = {.count = own->count};
    int rc;

    memcpy(mine.used, own->used,
           (size_t)(own->count < INLINE_CHUNKS ? own->count : INLINE_CHUNKS) * sizeof mine.used[0]);
    if (local->rank == 0)
        gathered->tasks = scion_must_allocate((size_t)local->size, sizeof *gathered->tasks);
    rc = scion_gather(local, &mine, gathered->tasks, sizeof mine, 0);
    if (rc == 0 && local->rank == 0)
        prepare_more(gathered, local->size);
    if (rc == 0)
        rc = scion_gatherv(local, own->used, (int)count_more(own->count), gathered->more,
                           gathered->counts, gathered->first, 0);
    if (rc == 0 && local->rank == 0)
        view_lengths(gathered, local->size);
    return rc;
}
