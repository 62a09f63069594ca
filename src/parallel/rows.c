#include "parallel/rows.h"

int scion_fill_rows(struct scion_comm *comm, const sion_int64 *own, sion_int64 count,
                    struct scion_rows *rows)
{
    if (comm->rank == 0) {
        if (!scion_rows_fit(rows))
            scion_give_up("more than 2^31 tasks and chunks in one container");
        scion_rows_must_make(rows);
    }
    return scion_gatherv(comm, own, (int)count, rows->numbers, rows->counts, rows->first, 0);
}

int scion_gather_rows(struct scion_comm *comm, const sion_int64 *own, sion_int64 count,
                      struct scion_rows *rows)
{
    sion_int64 *sizes = NULL;
    int rc, i;

    *rows = (struct scion_rows){0};
    if (comm->rank == 0) {
        sizes = scion_must_allocate((size_t)comm->size, sizeof *sizes);
        scion_rows_must_begin(rows, comm->size);
    }
    rc = scion_gather(comm, &count, sizes, sizeof count, 0);
    for (i = 0; rc == 0 && comm->rank == 0 && i < comm->size; i++)
        scion_rows_add(rows, sizes[i]);
    free(sizes);
    return rc != 0 ? rc : scion_fill_rows(comm, own, count, rows);
}

int scion_deal_rows(struct scion_comm *comm, const struct scion_rows *rows, sion_int64 *own,
                    sion_int64 count)
{
    return scion_scatterv(comm, rows->numbers, rows->counts, rows->first, own, (int)count, 0);
}
