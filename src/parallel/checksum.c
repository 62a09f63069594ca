/* Checksums of a file that many tasks write or read: its first task gathers and scatters them. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "file/checksum.h"
#include "file/checksum_tap.h"
#include "parallel/checksum.h"
#include "parallel/mapped.h"
#include "parallel/opening.h"
#include "parallel/checksum_gather.h"

/* Write the CRCs in the order of the file's tasks. */
static int write_gathered(const struct scion_parallel *parallel, struct scion_physical *physical,
                          const struct scion_mapping *mapping,
                          const struct scion_checksum_gather *gather)
{
    int size = parallel->local->size, rc, t;
    sion_int64 total = 0;
    uint32_t *crcs, *next;

    for (t = 0; t < size; t++)
        total += gather->counts[t];
    crcs = next = scion_array((uint64_t)total + 1, sizeof *crcs);
    if (!crcs)
        return scion_fail_memory("checksums");
    for (t = 0; t < size; t++) {
        int rank = scion_rank_of_task(parallel, physical, t);
        size_t count = (size_t)gather->counts[rank];

        memcpy(next, scion_checksum_gather_of(gather, rank), count * sizeof *crcs);
        next += count;
    }
    rc = scion_checksum_write(physical, mapping, crcs, total);
    free(crcs);
    return rc;
}

int scion_checksum_write_parallel(struct scion_parallel *parallel,
                                  struct scion_container *container,
                                  const struct scion_place *place,
                                  const struct scion_mapping *mapping, int rc)
{
    struct scion_comm *local = parallel->local;
    struct scion_checksum_gather gather = {0};
    const uint32_t *crcs = NULL;
    sion_int64 count = 0;
    int go_on, begun;

    if (scion_container_is_mapped(container))
        return scion_checksum_write_mapped(parallel, container, rc);
    if (!scion_checksum_tap_of(container))
        return 0;
    begun = scion_checksum_gather_begin(&gather, local);
    go_on = scion_none_failed(local, scion_first_failure(rc, begun));
    rc = begun;
    if (go_on == 1) {
        rc = scion_checksum_tap_get(scion_checksum_tap_of(container), 0,
                                    scion_container_opened(container), place,
                                    scion_container_lengths(container, 0), &crcs, &count);
        go_on = scion_checksum_gather_all(local, rc, crcs, count, &gather);
    }
    rc = scion_first_failure(rc, go_on < 0 ? go_on : 0);
    if (go_on == 1 && local->rank == 0)
        rc = write_gathered(parallel, scion_container_physical(container), mapping, &gather);
    scion_checksum_gather_free(&gather);
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
struct sum_shares {
    struct scion_checksum_table *checksums;
    struct portion *portions; /* [size] */
    sion_int64 *lranks;       /* [size] */
    int *words, *first;       /* [size] */
    sion_int64 *numbers;
};

static void free_outgoing(struct sum_shares *sum_shares)
{
    scion_checksum_table_free(sum_shares->checksums);
    free(sum_shares->portions);
    free(sum_shares->lranks);
    free(sum_shares->words);
    free(sum_shares->first);
    free(sum_shares->numbers);
}

static void fill_numbers(struct sum_shares *sum_shares, int size)
{
    const struct scion_checksum_table *checksums = sum_shares->checksums;
    sion_int64 next = 0;
    int r;

    for (r = 0; r < size; r++)
        next += scion_words_of_crcs(sum_shares->portions[r].count);
    sum_shares->numbers = scion_must_allocate((size_t)next + 1, sizeof *sum_shares->numbers);
    for (next = 0, r = 0; r < size; r++) {
        size_t count = (size_t)sum_shares->portions[r].count;

        sum_shares->first[r] = (int)next;
        sum_shares->words[r] = (int)scion_words_of_crcs((sion_int64)count);
        if (count > 0)
            memcpy(sum_shares->numbers + next,
                   checksums->crcs + checksums->first[sum_shares->lranks[r]],
                   count * sizeof *checksums->crcs);
        next += sum_shares->words[r];
    }
}

static int prepare(struct scion_physical *physical, struct sum_shares *sum_shares, int size)
{
    struct portion common = {0};
    int rc = scion_physical_resume(physical), r;

    if (rc == 0)
        rc = scion_checksum_table_read(physical, &sum_shares->checksums);
    common.status = rc;
    sum_shares->portions = scion_must_allocate((size_t)size, sizeof *sum_shares->portions);
    sum_shares->words = scion_must_allocate((size_t)size, sizeof *sum_shares->words);
    sum_shares->first = scion_must_allocate((size_t)size, sizeof *sum_shares->first);
    for (r = 0; r < size; r++) {
        sum_shares->portions[r] = common;
        if (sum_shares->checksums) {
            const sion_int64 *first = sum_shares->checksums->first + sum_shares->lranks[r];

            sum_shares->portions[r].piece = sum_shares->checksums->piece;
            sum_shares->portions[r].count = first[1] - first[0];
        }
    }
    fill_numbers(sum_shares, size);
    return rc;
}

/* Receive this task's CRCs from the file's first task. The caller frees *crcs. */
static int receive(struct scion_comm *comm, struct scion_physical *physical, int lrank,
                   struct portion *portion, sion_int64 **crcs)
{
    struct sum_shares sum_shares = {0};
    sion_int64 own = lrank;
    int rc, prepared = 0;

    if (comm->rank == 0)
        sum_shares.lranks = scion_must_allocate((size_t)comm->size, sizeof *sum_shares.lranks);
    rc = scion_gather(comm, &own, sum_shares.lranks, sizeof own, 0);
    if (rc == 0 && comm->rank == 0)
        prepared = prepare(physical, &sum_shares, comm->size);
    if (rc == 0)
        rc = scion_scatter(comm, sum_shares.portions, portion, sizeof *portion, 0);
    if (rc == 0 && portion->status == 0) {
        *crcs = scion_must_allocate((size_t)scion_words_of_crcs(portion->count) + 1, sizeof **crcs);
        rc = scion_scatterv(comm, sum_shares.numbers, sum_shares.words, sum_shares.first, *crcs,
                            (int)scion_words_of_crcs(portion->count), 0);
    }
    free_outgoing(&sum_shares);
    return rc != 0 ? rc : prepared;
}

/* Members of merged streams would read what is damaged, without a sign. */
static int lock_out(struct scion_opening *opening, const struct scion_damage *damage)
{
    struct scion_container *container = opening->container;
    const char *path = scion_container_opened(container);

    if (opening->members || opening->parallel->collective.merge)
        return scion_damage_fail(damage, path);
    scion_damage_warn(path, damage, 1);
    return scion_parallel_lock_out(container, damage);
}

int scion_checksum_verify_parallel(struct scion_opening *opening)
{
    struct scion_container *container = opening->container;
    struct portion portion = {0};
    struct scion_damage damage = {SCION_SOUND, 0, 0, 0, 0};
    sion_int64 *crcs = NULL;
    int rc;

    rc = receive(opening->parallel->local, opening->physical, scion_container_lrank(container),
                 &portion, &crcs);
    if (rc == 0 && portion.status == 0 && portion.piece > 0) {
        const struct scion_checksum_task sum_check = {scion_container_stream(container)->file,
                                                      scion_container_stream(container)->place,
                                                      scion_container_lengths(container, 0),
                                                      scion_container_lrank(container),
                                                      (const uint32_t *)crcs,
                                                      portion.piece};

        rc = scion_checksum_verify(&sum_check, &damage);
    }
    if (rc == 0 && damage.kind != SCION_SOUND)
        rc = lock_out(opening, &damage);
    free(crcs);
    return rc;
}
