#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"
#include "parallel/private.h"

/* Where each row begins, and room for all. */
static void prepare_rows(struct scion_rows *rows, const sion_int64 *sizes, int size)
{
    int i;

    rows->counts = scion_must_allocate((size_t)size, sizeof *rows->counts);
    rows->first = scion_must_allocate((size_t)size, sizeof *rows->first);
    for (i = 0; i < size; i++) {
        rows->first[i] = (int)rows->total;
        rows->counts[i] = (int)sizes[i];
        rows->total += sizes[i];
        if (rows->total > INT32_MAX)
            scion_give_up("more than 2^31 tasks and chunks in one container");
    }
    rows->numbers = scion_must_allocate((size_t)rows->total + 1, sizeof *rows->numbers);
}

int scion_gather_rows(struct scion_comm *comm, const sion_int64 *own, sion_int64 count,
                      struct scion_rows *rows)
{
    sion_int64 *sizes = NULL;
    int rc;

    *rows = (struct scion_rows){0};
    if (comm->rank == 0)
        sizes = scion_must_allocate((size_t)comm->size, sizeof *sizes);
    rc = scion_gather(comm, &count, sizes, sizeof count, 0);
    if (rc == 0 && comm->rank == 0)
        prepare_rows(rows, sizes, comm->size);
    free(sizes);
    if (rc == 0)
        rc = scion_gatherv(comm, own, (int)count, rows->numbers, rows->counts, rows->first, 0);
    return rc;
}

void scion_rows_free(struct scion_rows *rows)
{
    free(rows->numbers);
    free(rows->counts);
    free(rows->first);
}
