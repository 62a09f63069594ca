/* Mapped opens that compare checksums: rank 0 finds those of all files, and tells where they are.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "file/checksum.h"
#include "file/guard.h"
#include "file/mapped.h"
#include "parallel/mapped.h"
#include "parallel/checksum_gather.h"

enum { WORDS = sizeof(struct scion_crc_place) / sizeof(sion_int64) };

struct sums_reply {
    struct scion_reply_head head;
    sion_int64 numbers; /* that follow */
};

/* On rank 0. */
struct sum_rows {
    struct scion_mapped_root *root;
    struct scion_checksum_table **files; /* [nfiles]; NULL: not needed, or has none */
    struct scion_rows rows;              /* of each process */
};

static void free_dealing(struct sum_rows *sum_rows)
{
    int i;

    for (i = 0; sum_rows->files && i < sum_rows->root->nfiles; i++)
        scion_checksum_table_free(sum_rows->files[i]);
    free(sum_rows->files);
    scion_rows_free(&sum_rows->rows);
}

static int read_file(struct scion_physical *physical, struct scion_checksum_table **checksums)
{
    int rc = scion_physical_resume(physical), closed;

    if (rc != 0)
        return rc;
    rc = scion_checksum_table_find(physical, checksums);
    closed = scion_physical_suspend(physical);
    return scion_first_failure(rc, closed);
}

static int read_files(struct sum_rows *sum_rows)
{
    const struct scion_mapped_root *root = sum_rows->root;
    int rc = 0, i;

    sum_rows->files = calloc((size_t)root->nfiles, sizeof(struct scion_checksum_table *));
    if (!sum_rows->files)
        return scion_fail_memory("checksums");
    for (i = 0; i < root->nfiles && rc == 0; i++) {
        if (root->files[i])
            rc = read_file(root->files[i], &sum_rows->files[i]);
    }
    return rc;
}

/* The places that a process has got, one after the other. */
#define FOR_EACH_PLACED(rows, process, at, placed)                                                 \
    for (at = scion_rows_of(rows, process);                                                        \
         at < scion_rows_of(rows, process) + (rows)->counts[process] &&                            \
         (placed = scion_task_place_at(at), 1);                                                    \
         at += SCION_TASK_PLACE_WORDS + scion_task_place_numbers(placed.count))

/* CRCs that a process could not read any more where they are. */
static sion_int64 count_early(const struct sum_rows *sum_rows,
                              const struct scion_task_place *placed)
{
    const struct scion_checksum_table *checksums = sum_rows->files[placed->file];
    const struct scion_physical *physical = sum_rows->root->files[placed->file];
    struct scion_lengths lengths;

    if (!checksums || !checksums->are_early)
        return 0;
    scion_lengths_view(&lengths, physical->used + placed->lrank, (size_t)physical->head.ntasks,
                       physical->counts[placed->lrank]);
    return scion_checksum_count(&lengths, checksums->piece);
}

static int measure(struct sum_rows *sum_rows, struct sums_reply *replies)
{
    const struct scion_rows *given = &sum_rows->root->given;
    struct scion_task_place placed;
    const sion_int64 *at;
    int p;

    for (p = 0; p < given->n; p++) {
        sion_int64 crcs = 0;

        FOR_EACH_PLACED(given, p, at, placed)
        {
            replies[p].numbers += WORDS;
            crcs += count_early(sum_rows, &placed);
        }
        replies[p].numbers += scion_words_of_crcs(crcs);
        scion_rows_add(&sum_rows->rows, replies[p].numbers);
    }
    return scion_rows_fit(&sum_rows->rows)
               ? 0
               : scion_fail(SION_ERR_NO_SPACE, "the requested tasks have too many checksums");
}

static sion_int64 *put_sums(const struct sum_rows *sum_rows, const struct scion_task_place *placed,
                            sion_int64 *next)
{
    const struct scion_checksum_table *checksums = sum_rows->files[placed->file];
    struct scion_crc_place place = {0};

    if (checksums)
        place = (struct scion_crc_place){
            checksums->piece, sum_rows->root->files[placed->file]->head.swapped,
            scion_checksum_place(checksums, placed->lrank), count_early(sum_rows, placed)};
    memcpy(next, &place, sizeof place);
    return next + WORDS;
}

static uint32_t *put_crcs(const struct sum_rows *sum_rows, const struct scion_task_place *placed,
                          uint32_t *next)
{
    const struct scion_checksum_table *checksums = sum_rows->files[placed->file];
    sion_int64 count = count_early(sum_rows, placed);

    if (count > 0)
        memcpy(next, checksums->crcs + checksums->first[placed->lrank],
               (size_t)count * sizeof *next);
    return next + count;
}

/* The places of all of a process's tasks, and behind them the CRCs that it needs now. */
static int fill(struct sum_rows *sum_rows)
{
    const struct scion_rows *given = &sum_rows->root->given;
    struct scion_task_place placed;
    const sion_int64 *at;
    int p;

    if (scion_rows_make(&sum_rows->rows) != 0)
        return scion_fail_memory("checksums");
    for (p = 0; p < given->n; p++) {
        sion_int64 *next = scion_rows_of(&sum_rows->rows, p);
        uint32_t *crcs;

        FOR_EACH_PLACED(given, p, at, placed)
        next = put_sums(sum_rows, &placed, next);
        crcs = (uint32_t *)next;
        FOR_EACH_PLACED(given, p, at, placed)
        crcs = put_crcs(sum_rows, &placed, crcs);
    }
    return 0;
}

static int prepare(struct sum_rows *sum_rows, struct sums_reply *replies)
{
    int rc = read_files(sum_rows);

    if (rc == 0 && scion_rows_begin(&sum_rows->rows, sum_rows->root->comm->size) != 0)
        rc = scion_fail_memory("checksums");
    if (rc == 0)
        rc = measure(sum_rows, replies);
    return rc != 0 ? rc : fill(sum_rows);
}

/* Receive the places of the CRCs of this process's tasks, to be freed. */
static int receive(struct sum_rows *sum_rows, sion_int64 **numbers)
{
    struct scion_comm *comm = sum_rows->root->comm;
    const struct scion_consultation how = {
        .comm = comm, .global = comm, .reply = sizeof(struct sums_reply)};
    struct sums_reply *replies = NULL, reply;
    int status = 0, rc;

    if (comm->rank == 0) {
        replies = scion_must_allocate((size_t)comm->size, sizeof *replies);
        status = prepare(sum_rows, replies);
    }
    rc = scion_send_replies(&how, status, -1, replies, &reply);
    free(replies);
    if (rc != 0)
        return rc;
    *numbers = scion_must_allocate((size_t)reply.numbers + 1, sizeof **numbers);
    return scion_deal_rows(comm, &sum_rows->rows, *numbers, reply.numbers);
}

struct comparison {
    struct scion_container *container;
    int none_may_be;           /* damaged */
    struct scion_damage first; /* of the damaged tasks */
    int found;                 /* how many there are */
};

/* Members of merged streams would read what is damaged, without a sign; and another generation may
   be sound. */
static int lock_out(struct comparison *comparison, const struct scion_damage *damage)
{
    if (comparison->none_may_be)
        return scion_damage_fail(
            damage, scion_file_path(scion_container_stream(comparison->container)->file));
    if (comparison->found++ == 0)
        comparison->first = *damage;
    return scion_mapped_lock_out(comparison->container, damage);
}

/* The task is selected. */
static int compare_selected(struct comparison *comparison, struct scion_guard *guard)
{
    const struct scion_stream *stream = scion_container_stream(comparison->container);
    struct scion_damage damage = {SCION_SOUND, 0, 0, 0, 0};
    int rc = guard ? scion_guard_compare(guard, stream->file, stream->place.start, &damage) : 0;

    return rc != 0 || damage.kind == SCION_SOUND ? rc : lock_out(comparison, &damage);
}

static void warn(const struct comparison *comparison)
{
    if (comparison->found > 0)
        scion_damage_warn(scion_container_name(comparison->container), &comparison->first,
                          comparison->found);
}

static int compare_tasks(struct comparison *comparison, struct scion_guard **guards)
{
    struct scion_container *container = comparison->container;
    int first = scion_container_selected(container), rc = 0, i;

    for (i = 0; i < scion_container_ntasks(container) && rc == 0; i++) {
        rc = scion_container_select(container, i);
        if (rc == 0)
            rc = compare_selected(comparison,
                                  guards[scion_container_task_place(container, i)->index]);
    }
    if (rc == 0)
        warn(comparison);
    return rc == 0 && first >= 0 ? scion_container_select(container, first) : rc;
}

static void free_guards(const struct scion_container *container, struct scion_guard **guards)
{
    int i;

    for (i = 0; guards && i < scion_container_nopen(container); i++)
        scion_guard_free(guards[i]);
    free(guards);
}

int scion_checksum_watch_mapped(struct scion_mapped_root *root, struct scion_container *container,
                                int now)
{
    struct sum_rows sum_rows = {.root = root};
    struct comparison comparison = {.container = container,
                                    .none_may_be = root->members || root->is_sound};
    struct scion_guard **guards = NULL;
    sion_int64 *places = NULL;
    int rc = receive(&sum_rows, &places);

    if (rc == 0)
        rc = scion_mapped_guards(
            container, (const void *)places,
            (const uint32_t *)(places + WORDS * scion_container_ntasks(container)), &guards);
    if (rc == 0 && (now || root->members))
        rc = compare_tasks(&comparison, guards);
    else if (rc == 0)
        scion_mapped_watch(container, guards);
    free_guards(container, guards);
    free(places);
    free_dealing(&sum_rows);
    return rc;
}
