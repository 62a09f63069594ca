/* Checksums of a file that many tasks write or read: its first task gathers and scatters them. */
#include <stdlib.h>
#include <string.h>

#include "base/crc.h"
#include "base/error.h"
#include "file/checksum.h"
#include "file/sums.h"
#include "parallel/checksums.h"
#include "parallel/mapped.h"
#include "parallel/opening.h"
#include "parallel/sums.h"

/* Write the CRCs in the order of the file's tasks. */
static int write_gathered(const struct scion_parallel *parallel, struct scion_physical *physical,
                          const struct scion_mapping *mapping,
                          const struct scion_gathered_sums *gathered)
{
    int size = parallel->local->size, rc, t;
    sion_int64 total = 0;
    uint32_t *crcs, *next;

    for (t = 0; t < size; t++)
        total += gathered->counts[t];
    crcs = next = scion_array((uint64_t)total + 1, sizeof *crcs);
    if (!crcs)
        return scion_fail_memory("checksums");
    for (t = 0; t < size; t++) {
        int rank = scion_rank_of_task(parallel, physical, t);
        size_t count = (size_t)gathered->counts[rank];

        memcpy(next, scion_gathered_sums_of(gathered, rank), count * sizeof *crcs);
        next += count;
    }
    rc = scion_checksum_write(physical, mapping, crcs, total);
    free(crcs);
    return rc;
}

int scion_write_checksums(struct scion_parallel *parallel, struct scion_container *container,
                          const struct scion_place *place, const struct scion_mapping *mapping,
                          int rc)
{
    struct scion_comm *local = parallel->local;
    struct scion_gathered_sums gathered = {0};
    const uint32_t *crcs = NULL;
    sion_int64 count = 0;
    int go_on, begun;

    if (scion_container_is_mapped(container))
        return scion_mapped_write_checksums(parallel, container, rc);
    if (!scion_container_sums(container))
        return 0;
    begun = scion_gathered_sums_begin(&gathered, local);
    go_on = scion_none_failed(local, scion_first_failure(rc, begun));
    rc = begun;
    if (go_on == 1) {
        rc = scion_sums_get(scion_container_sums(container), 0, scion_container_opened(container),
                            place, scion_container_lengths(container, 0), &crcs, &count);
        go_on = scion_gather_sums(local, rc, crcs, count, &gathered);
    }
    rc = scion_first_failure(rc, go_on < 0 ? go_on : 0);
    if (go_on == 1 && local->rank == 0)
        rc = write_gathered(parallel, scion_container_physical(container), mapping, &gathered);
    scion_gathered_sums_free(&gathered);
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
        next += scion_words_of_crcs(outgoing->portions[r].count);
    outgoing->numbers = scion_must_allocate((size_t)next + 1, sizeof *outgoing->numbers);
    for (next = 0, r = 0; r < size; r++) {
        size_t count = (size_t)outgoing->portions[r].count;

        outgoing->first[r] = (int)next;
        outgoing->words[r] = (int)scion_words_of_crcs((sion_int64)count);
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
        *crcs = scion_must_allocate((size_t)scion_words_of_crcs(portion->count) + 1, sizeof **crcs);
        rc = scion_scatterv(comm, outgoing.numbers, outgoing.words, outgoing.first, *crcs,
                            (int)scion_words_of_crcs(portion->count), 0);
    }
    free_outgoing(&outgoing);
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

int scion_compare_checksums(struct scion_opening *opening)
{
    struct scion_container *container = opening->container;
    struct portion portion = {0};
    struct scion_damage damage = {SCION_SOUND, 0, 0, 0, 0};
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

        rc = scion_checksum_verify(&summed, &damage);
    }
    if (rc == 0 && damage.kind != SCION_SOUND)
        rc = lock_out(opening, &damage);
    free(crcs);
    return rc;
}
