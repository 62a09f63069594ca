/* Lists of tasks in the form that mapped opens take, for any communicator. */
#ifndef TEST_MODEL_MAPPED_H
#define TEST_MODEL_MAPPED_H

#include "write.h"

struct model_lists {
    int rank[2 * MODEL_TASKS], file[2 * MODEL_TASKS], place[2 * MODEL_TASKS];
    sion_int64 chunk[2 * MODEL_TASKS];
    int *pranks, *pfiles, *pplaces;
    sion_int64 *pchunks;
};

static inline void model_fill_lists(const struct model_worker *worker, int writing,
                                    struct model_lists *lists)
{
    int i;

    *lists = (struct model_lists){.rank = {0}};
    for (i = 0; i < worker->n; i++) {
        const struct model_task *task = &model.task[worker->tasks[i]];

        lists->rank[i] = (int)task->number;
        lists->file[i] = writing ? task->file : -1;
        lists->place[i] = writing ? task->place : -1;
        lists->chunk[i] = writing ? task->wanted : -1;
    }
    lists->pranks = lists->rank;
    lists->pfiles = lists->file;
    lists->pplaces = lists->place;
    lists->pchunks = lists->chunk;
}

/* Check what an open for reading has put into the lists. */
static inline void model_check_lists(const struct model_worker *worker,
                                     const struct model_lists *lists)
{
    int i;

    for (i = 0; i < worker->n; i++) {
        const struct model_task *task = &model.task[worker->tasks[i]];

        EXPECT_INT(lists->file[i], task->file);
        EXPECT_INT(lists->place[i], task->place);
        EXPECT_INT(lists->chunk[i], task->chunk);
    }
}

#endif
