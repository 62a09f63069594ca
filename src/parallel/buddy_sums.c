/* Checksums of copies: the keeper gets the CRCs of the owners' data, and writes them. */
#include <stdlib.h>
#include <string.h>

#include "base/crc.h"
#include "base/error.h"
#include "file/checksum.h"
#include "file/sums.h"
#include "parallel/buddy.h"
#include "parallel/sums.h"

/* On the keeper, whose rank is 0: owner r is a task of the copy, after the place-holders. */
struct owners {
    struct scion_exchange *exchange;
    const struct scion_gathered *gathered; /* lengths */
    struct scion_gathered_sums sums;
};

static void lengths_of(const struct owners *owners, int r, struct scion_lengths *lengths)
{
    scion_lengths_view(lengths, scion_gathered_lengths(owners->gathered, r), 1,
                       scion_gathered_count(owners->gathered, r));
}

static sion_int64 count_of(const struct owners *owners, int r)
{
    struct scion_lengths lengths;

    lengths_of(owners, r, &lengths);
    return scion_checksum_count(&lengths, SCION_CHECKSUM_PIECE);
}

/* The CRCs of an owner; if it has not seen all bytes in order, from the file. */
static int take_sums(const struct owners *owners, int r, uint32_t *crcs)
{
    struct scion_physical *physical = owners->exchange->physical;
    int task = physical->head.ntasks - owners->exchange->comm->size + r;
    const struct scion_place place = scion_physical_place(physical, task);
    struct scion_lengths lengths;

    if (owners->sums.counts[r] >= 0) {
        memcpy(crcs, scion_gathered_sums_of(&owners->sums, r),
               (size_t)owners->sums.counts[r] * sizeof *crcs);
        return 0;
    }
    lengths_of(owners, r, &lengths);
    return scion_checksum_of_task(physical->file, &place, &lengths, SCION_CHECKSUM_PIECE,
                                  scion_crc_find(), crcs);
}

static int write_all(const struct owners *owners, const struct scion_mapping *mapping)
{
    int size = owners->exchange->comm->size, rc = 0, r;
    sion_int64 total = 0;
    uint32_t *crcs, *next;

    for (r = 1; r < size; r++)
        total += count_of(owners, r);
    crcs = next = scion_array((uint64_t)total + 1, sizeof *crcs);
    if (!crcs)
        return scion_fail_memory("checksums");
    for (r = 1; r < size && rc == 0; r++) {
        rc = take_sums(owners, r, next);
        next += count_of(owners, r);
    }
    if (rc == 0)
        rc = scion_checksum_write(owners->exchange->physical, mapping, crcs, total);
    free(crcs);
    return rc;
}

int scion_buddy_write_sums(struct scion_exchange *exchange, const struct scion_gathered *gathered,
                           const struct scion_mapping *mapping, int rc)
{
    struct owners owners = {exchange, gathered, {0}};
    const uint32_t *crcs = NULL;
    sion_int64 count = 0;
    int go_on = scion_none_failed(exchange->comm, rc);

    if (go_on != 1)
        return go_on;
    if (exchange->sums)
        scion_sums_seen(exchange->sums, 0, exchange->stream->lengths, &crcs, &count);
    rc = scion_gather_sums(exchange->comm, crcs, count, &owners.sums);
    if (rc == 0 && exchange->comm->rank == 0)
        rc = write_all(&owners, mapping);
    scion_gathered_sums_free(&owners.sums);
    return rc;
}
