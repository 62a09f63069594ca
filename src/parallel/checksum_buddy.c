/* Checksums of copies: the keeper gets the CRCs of the owners' data, and writes them. */
#include <stdlib.h>
#include <string.h>

#include "base/crc.h"
#include "base/error.h"
#include "file/checksum.h"
#include "file/checksum_tap.h"
#include "parallel/buddy.h"
#include "parallel/lengths.h"
#include "parallel/checksum_gather.h"

/* On the keeper, whose rank is 0: owner r is a task of the copy, after the place-holders. */
struct owners {
    struct scion_exchange *exchange;
    struct scion_checksum_gather sums;
    sion_int64 *used; /* of one owner */
};

static int lengths_of(const struct owners *owners, int r, struct scion_lengths *lengths)
{
    struct scion_length_gather *gather = &owners->exchange->gather;

    scion_lengths_view(lengths, owners->used, 1, scion_length_gather_count(gather, r));
    return scion_length_gather_copy(gather, r, owners->used);
}

/* The lengths of one who has seen all bytes are not needed. */
static int add_count(const struct owners *owners, int r, sion_int64 *total)
{
    struct scion_lengths lengths;
    int rc;

    if (owners->sums.counts[r] >= 0) {
        *total += owners->sums.counts[r];
        return 0;
    }
    rc = lengths_of(owners, r, &lengths);
    if (rc == 0)
        *total += scion_checksum_count(&lengths, SCION_CHECKSUM_PIECE);
    return rc;
}

/* The CRCs of an owner; if it has not seen all bytes in order, from the file. *crcs: moves on. */
static int take_sums(const struct owners *owners, int r, uint32_t **crcs)
{
    struct scion_physical *physical = owners->exchange->physical;
    int task = physical->head.ntasks - owners->exchange->comm->size + r;
    const struct scion_place place = scion_physical_place(physical, task);
    struct scion_lengths lengths;
    sion_int64 count;
    int rc;

    if (owners->sums.counts[r] >= 0) {
        memcpy(*crcs, scion_checksum_gather_of(&owners->sums, r),
               (size_t)owners->sums.counts[r] * sizeof **crcs);
        *crcs += owners->sums.counts[r];
        return 0;
    }
    rc = lengths_of(owners, r, &lengths);
    if (rc != 0)
        return rc;
    count = scion_checksum_count(&lengths, SCION_CHECKSUM_PIECE);
    rc = scion_checksum_of_task(physical->file, &place, &lengths, SCION_CHECKSUM_PIECE,
                                scion_crc_find(), *crcs);
    *crcs += count;
    return rc;
}

static int write_all(const struct owners *owners, const struct scion_mapping *mapping)
{
    int size = owners->exchange->comm->size, rc = 0, r;
    sion_int64 total = 0;
    uint32_t *crcs, *next;

    for (r = 1; r < size && rc == 0; r++)
        rc = add_count(owners, r, &total);
    crcs = next = rc == 0 ? scion_array((uint64_t)total + 1, sizeof *crcs) : NULL;
    if (rc == 0 && !crcs)
        rc = scion_fail_memory("checksums");
    for (r = 1; r < size && rc == 0; r++)
        rc = take_sums(owners, r, &next);
    if (rc == 0)
        rc = scion_checksum_write(owners->exchange->physical, mapping, crcs, total);
    free(crcs);
    return rc;
}

/* On the keeper, which has the CRCs and the lengths of all owners. */
static int write_gathered(struct owners *owners, const struct scion_mapping *mapping)
{
    sion_int64 most = owners->exchange->gather.most;
    int rc;

    owners->used = scion_array((uint64_t)most, sizeof *owners->used);
    rc = owners->used ? write_all(owners, mapping) : scion_fail_memory("checksums");
    free(owners->used);
    return rc;
}

int scion_checksum_write_buddy(struct scion_exchange *exchange, const struct scion_mapping *mapping,
                               int rc)
{
    struct owners owners = {.exchange = exchange};
    const uint32_t *crcs = NULL;
    sion_int64 count = 0;
    int begun = scion_checksum_gather_begin(&owners.sums, exchange->comm);
    int go_on = scion_none_failed(exchange->comm, scion_first_failure(rc, begun));

    if (exchange->sums)
        scion_checksum_tap_seen(exchange->sums, 0, exchange->stream->lengths, &crcs, &count);
    if (go_on == 1)
        go_on = scion_checksum_gather_all(exchange->comm, 0, crcs, count, &owners.sums);
    rc = scion_first_failure(begun, go_on < 0 ? go_on : 0);
    if (go_on == 1 && exchange->comm->rank == 0)
        rc = write_gathered(&owners, mapping);
    scion_checksum_gather_free(&owners.sums);
    return rc;
}
