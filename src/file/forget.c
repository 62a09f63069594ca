#include "file/forget.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mode.h"
#include "file/checksum.h"
#include "file/generations.h"
#include "file/physical_read.h"
#include "file/private.h"
#include "vfs/writer_lock.h"

/* Of a file: its checksums as they were. NULL: it has none. */
struct kept {
    struct scion_physical *physical;
    struct scion_checksum_table *sums;
};

struct work {
    struct kept *files; /* [n] */
    int n;
};

/* ---- reading ---- */

static int check(const struct scion_physical *physical)
{
    if (!physical->generations && !physical->has_odd_generations)
        return scion_fail(SION_ERR_MODE, "%s has no generations", physical->path);
    return 0;
}

/* As one that is written on. */
static int read_file(const char *name, int number, struct work *work)
{
    static const struct scion_physical_plan plan = {.is_durable = 1};
    struct kept *file = &work->files[number];
    char *path = scion_physical_name(name, number);
    int rc = path ? scion_physical_read_locked(path, &file->physical) : SION_ERR_MEMORY;

    free(path);
    if (rc != 0)
        return rc;
    work->n = number + 1;
    if (number > 0)
        rc = scion_physical_go_back(file->physical, work->files[0].physical->state.generation);
    if (rc == 0 && number > 0)
        rc = scion_physical_check_member(file->physical, &work->files[0].physical->head, number);
    if (rc == 0)
        rc = check(file->physical);
    if (rc == 0 && file->physical->sums_at > 0)
        rc = scion_checksum_table_read(file->physical, &file->sums);
    return rc == 0 ? scion_physical_append(file->physical, &plan) : rc;
}

static int read_files(const char *name, struct work *work)
{
    const struct scion_physical *first;
    int rc, n, i;

    work->files = calloc(1, sizeof *work->files);
    if (!work->files)
        return scion_fail_memory("files");
    rc = read_file(name, 0, work);
    if (rc != 0)
        return rc;
    first = work->files[0].physical;
    n = first->mapping.size >= 0 ? first->head.nfiles : 1;
    if (n > 1) {
        struct kept *more = scion_array_grown(work->files, (uint64_t)n, sizeof *more);

        if (!more)
            return scion_fail_memory("files");
        memset(more + 1, 0, (size_t)(n - 1) * sizeof *more);
        work->files = more;
    }
    for (i = 1; i < n && rc == 0; i++) {
        rc = scion_physical_suspend(work->files[i - 1].physical);
        if (rc == 0)
            rc = read_file(name, i, work);
    }
    return rc;
}

static void free_work(struct work *work)
{
    int i;

    for (i = 0; i < work->n; i++) {
        scion_physical_close(work->files[i].physical);
        scion_checksum_table_free(work->files[i].sums);
    }
    free(work->files);
}

/* ---- writing ---- */

static sion_int64 no_chunks(const void *context, int task)
{
    (void)context, (void)task;
    return 0;
}

static sion_int64 no_bytes(const void *context, int task, sion_int64 chunk)
{
    (void)context, (void)task, (void)chunk;
    return 0;
}

/* As the file's writer has written one. */
static struct scion_mapping mapping_of(const struct scion_physical *physical)
{
    int is_serial = physical->head.nfiles <= 1 && physical->head.filenumber == 1;

    return physical->mapping.size < 0 && is_serial ? (struct scion_mapping){.size = 0}
                                                   : physical->mapping;
}

/* Those of the chunks that are left. */
static int write_sums(const struct kept *file, const struct scion_mapping *mapping)
{
    struct scion_physical *physical = file->physical;
    const struct scion_checksum_table *sums = file->sums;
    int n = physical->head.ntasks, rc, t;
    struct scion_task_crcs *tasks = scion_array((uint64_t)n, sizeof *tasks);

    if (!tasks)
        return scion_fail_memory("checksums");
    for (t = 0; t < n; t++) {
        sion_int64 chunks = physical->counts[t], first = sums->first[t], end = sums->first[t + 1];
        struct scion_lengths older;

        if (chunks > physical->generations->forgotten)
            chunks = physical->generations->forgotten;
        scion_lengths_view(&older, physical->used + t, (size_t)n, chunks);
        first += scion_checksum_count(&older, sums->piece);
        tasks[t] = (struct scion_task_crcs){sums->crcs + first, end - first};
    }
    rc = scion_checksum_write_tasks(physical, mapping, tasks);
    free(tasks);
    return rc;
}

static int write_file(const struct kept *file, sion_int64 before)
{
    static const struct scion_length_source nothing = {no_chunks, no_bytes, NULL, NULL};
    struct scion_physical *physical = file->physical;
    const struct scion_mapping mapping = mapping_of(physical);
    int rc = scion_physical_resume(physical);

    physical->generations->forget = before;
    if (rc == 0)
        rc = scion_physical_publish(physical, &nothing, &mapping, file->sums != NULL);
    return rc == 0 && file->sums ? write_sums(file, &mapping) : rc;
}

/* File 0 last: until then, the others go back to its state. */
static int write_files(struct work *work, sion_int64 before)
{
    int rc = 0, i;

    for (i = 0; i < work->n && rc == 0; i++) {
        rc = write_file(&work->files[i], before);
        if (rc == 0 && work->n > 1)
            rc = scion_physical_suspend(work->files[i].physical);
    }
    for (i = work->n - 1; i >= 0 && rc == 0; i--) {
        rc = scion_physical_resume(work->files[i].physical);
        if (rc == 0)
            rc = scion_physical_switch(work->files[i].physical, 1);
        if (rc == 0 && work->n > 1)
            rc = scion_physical_suspend(work->files[i].physical);
    }
    return rc;
}

/* Frees what is forgotten, also what somebody has left who was killed before he had done that. */
static int settle(struct work *work, int is_new)
{
    int rc = 0, i;

    for (i = 0; i < work->n && rc == 0; i++) {
        rc = scion_physical_resume(work->files[i].physical);
        if (rc != 0)
            break;
        if (is_new)
            scion_physical_settle_state(work->files[i].physical, 1);
        scion_generations_punch(work->files[i].physical);
        if (work->n > 1)
            rc = scion_physical_suspend(work->files[i].physical);
    }
    return rc;
}

/* The first generation that stays. */
static sion_int64 choose(const struct scion_generations *generations, int keep, sion_int64 before)
{
    int n = generations->head.n, first = keep > 0 && keep < n ? n - keep : 0;

    while (first < n - 1 && generations->list[first].number < before)
        first++;
    return n > 0 ? generations->list[first].number : 0;
}

static int check_sums(const struct work *work)
{
    int i;

    for (i = 0; i < work->n; i++) {
        const struct scion_checksum_table *sums = work->files[i].sums;

        if (sums && (sums->are_damaged || sums->piece != SCION_CHECKSUM_PIECE))
            return scion_fail(SION_ERR_DAMAGED, "%s cannot be written on: %s",
                              work->files[i].physical->path,
                              sums->are_damaged ? "some of its checksums are damaged"
                                                : "its checksums are not those of this library");
    }
    return 0;
}

static int forget(const char *name, int keep, sion_int64 before, struct scion_forgotten *result)
{
    struct work work = {0};
    int rc = read_files(name, &work);

    if (rc == 0)
        rc = check_sums(&work);
    if (rc == 0) {
        const struct scion_generations *generations = work.files[0].physical->generations;
        int is_new;

        result->before = generations->head.n;
        result->oldest = choose(generations, keep, before);
        is_new = result->before > 0 && result->oldest > generations->list[0].number;
        if (is_new)
            rc = write_files(&work, result->oldest);
        if (rc == 0)
            rc = settle(&work, is_new);
        result->after = generations->head.n;
    }
    free_work(&work);
    return rc;
}

int scion_forget_generations(const char *name, int keep, sion_int64 before,
                             struct scion_forgotten *result)
{
    static const struct scion_mode mode = {.access = SCION_ACCESS_WRITE, .append = 1};
    struct scion_writer_lock *lock = NULL;
    int rc = scion_lock_for_writing(name, &mode, 0, &lock), unlocked;

    *result = (struct scion_forgotten){0};
    if (rc == 0)
        rc = forget(name, keep, before, result);
    unlocked = scion_writer_lock_release(lock, 0);
    return scion_first_failure(rc, unlocked);
}
