#include <stdlib.h>
#include <string.h>

#include "sion_const.h"

#include "base/error.h"
#include "geometry/split.h"
#include "parallel/private.h"

/* ---- rank 0 of all: which file each task belongs to ---- */

int scion_check_requests(const struct scion_request *requests, int n)
{
    int i;

    for (i = 1; i < n; i++) {
        if (requests[i].writing != requests[0].writing)
            return scion_fail(SION_ERR_MISMATCH, "rank %d opens for %s, rank 0 for %s", i,
                              requests[i].writing ? "writing" : "reading",
                              requests[0].writing ? "writing" : "reading");
        if (requests[i].buddies != requests[0].buddies)
            return scion_fail(SION_ERR_MISMATCH, "rank %d asks for %d copies, rank 0 for %d", i,
                              requests[i].buddies, requests[0].buddies);
        if (requests[0].writing && (requests[i].nfiles != requests[0].nfiles ||
                                    requests[i].divided != requests[0].divided))
            return scion_fail(SION_ERR_MISMATCH, "rank %d asks for %d files, rank 0 for %d", i,
                              requests[i].nfiles + requests[i].divided,
                              requests[0].nfiles + requests[0].divided);
    }
    return 0;
}

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

static int seat_writers(const struct scion_opening *opening, const struct scion_request *requests,
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
static int seat_readers(const struct scion_opening *opening, int n, struct scion_reply *replies)
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
    for (i = 0; i < n; i++) {
        replies[i].nfiles = is_set ? first->head.nfiles : 1;
        replies[i].grouped = is_set;
        replies[i].filenumber = is_set ? pairs[2 * (size_t)i] : 0;
        replies[i].lrank = is_set ? pairs[2 * (size_t)i + 1] : i;
        replies[i].format_version = first->head.format_version;
        replies[i].flag1 = first->head.flag1;
    }
    rc = is_set ? 0 : seat_by_rank(first, n, replies);
    if (rc == 0 && !is_set && scion_collective_reads_merged(&opening->args->mode, n))
        group_if_in_disorder(replies, n);
    return rc;
}

static int have_same_names(const struct scion_request *requests, int n)
{
    int i;

    for (i = 1; i < n; i++) {
        if (requests[i].name_hash != requests[0].name_hash)
            return 0;
    }
    return 1;
}

int scion_decide_files(struct scion_opening *opening, const struct scion_request *requests, int n,
                       struct scion_reply *replies)
{
    int rc = scion_check_requests(requests, n), same_names = have_same_names(requests, n), i;

    if (rc == 0 && opening->request.writing) {
        rc = seat_writers(opening, requests, n, replies);
    } else if (rc == 0) {
        rc = scion_read_own_file(opening);
        if (rc == 0)
            rc = seat_readers(opening, n, replies);
    }
    for (i = 0; i < n && rc == 0; i++)
        replies[i].same_names = same_names;
    if (rc != 0 || replies[0].grouped)
        return rc;
    opening->reply = replies[0];
    return scion_decide_places(opening, requests, n, replies);
}

/* ---- the first task of a file: the file, and everybody's place in it ---- */

static int fill_plan(const struct scion_opening *opening, const struct scion_request *requests,
                     const struct scion_reply *replies, int n, sion_int64 *numbers,
                     struct scion_physical_plan *plan)
{
    const struct scion_parallel_args *args = opening->args;
    int keyval, i;
    int rc = scion_mode_keyval_for_writing(&args->mode, &keyval);

    if (rc != 0)
        return rc;
    scion_meta1_init(&plan->head, keyval, args->mode.big_endian);
    plan->head.fsblksize = args->fsblksize;
    plan->head.ntasks = n;
    plan->head.nfiles = opening->reply.nfiles;
    plan->head.filenumber = opening->reply.filenumber;
    strcpy(plan->head.prefix, args->name);
    for (i = 0; i < n; i++) {
        int place = opening->reply.grouped ? i : replies[i].lrank;

        numbers[place] = requests[i].chunksize;
        numbers[n + place] = requests[i].rank;
    }
    plan->chunksizes = numbers;
    plan->globalranks = numbers + n;
    plan->grouping = opening->parallel->collective.grouping;
    plan->permissions = scion_permissions(&args->mode);
    return 0;
}

static int create_own_file(struct scion_opening *opening, const struct scion_request *requests,
                           const struct scion_reply *replies, int n)
{
    sion_int64 *numbers = malloc(2 * (size_t)n * sizeof *numbers);
    char *path = scion_own_name(opening, opening->args->name);
    struct scion_physical_plan plan;
    int rc = !path ? scion_error_code() : numbers ? 0 : scion_fail_memory("header");

    if (rc == 0)
        rc = fill_plan(opening, requests, replies, n, numbers, &plan);
    if (rc == 0)
        rc = scion_physical_create(path, &plan, &opening->physical);
    opening->created = rc == 0;
    free(numbers);
    free(path);
    return rc;
}

int scion_read_own_file(struct scion_opening *opening)
{
    char *path = scion_own_name(opening, opening->args->name);
    int rc;

    if (!path)
        return scion_error_code();
    if (opening->physical)
        scion_physical_close(opening->physical);
    opening->physical = NULL;
    rc = scion_physical_read(path, &opening->physical);
    free(path);
    return rc;
}

/* Reading a set: this task's file, and whether it is the one that file 0 promised. */
static int read_member(struct scion_opening *opening)
{
    const struct scion_reply *reply = &opening->reply;
    const struct scion_meta1 master = {
        .nfiles = reply->nfiles, .format_version = reply->format_version, .flag1 = reply->flag1};
    int rc;

    /* Rank 0 of all has read file 0 before. */
    if (opening->physical && reply->filenumber == 0)
        return 0;
    rc = scion_read_own_file(opening);
    return rc != 0 ? rc
                   : scion_physical_check_member(opening->physical, &master, reply->filenumber);
}

static int check_local_ranks(const struct scion_physical *physical,
                             const struct scion_request *requests, int n)
{
    int i;

    for (i = 0; i < n; i++) {
        if (requests[i].lrank >= physical->head.ntasks)
            return scion_fail(SION_ERR_DAMAGED, "mapping says task %d of %s, which has %d",
                              requests[i].lrank, physical->path, physical->head.ntasks);
        if (i > 0 && requests[i].lrank <= requests[i - 1].lrank)
            return scion_fail(SION_ERR_DAMAGED, "mapping names task %d of %s twice",
                              requests[i].lrank, physical->path);
    }
    return 0;
}

void scion_describe_file(const struct scion_physical *physical, struct scion_reply *reply)
{
    const struct scion_meta1 *head = &physical->head;

    reply->fsblksize = head->fsblksize;
    reply->ntasks = head->ntasks;
    reply->version = head->version;
    reply->patch = head->patch;
    reply->format_version = head->format_version;
    reply->swapped = head->swapped;
    reply->big_endian = head->big_endian;
    reply->flag1 = head->flag1;
    reply->maxchunks = physical->maxchunks;
    reply->globalskip = physical->layout.globalskip;
}

static void describe_task(const struct scion_physical *physical, struct scion_reply *reply)
{
    struct scion_place place = scion_physical_place(physical, reply->lrank);

    reply->start = place.start;
    reply->chunksize = place.chunksize;
    if (physical->used) {
        reply->count = physical->counts[reply->lrank];
        reply->used = physical->used[reply->lrank];
    }
}

/* Room for the chunk lengths of all readers of the file, task after task. */
static int allocate_outgoing(struct scion_outgoing *outgoing, const struct scion_reply *replies,
                             int n)
{
    sion_int64 total = 0;
    int i;

    for (i = 0; i < n; i++)
        total += replies[i].count;
    if (total > INT32_MAX)
        return scion_fail(SION_ERR_NO_SPACE, "%lld chunks in one physical file are too many",
                          total);
    outgoing->counts = malloc((size_t)n * sizeof *outgoing->counts);
    outgoing->first = malloc((size_t)n * sizeof *outgoing->first);
    outgoing->numbers = malloc((size_t)total * sizeof *outgoing->numbers);
    if (!outgoing->counts || !outgoing->first || !outgoing->numbers)
        return scion_fail_memory("chunk lengths");
    return 0;
}

/* The file that a task reads. */
static const struct scion_physical *file_of(const struct scion_opening *opening,
                                            const struct scion_reply *reply)
{
    return opening->all ? opening->all[reply->filenumber] : opening->physical;
}

static int prepare_outgoing(struct scion_opening *opening, const struct scion_reply *replies, int n)
{
    struct scion_outgoing *outgoing = &opening->outgoing;
    int rc = allocate_outgoing(outgoing, replies, n), next = 0, i;
    sion_int64 b;

    for (i = 0; i < n && rc == 0; i++) {
        const struct scion_physical *physical = file_of(opening, &replies[i]);

        outgoing->first[i] = next;
        outgoing->counts[i] = (int)replies[i].count;
        for (b = 0; b < replies[i].count; b++)
            outgoing->numbers[next++] =
                physical
                    ->used[(size_t)b * (size_t)physical->head.ntasks + (size_t)replies[i].lrank];
    }
    return rc;
}

int scion_decide_places(struct scion_opening *opening, const struct scion_request *requests, int n,
                        struct scion_reply *replies)
{
    struct scion_reply common = opening->reply;
    int rc = scion_collective_choose(opening, requests, n), i;

    if (rc != 0)
        return rc;
    if (opening->request.writing)
        rc = create_own_file(opening, requests, replies, n);
    else if (common.grouped)
        rc = read_member(opening);
    if (rc == 0 && common.grouped)
        rc = check_local_ranks(opening->physical, requests, n);
    if (rc != 0)
        return rc;
    scion_describe_file(opening->physical, &common);
    for (i = 0; i < n; i++) {
        common.lrank = common.grouped ? requests[i].lrank : replies[i].lrank;
        replies[i] = common;
        describe_task(opening->physical, &replies[i]);
    }
    rc = scion_collective_assign(opening, replies, n);
    if (rc == 0 && !opening->request.writing && common.maxchunks > 1)
        rc = prepare_outgoing(opening, replies, n);
    return rc;
}

/* ---- rank 0 of all, for all files ---- */

int scion_need_member(struct scion_physical **files, int number, const char *name,
                      char *(*name_of_file)(const char *name, int number))
{
    char *path;
    int rc;

    if (files[number])
        return 0;
    path = scion_member_name(name_of_file, name, number);
    if (!path)
        return scion_error_code();
    rc = scion_physical_read(path, &files[number]);
    free(path);
    if (rc == 0)
        rc = scion_physical_suspend(files[number]);
    return rc != 0 ? rc : scion_physical_check_member(files[number], &files[0]->head, number);
}

static int place_reader(struct scion_opening *opening, const struct scion_request *request,
                        struct scion_reply *reply)
{
    const struct scion_physical *physical;
    int rc = scion_need_member(opening->all, request->filenumber, opening->args->name,
                               opening->args->name_of_file);

    if (rc != 0)
        return rc;
    physical = opening->all[request->filenumber];
    if (request->lrank >= physical->head.ntasks)
        return scion_fail(SION_ERR_DAMAGED, "mapping says task %d of %s, which has %d",
                          request->lrank, physical->path, physical->head.ntasks);
    *reply = opening->reply;
    reply->filenumber = request->filenumber;
    reply->lrank = request->lrank;
    scion_describe_file(physical, reply);
    describe_task(physical, reply);
    return 0;
}

int scion_decide_all_places(struct scion_opening *opening, const struct scion_request *requests,
                            int n, struct scion_reply *replies)
{
    int rc = 0, most = 0, i;

    if (scion_collective_reads_merged(&opening->args->mode, n))
        return scion_fail(SION_ERR_MISMATCH,
                          "the threads of a process are in different files of "
                          "%s, and cannot read what was merged in these",
                          opening->args->name);
    opening->nall = opening->reply.nfiles;
    opening->all = scion_must_allocate((size_t)opening->nall, sizeof *opening->all);
    opening->all[0] = opening->physical;
    opening->physical = NULL;
    for (i = 0; i < n && rc == 0; i++) {
        rc = place_reader(opening, &requests[i], &replies[i]);
        most = replies[i].maxchunks > most ? replies[i].maxchunks : most;
    }
    /* Equal on all, because they take part in what it decides. */
    for (i = 0; i < n; i++)
        replies[i].maxchunks = most;
    return rc == 0 && most > 1 ? prepare_outgoing(opening, replies, n) : rc;
}
