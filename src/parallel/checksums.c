/* Checksums of a file that many tasks write or read: its first task gathers and scatters them. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc.h"
#include "base/error.h"
#include "file/checksum.h"
#include "file/sums.h"
#include "parallel/private.h"

/* A 64-bit word holds two CRCs. */
static sion_int64 words_of(sion_int64 count)
{
    return count / 2 + count % 2;
}

/* Collective: whether any task has failed so far. */
static int have_failed(struct scion_comm *comm, int rc)
{
    sion_int64 worst = rc;

    return scion_minimum(comm, &worst, NULL, 0) != 0 || worst != 0;
}

/* On the file's first task: the CRCs of all tasks. Those of rank r begin at first[r]. */
struct gathered {
    sion_int64 *counts; /* [size] CRCs of each rank */
    int *words, *first; /* [size] */
    sion_int64 *numbers, total;
};

static void free_gathered(struct gathered *gathered)
{
    free(gathered->counts);
    free(gathered->words);
    free(gathered->first);
    free(gathered->numbers);
}

static void lay_out(struct gathered *gathered, int size)
{
    sion_int64 next = 0;
    int r;

    gathered->words = scion_must_allocate((size_t)size, sizeof *gathered->words);
    gathered->first = scion_must_allocate((size_t)size, sizeof *gathered->first);
    gathered->total = 0;
    for (r = 0; r < size; r++) {
        gathered->words[r] = (int)words_of(gathered->counts[r]);
        gathered->first[r] = (int)next;
        next += gathered->words[r];
        gathered->total += gathered->counts[r];
    }
    if (next > INT_MAX)
        scion_give_up("more than 2^32 checksums in one physical file");
    gathered->numbers = scion_must_allocate((size_t)next + 1, sizeof *gathered->numbers);
}

static int gather(struct scion_comm *comm, const uint32_t *crcs, sion_int64 count,
                  struct gathered *gathered)
{
    sion_int64 *own = scion_must_allocate((size_t)words_of(count) + 1, sizeof *own);
    int rc;

    own[words_of(count)] = 0;
    if (count > 0) {
        own[words_of(count) - 1] = 0;
        memcpy(own, crcs, (size_t)count * sizeof *crcs);
    }
    if (comm->rank == 0)
        gathered->counts = scion_must_allocate((size_t)comm->size, sizeof *gathered->counts);
    rc = scion_gather(comm, &count, gathered->counts, sizeof count, 0);
    if (rc == 0 && comm->rank == 0)
        lay_out(gathered, comm->size);
    if (rc == 0)
        rc = scion_gatherv(comm, own, (int)words_of(count), gathered->numbers, gathered->words,
                           gathered->first, 0);
    free(own);
    return rc;
}

/* Write the CRCs in the order of the file's tasks. */
static int write_gathered(const struct scion_parallel *parallel, struct scion_physical *physical,
                          const struct scion_mapping *mapping, const struct gathered *gathered)
{
    uint32_t *crcs = scion_must_allocate((size_t)gathered->total + 1, sizeof *crcs), *next = crcs;
    int t, rc;

    for (t = 0; t < parallel->local->size; t++) {
        int rank = scion_rank_of_task(parallel, physical, t);
        size_t count = (size_t)gathered->counts[rank];

        memcpy(next, gathered->numbers + gathered->first[rank], count * sizeof *crcs);
        next += count;
    }
    rc = scion_checksum_write(physical, mapping, crcs, gathered->total);
    free(crcs);
    return rc;
}

int scion_write_checksums(struct scion_parallel *parallel, struct scion_container *container,
                          const struct scion_place *place, const struct scion_mapping *mapping,
                          int rc)
{
    struct scion_comm *local = parallel->local;
    struct gathered gathered = {0};
    const uint32_t *crcs = NULL;
    sion_int64 count = 0;

    if (!scion_container_sums(container) || have_failed(local, rc))
        return 0;
    rc = scion_sums_get(scion_container_sums(container), 0, scion_container_opened(container), place,
                        scion_container_lengths(container, 0), &crcs, &count);
    if (have_failed(local, rc))
        return rc;
    rc = gather(local, crcs, count, &gathered);
    if (rc == 0 && local->rank == 0)
        rc = write_gathered(parallel, scion_container_physical(container), mapping, &gathered);
    free_gathered(&gathered);
    return rc;
}

/* ---- reading ---- */

/* What the file's first task tells each task of its CRCs. */
struct portion {
    sion_int64 status; /* of the file's first task */
    sion_int64 piece;  /* 0: there are none */
    sion_int64 count;
};

/* On the file's first task. */
struct outgoing {
    struct scion_checksums *checksums;
    struct portion *portions; /* [size] */
    sion_int64 *lranks;       /* [size] */
    int *words, *first;       /* [size] */
    sion_int64 *numbers;
};

static void free_outgoing(struct outgoing *outgoing)
{
    scion_checksums_free(outgoing->checksums);
    free(outgoing->portions);
    free(outgoing->lranks);
    free(outgoing->words);
    free(outgoing->first);
    free(outgoing->numbers);
}

static void fill_numbers(struct outgoing *outgoing, int size)
{
    const struct scion_checksums *checksums = outgoing->checksums;
    sion_int64 next = 0;
    int r;

    for (r = 0; r < size; r++)
        next += words_of(outgoing->portions[r].count);
    outgoing->numbers = scion_must_allocate((size_t)next + 1, sizeof *outgoing->numbers);
    for (next = 0, r = 0; r < size; r++) {
        size_t count = (size_t)outgoing->portions[r].count;

        outgoing->first[r] = (int)next;
        outgoing->words[r] = (int)words_of((sion_int64)count);
        if (count > 0)
            memcpy(outgoing->numbers + next,
                   checksums->crcs + checksums->first[outgoing->lranks[r]],
                   count * sizeof *checksums->crcs);
        next += outgoing->words[r];
    }
}

static int prepare(struct scion_physical *physical, struct outgoing *outgoing, int size)
{
    struct portion common = {0};
    int rc = scion_physical_resume(physical), r;

    if (rc == 0)
        rc = scion_checksums_read(physical, &outgoing->checksums);
    common.status = rc;
    outgoing->portions = scion_must_allocate((size_t)size, sizeof *outgoing->portions);
    outgoing->words = scion_must_allocate((size_t)size, sizeof *outgoing->words);
    outgoing->first = scion_must_allocate((size_t)size, sizeof *outgoing->first);
    for (r = 0; r < size; r++) {
        outgoing->portions[r] = common;
        if (outgoing->checksums) {
            const sion_int64 *first = outgoing->checksums->first + outgoing->lranks[r];

            outgoing->portions[r].piece = outgoing->checksums->piece;
            outgoing->portions[r].count = first[1] - first[0];
        }
    }
    fill_numbers(outgoing, size);
    return rc;
}

/* Receive this task's CRCs from the file's first task. The caller frees *crcs. */
static int receive(struct scion_comm *comm, struct scion_physical *physical, int lrank,
                   struct portion *portion, sion_int64 **crcs)
{
    struct outgoing outgoing = {0};
    sion_int64 own = lrank;
    int rc, prepared = 0;

    if (comm->rank == 0)
        outgoing.lranks = scion_must_allocate((size_t)comm->size, sizeof *outgoing.lranks);
    rc = scion_gather(comm, &own, outgoing.lranks, sizeof own, 0);
    if (rc == 0 && comm->rank == 0)
        prepared = prepare(physical, &outgoing, comm->size);
    if (rc == 0)
        rc = scion_scatter(comm, outgoing.portions, portion, sizeof *portion, 0);
    if (rc == 0 && portion->status == 0) {
        *crcs = scion_must_allocate((size_t)words_of(portion->count) + 1, sizeof **crcs);
        rc = scion_scatterv(comm, outgoing.numbers, outgoing.words, outgoing.first, *crcs,
                            (int)words_of(portion->count), 0);
    }
    free_outgoing(&outgoing);
    return rc != 0 ? rc : prepared;
}

int scion_compare_checksums(struct scion_opening *opening)
{
    struct scion_container *container = opening->container;
    struct portion portion = {0};
    sion_int64 *crcs = NULL;
    int rc;

    rc = receive(opening->parallel->local, opening->physical, scion_container_lrank(container),
                 &portion, &crcs);
    if (rc == 0 && portion.status == 0 && portion.piece > 0) {
        const struct scion_summed summed = {scion_container_stream(container)->file,
                                            scion_container_stream(container)->place,
                                            scion_container_lengths(container, 0),
                                            scion_container_lrank(container),
                                            (const uint32_t *)crcs,
                                            portion.piece};

        rc = scion_checksum_verify(&summed);
    }
    free(crcs);
    return rc;
}
