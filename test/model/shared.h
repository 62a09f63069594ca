/* Tasks that an open divides among its workers, and the lists that the workers get. */
#ifndef TEST_MODEL_SHARED_H
#define TEST_MODEL_SHARED_H

#include "write.h"

/* The number of workers that got each task. */
static int model_shared[2 * MODEL_TASKS];

/* The same for all workers of a run. */
static inline int model_share_by(void)
{
    return model_work.random % 2 ? SION_SHARE_TASKS : SION_SHARE_BYTES;
}

static inline int model_task_of(int number)
{
    int t;

    for (t = 0; t < model.ntasks && (int)model.task[t].number != number; t++)
        ;
    return t;
}

/* Check the list of worker `index`: tasks in the order of their numbers. */
static inline void model_take_share(struct model_worker *worker, int workers, int ntasks,
                                    const int *ranks)
{
    int more = worker->index < model.ntasks % workers, i;

    if (model_share_by() == SION_SHARE_TASKS)
        EXPECT_INT(ntasks, model.ntasks / workers + more);
    EXPECT_TRUE(ntasks >= 0 && ntasks <= model.ntasks);
    worker->n = ntasks;
    for (i = 0; i < ntasks && i < model.ntasks; i++) {
        EXPECT_TRUE(i == 0 || ranks[i] > ranks[i - 1]);
        worker->tasks[i] = model_task_of(ranks[i]);
        __atomic_add_fetch(&model_shared[worker->tasks[i]], 1, __ATOMIC_RELAXED);
    }
}

/* After all workers: exactly one got each task. */
static inline void model_check_shares(void)
{
    int t;

    for (t = 0; t < model.ntasks; t++)
        EXPECT_INT(model_shared[t], 1);
    memset(model_shared, 0, sizeof model_shared);
}

#endif
