#include "comm/comm.h"

#include <string.h>

#include "base/error.h"

static int check(int rc, const char *what)
{
    return rc == 0 ? 0 : scion_fail(SION_ERR_COMM, "%s between the tasks failed (%d)", what, rc);
}

int scion_bcast(struct scion_comm *comm, void *data, size_t bytes, int root)
{
    return check(comm->ops->bcast(comm, data, bytes, root), "broadcast");
}

int scion_gather(struct scion_comm *comm, const void *from, void *to, size_t bytes, int root)
{
    return check(comm->ops->gather(comm, from, to, bytes, root), "gather");
}

int scion_scatter(struct scion_comm *comm, const void *from, void *to, size_t bytes, int root)
{
    return check(comm->ops->scatter(comm, from, to, bytes, root), "scatter");
}

int scion_gatherv(struct scion_comm *comm, const sion_int64 *from, int count, sion_int64 *to,
                  const int *counts, const int *first, int root)
{
    return check(comm->ops->gatherv(comm, from, count, to, counts, first, root), "gather");
}

int scion_scatterv(struct scion_comm *comm, const sion_int64 *from, const int *counts,
                   const int *first, sion_int64 *to, int count, int root)
{
    return check(comm->ops->scatterv(comm, from, counts, first, to, count, root), "scatter");
}

int scion_minimum(struct scion_comm *comm, sion_int64 *value, sion_int64 *told, int n)
{
    return check(comm->ops->minimum(comm, value, told, n), "reduction");
}

/* Of fewer tasks, rank 0 holds at most 64 MiB if that is 128 bytes for each. */
int scion_large_from = 1 << 19;

int scion_is_large(const struct scion_comm *comm)
{
    return comm->ops->minima && comm->size >= scion_large_from;
}

/* The smallest complement is that of the largest number. */
static void put_ends(const sion_int64 *numbers, int n, sion_int64 *ends)
{
    int i;

    for (i = 0; i < n; i++) {
        ends[i] = numbers[i];
        ends[n + i] = ~numbers[i];
    }
}

static void take_ends(const sion_int64 *ends, int n, struct scion_range *ranges)
{
    int i;

    for (i = 0; i < n; i++)
        ranges[i] = (struct scion_range){ends[i], ~ends[n + i]};
}

int scion_find_ranges(struct scion_comm *comm, const sion_int64 *numbers, int n,
                      struct scion_range *ranges)
{
    sion_int64 values[2 * SCION_RANGES_MOST];
    int rc = 0, i;

    put_ends(numbers, n, values);
    if (comm->ops->minima)
        rc = check(comm->ops->minima(comm, values, 2 * n), "reduction");
    for (i = 0; !comm->ops->minima && rc == 0 && i < 2 * n; i++)
        rc = scion_minimum(comm, &values[i], NULL, 0);
    take_ends(values, n, ranges);
    return rc;
}

int scion_find_ranges_and_sums(struct scion_comm *comm, const sion_int64 *numbers,
                               struct scion_range *ranges, sion_int64 sums[SCION_SUMS_MOST])
{
    struct scion_combined combined;
    int rc;

    put_ends(numbers, SCION_RANGES_MOST, combined.least);
    memcpy(combined.sums, sums, sizeof combined.sums);
    rc = check(comm->ops->combine(comm, &combined), "reduction");
    take_ends(combined.least, SCION_RANGES_MOST, ranges);
    memcpy(sums, combined.sums, sizeof combined.sums);
    return rc;
}

int scion_sums_before(struct scion_comm *comm, sion_int64 *numbers, int n)
{
    return check(comm->ops->sums_before(comm, numbers, n), "sum");
}

int scion_split(struct scion_comm *comm, int color, int key, struct scion_comm **part)
{
    int rc = comm->ops->split(comm, color, key, part);

    /* Most implementations make a communicator of these tasks, too: free it. */
    if (rc == 0 && color < 0) {
        scion_comm_free(*part);
        *part = NULL;
    }
    if (rc == SCION_COMM_TORN) {
        scion_fail(SION_ERR_COMM, "the threads of a process are in different physical files, or "
                                  "not in a row");
        return SCION_COMM_TORN;
    }
    return check(rc, "splitting the communicator");
}

const char *scion_comm_refusal(struct scion_comm *comm)
{
    return comm->ops->refusal ? comm->ops->refusal(comm) : NULL;
}

int scion_can_signal(const struct scion_comm *comm)
{
    return comm->ops->signal && comm->ops->wait;
}

int scion_signal(struct scion_comm *comm, int to, int number)
{
    return check(comm->ops->signal(comm, to, number), "signal");
}

int scion_wait(struct scion_comm *comm, int from, int *number)
{
    return check(comm->ops->wait(comm, from, number), "waiting for a signal");
}

int scion_comm_reserve(struct scion_comm *comm)
{
    return !comm->ops->reserve || comm->ops->reserve(comm) == 0
               ? 0
               : scion_fail_memory("messages of all tasks");
}

void scion_comm_free(struct scion_comm *comm)
{
    if (comm && comm->holds-- == 0)
        comm->ops->free(comm);
}
