/* Mapped opens that compare checksums: rank 0 reads those of all files, and deals them out. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "file/checksum.h"
#include "file/mapped.h"
#include "parallel/mapped.h"
#include "parallel/sums.h"

/* For each task: bytes under one CRC, which is 0 if its file has none; number of CRCs; the CRCs. */
enum { HEAD = 2 };

struct sums_reply {
    struct scion_reply_head head;
    sion_int64 numbers; /* that follow */
};

/* On rank 0. */
struct dealing {
    struct scion_mapped_root *root;
    struct scion_checksums **files; /* [nfiles]; NULL: not needed, or has none */
    struct scion_rows rows;         /* of each process */
};

static void free_dealing(struct dealing *dealing)
{
    int i;

    for (i = 0; dealing->files && i < dealing->root->nfiles; i++)
        scion_checksums_free(dealing->files[i]);
    free(dealing->files);
    scion_rows_free(&dealing->rows);
}

static int read_file(struct scion_physical *physical, struct scion_checksums **checksums)
{
    int rc = scion_physical_resume(physical), closed;

    if (rc != 0)
        return rc;
    rc = scion_checksums_read(physical, checksums);
    closed = scion_physical_suspend(physical);
    return scion_first_failure(rc, closed);
}

static int read_files(struct dealing *dealing)
{
    const struct scion_mapped_root *root = dealing->root;
    int rc = 0, i;

    dealing->files = calloc((size_t)root->nfiles, sizeof(struct scion_checksums *));
    if (!dealing->files)
        return scion_fail_memory("checksums");
    for (i = 0; i < root->nfiles && rc == 0; i++) {
        if (root->files[i])
            rc = read_file(root->files[i], &dealing->files[i]);
    }
    return rc;
}

static sion_int64 count_sums(const struct dealing *dealing, const struct scion_placed *placed)
{
    const struct scion_checksums *checksums = dealing->files[placed->file];

    return checksums ? checksums->first[placed->lrank + 1] - checksums->first[placed->lrank] : 0;
}

/* The places that a process has got, one after the other. */
#define FOR_EACH_PLACED(rows, process, at, placed)                                                 \
    for (at = scion_rows_of(rows, process);                                                        \
         at < scion_rows_of(rows, process) + (rows)->counts[process] &&                            \
         (placed = scion_placed_at(at), 1);                                                        \
         at += SCION_PLACED_WORDS + scion_placed_numbers(placed.count))

static int measure(struct dealing *dealing, struct sums_reply *replies)
{
    const struct scion_rows *given = &dealing->root->given;
    struct scion_placed placed;
    const sion_int64 *at;
    int p;

    for (p = 0; p < given->n; p++) {
        FOR_EACH_PLACED(given, p, at, placed)
        replies[p].numbers += HEAD + scion_words_of_crcs(count_sums(dealing, &placed));
        scion_rows_add(&dealing->rows, replies[p].numbers);
    }
    return scion_rows_fit(&dealing->rows)
               ? 0
               : scion_fail(SION_ERR_NO_SPACE, "the requested tasks have too many checksums");
}

static sion_int64 *put_sums(const struct dealing *dealing, const struct scion_placed *placed,
                            sion_int64 *next)
{
    const struct scion_checksums *checksums = dealing->files[placed->file];
    sion_int64 count = count_sums(dealing, placed);

    *next++ = checksums ? checksums->piece : 0;
    *next++ = count;
    if (count > 0)
        memcpy(next, checksums->crcs + checksums->first[placed->lrank],
               (size_t)count * sizeof *checksums->crcs);
    return next + scion_words_of_crcs(count);
}

static int fill(struct dealing *dealing)
{
    const struct scion_rows *given = &dealing->root->given;
    struct scion_placed placed;
    const sion_int64 *at;
    sion_int64 *next;
    int p;

    if (scion_rows_make(&dealing->rows) != 0)
        return scion_fail_memory("checksums");
    next = dealing->rows.numbers;
    for (p = 0; p < given->n; p++) {
        FOR_EACH_PLACED(given, p, at, placed)
        next = put_sums(dealing, &placed, next);
    }
    return 0;
}

static int prepare(struct dealing *dealing, struct sums_reply *replies)
{
    int rc = read_files(dealing);

    if (rc == 0 && scion_rows_begin(&dealing->rows, dealing->root->comm->size) != 0)
        rc = scion_fail_memory("checksums");
    if (rc == 0)
        rc = measure(dealing, replies);
    return rc != 0 ? rc : fill(dealing);
}

/* Receive the CRCs of this process's tasks, to be freed. */
static int receive(struct dealing *dealing, sion_int64 **numbers)
{
    struct scion_comm *comm = dealing->root->comm;
    const struct scion_consultation how = {
        .comm = comm, .global = comm, .reply = sizeof(struct sums_reply)};
    struct sums_reply *replies = NULL, reply;
    int status = 0, rc;

    if (comm->rank == 0) {
        replies = scion_must_allocate((size_t)comm->size, sizeof *replies);
        status = prepare(dealing, replies);
    }
    rc = scion_send_replies(&how, status, -1, replies, &reply);
    free(replies);
    if (rc != 0)
        return rc;
    *numbers = scion_must_allocate((size_t)reply.numbers + 1, sizeof **numbers);
    return scion_deal_rows(comm, &dealing->rows, *numbers, reply.numbers);
}

struct comparison {
    struct scion_container *container;
    int by_members;
    struct scion_damage first; /* of the damaged tasks */
    int found;                 /* how many there are */
};

/* Members of merged streams would read what is damaged, without a sign. */
static int lock_out(struct comparison *comparison, const struct scion_damage *damage)
{
    if (comparison->by_members)
        return scion_damage_fail(
            damage, scion_file_path(scion_container_stream(comparison->container)->file));
    if (comparison->found++ == 0)
        comparison->first = *damage;
    return scion_mapped_lock_out(comparison->container, damage);
}

/* The task is selected. */
static int verify_selected(struct comparison *comparison, const sion_int64 *numbers)
{
    struct scion_container *container = comparison->container;
    const struct scion_stream *stream = scion_container_stream(container);
    int task = scion_container_selected(container);
    const struct scion_summed summed = {stream->file,
                                        stream->place,
                                        scion_container_lengths(container, task),
                                        scion_container_lrank(container),
                                        (const uint32_t *)(numbers + HEAD),
                                        numbers[0]};
    struct scion_damage damage = {SCION_SOUND, 0, 0, 0, 0};
    int rc = summed.piece > 0 ? scion_checksum_verify(&summed, &damage) : 0;

    return rc != 0 || damage.kind == SCION_SOUND ? rc : lock_out(comparison, &damage);
}

static void warn(const struct comparison *comparison)
{
    if (comparison->found > 0)
        scion_damage_warn(scion_container_name(comparison->container), &comparison->first,
                          comparison->found);
}

static int verify_tasks(struct comparison *comparison, const sion_int64 *numbers)
{
    struct scion_container *container = comparison->container;
    int first = scion_container_selected(container), rc = 0, i;

    for (i = 0; i < scion_container_ntasks(container) && rc == 0; i++) {
        rc = scion_container_select(container, i);
        if (rc == 0)
            rc = verify_selected(comparison, numbers);
        numbers += HEAD + scion_words_of_crcs(numbers[1]);
    }
    if (rc == 0)
        warn(comparison);
    return rc == 0 && first >= 0 ? scion_container_select(container, first) : rc;
}

int scion_mapped_verify(struct scion_mapped_root *root, struct scion_container *container)
{
    struct dealing dealing = {.root = root};
    struct comparison comparison = {.container = container, .by_members = root->members};
    sion_int64 *numbers = NULL;
    int rc = receive(&dealing, &numbers);

    if (rc == 0)
        rc = verify_tasks(&comparison, numbers);
    free(numbers);
    free_dealing(&dealing);
    return rc;
}
