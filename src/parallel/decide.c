/* What rank 0 of all, and the first task of each file, decide: the file, and everybody's place. */
#include <stdlib.h>
#include <string.h>

#include "sion_const.h"

#include "base/error.h"
#include "parallel/private.h"

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
        rc = scion_seat_writers(opening, requests, n, replies);
    } else if (rc == 0) {
        rc = scion_read_own_file(opening);
        if (rc == 0)
            rc = scion_seat_readers(opening, n, replies);
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
        .nfiles = reply->nfiles,
        .format_version = reply->format_version,
        .big_endian = reply->big_endian,
        .flag1 = reply->flag1,
    };
    int rc;

    /* Rank 0 of all has read file 0 before. */
    if (opening->physical && reply->filenumber == 0)
        return 0;
    rc = scion_read_own_file(opening);
    return rc != 0 ? rc
                   : scion_physical_check_member(opening->physical, &master, reply->filenumber);
}

/* In the order of the ranks, as the file's communicator is. */
static int check_local_ranks(const struct scion_physical *physical,
                             const struct scion_request *requests, int n)
{
    int i;

    for (i = 0; i < n; i++) {
        int rc = scion_physical_check_task(physical, requests[i].lrank, requests[i].rank);

        if (rc != 0)
            return rc;
        if (i > 0 && requests[i].lrank <= requests[i - 1].lrank)
            return scion_fail(SION_ERR_DAMAGED, "mapping names task %d of %s twice",
                              requests[i].lrank, physical->path);
    }
    return 0;
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
    int rc, i;

    common.needs_nodes = scion_collective_needs_nodes(opening, n);
    for (i = 0; i < n && common.needs_nodes; i++)
        replies[i] = common;
    if (common.needs_nodes)
        return 0;
    rc = scion_collective_choose(opening, requests, n);
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

static int place_reader(struct scion_opening *opening, const struct scion_request *request,
                        struct scion_reply *reply)
{
    const struct scion_physical *physical;
    int rc = scion_need_member(opening->all, request->filenumber, opening->args->name,
                               opening->args->name_of_file);

    if (rc != 0)
        return rc;
    physical = opening->all[request->filenumber];
    rc = scion_physical_check_task(physical, request->lrank, request->rank);
    if (rc != 0)
        return rc;
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
