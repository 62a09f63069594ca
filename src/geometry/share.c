#include "geometry/share.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

void scion_share_by_tasks(int ntasks, int nreaders, int *first)
{
    int more = ntasks % nreaders, r;

    for (r = 0; r <= nreaders; r++)
        first[r] = r * (ntasks / nreaders) + (r < more ? r : more);
}

void scion_share_rest_to_last(int ntasks, int nreaders, int *first)
{
    int r;

    for (r = 0; r < nreaders; r++)
        first[r] = r * (ntasks / nreaders);
    first[nreaders] = ntasks;
}

/* The number of runs of at most `most` bytes that the tasks need. Stops counting above `limit`. */
static int runs_needed(const sion_int64 *bytes, int ntasks, sion_int64 most, int limit)
{
    sion_int64 sum = 0;
    int runs = 1, t;

    for (t = 0; t < ntasks && runs <= limit; t++) {
        if (bytes[t] > most - sum) {
            runs++;
            sum = 0;
        }
        sum += bytes[t];
    }
    return runs;
}

/* The smallest possible size of the largest of nreaders runs. */
static sion_int64 smallest_limit(const sion_int64 *bytes, int ntasks, int nreaders,
                                 sion_int64 total)
{
    sion_int64 low = 0, high = total;
    int t;

    for (t = 0; t < ntasks; t++)
        low = bytes[t] > low ? bytes[t] : low;
    while (low < high) {
        sion_int64 middle = low + (high - low) / 2;

        if (runs_needed(bytes, ntasks, middle, nreaders) <= nreaders)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Fill needed[ntasks + 1]: the number of runs of at most `most` bytes for the tasks from t on. */
static void count_runs(const sion_int64 *bytes, int ntasks, sion_int64 most, int *needed)
{
    sion_int64 sum = 0;
    int t, end = ntasks; /* the run that begins at t ends before it */

    needed[ntasks] = 0;
    for (t = ntasks - 1; t >= 0; t--) {
        sum += bytes[t];
        while (sum > most)
            sum -= bytes[--end];
        needed[t] = 1 + needed[end];
    }
}

/*
 * Choose the next reader's tasks, from t on: first those that the other readers cannot take, then
 * those that bring it nearer to an equal share. Returns the first task of the next reader.
 */
static int take_share(const sion_int64 *bytes, const int *needed, int t, sion_int64 most,
                      int readers, sion_int64 *left)
{
    sion_int64 equal = *left / readers, sum = 0;

    for (; needed[t] > 0 && sum + bytes[t] <= most; t++) {
        if (needed[t] < readers && sum + bytes[t] / 2 > equal)
            break;
        sum += bytes[t];
    }
    *left -= sum;
    return t;
}

int scion_share_by_bytes(const sion_int64 *bytes, int ntasks, int nreaders, int *first)
{
    int *needed = scion_array((size_t)ntasks + 1, sizeof *needed), r, t;
    sion_int64 left = 0, most;

    if (!needed)
        return scion_fail_memory("shares");
    for (t = 0; t < ntasks; t++)
        left += bytes[t];
    most = smallest_limit(bytes, ntasks, nreaders, left);
    count_runs(bytes, ntasks, most, needed);
    for (first[0] = 0, r = 0; r < nreaders; r++)
        first[r + 1] = take_share(bytes, needed, first[r], most, nreaders - r, &left);
    if (most == 0)
        scion_share_by_tasks(ntasks, nreaders, first);
    free(needed);
    return 0;
}
