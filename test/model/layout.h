/* Which task is in which file, and where its chunks are. */
#ifndef TEST_MODEL_LAYOUT_H
#define TEST_MODEL_LAYOUT_H

#include "model.h"

/* ---- tasks and files ---- */

static inline void model_shuffle(int *list, int n)
{
    int i;

    for (i = n - 1; i > 0; i--) {
        int j = (int)check_below((size_t)i + 1), old = list[i];

        list[i] = list[j];
        list[j] = old;
    }
}

/* Deal units (tasks, or processes with several tasks) to files; each file gets at least one. */
static inline void model_deal(int units, int *file, int *order)
{
    int i;

    for (i = 0; i < units; i++)
        order[i] = i;
    if (model.split == MODEL_GROUPS || model.split == MODEL_ANY)
        model_shuffle(order, units);
    for (i = 0; i < units; i++) {
        int share = units / model.nfiles;

        if (model.split == MODEL_RUNS)
            file[i] = i / share < model.nfiles ? i / share : model.nfiles - 1;
        else if (i < model.nfiles)
            file[order[i]] = i;
        else
            file[order[i]] = (int)check_below((size_t)model.nfiles);
    }
    if (model.split == MODEL_ANY)
        model_shuffle(order, units);
}

/* Number the groups by the first process in each. */
static inline void model_number_groups(int units, int *file, const int *order)
{
    int first[MODEL_TASKS], number[MODEL_TASKS], f, g, i;

    for (i = units - 1; i >= 0; i--)
        first[file[order[i]]] = order[i];
    for (f = 0; f < model.nfiles; f++) {
        for (number[f] = 0, g = 0; g < model.nfiles; g++)
            number[f] += first[g] < first[f];
    }
    for (i = 0; i < units; i++)
        file[i] = number[file[i]];
}

/* Form groups of readers, as many as there are files. */
static inline void model_seat_readers(void)
{
    int file[MODEL_TASKS], order[MODEL_TASKS], first[MODEL_TASKS], places[MODEL_TASKS] = {0}, i, t;

    model_deal(model.units, file, order);
    if (model.split == MODEL_GROUPS)
        model_number_groups(model.units, file, order);
    for (t = 0, i = 0; i < model.units; t += model.sizes[i++])
        first[i] = t;
    for (i = 0; i < model.units; i++) {
        int unit = order[i];

        for (t = first[unit]; t < first[unit] + model.sizes[unit]; t++) {
            model.task[t].group = file[unit];
            model.task[t].group_place = places[file[unit]]++;
        }
    }
}

static inline void model_seat_writers(void)
{
    int t;

    model_seat_readers();
    for (t = 0; t < model.ntasks; t++) {
        model.task[t].file = model.task[t].group;
        model.task[t].place = model.task[t].group_place;
    }
}

/* ---- sizes of chunks ---- */

static inline sion_int64 model_up(sion_int64 bytes, sion_int64 unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* The number of groups. If nobody has set their size, 16 or more tasks form at most 4 groups. */
static inline sion_int64 model_groups_wanted(sion_int64 total, int n, int collsize)
{
    sion_int64 most = model_up(total, model.fsblksize) / model.fsblksize;
    sion_int64 wanted = collsize > 0 ? (n + collsize - 1) / collsize : most < n ? most : n;

    if (collsize <= 0 && n >= 16 && wanted > 4)
        wanted = 4;
    wanted = wanted < most ? wanted : most;
    return wanted > 0 ? wanted : 1;
}

/* A group begins at a block: its last chunk is enlarged, or its first one has room for all. */
static inline void model_align_group(sion_int64 *chunk, int n, sion_int64 sum)
{
    int t;

    if (!model.merge) {
        chunk[n - 1] += model_up(sum, model.fsblksize) - sum;
        return;
    }
    chunk[0] = model_up(sum, model.fsblksize);
    for (t = 1; t < n; t++)
        chunk[t] = model_up(chunk[t], model.fsblksize);
}

/* collector: [n] the first task of each task's group. */
static inline void model_align_groups(sion_int64 *chunk, const int *only_sends, int n, int collsize,
                                      int *collector)
{
    sion_int64 total = 0, target, sum = 0;
    int first = 0, t;

    for (t = 0; t < n; t++)
        total += chunk[t];
    target = model_up(total / model_groups_wanted(total, n, collsize), model.fsblksize);
    for (t = 0; t <= n; t++) {
        int joins =
            t < n &&
            (t == 0 || only_sends[t] ||
             (model.by_count ? collsize <= 0 || t - first < collsize : sum + chunk[t] <= target));

        if (!joins) {
            model_align_group(chunk + first, t - first, sum);
            first = t;
            sum = 0;
        }
        if (t < n) {
            sum += chunk[t];
            collector[t] = first;
        }
    }
}

/* One physical file: tasks in the order of their places; NULL is a place-holder. */
struct model_file {
    int n, number;
    const struct model_task *task[2 * MODEL_TASKS];
    sion_int64 ranks[2 * MODEL_TASKS], chunk[2 * MODEL_TASKS], start[2 * MODEL_TASKS];
    sion_int64 skip;
    int collector[2 * MODEL_TASKS];
};

static inline void model_join(struct model_file *file, const struct model_task *task)
{
    file->task[file->n] = task;
    file->ranks[file->n] = task->number;
    file->chunk[file->n++] = task->wanted;
}

static inline void model_join_all(struct model_file *file, int number)
{
    int place, t;

    for (place = 0; place < model.ntasks; place++) {
        for (t = 0; t < model.ntasks; t++) {
            if (model.task[t].file == number && model.task[t].place == place)
                model_join(file, &model.task[t]);
        }
    }
}

static inline void model_lay_out(struct model_file *file, int is_copy)
{
    int only_sends[2 * MODEL_TASKS], collsize = model.collsize, i;
    sion_int64 next = model_up(1088 + 16 * file->n, model.fsblksize), begin = next;

    for (i = 0; i < file->n; i++)
        only_sends[i] = file->task[i] && file->task[i]->only_sends;
    if (model.copies > 0 && (!model.collective || (is_copy && collsize == 0)))
        collsize = file->n; /* one group */
    if (model.collective || model.copies > 0)
        model_align_groups(file->chunk, only_sends, file->n, collsize, file->collector);
    for (i = 0; i < file->n; i++) {
        if (!model.collective && model.copies == 0)
            file->chunk[i] = model_up(file->chunk[i], model.fsblksize);
        file->start[i] = next;
        next += file->chunk[i];
    }
    file->skip = next - begin;
}

/* level: that of a copy, or -1. */
static inline void model_file_name(char *to, size_t size, int number, int level)
{
    char copy[20] = "", suffix[20] = "";

    if (level >= 0)
        snprintf(copy, sizeof copy, "_BUDDY_%02d", level);
    if (number > 0)
        snprintf(suffix, sizeof suffix, ".%06d", number);
    snprintf(to, size, "%s%s%s", model.name, copy, suffix);
}

static inline void model_make_file(struct model_file *file, int number)
{
    *file = (struct model_file){.number = number};
    model_join_all(file, number);
    model_lay_out(file, 0);
}

/* The group that keeps a file's copy. */
static inline int model_keeper(int number, int level)
{
    return (number + model.nfiles - (level + 1) % model.nfiles) % model.nfiles;
}

/* A copy begins with the tasks of the group that keeps it, which have chunks of no bytes. */
static inline void model_make_copy(struct model_file *file, int number, int level)
{
    int keeper = model_keeper(number, level), i;

    *file = (struct model_file){.number = number};
    model_join_all(file, keeper);
    for (i = 0; i < file->n; i++) {
        file->task[i] = NULL;
        file->ranks[i] = -(file->ranks[i] + 1);
        file->chunk[i] = 0;
    }
    model_join_all(file, number);
    model_lay_out(file, 1);
}

/* A record must also fit into the chunks of all copies, which have groups of their own. */
static inline void model_lay_out_copies(int number)
{
    struct model_file file;
    int level, i;

    for (level = 0; level < model.copies; level++) {
        model_make_copy(&file, number, level);
        for (i = 0; i < file.n; i++) {
            struct model_task *task = file.task[i] ? &model.task[file.task[i]->rank] : NULL;

            if (task && file.chunk[i] < task->least)
                task->least = file.chunk[i];
        }
    }
}

static inline void model_lay_out_all(void)
{
    struct model_file file;
    int f, i;

    for (f = 0; f < model.nfiles; f++) {
        model_make_file(&file, f);
        for (i = 0; i < file.n; i++) {
            struct model_task *task = &model.task[file.task[i]->rank];

            task->chunk = task->least = file.chunk[i];
            task->start = file.start[i];
            task->skip = file.skip;
            task->collector = file.task[file.collector[i]]->rank;
        }
        model_lay_out_copies(f);
    }
}

#endif
