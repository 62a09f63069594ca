/* The checksums of a container that is built. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "file/checksum.h"
#include "lib/builder_private.h"

/* Of a file. */
struct builder_sums {
    uint32_t *crcs;    /* of all tasks, in their order */
    sion_int64 *first; /* [ntasks + 1] where those of each task begin */
};

/* The lengths of a task's chunks. */
static int measure(const struct builder_file *file, int lrank, struct scion_lengths *lengths)
{
    sion_int64 count = builder_count(file, lrank), chunk;
    sion_int64 *used = scion_array((size_t)count, sizeof *used);

    if (!used)
        return scion_fail_memory("checksums");
    for (chunk = 0; chunk < count; chunk++)
        used[chunk] = builder_used(file, lrank, chunk);
    scion_lengths_view(lengths, used, 1, count);
    return 0;
}

static void free_sums(struct builder_sums *sums)
{
    if (!sums)
        return;
    free(sums->crcs);
    free(sums->first);
    free(sums);
}

/* Room for those of all tasks of a file. */
static struct builder_sums *new_sums(const struct builder_file *file)
{
    struct builder_sums *new = calloc(1, sizeof *new);
    int rc = new ? 0 : scion_fail_memory("checksums"), task;

    if (rc == 0)
        new->first = scion_array((size_t)file->ntasks + 1, sizeof *new->first);
    if (new && !new->first)
        rc = scion_fail_memory("checksums");
    for (task = 0; task < file->ntasks && rc == 0; task++) {
        struct scion_lengths lengths = {0};

        new->first[0] = task == 0 ? 0 : new->first[0];
        rc = measure(file, task, &lengths);
        if (rc == 0)
            new->first[task + 1] =
                new->first[task] + scion_checksum_count(&lengths, SCION_CHECKSUM_PIECE);
        free(lengths.used);
    }
    if (rc == 0) {
        new->crcs = scion_array((size_t) new->first[file->ntasks] + 1, sizeof *new->crcs);
        rc = new->crcs ? 0 : scion_fail_memory("checksums");
    }
    if (rc == 0)
        return new;
    free_sums(new);
    return NULL;
}

static int sum_task(const struct builder_file *file, int lrank, struct builder_sums *sums)
{
    const struct scion_place place = scion_physical_place(file->physical, lrank);
    struct scion_lengths lengths = {0};
    int rc = measure(file, lrank, &lengths);

    if (rc == 0)
        rc = scion_checksum_of_task(file->physical->file, &place, &lengths, SCION_CHECKSUM_PIECE,
                                    scion_crc_find(), sums->crcs + sums->first[lrank]);
    free(lengths.used);
    return rc;
}

int builder_add_sums(const struct builder_file *file, const struct scion_mapping *mapping)
{
    struct builder *builder = file->builder;
    struct builder_sums *sums = builder->sums;
    int rc = scion_crc_find() ? 0 : scion_crc_missing(), task;

    builder->sums = NULL;
    if (rc == 0 && !sums) {
        sums = new_sums(file);
        rc = sums ? 0 : SION_ERR_MEMORY;
        for (task = 0; task < file->ntasks && rc == 0; task++)
            rc = sum_task(file, task, sums);
    }
    if (rc == 0)
        rc = scion_checksum_write(file->physical, mapping, sums->crcs, sums->first[file->ntasks]);
    free_sums(sums);
    return rc;
}

/* ---- of a staged container: each node reads its own data ---- */

/* For each task of this node: its number, and its checksums. [*n], to be freed. */
static sion_int64 *tell_own(const struct builder_file *file, const unsigned char *ours,
                            const struct builder_sums *sums, int *n)
{
    const sion_int64 *first = sums->first;
    sion_int64 *words =
        scion_array((size_t)(first[file->ntasks] + file->ntasks) + 1, sizeof *words);
    int task;
    sion_int64 i;

    *n = 0;
    for (task = 0; words && task < file->ntasks; task++) {
        if (!ours[task])
            continue;
        words[(*n)++] = task;
        for (i = first[task]; i < first[task + 1]; i++)
            words[(*n)++] = sums->crcs[i];
    }
    return words;
}

/* The leader also has what nobody else has: chunks without data. */
static int take_others(const struct builder_file *file, struct builder_sums *sums,
                       const sion_int64 *words, sion_int64 n)
{
    unsigned char *are_there = calloc((size_t)file->ntasks + 1, 1);
    sion_int64 at = 0, i;
    int rc = are_there ? 0 : scion_fail_memory("checksums"), task;

    while (rc == 0 && at < n) {
        task = (int)words[at++];
        if (task < 0 || task >= file->ntasks ||
            sums->first[task + 1] - sums->first[task] > n - at) {
            rc = scion_fail(SION_ERR_DAMAGED, "the checksums of another node are damaged");
            continue;
        }
        are_there[task] = 1;
        for (i = sums->first[task]; i < sums->first[task + 1]; i++)
            sums->crcs[i] = (uint32_t)words[at++];
    }
    for (task = 0; task < file->ntasks && rc == 0; task++)
        rc = are_there[task] ? 0 : sum_task(file, task, sums);
    free(are_there);
    return rc;
}

/* counts[size], first[size + 1]: of the words of all nodes; on the leader. */
static int count_words(struct team *team, sion_int64 own, int *counts, int *first)
{
    sion_int64 *all = calloc((size_t)team->size, sizeof *all);
    int rc = all ? scion_gather(team->comm, &own, all, sizeof own, 0)
                 : scion_fail_memory("checksums"),
        i;

    for (i = 0; i < team->size && rc == 0; i++) {
        counts[i] = (int)all[i];
        first[i + 1] = first[i] + counts[i];
    }
    free(all);
    return rc;
}

static int collect(const struct builder_file *file, struct builder_sums *sums, sion_int64 *own,
                   int n)
{
    struct team *team = file->builder->team;
    size_t nodes = (size_t)team->size;
    int *counts = calloc(nodes, sizeof *counts), *first = calloc(nodes + 1, sizeof *first);
    int leads = team_leads(team);
    sion_int64 *words = NULL;
    int rc = counts && first ? count_words(team, n, counts, first) : scion_fail_memory("checksums");

    if (rc == 0) {
        words = calloc((size_t)(leads ? first[nodes] : 0) + 1, sizeof *words);
        rc = words ? scion_gatherv(team->comm, own, n, words, counts, first, 0)
                   : scion_fail_memory("checksums");
    }
    if (rc == 0 && leads)
        rc = take_others(file, sums, words, first[nodes]);
    free(words);
    free(counts);
    free(first);
    return rc;
}

int builder_collect_sums(struct builder *builder)
{
    const struct builder_file *file = &builder->files[0];
    struct team *team = builder->team;
    int leads = team_leads(team), n = 0, status, task;
    int rc = scion_crc_find() ? 0 : scion_crc_missing();
    sion_int64 *own = NULL;

    if (rc == 0)
        builder->sums = new_sums(file);
    if (rc == 0 && !builder->sums)
        rc = SION_ERR_MEMORY;
    for (task = 0; !leads && task < file->ntasks && rc == 0; task++)
        rc = builder->ours[task] ? sum_task(file, task, builder->sums) : 0;
    if (rc == 0 && !leads) {
        own = tell_own(file, builder->ours, builder->sums, &n);
        rc = own ? 0 : scion_fail_memory("checksums");
    }
    status = team_agree(team, rc == 0 ? TOOL_RUN : replace_failed(file->replace));
    if (status == TOOL_RUN) {
        rc = collect(file, builder->sums, own, n);
        status = team_agree(team, rc == 0 ? TOOL_RUN : replace_failed(file->replace));
    }
    free(own);
    return status;
}

void builder_free_sums(struct builder *builder)
{
    free_sums(builder->sums);
    builder->sums = NULL;
}
