/* On rank 0 of all: which file each task belongs to, and where in it. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "geometry/split.h"
#include "parallel/private.h"

/*
 * Local communicators that share a leader must be one and the same: as many tasks as each of them
 * says, every place taken once. places[2 * n]: scratch.
 */
static int check_partition(const struct scion_request *requests, int n, int *places)
{
    int *taken = places, *first = places + n, i, next = 0;

    memset(taken, 0, (size_t)n * sizeof *taken);
    for (i = 0; i < n; i++)
        taken[requests[i].leader]++;
    for (i = 0; i < n; i++) {
        first[i] = next;
        next += taken[i];
        if (requests[i].lsize != taken[requests[i].leader] || requests[i].lrank < 0 ||
            requests[i].lrank >= requests[i].lsize)
            return scion_fail(SION_ERR_MISMATCH,
                              "local communicator of rank %d is not a part of a partition", i);
    }
    memset(taken, 0, (size_t)n * sizeof *taken);
    for (i = 0; i < n; i++) {
        if (taken[first[requests[i].leader] + requests[i].lrank]++)
            return scion_fail(SION_ERR_MISMATCH,
                              "local communicator of rank %d is not a part of a partition", i);
    }
    return 0;
}

/*
 * One file whose tasks are in another order than the ranks has a communicator of its own only if
 * groups of tasks, which follow the file, are made of it.
 */
static int seat_by_leader(const struct scion_request *requests, int n, int collective,
                          struct scion_reply *replies)
{
    int *leaders = malloc(4 * (size_t)n * sizeof *leaders), *files;
    int i, nfiles, rc, grouped, first_leader = 0;

    if (!leaders)
        return scion_fail_memory("tasks");
    files = leaders + n;
    for (i = 0; i < n; i++)
        leaders[i] = requests[i].leader;
    nfiles = scion_split_by_leader(leaders, n, files);
    rc = nfiles < 0 ? nfiles : check_partition(requests, n, files + n);
    grouped = nfiles > 1;
    for (i = 0; i < n && rc == 0; i++) {
        replies[i].nfiles = nfiles;
        replies[i].filenumber = files[i];
        replies[i].lrank = requests[i].lrank;
        grouped |= collective && requests[i].lrank != i;
        if (requests[i].leader == i && files[i] == 0)
            first_leader = i;
    }
    for (i = 0; i < n; i++) {
        replies[i].grouped = grouped;
        replies[i].first_leader = first_leader;
    }
    free(leaders);
    return rc;
}

/*
 * The application has chosen: every file's places taken once. places[n]: scratch, where the files'
 * first places begin.
 */
static int check_seats(const struct scion_request *requests, int n, int *sizes, int *places)
{
    int nfiles = requests[0].nfiles, next = 0, i;

    memset(sizes, 0, 2 * (size_t)n * sizeof *sizes);
    for (i = 0; i < n; i++) {
        if (requests[i].filenumber < 0 || requests[i].filenumber >= nfiles)
            return scion_fail(SION_ERR_MISMATCH, "rank %d chooses file %d of %d", i,
                              requests[i].filenumber, nfiles);
        sizes[requests[i].filenumber]++;
    }
    for (i = 0; i < nfiles; i++) {
        if (sizes[i] == 0)
            return scion_fail(SION_ERR_MISMATCH, "no task of file %d of %d", i, nfiles);
        places[i] = next;
        next += sizes[i];
    }
    memset(sizes + n, 0, (size_t)n * sizeof *sizes);
    for (i = 0; i < n; i++) {
        int file = requests[i].filenumber, lrank = requests[i].lrank;

        if (requests[i].lsize != sizes[file] || lrank < 0 || lrank >= sizes[file] ||
            sizes[n + places[file] + lrank]++)
            return scion_fail(SION_ERR_MISMATCH,
                              "rank %d chooses place %d of %d in file %d, which does not fit", i,
                              lrank, requests[i].lsize, file);
    }
    return 0;
}

static int seat_as_chosen(const struct scion_request *requests, int n, struct scion_reply *replies)
{
    int *scratch = malloc(3 * (size_t)n * sizeof *scratch), i, rc, grouped, first_leader = 0;

    if (!scratch)
        return scion_fail_memory("tasks");
    rc = requests[0].nfiles > n
             ? scion_fail(SION_ERR_ARGUMENT, "%d files for %d tasks", requests[0].nfiles, n)
             : check_seats(requests, n, scratch, scratch + 2 * (size_t)n);
    grouped = requests[0].nfiles > 1;
    for (i = 0; i < n && rc == 0; i++) {
        replies[i].nfiles = requests[0].nfiles;
        replies[i].filenumber = requests[i].filenumber;
        replies[i].lrank = requests[i].lrank;
        grouped |= requests[i].lrank != i;
        if (requests[i].filenumber == 0 && requests[i].lrank == 0)
            first_leader = i;
    }
    for (i = 0; i < n; i++) {
        replies[i].grouped = grouped;
        replies[i].first_leader = first_leader;
    }
    free(scratch);
    return rc;
}

static int seat_evenly(int nfiles, int n, struct scion_reply *replies)
{
    int i;

    if (nfiles > n)
        return scion_fail(SION_ERR_ARGUMENT,
                          "Number of files(%d) cannot be bigger than the number of tasks(%d), "
                          "aborting...",
                          nfiles, n);
    for (i = 0; i < n; i++) {
        struct scion_seat seat = scion_split_evenly(i, n, nfiles);

        replies[i].nfiles = nfiles;
        replies[i].filenumber = seat.filenumber;
        replies[i].lrank = seat.lrank;
        replies[i].grouped = nfiles > 1;
    }
    return 0;
}

/* The table for file 0, if rank 0 will write its metadata. */
static int keep_mapping(struct scion_parallel *parallel, const struct scion_reply *replies, int n)
{
    struct scion_mapping *mapping = &parallel->mapping;
    int i;

    if (replies[0].nfiles == 1 || replies[0].first_leader != 0)
        return 0;
    mapping->pairs = malloc(2 * (size_t)n * sizeof *mapping->pairs);
    if (!mapping->pairs)
        return scion_fail_memory("mapping");
    mapping->size = n;
    for (i = 0; i < n; i++) {
        mapping->pairs[2 * (size_t)i] = replies[i].filenumber;
        mapping->pairs[2 * (size_t)i + 1] = replies[i].lrank;
    }
    return 0;
}

int scion_seat_writers(const struct scion_opening *opening, const struct scion_request *requests,
                       int n, struct scion_reply *replies)
{
    int collective = scion_collective_size(&opening->args->mode, n) >= 0, rc;

    if (requests[0].filenumber >= 0)
        rc = seat_as_chosen(requests, n, replies);
    else if (requests[0].nfiles > 0)
        rc = seat_evenly(requests[0].nfiles, n, replies);
    else
        rc = seat_by_leader(requests, n, collective, replies);
    return rc != 0 ? rc : keep_mapping(opening->parallel, replies, n);
}

/*
 * One file that was written in parallel with its places in another order than the ranks: every rank
 * gets its own data again. Where the numbers are not all ranks, tasks are read in their order.
 */
static int seat_by_rank(const struct scion_physical *file, int n, struct scion_reply *replies)
{
    int ntasks = file->head.ntasks, *places, t;

    if (file->head.filenumber != 0)
        return 0;
    places = calloc((size_t)ntasks, sizeof *places);
    if (!places)
        return scion_fail_memory("tasks");
    for (t = 0; t < ntasks; t++) {
        sion_int64 rank = file->globalranks[t];

        if (rank < 0 || rank >= ntasks || places[rank])
            break;
        places[rank] = t + 1;
    }
    if (t == ntasks) {
        for (t = 0; t < n; t++)
            replies[t].lrank = places[t] - 1;
    }
    free(places);
    return 0;
}

/* Groups that read what was merged are consecutive in the file, so ranks in another order need a
   communicator that has its order. */
static void group_if_in_disorder(struct scion_reply *replies, int n)
{
    int in_order = 1, i;

    for (i = 0; i < n; i++)
        in_order &= replies[i].lrank == i;
    for (i = 0; i < n; i++)
        replies[i].grouped = !in_order;
}

/* One file serves as many ranks as it has tasks, or fewer; a set exactly as many. */
int scion_seat_readers(const struct scion_opening *opening, int n, struct scion_reply *replies)
{
    const struct scion_physical *first = opening->physical;
    const int *pairs = first->mapping.pairs;
    int is_set = first->mapping.size >= 0, rc, i;

    if (is_set && first->mapping.size != n)
        return scion_fail(SION_ERR_MISMATCH, "Incorrect sum of ntasks of files %d <> %d in %s",
                          first->mapping.size, n, first->path);
    if (!is_set && n > first->head.ntasks)
        return scion_fail(SION_ERR_MISMATCH, "%s has %d tasks, which is less than the %d ranks",
                          first->path, first->head.ntasks, n);
    if (!is_set && n < first->head.ntasks)
        scion_warn("%d of %d tasks of %s are read by nobody", first->head.ntasks - n,
                   first->head.ntasks, first->path);
    for (i = 0; i < n; i++) {
        replies[i].nfiles = is_set ? first->head.nfiles : 1;
        replies[i].grouped = is_set;
        replies[i].filenumber = is_set ? pairs[2 * (size_t)i] : 0;
        replies[i].lrank = is_set ? pairs[2 * (size_t)i + 1] : i;
        replies[i].format_version = first->head.format_version;
        replies[i].big_endian = first->head.big_endian;
        replies[i].flag1 = first->head.flag1;
    }
    rc = is_set ? 0 : seat_by_rank(first, n, replies);
    if (rc == 0 && !is_set && scion_collective_reads_merged(&opening->args->mode, n))
        group_if_in_disorder(replies, n);
    return rc;
}
