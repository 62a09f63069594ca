#include "parallel/checksum_gather.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

int scion_none_failed(struct scion_comm *comm, int rc)
{
    sion_int64 worst = rc;
    int sent = scion_minimum(comm, &worst, NULL, 0);

    return sent != 0 ? sent : worst == 0;
}

int scion_checksum_gather_begin(struct scion_checksum_gather *gather, const struct scion_comm *comm)
{
    if (comm->rank != 0)
        return 0;
    gather->counts = scion_array((uint64_t)comm->size, sizeof *gather->counts);
    return gather->counts ? 0 : scion_fail_memory("checksums");
}

void scion_checksum_gather_free(struct scion_checksum_gather *gather)
{
    free(gather->counts);
    free(gather->words);
    free(gather->first);
    free(gather->numbers);
}

static sion_int64 words_to_send(sion_int64 count)
{
    return count > 0 ? scion_words_of_crcs(count) : 0;
}

/* Fails if one collective cannot carry them. */
static int lay_out(struct scion_checksum_gather *gather, int size)
{
    sion_int64 next = 0;
    int r;

    gather->words = scion_array((uint64_t)size, sizeof *gather->words);
    gather->first = scion_array((uint64_t)size, sizeof *gather->first);
    if (!gather->words || !gather->first)
        return scion_fail_memory("checksums");
    for (r = 0; r < size; r++) {
        gather->words[r] = (int)words_to_send(gather->counts[r]);
        gather->first[r] = (int)next;
        next += gather->words[r];
    }
    if (next > INT_MAX)
        return scion_fail(SION_ERR_NO_SPACE, "more than 2^32 checksums in one physical file");
    gather->numbers = scion_array((uint64_t)next + 1, sizeof *gather->numbers);
    return gather->numbers ? 0 : scion_fail_memory("checksums");
}

enum { HAS_FAILED = -2 };

/* On rank 0: whether all tasks have CRCs, and there is memory for these. */
static int take_counts(struct scion_checksum_gather *gather, int size)
{
    int r;

    for (r = 0; r < size; r++) {
        if (gather->counts[r] == HAS_FAILED)
            return 0;
    }
    r = lay_out(gather, size);
    return r != 0 ? r : 1;
}

/* As scion_checksum_gather_all(), with the CRCs as words. */
static int gather_words(struct scion_comm *comm, int rc, const sion_int64 *own, sion_int64 count,
                        struct scion_checksum_gather *gather)
{
    sion_int64 told = rc == 0 ? count : HAS_FAILED, verdict = 0;
    int sent = scion_gather(comm, &told, gather->counts, sizeof told, 0), mine = rc;

    if (sent == 0 && comm->rank == 0) {
        int taken = take_counts(gather, comm->size);

        verdict = taken == 1;
        mine = mine == 0 && taken < 0 ? taken : mine;
    }
    if (sent == 0)
        sent = scion_bcast(comm, &verdict, sizeof verdict, 0);
    if (sent == 0 && verdict)
        sent = scion_gatherv(comm, own, (int)words_to_send(count), gather->numbers, gather->words,
                             gather->first, 0);
    mine = scion_first_failure(mine, sent);
    return mine != 0 ? mine : (int)verdict;
}

int scion_checksum_gather_all(struct scion_comm *comm, int rc, const uint32_t *crcs,
                              sion_int64 count, struct scion_checksum_gather *gather)
{
    sion_int64 *own = scion_array((uint64_t)words_to_send(count) + 1, sizeof *own);

    if (!own && rc == 0)
        rc = scion_fail_memory("checksums");
    if (rc == 0 && count > 0)
        memcpy(own, crcs, (size_t)count * sizeof *crcs);
    rc = gather_words(comm, rc, own, count, gather);
    free(own);
    return rc;
}
