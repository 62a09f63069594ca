/* Makes random containers: tasks, chunks and records, and the places of the records. */
#ifndef TEST_MODEL_GENERATE_H
#define TEST_MODEL_GENERATE_H

#include "layout.h"

/* ---- where records go ---- */

static inline void model_new_chunk(struct model_task *task)
{
    task->used = realloc(task->used, (size_t)(task->chunks + 1) * sizeof *task->used);
    task->used[task->chunks++] = 0;
}

static inline sion_int64 model_room(const struct model_task *task)
{
    return task->chunk - task->used[task->chunks - 1];
}

/* Make room for `bytes` bytes in one chunk; 0: no chunk is large enough. */
static inline int model_ensure(struct model_task *task, size_t bytes)
{
    if ((sion_int64)bytes > task->least)
        return 0;
    if ((sion_int64)bytes > model_room(task))
        model_new_chunk(task);
    return 1;
}

static inline void model_append(struct model_task *task, const unsigned char *bytes, size_t n)
{
    if (n == 0)
        return;
    task->bytes = realloc(task->bytes, task->total + n);
    memcpy(task->bytes + task->total, bytes, n);
    task->total += n;
    task->used[task->chunks - 1] += (sion_int64)n;
}

/* Put the same records into a copy, whose chunks have another size. */
static inline void model_replay(const struct model_task *task, sion_int64 chunk,
                                struct model_task *copy)
{
    int r;

    *copy = *task;
    copy->chunk = chunk;
    copy->used = NULL;
    copy->chunks = 0;
    model_new_chunk(copy);
    for (r = 0; r < MODEL_ROUNDS; r++) {
        if (task->records[r].accepted && model_ensure(copy, task->records[r].bytes))
            copy->used[copy->chunks - 1] += (sion_int64)task->records[r].bytes;
    }
}

/* Records with keys, and bytes without records, cross the ends of chunks. */
static inline void model_append_over_borders(struct model_task *task, const unsigned char *bytes,
                                             size_t n)
{
    while (n > 0) {
        size_t part;

        if (model_room(task) == 0)
            model_new_chunk(task);
        part = (size_t)model_room(task) < n ? (size_t)model_room(task) : n;
        model_append(task, bytes, part);
        bytes += part;
        n -= part;
    }
}

static inline void model_put(unsigned char *to, uint64_t value, int bytes)
{
    int i;

    for (i = 0; i < bytes; i++)
        to[support_host_is_big() ? bytes - 1 - i : i] = (unsigned char)(value >> 8 * i);
}

/* Add a record to the stream. */
static inline void model_add(struct model_task *task, struct model_record *record)
{
    unsigned char *data = malloc(record->bytes + 1), head[16];
    size_t header = model.keyval ? sizeof head : 0;

    record->first = task->total + header;
    check_fill(data, task->rank, (long)record->first, record->bytes);
    model_put(head, record->key, 8);
    model_put(head + 8, record->bytes, 8);
    if (model.keyval)
        record->accepted = task->chunk > 0;
    else if (record->how == MODEL_STREAM)
        record->accepted = task->chunk > 0 || record->bytes == 0;
    else
        record->accepted = model_ensure(task, record->bytes);
    if (record->accepted && model.keyval) {
        model_append_over_borders(task, head, sizeof head);
        model_append_over_borders(task, data, record->bytes);
    } else if (record->accepted && record->how == MODEL_STREAM) {
        model_append_over_borders(task, data, record->bytes);
    } else if (record->accepted && record->how != MODEL_ENSURE) {
        model_append(task, data, record->bytes);
    }
    record->total = task->total;
    record->chunk = task->chunks - 1;
    record->pos = task->used[record->chunk];
    free(data);
}

/* ---- merged containers ---- */

/* The bytes that go from a task to its collector at a time: messages are divided. */
static inline size_t model_portion(const struct model_task *task, size_t bytes)
{
    int same_process = task->unit == model.task[task->collector].unit;

    return same_process || bytes < (size_t)model.fsblksize ? bytes : (size_t)model.fsblksize;
}

static inline void model_add_merged(struct model_task *task, struct model_record *record)
{
    struct model_task *collector = &model.task[task->collector];
    unsigned char *data = malloc(record->bytes + 1);
    size_t done = 0;

    check_fill(data, task->rank, (long)record->first, record->bytes);
    while (done < record->bytes) {
        size_t part = model_portion(task, record->bytes - done);

        model_ensure(collector, part);
        model_append(collector, data + done, part);
        done += part;
    }
    free(data);
}

/* Go through the tasks of a file in order; all have room at their collectors. */
static inline void model_merge_round(int round)
{
    int place, t;

    for (place = 0; place < model.ntasks; place++) {
        for (t = 0; t < model.ntasks; t++) {
            struct model_task *task = &model.task[t];
            struct model_record *record = &task->records[round];

            if (task->place != place)
                continue;
            record->accepted = 1;
            record->first = round > 0 ? record[-1].first + record[-1].bytes : 0;
            model_add_merged(task, record);
        }
    }
    for (t = 0; t < model.ntasks; t++) {
        struct model_task *task = &model.task[t];
        struct model_record *record = &task->records[round];

        record->total = task->total;
        record->chunk = task->chunks - 1;
        record->pos = task->used[record->chunk];
    }
}

/* ---- random ones ---- */

/* A size near the end of a chunk. */
static inline size_t model_size(const struct model_task *task, int over_borders)
{
    const struct model_task *writer = model.merge ? &model.task[task->collector] : task;
    size_t chunk = (size_t)writer->least, most = chunk < 3000 ? chunk : 3000;

    if (over_borders)
        return check_below(4) ? check_below(3 * most + 20) : check_below(3);
    switch (check_below(7)) {
    case 0:
        return 0;
    case 1:
        return (size_t)model_room(writer);
    case 2:
        return chunk;
    case 3:
        return model.merge ? check_below(100) % (chunk + 1) : chunk + 1 + check_below(100);
    case 4:
        return check_below(model.merge && chunk < 20 ? chunk + 1 : 20);
    default:
        return check_below(chunk + 1);
    }
}

static inline enum model_how model_manner(void)
{
    static const enum model_how manners[] = {MODEL_WRITE, MODEL_WRITE, MODEL_FILE, MODEL_ENSURE,
                                             MODEL_STREAM};

    return model.keyval ? MODEL_KEY : manners[check_below(5)];
}

static inline uint64_t model_key(void)
{
    static const uint64_t keys[] = {0, 1, 7, (uint64_t)1 << 63, UINT64_MAX};

    return check_below(8) ? keys[check_below(5)] : check_random();
}

/* All tasks take part in collective rounds; copies have only these. */
static inline void model_round(int round)
{
    int always = model.copies > 0 || model.merge, t;
    int together = !model.keyval && (always || (model.collective && check_below(4)));

    for (t = 0; t < model.ntasks; t++) {
        struct model_task *task = &model.task[t];
        struct model_record *record = &task->records[round];

        record->how = together ? MODEL_COLLECTIVE : model_manner();
        record->by = (enum model_by)check_below(MODEL_BYS);
        record->key = model_key();
        record->flush = check_below(model.posix ? 60 : 8) == 0; /* posix: slow */
        record->bytes = model_size(task, record->how == MODEL_KEY || record->how == MODEL_STREAM);
        if (record->how == MODEL_FILE && (sion_int64)record->bytes > task->chunk)
            record->how = MODEL_ENSURE;
        if (!model.merge)
            model_add(task, record);
    }
    if (model.merge)
        model_merge_round(round);
}

static inline sion_int64 model_wanted(int class)
{
    sion_int64 blocks = model.fsblksize < 1000 ? 3 : 1;

    switch (check_below(10)) {
    case 0:
        return 0;
    case 1:
        return class == 2 ? blocks * model.fsblksize + (sion_int64)check_below(3) - 1 : 1;
    default:
        return class == 0   ? (sion_int64)check_below(5)
               : class == 1 ? 1 + (sion_int64)check_below(64)
                            : 300 + (sion_int64)check_below(2700);
    }
}

/* Choose chunks and blocks of the same order of magnitude, so that files stay small. */
static inline void model_sizes(void)
{
    static const int blocks[3][8] = {{1, 2, 3, 5, 7, 8, 11, 16},
                                     {1, 3, 10, 16, 37, 48, 63, 64},
                                     {1, 7, 100, 512, 600, 1000, 1023, 4096}};
    int class = (int)check_below(3), t;

    model.fsblksize = blocks[class][check_below(8)];
    for (t = 0; t < model.ntasks; t++)
        model.task[t].wanted = model_wanted(class);
}

static inline void model_choose_words(void)
{
    char size[30] = "";

    if (model.collsize > 0)
        snprintf(size, sizeof size, ",collsize=%d", model.collsize);
    snprintf(model.words, sizeof model.words, "%s%s%s%s%s", model.posix ? ",posix" : "",
             model.keyval ? ",keyval=inline" : "", model.collective ? ",collective" : "",
             model.collective ? size : "", model.by_count ? ",collmsa" : "");
    if (model.merge)
        strcat(model.words, ",cmerge");
    if (model.copies > 0)
        snprintf(model.words + strlen(model.words), 20, ",buddy=%d", model.copies);
}

static inline void model_forget(void)
{
    int t;

    for (t = 0; t < MODEL_TASKS; t++) {
        free(model.task[t].bytes);
        free(model.task[t].used);
    }
    memset(&model, 0, sizeof model);
}

static inline void model_ones(int n)
{
    for (model.units = 0; model.units < n; model.units++)
        model.sizes[model.units] = 1;
}

/* Up to four files, but not more than processes. */
static inline int model_number_of_files(int least)
{
    int most = model.units < 4 ? model.units : 4;

    return least + (int)check_below((size_t)(most - least + 1));
}

/*
 * Generate the rest, after units, split, nfiles, serial, mapped, keyval and so on are chosen. In a
 * unit, all tasks except the first one only send.
 */
static inline void model_generate(void)
{
    int i, t, r;

    for (model.ntasks = 0, i = 0; i < model.units; i++) {
        for (t = 0; t < model.sizes[i]; t++)
            model.task[model.ntasks++] = (struct model_task){.unit = i, .only_sends = t > 0};
    }
    for (t = 0; t < model.ntasks; t++) {
        model.task[t].rank = t;
        model.task[t].worker = model.mapped ? (int)check_below((size_t)model.workers) : 0;
        model.task[t].number = model.serial ? (sion_int64)check_below(60) * MODEL_TASKS + t : t;
        model_new_chunk(&model.task[t]);
    }
    model_seat_writers();
    model_sizes();
    model_choose_words();
    model_lay_out_all();
    for (r = 0; r < MODEL_ROUNDS; r++)
        model_round(r);
}

#endif
