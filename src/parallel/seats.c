/* On rank 0 of all: the file of each task, and its place in the file. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "file/mapping.h"
#include "geometry/split.h"
#include "parallel/opening.h"

void scion_seats_free(struct scion_seats *seats)
{
    free(seats->files);
    *seats = (struct scion_seats){0};
}

/* Files and places in one allocation. */
static int make_seats(struct scion_seats *seats, int n)
{
    seats->files = scion_array((size_t)n, 2 * sizeof *seats->files);
    if (!seats->files)
        return scion_fail_memory("tasks");
    seats->lranks = seats->files + n;
    return 0;
}

/* The tasks of one file in the order of ranks need no tables. */
static void drop_tables(struct scion_seats *seats)
{
    free(seats->files);
    seats->files = seats->lranks = NULL;
}

/* Whether the places of a file are those of the ranks. */
static int are_in_order(const struct scion_seats *seats, int n)
{
    int i = 0;

    while (i < n && seats->lranks[i] == i)
        i++;
    return i == n;
}

/*
 * Check that every place of each file is taken once, and that tasks know the size of their file.
 * *misfit: n, or the first task that does not fit, or -1 - f if file f has no task.
 */
static int check_seats(const struct scion_request *requests, const struct scion_seats *seats, int n,
                       int *misfit)
{
    int *first = calloc((size_t)seats->nfiles + 1, sizeof *first), i;
    char *taken = calloc((size_t)n, 1);
    int rc = first && taken ? 0 : scion_fail_memory("tasks");

    if (rc == 0)
        *misfit = scion_split_check(seats->files, seats->lranks, n, seats->nfiles, first, taken);
    for (i = 0; rc == 0 && *misfit == n && i < n; i++) {
        int file = seats->files[i];

        if (requests[i].lsize != first[file + 1] - first[file])
            *misfit = i;
    }
    free(taken);
    free(first);
    return rc;
}

/*
 * One file whose tasks are in another order than the ranks needs a communicator of its own only in
 * collective mode, because groups are formed in the order of the file.
 */
static int seat_by_leader(const struct scion_request *requests, int n, int collective,
                          struct scion_seats *seats)
{
    int *leaders = scion_array((size_t)n, sizeof *leaders);
    int i, rc, misfit = n;

    rc = leaders ? make_seats(seats, n) : scion_fail_memory("tasks");
    for (i = 0; i < n && rc == 0; i++) {
        leaders[i] = requests[i].leader;
        seats->lranks[i] = requests[i].lrank;
    }
    if (rc == 0)
        seats->nfiles = scion_split_by_leader(leaders, n, seats->files);
    if (rc == 0 && seats->nfiles < 0)
        rc = seats->nfiles;
    if (rc == 0)
        rc = check_seats(requests, seats, n, &misfit);
    if (rc == 0 && misfit < n)
        rc = scion_fail(SION_ERR_MISMATCH,
                        "local communicator of rank %d is not a part of a partition", misfit);
    for (i = 0; i < n && rc == 0; i++) {
        if (requests[i].leader == i && seats->files[i] == 0)
            seats->first_leader = i;
    }
    free(leaders);
    if (rc != 0)
        return rc;
    if (seats->nfiles == 1 && are_in_order(seats, n))
        drop_tables(seats);
    seats->is_set = seats->nfiles > 1 || (collective && seats->files);
    return 0;
}

static int refuse_choice(const struct scion_request *requests, int nfiles, int misfit)
{
    const struct scion_request *request;

    if (misfit < 0)
        return scion_fail(SION_ERR_MISMATCH, "no task of file %d of %d", -1 - misfit, nfiles);
    request = &requests[misfit];
    if (request->leader < 0 || request->leader >= nfiles)
        return scion_fail(SION_ERR_MISMATCH, "rank %d chooses file %d of %d", misfit,
                          request->leader, nfiles);
    return scion_fail(SION_ERR_MISMATCH,
                      "rank %d chooses place %d of %d in file %d, which does not fit", misfit,
                      request->lrank, request->lsize, request->leader);
}

static int seat_as_chosen(const struct scion_request *requests, int n, struct scion_seats *seats)
{
    int nfiles = requests[0].head.number, rc, misfit, i;

    if (nfiles > n)
        return scion_fail(SION_ERR_ARGUMENT, "%d files for %d tasks", nfiles, n);
    rc = make_seats(seats, n);
    if (rc != 0)
        return rc;
    seats->nfiles = nfiles;
    for (i = 0; i < n; i++) {
        seats->files[i] = requests[i].leader;
        seats->lranks[i] = requests[i].lrank;
    }
    rc = check_seats(requests, seats, n, &misfit);
    if (rc != 0)
        return rc;
    if (misfit < n)
        return refuse_choice(requests, nfiles, misfit);
    for (i = 0; i < n; i++) {
        if (seats->files[i] == 0 && seats->lranks[i] == 0)
            seats->first_leader = i;
    }
    if (nfiles == 1 && are_in_order(seats, n))
        drop_tables(seats);
    seats->is_set = seats->files != NULL;
    return 0;
}

int scion_check_shares(int nfiles, int n)
{
    return nfiles <= n ? 0
                       : scion_fail(SION_ERR_ARGUMENT,
                                    "Number of files(%d) cannot be bigger than the number of "
                                    "tasks(%d), aborting...",
                                    nfiles, n);
}

static int seat_evenly(int nfiles, int n, struct scion_seats *seats)
{
    int rc = scion_check_shares(nfiles, n), i;

    seats->nfiles = nfiles;
    if (rc != 0 || nfiles == 1)
        return rc;
    seats->is_set = 1;
    rc = make_seats(seats, n);
    for (i = 0; i < n && rc == 0; i++) {
        struct scion_seat seat = scion_split_evenly(i, n, nfiles);

        seats->files[i] = seat.filenumber;
        seats->lranks[i] = seat.lrank;
    }
    return rc;
}

/* Keep the mapping table, if rank 0 is the first task of file 0. */
static int keep_mapping(struct scion_parallel *parallel, const struct scion_seats *seats, int n)
{
    struct scion_mapping *mapping = &parallel->mapping;
    int i;

    if (seats->nfiles == 1 || seats->first_leader != 0)
        return 0;
    mapping->pairs = scion_array((size_t)n, 2 * sizeof *mapping->pairs);
    if (!mapping->pairs)
        return scion_fail_memory("mapping");
    mapping->size = n;
    for (i = 0; i < n; i++) {
        mapping->pairs[2 * (size_t)i] = seats->files[i];
        mapping->pairs[2 * (size_t)i + 1] = seats->lranks[i];
    }
    return 0;
}

struct node_rank {
    sion_int64 node;
    int rank;
};

static int compare_nodes(const void *a, const void *b)
{
    const struct node_rank *one = a, *two = b;

    if (one->node != two->node)
        return one->node < two->node ? -1 : 1;
    return one->rank - two->rank;
}

/* Fill leaders[] with the first rank of each rank's node, and lranks[] with its place there. */
static int find_node_leaders(const struct scion_request *requests, int n, int *leaders, int *lranks)
{
    struct node_rank *tasks = scion_array((size_t)n, sizeof *tasks);
    int i;

    if (!tasks)
        return scion_fail_memory("tasks");
    for (i = 0; i < n; i++)
        tasks[i] = (struct node_rank){requests[i].node, i};
    qsort(tasks, (size_t)n, sizeof *tasks, compare_nodes);
    for (i = 0; i < n; i++) {
        int rank = tasks[i].rank, is_first = i == 0 || tasks[i].node != tasks[i - 1].node;

        leaders[rank] = is_first ? rank : leaders[tasks[i - 1].rank];
        lranks[rank] = is_first ? 0 : lranks[tasks[i - 1].rank] + 1;
    }
    free(tasks);
    return 0;
}

/* A file for each node; in a file, tasks are in the order of ranks. */
static int seat_by_node(const struct scion_request *requests, int n, struct scion_seats *seats)
{
    int *leaders = scion_array((size_t)n, sizeof *leaders);
    int rc = leaders ? make_seats(seats, n) : scion_fail_memory("tasks");

    if (rc == 0)
        rc = find_node_leaders(requests, n, leaders, seats->lranks);
    if (rc == 0) {
        seats->nfiles = scion_split_by_leader(leaders, n, seats->files);
        rc = seats->nfiles < 0 ? seats->nfiles : 0;
    }
    free(leaders);
    if (rc == 0 && seats->nfiles == 1)
        drop_tables(seats);
    seats->is_set = seats->nfiles > 1;
    return rc;
}

int scion_seat_writers(struct scion_opening *opening, const struct scion_request *requests, int n)
{
    int collective = scion_collective_size(&opening->args->mode, n) >= 0, rc;
    struct scion_seats *seats = &opening->seats;

    if (opening->files == SCION_FILES_NODE)
        rc = seat_by_node(requests, n, seats);
    else if (opening->files > 0)
        rc = seat_evenly(opening->files, n, seats);
    else if (requests[0].head.status & SCION_ASKS_SEAT)
        rc = seat_as_chosen(requests, n, seats);
    else if (requests[0].head.number > 0)
        rc = seat_evenly(requests[0].head.number, n, seats);
    else
        rc = seat_by_leader(requests, n, collective, seats);
    return rc != 0 ? rc : keep_mapping(opening->parallel, seats, n);
}

/*
 * One file that was written in parallel, with its tasks in another order than the ranks: every rank
 * gets its own data. If the stored numbers are not the ranks 0 .. ntasks - 1, rank t reads task t.
 */
static int seat_by_rank(const struct scion_physical *file, int n, struct scion_seats *seats)
{
    int ntasks = file->head.ntasks, *places, rc = 0, t = 0;

    while (t < ntasks && file->globalranks[t] == t)
        t++;
    if (t == ntasks || file->head.filenumber != 0)
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
    if (t == ntasks)
        rc = make_seats(seats, n);
    for (t = 0; rc == 0 && seats->files && t < n; t++) {
        seats->files[t] = 0;
        seats->lranks[t] = places[t] - 1;
    }
    free(places);
    return rc;
}

/*
 * In collective mode, tasks in another order than the ranks need a communicator in the order of the
 * file, because groups are consecutive in it.
 */
static int seat_in_one_file(const struct scion_opening *opening, int n, struct scion_seats *seats)
{
    int rc;

    if (n > opening->physical->head.ntasks)
        return scion_fail(SION_ERR_MISMATCH, "%s has %d tasks, which is less than the %d ranks",
                          opening->physical->path, opening->physical->head.ntasks, n);
    if (n < opening->physical->head.ntasks)
        scion_warn("%d of %d tasks of %s are not read", opening->physical->head.ntasks - n,
                   opening->physical->head.ntasks, opening->physical->path);
    seats->nfiles = 1;
    rc = seat_by_rank(opening->physical, n, seats);
    if (rc == 0 && seats->files && are_in_order(seats, n))
        drop_tables(seats);
    seats->is_set = rc == 0 && seats->files && scion_collective_size(&opening->args->mode, n) >= 0;
    return rc;
}

/* A rank whose pair is damaged joins file 0, which has no such task. */
static void seat_by_pair(const int *pair, int rank, struct scion_seats *seats)
{
    int is_there = scion_mapping_has_file(pair, seats->nfiles);

    seats->files[rank] = is_there ? pair[0] : 0;
    seats->lranks[rank] = is_there ? pair[1] : INT_MAX;
}

/* One file can be read by as many ranks as it has tasks, or fewer; a set by exactly as many. */
int scion_seat_readers(struct scion_opening *opening, int n)
{
    const struct scion_physical *first = opening->physical;
    const int *pairs = first->mapping.pairs;
    struct scion_seats *seats = &opening->seats;
    int rc, i;

    if (first->mapping.size < 0)
        return seat_in_one_file(opening, n, seats);
    if (first->mapping.size != n)
        return scion_fail(SION_ERR_MISMATCH, "Incorrect sum of ntasks of files %d <> %d in %s",
                          first->mapping.size, n, first->path);
    seats->nfiles = first->head.nfiles;
    seats->is_set = 1;
    rc = make_seats(seats, n);
    for (i = 0; i < n && rc == 0; i++)
        seat_by_pair(pairs + 2 * (size_t)i, i, seats);
    return rc;
}

int scion_seat_appenders(struct scion_opening *opening, int n)
{
    struct scion_seats *seats = &opening->seats;
    int rc = scion_seat_readers(opening, n), i;

    opening->parallel->is_by_index = !seats->files;
    for (i = 0; rc == 0 && seats->is_set && i < n; i++) {
        if (seats->files[i] == 0 && seats->lranks[i] == 0)
            seats->first_leader = i;
    }
    return rc == 0 && seats->is_set ? keep_mapping(opening->parallel, seats, n) : rc;
}
