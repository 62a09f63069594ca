/*
 * Runs cases: one flavour of open writes a container, its files are compared byte by byte, and
 * other flavours read it. CHECK_SEED=... repeats one case; CHECK_ROUNDS=... sets the number of
 * cases.
 */
#ifndef TEST_MODEL_RUN_H
#define TEST_MODEL_RUN_H

#include "image.h"
#include "keys.h"

/* ---- reading ---- */

/* The task that a sid has selected after the open. */
static inline int model_first(const struct model_reader *reader)
{
    int first = 0, i;

    for (i = 0; i < reader->n; i++) {
        const struct model_task *task = reader->cursor[i].task;

        if (model_work.flavour->serial && model_seek_number(task) == 0)
            return i;
        if (model_work.flavour->mapped && task->file < reader->cursor[first].task->file)
            first = i;
    }
    return first;
}

static inline void model_begin_reader(struct model_reader *reader, struct model_worker *worker,
                                      int sid)
{
    int i;

    *reader = (struct model_reader){
        .worker = worker, .sid = sid, .several = worker->several, .n = worker->n};
    for (i = 0; i < worker->n; i++)
        reader->cursor[i].task = &model.task[worker->tasks[i]];
    reader->present = model_first(reader);
}

static inline void model_read_streams(struct model_reader *reader)
{
    if (model_work.flavour->buddies) {
        model_read_copies(reader);
        return;
    }
    if (model_work.merged) {
        model_read_merged(reader);
        return;
    }
    if (model_work.together)
        model_read_together(reader);
    if (reader->n == 0)
        return;
    model_read_steps(reader);
    model_read_duplicate(reader);
    model_read_all(reader);
    if (model_work.flavour->serial && reader->several)
        model_read_in_turns(reader);
}

/* A close is collective, but a duplicate belongs to one reader. */
static inline void model_close_before_duplicate(struct model_reader *reader)
{
    struct model_reader copy;
    int is_there = reader->n > 0 && model_duplicate(reader, &copy);

    EXPECT_INT(model_work.flavour->close(reader->sid), 1);
    if (!is_there)
        return;
    model_read_all(&copy);
    EXPECT_INT(sion_dedup(copy.sid), 1);
}

static inline void model_read(struct model_worker *worker)
{
    int sid = model_work.flavour->open(worker, 0, model_work.words);
    struct model_reader reader;

    if (!EXPECT_TRUE(sid >= 0))
        return;
    model_begin_reader(&reader, worker, sid);
    if (model.keyval)
        model_read_keys(&reader);
    else
        model_read_streams(&reader);
    if (model_work.outlive)
        model_close_before_duplicate(&reader);
    else
        EXPECT_INT(model_work.flavour->close(sid), 1);
}

/* ---- cases ---- */

/* MPI programs set these: the process that looks at files, and the agreement on failures. */
static int model_is_root = 1;
static int (*model_agree)(int failures);

static inline int model_failed(void)
{
    if (model_agree)
        model_failures = model_agree(model_failures);
    return model_failures > 0;
}

static inline void model_let_work(const struct model_flavour *flavour,
                                  void (*work)(struct model_worker *))
{
    model_work.flavour = flavour;
    model_work.writing = work == model_write;
    model_work.random = check_random();
    flavour->run(flavour, work);
}

static inline void model_choose_reading(const struct model_flavour *flavour)
{
    static const char *const words[] = {"", ",posix", ",collective", ",collective,collsize=2"};

    snprintf(model_work.words, sizeof model_work.words, "%s%s", words[check_below(4)],
             model.keyval ? ",keyval=inline" : "");
    model_work.together = !flavour->serial && !flavour->mapped && check_below(2);
    model_work.outlive = !flavour->buddies && !model.keyval && check_below(4) == 0;
    model_work.merged = model.merge && !flavour->serial && !flavour->mapped && check_below(3) > 0;
    if (model_work.merged) {
        strcpy(model_work.words, check_below(2) ? ",cmerge" : model.words);
        model_work.outlive = 0;
    }
    if (flavour->buddies) {
        snprintf(model_work.words, sizeof model_work.words, ",buddy=%d", model.copies);
        model_seat_readers();
    }
}

static inline void model_try_reading(const struct model_flavour *const *readers, int nreaders)
{
    int i;

    for (i = 0; i < nreaders && !model_failed(); i++) {
        model_choose_reading(readers[i]);
        model_let_work(readers[i], model_read);
        if (model_failed() && model_is_root)
            printf("# read by %s%s: %s\n", readers[i]->name, model_work.words, support_message);
    }
}

/* The flavour that the model was made for writes; all of `readers` read. */
static inline void model_try(const struct model_flavour *writer,
                             const struct model_flavour *const *readers, int nreaders)
{
    model_let_work(writer, model_write);
    if (model_failed())
        return;
    if (model_is_root)
        model_compare_files();
    model_try_reading(readers, nreaders);
}

static inline void model_lose_file(int number, int level)
{
    char name[100];

    model_file_name(name, sizeof name, number, level);
    EXPECT_INT(unlink(name), 0);
}

/* Lose as many nodes as there are copies; each has a file, and the copies that its group keeps. */
static inline void model_lose_nodes(void)
{
    int first = (int)check_below((size_t)model.nfiles), level, f;

    if (model_failed() || !model_is_root)
        return;
    for (f = 0; f < model.nfiles; f++) {
        if ((f - first + model.nfiles) % model.nfiles < model.copies)
            model_lose_file(f, -1);
        for (level = 0; level < model.copies; level++) {
            if ((model_keeper(f, level) - first + model.nfiles) % model.nfiles < model.copies)
                model_lose_file(f, level);
        }
    }
}

static inline void model_describe(const char *writer, uint64_t seed)
{
    printf("# %s%s: %d tasks, %d files, blocks of %d bytes\n", writer, model.words, model.ntasks,
           model.nfiles, model.fsblksize);
    printf("# CHECK_SEED=%" PRIu64 " repeats this case\n", seed);
}

static inline int model_rounds(int usual)
{
    const char *text = getenv("CHECK_ROUNDS");

    return getenv("CHECK_SEED") ? 1 : text ? atoi(text) : usual;
}

/* The seed of each case is that of the previous one plus 1. */
static inline void model_run_cases(int rounds, void (*one)(void),
                                   const struct model_flavour *writer)
{
    uint64_t first = check_random_state, seed = first;

    for (rounds = model_rounds(rounds); rounds > 0 && check_failed_here == 0; rounds--, seed++) {
        check_random_state = seed;
        model_failures = 0;
        support_catch();
        model_forget();
        model.name = "m.sion";
        one();
        check_failed_here += model_failures;
        if (check_failed_here && model_is_root)
            model_describe(writer->name, seed);
    }
    model_forget();
    check_random_state = getenv("CHECK_SEED") ? first : seed;
}

#endif
