/*
 * A journal of a writer that will be killed, in memory that outlives it: every record before it is
 * written, the result of the write, and the number of records at the last flush that succeeded. The
 * journal tells what a recovery must return.
 */
#ifndef TEST_RECOVER_JOURNAL_H
#define TEST_RECOVER_JOURNAL_H

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sion_recover.h"

#include "check.h"

enum { JOURNAL_TASKS = 8, JOURNAL_RECORDS = 4000 };
enum { UNDER_WAY, WRITTEN, REFUSED };

struct journal_task {
    int n;       /* records */
    int flushed; /* those of them that were written before the last flush that succeeded */
    struct {
        int bytes, state;
    } records[JOURNAL_RECORDS];
};

struct journal {
    int ntasks, is_keyval;
    int is_open;     /* the open has succeeded */
    int is_between;  /* a new start is under way, so earlier records do not count */
    int has_crashed; /* the signal that killed the writer */
    int is_closed;   /* the close has succeeded */
    struct journal_task tasks[JOURNAL_TASKS];
};

/* path: a file for processes that are not children, or NULL. */
static inline struct journal *journal_map(const char *path)
{
    int fd = path ? open(path, O_RDWR | O_CREAT, 0600) : -1;
    struct journal *journal;

    if (fd >= 0 && ftruncate(fd, sizeof *journal) != 0)
        abort();
    journal = mmap(NULL, sizeof *journal, PROT_READ | PROT_WRITE,
                   MAP_SHARED | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);
    if (journal == MAP_FAILED)
        abort();
    if (fd >= 0)
        close(fd);
    return journal;
}

/* Bytes of a task's record; no two records have the same bytes. */
static inline void journal_fill(unsigned char *to, int task, int record, size_t bytes)
{
    check_fill(to, task * 7919L + record, record * 31L, bytes);
}

static inline int journal_begin(struct journal *journal, int task, int bytes)
{
    struct journal_task *of = &journal->tasks[task];

    if (of->n == JOURNAL_RECORDS)
        return -1;
    of->records[of->n].bytes = bytes;
    of->records[of->n].state = UNDER_WAY;
    __atomic_store_n(&of->n, of->n + 1, __ATOMIC_SEQ_CST);
    return of->n - 1;
}

static inline void journal_end(struct journal *journal, int task, int record, int state)
{
    __atomic_store_n(&journal->tasks[task].records[record].state, state, __ATOMIC_SEQ_CST);
}

static inline void journal_flushed(struct journal *journal, int task)
{
    __atomic_store_n(&journal->tasks[task].flushed, journal->tasks[task].n, __ATOMIC_SEQ_CST);
}

/* ---- checks of recovered data ---- */

/* Make a record as it is in the stream. Returns its length. */
static inline size_t journal_image(const struct journal *journal, int task, int record,
                                   unsigned char *to)
{
    size_t bytes = (size_t)journal->tasks[task].records[record].bytes, head = 0;
    uint64_t key = (uint64_t)record, length = bytes;

    if (journal->is_keyval) {
        memcpy(to, &key, sizeof key);
        memcpy(to + 8, &length, sizeof length);
        head = 16;
    }
    journal_fill(to + head, task, record, bytes);
    return head + bytes;
}

/*
 * The stream of a task must have its written records in order, and at least those before the last
 * flush. It must not have a refused record, but may have one that was under way. Returns NULL, or a
 * text that tells what is wrong.
 */
static inline const char *journal_judge(const struct journal *journal, int task,
                                        const unsigned char *stream, size_t bytes)
{
    static unsigned char image[1 << 16];
    const struct journal_task *of = &journal->tasks[task];
    size_t at = 0, length;
    int record;

    for (record = 0; record < of->n && (at < bytes || record < of->flushed); record++) {
        if (of->records[record].state == REFUSED)
            continue;
        length = journal_image(journal, task, record, image);
        if (at + length > bytes)
            return record < of->flushed ? "flushed bytes are missing" : "a record is cut off";
        if (memcmp(stream + at, image, length) != 0)
            return "wrong bytes";
        at += length;
    }
    return at < bytes ? "bytes that no task has written" : NULL;
}

/* The same for all tasks of a recovery. Prints the faults, and returns their number. */
static inline int journal_compare(const struct journal *journal, const sion_recovery *recovery,
                                  const char *where)
{
    sion_recover_info info = {.size = sizeof info};
    int faults = 0, i;

    sion_recover_get_info(recovery, &info);
    for (i = 0; i < info.ntasks; i++) {
        sion_recover_task task = {.size = sizeof task};
        unsigned char *stream;
        const char *fault;

        sion_recover_get_task(recovery, i, &task);
        stream = malloc((size_t)task.bytes + 1);
        fault = sion_recover_read(recovery, i, 0, stream, (size_t)task.bytes) != 1
                    ? "cannot be read"
                    : journal_judge(journal, (int)task.globalrank, stream, (size_t)task.bytes);
        if (!fault && task.lost > 0)
            fault = "bytes are lost";
        if (fault)
            printf("# %s: task %lld with %lld bytes: %s\n", where, task.globalrank, task.bytes,
                   fault);
        faults += fault != NULL;
        free(stream);
    }
    if (info.ntasks != journal->ntasks)
        printf("# %s: %d tasks in place of %d\n", where, info.ntasks, journal->ntasks);
    return faults + (info.ntasks != journal->ntasks);
}

#endif
