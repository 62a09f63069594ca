/*
 * Members of merged streams at an open: the task that has a file's tables reads its record of
 * members, and tells each task where its bytes are.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "file/mapped.h"
#include "file/members.h"
#include "parallel/members.h"
#include "parallel/opening.h"

/* ---- rank 0: rows of the tasks ---- */

/* The records of the files that rank 0 has the tables of. */
struct records {
    struct scion_physical **files; /* [n]; NULL: not needed */
    struct scion_members *members; /* [n]; no tasks: no record */
    int n;
};

static void free_records(struct records *records)
{
    int i;

    for (i = 0; records->members && i < records->n; i++)
        scion_members_free(&records->members[i]);
    free(records->members);
}

/* A file that has no descriptor gets one for that time. */
static int read_record(struct scion_physical *physical, struct scion_members *members)
{
    int is_suspended = !physical->file, rc = scion_physical_resume(physical), closed;

    if (rc != 0)
        return rc;
    rc = scion_members_read(physical, members);
    closed = is_suspended ? scion_physical_suspend(physical) : 0;
    return scion_first_failure(rc, closed);
}

static int read_records(struct records *records)
{
    int rc = 0, i;

    records->members = calloc((size_t)records->n, sizeof *records->members);
    if (!records->members)
        return scion_fail_memory("members of merged streams");
    for (i = 0; i < records->n && rc == 0; i++) {
        if (records->files[i])
            rc = read_record(records->files[i], &records->members[i]);
    }
    return rc;
}

/* Words that are told of a task, which are appended to a row. */
struct words {
    sion_int64 *list, n, capacity;
};

static int make_room(struct words *words, sion_int64 more)
{
    sion_int64 *list;

    if (words->n + more <= words->capacity)
        return 0;
    words->capacity = 2 * (words->n + more);
    list = scion_array_grown(words->list, (uint64_t)words->capacity, sizeof *list);
    if (!list)
        return scion_fail_memory("members of merged streams");
    words->list = list;
    return 0;
}

/* One task of a file. Without a record, each task has its own stream as it is. */
static int add_task(const struct records *records, int file, int lrank, struct words *words)
{
    const struct scion_physical *physical = records->files[file];
    const struct scion_members *members = &records->members[file];
    const struct scion_damage *damage = scion_members_damage(physical, members, lrank);
    struct scion_strides pieces = {0};
    int rc = damage ? 0 : scion_members_place(physical, members, lrank, &pieces);

    if (rc == 0)
        rc = make_room(words, scion_member_row(&pieces, damage, NULL));
    if (rc == 0)
        words->n += scion_member_row(&pieces, damage, words->list + words->n);
    scion_strides_free(&pieces);
    return rc;
}

/* The row of a task or process is complete: its words are those from `first` on. */
static int end_row(const struct words *words, sion_int64 first, struct scion_rows *rows)
{
    scion_rows_add(rows, words->n - first);
    return scion_rows_fit(rows) ? 0
                                : scion_fail(SION_ERR_NO_SPACE,
                                             "the members of merged streams have too many pieces");
}

/* ---- dealing out ---- */

struct member_reply {
    struct scion_reply_head head; /* number: whether there are records */
    sion_int64 words;             /* that follow */
};

/*
 * Collective: send the rows, of which rank 0 has made `words` unless it has failed with `status`.
 * *own: this task's, to be freed; NULL: the files have no record.
 */
static int deal(struct scion_comm *comm, struct scion_comm *global, int status,
                const struct words *words, struct scion_rows *rows, sion_int64 **own)
{
    const struct scion_consultation how = {
        .comm = comm, .global = global, .reply = sizeof(struct member_reply)};
    struct member_reply *replies = NULL, reply;
    int rc, i;

    if (comm->rank == 0)
        replies = scion_must_allocate((size_t)comm->size, sizeof *replies);
    for (i = 0; replies && i < rows->n; i++) {
        replies[i].head.number = 1;
        replies[i].words = rows->counts[i];
    }
    rows->numbers = words->list;
    rc = scion_send_replies(&how, status, -1, replies, &reply);
    free(replies);
    if (rc == 0 && reply.head.number == 1) {
        *own = scion_must_allocate((size_t)reply.words + 1, sizeof **own);
        rc = scion_deal_rows(comm, rows, *own, reply.words);
    }
    rows->numbers = NULL;
    return rc;
}

/* ---- opens in which every task has one task of the container ---- */

/* Where a task is, as it says itself. */
struct seat {
    sion_int64 file, lrank;
};

/* On the first task of a file, or on rank 0 of all if it has read all files. */
static int make_rows(struct scion_opening *opening, const struct seat *seats, int n,
                     struct words *words, struct scion_rows *rows)
{
    struct records records = {.files = opening->all ? opening->all : &opening->physical,
                              .n = opening->all ? opening->nall : 1};
    int rc = read_records(&records), i;

    if (rc == 0 && records.members[0].ntasks > 0) {
        rc = scion_rows_begin(rows, n) == 0 ? 0 : scion_fail_memory("members of merged streams");
        for (i = 0; i < n && rc == 0; i++) {
            sion_int64 first = words->n;

            rc = add_task(&records, opening->all ? (int)seats[i].file : 0, (int)seats[i].lrank,
                          words);
            if (rc == 0)
                rc = end_row(words, first, rows);
        }
    }
    free_records(&records);
    return rc;
}

/* By the only row of a task. */
static int show(struct scion_container *container, const sion_int64 *row)
{
    struct scion_strides pieces = {0};
    const struct scion_damage *damage;
    int rc = scion_member_at(&row, &pieces, &damage);

    if (rc == 0)
        return scion_container_show_member(container, &pieces, damage);
    scion_strides_free(&pieces);
    return rc;
}

int scion_open_members(struct scion_opening *opening)
{
    struct scion_comm *local = opening->parallel->local;
    const struct seat mine = {opening->file, scion_container_lrank(opening->container)};
    struct seat *seats = NULL;
    struct words words = {0};
    struct scion_rows rows = {0};
    sion_int64 *own = NULL;
    int status = 0, rc;

    if (local->rank == 0)
        seats = scion_must_allocate((size_t)local->size, sizeof *seats);
    rc = scion_gather(local, &mine, seats, sizeof mine, 0);
    if (rc == 0 && local->rank == 0)
        status = make_rows(opening, seats, local->size, &words, &rows);
    if (rc == 0)
        rc = deal(local, opening->parallel->global, status, &words, &rows, &own);
    if (rc == 0 && own)
        rc = show(opening->container, own);
    free(own);
    free(seats);
    free(words.list);
    scion_rows_free(&rows);
    return rc;
}

/* ---- mapped opens ---- */

/* The tasks of process p, as they were given to it. */
static int add_process(const struct records *records, const struct scion_rows *given, int p,
                       struct words *words)
{
    const sion_int64 *at = scion_rows_of(given, p), *end = at + given->counts[p];
    int rc = 0;

    while (at < end && rc == 0) {
        const struct scion_task_place placed = scion_task_place_at(at);

        rc = add_task(records, placed.file, placed.lrank, words);
        at += SCION_TASK_PLACE_WORDS + scion_task_place_numbers(placed.count);
    }
    return rc;
}

static int make_mapped_rows(struct scion_mapped_root *root, struct words *words,
                            struct scion_rows *rows)
{
    struct records records = {.files = root->files, .n = root->nfiles};
    int rc = read_records(&records), p;

    if (rc == 0 && records.members[0].ntasks > 0) {
        rc = scion_rows_begin(rows, root->comm->size) == 0
                 ? 0
                 : scion_fail_memory("members of merged streams");
        for (p = 0; p < root->comm->size && rc == 0; p++) {
            sion_int64 first = words->n;

            rc = add_process(&records, &root->given, p, words);
            if (rc == 0)
                rc = end_row(words, first, rows);
        }
    }
    free_records(&records);
    return rc;
}

int scion_open_mapped_members(struct scion_mapped_root *root, struct scion_container *container)
{
    struct words words = {0};
    struct scion_rows rows = {0};
    sion_int64 *own = NULL;
    int status = root->comm->rank == 0 ? make_mapped_rows(root, &words, &rows) : 0;
    int rc = deal(root->comm, root->comm, status, &words, &rows, &own);

    if (rc == 0 && own)
        rc = scion_container_show_mapped_members(container, own);
    free(own);
    free(words.list);
    scion_rows_free(&rows);
    return rc;
}
