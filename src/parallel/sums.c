#include "parallel/sums.h"

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

void scion_gathered_sums_free(struct scion_gathered_sums *gathered)
{
    free(gathered->counts);
    free(gathered->words);
    free(gathered->first);
    free(gathered->numbers);
}

static sion_int64 words_to_send(sion_int64 count)
{
    return count > 0 ? scion_words_of_crcs(count) : 0;
}

static void lay_out(struct scion_gathered_sums *gathered, int size)
{
    sion_int64 next = 0;
    int r;

    gathered->words = scion_must_allocate((size_t)size, sizeof *gathered->words);
    gathered->first = scion_must_allocate((size_t)size, sizeof *gathered->first);
    for (r = 0; r < size; r++) {
        gathered->words[r] = (int)words_to_send(gathered->counts[r]);
        gathered->first[r] = (int)next;
        next += gathered->words[r];
    }
    if (next > INT_MAX)
        scion_give_up("more than 2^32 checksums in one physical file");
    gathered->numbers = scion_must_allocate((size_t)next + 1, sizeof *gathered->numbers);
}

int scion_gather_sums(struct scion_comm *comm, const uint32_t *crcs, sion_int64 count,
                      struct scion_gathered_sums *gathered)
{
    sion_int64 words = words_to_send(count);
    sion_int64 *own = scion_must_allocate((size_t)words + 1, sizeof *own);
    int rc;

    if (count > 0)
        memcpy(own, crcs, (size_t)count * sizeof *crcs);
    if (comm->rank == 0)
        gathered->counts = scion_must_allocate((size_t)comm->size, sizeof *gathered->counts);
    rc = scion_gather(comm, &count, gathered->counts, sizeof count, 0);
    if (rc == 0 && comm->rank == 0)
        lay_out(gathered, comm->size);
    if (rc == 0)
        rc = scion_gatherv(comm, own, (int)words, gathered->numbers, gathered->words,
                           gathered->first, 0);
    free(own);
    return rc;
}
