/* Workers, which write the model's records through a sid of any kind. */
#ifndef TEST_MODEL_WRITE_H
#define TEST_MODEL_WRITE_H

#include <unistd.h>

#include "generate.h"

/* A process or a thread, with its present tasks. */
struct model_worker {
    int index, n, tasks[2 * MODEL_TASKS];
    int several; /* sion_seek selects one of them */
    void *group; /* what the flavour needs to open */
    uint64_t random;
};

/*
 * One kind of open. `open` takes the words after bw or br. `run` calls a function in every worker
 * that takes part, and returns when all are done.
 */
struct model_flavour {
    const char *name;
    int serial, mapped, buddies;
    int (*open)(struct model_worker *worker, int writing, const char *words);
    int (*close)(int sid);
    void (*run)(const struct model_flavour *flavour, void (*work)(struct model_worker *));
};

/* What the workers are doing. */
static struct {
    const struct model_flavour *flavour;
    int writing;
    uint64_t random;
    char words[100]; /* of the mode for reading */
    int together;    /* collective reads */
    int merged;      /* a merged container is read by members */
    int outlive;     /* read a duplicate after the close of its original */
} model_work;

static inline void model_begin_worker(struct model_worker *worker, int index, void *group)
{
    *worker = (struct model_worker){.index = index, .group = group};
    worker->several = model_work.flavour->serial || model_work.flavour->mapped;
    worker->random = model_work.random + (uint64_t)index * 977;
}

static inline void model_give_task(struct model_worker *worker, int task)
{
    worker->tasks[worker->n++] = task;
}

/* A mapped container: the worker's own tasks or, for reading, any tasks. */
static inline void model_give_tasks(struct model_worker *worker)
{
    int t;

    for (t = 0; t < model.ntasks; t++) {
        if (model_work.writing ? model.task[t].worker == worker->index
                               : model_below(&worker->random, 3) > 0)
            model_give_task(worker, t);
    }
    for (t = worker->n - 1; t > 0; t--) { /* in any order */
        int other = (int)model_below(&worker->random, (size_t)t + 1), old = worker->tasks[t];

        worker->tasks[t] = worker->tasks[other];
        worker->tasks[other] = old;
    }
}

/* The number of a task for sion_seek: its place in the only file of a serial open, or its rank. */
static inline int model_seek_number(const struct model_task *task)
{
    if (model_work.flavour->mapped)
        return (int)task->number;
    return model_work.flavour->serial && model.nfiles == 1 ? task->place : task->rank;
}

static inline sion_int64 model_offset(const struct model_task *task, int chunk, sion_int64 pos)
{
    return task->start + chunk * task->skip + pos;
}

/* ---- one record ---- */

/* The task's physical file, opened by the application, becomes the FILE* of the sid. */
static inline FILE *model_set_second(int sid, const struct model_task *task, const char *mode)
{
    char name[100];
    FILE *second;

    model_file_name(name, sizeof name, task->file, -1);
    second = fopen(name, mode);
    EXPECT_TRUE(second && fseek(second, (long)sion_get_position(sid), SEEK_SET) == 0);
    EXPECT_INT(sion_set_second_fp(sid, second), 1);
    EXPECT_TRUE(sion_get_fp(sid) == second);
    return second;
}

static inline void model_unset_second(int sid, FILE *second)
{
    EXPECT_INT(sion_unset_second_fp(sid), 1);
    EXPECT_INT(fclose(second), 0);
}

/* The application writes the first half, the library the second one. */
static inline void model_write_second(int sid, const struct model_task *task,
                                      const struct model_record *record, const unsigned char *data)
{
    FILE *second = model_set_second(sid, task, "r+b");
    size_t half = record->bytes / 2;

    EXPECT_INT(sion_ensure_free_space(sid, (sion_int64)record->bytes), 1);
    EXPECT_INT(fwrite(data, 1, half, second), half);
    EXPECT_INT(sion_fwrite(data + half, 1, record->bytes - half, sid), record->bytes - half);
    EXPECT_INT(sion_get_bytes_written(sid), record->total);
    model_unset_second(sid, second);
}

/* The application itself writes into one chunk. */
static inline void model_write_file(int sid, const struct model_task *task,
                                    const struct model_record *record, const unsigned char *data)
{
    FILE *fp = sion_get_fp(sid);

    if (fp && record->by == MODEL_BY_SECOND) {
        model_write_second(sid, task, record, data);
        return;
    }
    EXPECT_INT(sion_ensure_free_space(sid, (sion_int64)record->bytes), 1);
    if (fp && record->by == MODEL_BY_FILE) {
        EXPECT_INT(fwrite(data, 1, record->bytes, fp), record->bytes);
        return;
    }
    EXPECT_TRUE(!fp || fflush(fp) == 0);
    EXPECT_INT(write(fp ? fileno(fp) : sion_get_fd(sid), data, record->bytes), record->bytes);
}

/* Write the record as one item or as many. */
static inline void model_write_plain(int sid, const struct model_record *record, const void *data)
{
    int one = record->bytes % 2 && record->bytes > 0;
    size_t size = one ? record->bytes : 1, items = one ? 1 : record->bytes;

    EXPECT_INT(sion_fwrite(data, size, items, sid), record->accepted ? items : 0);
}

static inline void model_write_record(int sid, const struct model_task *task,
                                      const struct model_record *record)
{
    unsigned char *data = malloc(record->bytes + 1);
    size_t accepted = record->accepted ? record->bytes : 0;

    check_fill(data, task->rank, (long)record->first, record->bytes);
    if (record->how == MODEL_WRITE)
        model_write_plain(sid, record, data);
    else if (record->how == MODEL_FILE)
        model_write_file(sid, task, record, data);
    else if (record->how == MODEL_ENSURE)
        EXPECT_INT(sion_ensure_free_space(sid, (sion_int64)record->bytes), record->accepted);
    else if (record->how == MODEL_STREAM)
        EXPECT_INT(sion_stream_write(sid, data, (sion_int64)record->bytes),
                   record->accepted ? (sion_int64)record->bytes : -1);
    else if (record->how == MODEL_COLLECTIVE)
        EXPECT_INT(sion_coll_fwrite(data, 1, record->bytes, sid), accepted);
    else
        EXPECT_INT(sion_fwrite_key(data, record->key, 1, record->bytes, sid), accepted);
    if (record->flush)
        EXPECT_INT(sion_flush(sid), 1);
    free(data);
}

/* Right after a record, the task has the position that the model computes. */
static inline void model_check_written(int sid, const struct model_task *task,
                                       const struct model_record *record)
{
    sion_int64 pos = -1;
    int chunk = -1;

    EXPECT_INT(sion_get_bytes_written(sid), record->total);
    EXPECT_INT(sion_get_position(sid), model_offset(task, record->chunk, record->pos));
    if (!model.keyval) {
        EXPECT_INT(sion_stream_tell(sid), record->total);
        EXPECT_INT(sion_stream_size(sid), record->total);
    }
    EXPECT_INT(sion_get_current_location(sid, &chunk, &pos, NULL, NULL), 1);
    EXPECT_INT(chunk, record->chunk);
    EXPECT_INT(pos, record->pos);
}

/* ---- all records of a worker ---- */

static inline void model_write_round(struct model_worker *worker, int sid, int round)
{
    int i;

    for (i = 0; i < worker->n; i++) {
        const struct model_task *task = &model.task[worker->tasks[i]];

        if (worker->several)
            EXPECT_INT(sion_seek(sid, model_seek_number(task), SION_CURRENT_BLK, SION_CURRENT_POS),
                       1);
        model_write_record(sid, task, &task->records[round]);
        model_check_written(sid, task, &task->records[round]);
    }
}

static inline void model_write(struct model_worker *worker)
{
    int sid = model_work.flavour->open(worker, 1, model.words), round;

    EXPECT_TRUE(sid >= 0);
    for (round = 0; sid >= 0 && round < MODEL_ROUNDS; round++)
        model_write_round(worker, sid, round);
    if (sid >= 0)
        EXPECT_INT(model_work.flavour->close(sid), 1);
}

#endif
