/*
 * A plain model of a container: random tasks, files, chunks and records, and the container that
 * they must give, derived from doc/format.md alone, without the library.
 *
 * Everything follows from one seed, so all processes of a program have the same model without
 * communication. While workers (processes or threads) write and read, they do not change it.
 */
#ifndef TEST_MODEL_MODEL_H
#define TEST_MODEL_MODEL_H

#include "sion.h"
#include "support.h"

enum { MODEL_TASKS = 16, MODEL_ROUNDS = 12 };

/* A CHECK that several threads may call at the same time. */
#define EXPECT_INT(actual, expected)                                                               \
    model_expect((long long)(actual), (long long)(expected), __FILE__, __LINE__, #actual)
#define EXPECT_TRUE(condition) EXPECT_INT(!!(condition), 1)

static int model_failures;

static inline int model_expect(long long actual, long long expected, const char *file, int line,
                               const char *text)
{
    if (actual != expected && __atomic_fetch_add(&model_failures, 1, __ATOMIC_RELAXED) < 10)
        printf("# %s:%d: %s is %lld, not %lld\n", file, line, text, actual, expected);
    return actual == expected;
}

/* A random sequence for one worker (check_random has one state for all). */
static inline size_t model_below(uint64_t *state, size_t limit)
{
    uint64_t z = (*state = *state * 6364136223846793005u + 1442695040888963407u);

    return (size_t)((z >> 33) % limit);
}

/* ---- the parts of a container ---- */

enum model_how { MODEL_WRITE, MODEL_COLLECTIVE, MODEL_FILE, MODEL_ENSURE, MODEL_KEY, MODEL_STREAM };

/* How the application itself writes or reads, if the container is not opened with posix. */
enum model_by { MODEL_BY_FILE, MODEL_BY_DESCRIPTOR, MODEL_BY_SECOND, MODEL_BYS };

/* What a task does in one round, and its position afterwards. */
struct model_record {
    enum model_how how;
    enum model_by by; /* for MODEL_FILE */
    int flush;
    uint64_t key;
    size_t bytes,
        first;    /* first: byte in the stream of the value; merged: in the task's own data */
    int accepted; /* 0: larger than a chunk */
    size_t total;
    int chunk;
    sion_int64 pos;
};

struct model_task {
    int rank, file, place;
    int worker;             /* the worker that writes it, in a mapped container */
    int group, group_place; /* group and place of its reader, for a buddy checkpoint */
    int unit, only_sends;
    int collector;            /* the task that takes its records, in a merged container */
    sion_int64 number;        /* stored with the task: its rank, or what the user passed */
    sion_int64 wanted, chunk; /* bytes asked for, stored */
    sion_int64 least;         /* the smallest of its chunks in the file and in all copies */
    sion_int64 start, skip;   /* chunk b begins at start + b * skip */
    unsigned char *bytes;     /* the stream */
    size_t total;
    sion_int64 *used; /* bytes used in each chunk */
    int chunks;
    struct model_record records[MODEL_ROUNDS];
};

enum model_split {
    MODEL_ONE,    /* one file */
    MODEL_RUNS,   /* equal runs of processes; the last file takes the rest */
    MODEL_GROUPS, /* any groups of processes, numbered by the process of their first task */
    MODEL_ANY     /* any task at any place in any file */
};

static struct model {
    int ntasks, nfiles, fsblksize;
    enum model_split split;
    int serial, mapped, keyval, posix;
    int workers;                        /* number of workers that write a mapped container */
    int collective, collsize, by_count; /* collsize 0: automatic */
    int merge;
    int copies;                    /* of a buddy checkpoint */
    int units, sizes[MODEL_TASKS]; /* processes, and the tasks of each */
    char words[100];               /* of the mode, after bw */
    const char *name;
    struct model_task task[MODEL_TASKS];
} model;

#endif
