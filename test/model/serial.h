/* The serial opens as flavours of the model: all tasks in one process, or one at a time. */
#ifndef TEST_MODEL_SERIAL_H
#define TEST_MODEL_SERIAL_H

#include "run.h"

static inline int model_create_serially(const char *mode)
{
    int ntasks = model.ntasks, nfiles = 1, numbers[MODEL_TASKS], *ranks = numbers, t;
    sion_int64 sizes[MODEL_TASKS], *chunks = sizes;
    sion_int32 fsblksize = model.fsblksize;
    char name[100];

    snprintf(name, sizeof name, "%s", model.name);
    for (t = 0; t < ntasks; t++) {
        sizes[t] = model.task[t].wanted;
        numbers[t] = (int)model.task[t].number;
    }
    return sion_open(name, mode, &ntasks, &nfiles, &chunks, &fsblksize, &ranks, NULL);
}

/* A set has its tasks in the order of their ranks, a single file in the order of their places. */
static inline int model_open_serially(const char *mode)
{
    int ntasks = -1, nfiles = -1, *ranks = NULL, sid, t;
    sion_int64 *chunks = NULL;
    sion_int32 fsblksize = -1;
    char name[100];

    snprintf(name, sizeof name, "%s", model.name);
    sid = sion_open(name, mode, &ntasks, &nfiles, &chunks, &fsblksize, &ranks, NULL);
    if (sid < 0)
        return sid;
    EXPECT_INT(ntasks, model.ntasks);
    EXPECT_INT(nfiles, model.nfiles);
    EXPECT_INT(fsblksize, model.fsblksize);
    for (t = 0; t < ntasks && t < model.ntasks; t++) {
        EXPECT_INT(chunks[model_seek_number(&model.task[t])], model.task[t].chunk);
        EXPECT_INT(ranks[model_seek_number(&model.task[t])], model.task[t].number);
    }
    free(chunks);
    free(ranks);
    return sid;
}

static inline int model_serial_open(struct model_worker *worker, int writing, const char *words)
{
    char mode[120];

    (void)worker;
    snprintf(mode, sizeof mode, "b%c%s", writing ? 'w' : 'r', words);
    return writing ? model_create_serially(mode) : model_open_serially(mode);
}

/* In an MPI program, only one process opens serially. */
static inline void model_serial_run(const struct model_flavour *flavour,
                                    void (*work)(struct model_worker *))
{
    struct model_worker worker;
    int t;

    (void)flavour;
    model_begin_worker(&worker, 0, NULL);
    for (t = 0; t < model.ntasks; t++)
        model_give_task(&worker, t);
    if (model_is_root)
        work(&worker);
}

static const struct model_flavour model_serially = {
    "sion_open", 1, 0, 0, model_serial_open, sion_close, model_serial_run};

/* ---- one task ---- */

static inline int model_rank_open(struct model_worker *worker, int writing, const char *words)
{
    const struct model_task *task = &model.task[worker->tasks[0]];
    int number = model_seek_number(task), sid;
    sion_int32 fsblksize = -1;
    sion_int64 chunk = -1;
    char mode[120], name[100];

    (void)writing;
    snprintf(name, sizeof name, "%s", model.name);
    snprintf(mode, sizeof mode, "br%s", words);
    sid = sion_open_rank(name, mode, &chunk, &fsblksize, &number, NULL);
    EXPECT_INT(chunk, task->chunk);
    EXPECT_INT(fsblksize, model.fsblksize);
    return sid;
}

static inline void model_rank_run(const struct model_flavour *flavour,
                                  void (*work)(struct model_worker *))
{
    int t;

    (void)flavour;
    for (t = 0; t < model.ntasks && model_is_root; t++) {
        struct model_worker worker;

        model_begin_worker(&worker, t, NULL);
        worker.several = 0;
        model_give_task(&worker, t);
        work(&worker);
    }
}

static const struct model_flavour model_rank_by_rank = {
    "sion_open_rank", 1, 0, 0, model_rank_open, sion_close, model_rank_run};

#endif
