/* The close of a mapped container: rank 0 writes tables and checksums of all files. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "file/checksum.h"
#include "file/mapped.h"
#include "file/checksum_tap.h"
#include "parallel/generations.h"
#include "parallel/mapped.h"
#include "parallel/state.h"
#include "parallel/checksum_gather.h"

/* What a process sends of each of its tasks begins with file, place, and number of words after it.
 */
enum { HEAD = 3 };

/* Do something with a file and the numbers of each of its tasks; the file has no descriptor. */
typedef int file_function(struct scion_physical *physical, const sion_int64 *const *tasks,
                          const struct scion_mapping *mapping, int has_sums);

/* For every file and task, find the task's numbers among those from all processes. */
static const sion_int64 ***sort_by_place(const struct scion_parallel *parallel,
                                         const struct scion_rows *rows)
{
    const sion_int64 ***files =
        scion_must_allocate((size_t)parallel->nfiles, sizeof(const sion_int64 **));
    const sion_int64 *next = rows->numbers, *end = next + rows->total;
    int i;

    for (i = 0; i < parallel->nfiles; i++)
        files[i] = scion_must_allocate((size_t)parallel->files[i]->head.ntasks,
                                       sizeof(const sion_int64 *));
    for (; next < end; next += HEAD + next[2])
        files[next[0]][next[1]] = next;
    return files;
}

/* Keeps no descriptor. */
static int for_all_files(const struct scion_parallel *parallel, const struct scion_rows *rows,
                         file_function *function, int has_sums)
{
    static const struct scion_mapping none = {.size = -1};
    const sion_int64 ***tasks = sort_by_place(parallel, rows);
    int rc = 0, other, i;

    for (i = 0; i < parallel->nfiles; i++) {
        struct scion_physical *physical = parallel->files[i];

        other = function(physical, tasks[i], i == 0 ? &parallel->mapping : &none, has_sums);
        rc = scion_first_failure(rc, other);
        other = physical->file ? scion_physical_suspend(physical) : 0;
        rc = scion_first_failure(rc, other);
        free(tasks[i]);
    }
    free(tasks);
    return rc;
}

/* ---- lengths ---- */

/* All, or those that are new. */
static struct scion_lengths lengths_of(const struct scion_container *container, int i, int is_news)
{
    const struct scion_lengths *all = scion_container_lengths(container, i);

    return is_news ? scion_lengths_news(all) : *all;
}

static sion_int64 *pack_lengths(const struct scion_container *container, int is_news, sion_int64 *n)
{
    sion_int64 *numbers, *next;
    int i;

    *n = 0;
    for (i = 0; i < scion_container_ntasks(container); i++)
        *n += HEAD + lengths_of(container, i, is_news).count;
    numbers = next = scion_must_allocate((size_t)*n + 1, sizeof *numbers);
    for (i = 0; i < scion_container_ntasks(container); i++) {
        const struct scion_lengths lengths = lengths_of(container, i, is_news);

        *next++ = scion_container_task_place(container, i)->file;
        *next++ = scion_container_task_place(container, i)->lrank;
        *next++ = lengths.count;
        memcpy(next, lengths.used, (size_t)lengths.count * sizeof *next);
        next += lengths.count;
    }
    return numbers;
}

static sion_int64 count_of(const void *context, int task)
{
    const sion_int64 *const *tasks = context;

    return tasks[task][2];
}

static sion_int64 used_of(const void *context, int task, sion_int64 chunk)
{
    const sion_int64 *const *tasks = context;

    return tasks[task][HEAD + chunk];
}

static int finish_file(struct scion_physical *physical, const sion_int64 *const *tasks,
                       const struct scion_mapping *mapping, int has_sums)
{
    const struct scion_length_source written = {
        .count = count_of, .used = used_of, .context = tasks};
    int rc = scion_physical_resume(physical);

    (void)has_sums;
    return rc != 0 ? rc : scion_physical_finish(physical, &written, mapping);
}

static int publish_file(struct scion_physical *physical, const sion_int64 *const *tasks,
                        const struct scion_mapping *mapping, int has_sums)
{
    const struct scion_length_source news = {.count = count_of, .used = used_of, .context = tasks};
    int rc = scion_physical_resume(physical);

    return rc != 0 ? rc : scion_physical_publish(physical, &news, mapping, has_sums);
}

static int write_tables(struct scion_parallel *parallel, struct scion_container *container,
                        int is_news, file_function *write)
{
    struct scion_rows rows;
    sion_int64 n, *mine;
    int rc;

    mine = pack_lengths(container, is_news, &n);
    rc = scion_gather_rows(parallel->global, mine, n, &rows);
    if (rc == 0 && parallel->global->rank == 0)
        rc = for_all_files(parallel, &rows, write, scion_checksum_tap_of(container) != NULL);
    scion_rows_free(&rows);
    free(mine);
    return rc;
}

int scion_mapped_write_tables(struct scion_parallel *parallel, struct scion_container *container)
{
    return write_tables(parallel, container, 0, finish_file);
}

int scion_mapped_write_news(struct scion_parallel *parallel, struct scion_container *container)
{
    return write_tables(parallel, container, 1, publish_file);
}

/* ---- checksums ---- */

static int find_sums(const struct scion_container *container, int is_published,
                     struct scion_task_crcs *tasks)
{
    int rc = 0, i;

    for (i = 0; i < scion_container_ntasks(container) && rc == 0; i++) {
        const struct scion_task_place *placed = scion_container_task_place(container, i);

        rc = (is_published ? scion_checksum_tap_news : scion_checksum_tap_get)(
            scion_checksum_tap_of(container), i,
            scion_container_file(container, placed->index)->path, &placed->place,
            scion_container_lengths(container, i), &tasks[i].crcs, &tasks[i].count);
    }
    return rc;
}

/* After file, place and number of words: the number of CRCs, and the CRCs. */
static sion_int64 *put_sums(const struct scion_task_place *placed,
                            const struct scion_task_crcs *sums, sion_int64 *next)
{
    *next++ = placed->file;
    *next++ = placed->lrank;
    *next++ = 1 + scion_words_of_crcs(sums->count);
    *next++ = sums->count;
    if (sums->count > 0)
        memcpy(next, sums->crcs, (size_t)sums->count * sizeof *sums->crcs);
    return next + scion_words_of_crcs(sums->count);
}

static int pack_found(const struct scion_container *container, const struct scion_task_crcs *tasks,
                      sion_int64 **numbers, sion_int64 *n)
{
    sion_int64 *next;
    int i;

    for (i = 0; i < scion_container_ntasks(container); i++)
        *n += HEAD + 1 + scion_words_of_crcs(tasks[i].count);
    *numbers = next = scion_array((uint64_t)*n + 1, sizeof *next);
    if (!next)
        return scion_fail_memory("checksums");
    for (i = 0; i < scion_container_ntasks(container); i++)
        next = put_sums(scion_container_task_place(container, i), &tasks[i], next);
    return 0;
}

static int pack_sums(const struct scion_container *container, int is_published,
                     sion_int64 **numbers, sion_int64 *n)
{
    struct scion_task_crcs *tasks =
        scion_array((uint64_t)scion_container_ntasks(container) + 1, sizeof *tasks);
    int rc = tasks ? find_sums(container, is_published, tasks) : scion_fail_memory("checksums");

    *n = 0;
    *numbers = NULL;
    if (rc == 0)
        rc = pack_found(container, tasks, numbers, n);
    free(tasks);
    return rc;
}

/* The CRCs of a file. */
static int sum_file(struct scion_physical *physical, const sion_int64 *const *tasks,
                    const struct scion_mapping *mapping, int has_sums)
{
    int n = physical->head.ntasks, rc, t;
    struct scion_task_crcs *crcs = scion_array((uint64_t)n, sizeof *crcs);

    (void)has_sums;
    if (!crcs)
        return scion_fail_memory("checksums");
    for (t = 0; t < n; t++)
        crcs[t] = (struct scion_task_crcs){(const void *)(tasks[t] + HEAD + 1), tasks[t][HEAD]};
    rc = scion_physical_resume(physical);
    if (rc == 0)
        rc = scion_checksum_write_tasks(physical, mapping, crcs);
    free(crcs);
    return rc;
}

int scion_checksum_write_mapped(struct scion_parallel *parallel, struct scion_container *container,
                                int is_published, int rc)
{
    struct scion_comm *global = parallel->global;
    struct scion_rows rows = {0};
    sion_int64 *mine = NULL, n = 0;
    int go_on;

    if (!scion_checksum_tap_of(container))
        return 0;
    scion_tell_forgotten(parallel, container);
    go_on = scion_none_failed(global, rc);
    if (go_on != 1)
        return go_on;
    rc = pack_sums(container, is_published, &mine, &n);
    go_on = scion_none_failed(global, rc);
    if (go_on != 1) {
        rc = scion_first_failure(rc, go_on);
    } else {
        rc = scion_gather_rows(global, mine, n, &rows);
        if (rc == 0 && global->rank == 0)
            rc = for_all_files(parallel, &rows, sum_file, 1);
    }
    scion_rows_free(&rows);
    free(mine);
    return rc;
}
