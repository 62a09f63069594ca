#include "file/mapped.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc.h"
#include "base/error.h"
#include "base/memory.h"
#include "comm/agree.h"
#include "file/sound.h"
#include "file/stats.h"
#include "file/unzip.h"
#include "parallel/files.h"
#include "parallel/generations.h"
#include "parallel/mapped.h"
#include "parallel/members.h"
#include "parallel/opening.h"
#include "vfs/writer_lock.h"

static void free_root(struct scion_mapped_root *root)
{
    free(root->list);
    free(root->requests);
    scion_rows_free(&root->requested);
    scion_rows_free(&root->given);
    free(root->shares);
    free(root->mapping.pairs);
}

static int prepare_root(struct scion_mapped_root *root)
{
    int size = root->comm->size;

    if (root->comm->rank != 0)
        return 0;
    root->requests = calloc((size_t)size, sizeof *root->requests);
    return root->requests && scion_rows_begin(&root->requested, size) == 0 &&
                   scion_rows_begin(&root->given, size) == 0
               ? 0
               : scion_fail_memory("requests of all processes");
}

static int is_writing(const struct scion_mapped_request *request)
{
    return request->head.status & SCION_ASKS_WRITING;
}

/* Words of a process's list. */
static sion_int64 requested_words(const struct scion_mapped_request *request)
{
    return request->ntasks > 0 ? (sion_int64)request->ntasks * SCION_TASK_REQUEST_WORDS : 0;
}

static int compare_request(const struct scion_mapped_request *one,
                           const struct scion_mapped_request *first)
{
    if ((one->head.status ^ first->head.status) & SCION_ASKS_APPEND)
        return scion_fail(SION_ERR_MISMATCH, "only one of this rank and rank 0 appends");
    if (is_writing(one) != is_writing(first) || one->head.number != first->head.number)
        return scion_fail(SION_ERR_MISMATCH, "opens for %s, %d files; rank 0 for %s, %d files",
                          is_writing(one) ? "writing" : "reading", one->head.number,
                          is_writing(first) ? "writing" : "reading", first->head.number);
    if (one->ntasks != first->ntasks &&
        (one->ntasks < SCION_SHARE_REST_TO_LAST || first->ntasks < SCION_SHARE_REST_TO_LAST))
        return scion_fail(SION_ERR_MISMATCH, "shares the tasks otherwise than rank 0");
    return 0;
}

/* Whether the requests fit together, and their lists may be sent. */
static int check_requests(struct scion_mapped_root *root, int *blamed)
{
    int rc = 0, p;

    for (p = 0; p < root->comm->size && rc == 0; p++) {
        rc = compare_request(&root->requests[p], &root->requests[0]);
        if (rc != 0)
            *blamed = p;
        scion_rows_add(&root->requested, requested_words(&root->requests[p]));
        if (rc == 0 && root->requested.total > INT_MAX / SCION_TASK_PLACE_WORDS)
            rc = scion_fail(SION_ERR_NO_SPACE, "the processes' lists have too many tasks");
    }
    return rc;
}

static int have_lists(const struct scion_mapped_root *root)
{
    int size = root->comm->size, p = 0;

    while (p < size && root->requests[p].ntasks <= 1)
        p++;
    return p == size;
}

/* All lists are in the requests. */
static int take_lists(struct scion_mapped_root *root)
{
    int p;

    if (scion_rows_make(&root->requested) != 0)
        return scion_fail_memory("tasks of all processes");
    for (p = 0; p < root->comm->size; p++)
        memcpy(scion_rows_of(&root->requested, p), &root->requests[p].first,
               (size_t)root->requested.counts[p] * sizeof *root->requested.numbers);
    return 0;
}

static int decide_requests(void *context, const void *requests, int n, void *replies, int *blamed)
{
    struct scion_mapped_root *root = context;
    int rc, p;

    memcpy(root->requests, requests, (size_t)n * sizeof *root->requests);
    root->replies = replies;
    rc = check_requests(root, blamed);
    if (rc != 0)
        return rc;
    if (have_lists(root)) {
        rc = take_lists(root);
        return rc != 0 ? rc : scion_mapped_decide(root, blamed);
    }
    for (p = 0; p < n; p++)
        root->replies[p].head.status = SCION_REPLY_AGAIN;
    return 0;
}

static struct scion_task_request request_task(const struct scion_mapped_args *args, int rank, int i)
{
    struct scion_task_request request = {.rank = args->globalranks[i], .process = rank};

    if (args->mode.access == SCION_ACCESS_WRITE) {
        request.file = args->filenumbers[i];
        request.lrank = args->lranks[i];
        request.chunksize = args->chunksizes[i];
    }
    return request;
}

/* Before the requests are sent, because nothing after them can fail on one process. */
static int pack_list(struct scion_mapped_root *root)
{
    int n = root->args->ntasks > 0 ? root->args->ntasks : 0, i;

    root->list = scion_array((size_t)n * SCION_TASK_REQUEST_WORDS + 1, sizeof *root->list);
    if (!root->list)
        return scion_fail_memory("list of tasks");
    for (i = 0; i < n; i++) {
        struct scion_task_request one = request_task(root->args, root->comm->rank, i);

        memcpy(root->list + (size_t)i * SCION_TASK_REQUEST_WORDS, &one, sizeof one);
    }
    return 0;
}

/* Some process has more than one task: all lists go to rank 0. */
static int send_lists(struct scion_mapped_root *root, const struct scion_mapped_request *request,
                      const struct scion_consultation *how, struct scion_mapped_reply *reply)
{
    struct scion_comm *comm = root->comm;
    int status = 0, blamed = -1;
    int rc = scion_fill_rows(comm, root->list, requested_words(request), &root->requested);

    root->replies = NULL;
    if (rc == 0 && comm->rank == 0) {
        root->replies = scion_must_allocate((size_t)comm->size, sizeof *root->replies);
        status = scion_mapped_decide(root, &blamed);
    }
    if (rc == 0)
        rc = scion_send_replies(how, status, blamed, root->replies, reply);
    free(root->replies);
    return rc;
}

/* The requests to rank 0, and from there the places of all their tasks. */
static int exchange(struct scion_mapped_root *root, const struct scion_mapped_request *request,
                    struct scion_mapped_reply *reply, sion_int64 **given)
{
    const struct scion_consultation how = {
        .comm = root->comm,
        .global = root->comm,
        .request = sizeof *request,
        .reply = sizeof *reply,
        .decide = decide_requests,
        .context = root,
    };
    int rc = scion_consult(&how, request, reply);

    if (rc == 0 && reply->head.status & SCION_REPLY_AGAIN)
        rc = send_lists(root, request, &how, reply);
    if (rc != 0)
        return rc;
    *given = scion_must_allocate((size_t)reply->numbers + 1, sizeof **given);
    return scion_deal_rows(root->comm, &root->given, *given, reply->numbers);
}

/* ---- the process's part ---- */

/* The files that a process's tasks are in. */
struct files {
    int *numbers;
    const char **paths;
    const char **finals; /* the names that they will have; NULL: the same */
    int n;
};

static int compare_numbers(const void *a, const void *b)
{
    int one = *(const int *)a, two = *(const int *)b;

    return one < two ? -1 : one > two;
}

static int find_files(const struct scion_task_place *tasks, int ntasks, struct files *files)
{
    int i;

    files->numbers = scion_array((size_t)ntasks + 1, sizeof *files->numbers);
    if (!files->numbers)
        return scion_fail_memory("files");
    for (i = 0; i < ntasks; i++)
        files->numbers[i] = tasks[i].file;
    qsort(files->numbers, (size_t)ntasks, sizeof(int), compare_numbers);
    for (i = 0; i < ntasks; i++) {
        if (i == 0 || files->numbers[i] != files->numbers[files->n - 1])
            files->numbers[files->n++] = files->numbers[i];
    }
    return 0;
}

static int name_files(const struct scion_mapped_args *args, const char *base, struct files *files)
{
    int i;

    files->paths = calloc((size_t)files->n + 1, sizeof *files->paths);
    if (!files->paths)
        return scion_fail_memory("file names");
    for (i = 0; i < files->n; i++) {
        files->paths[i] = scion_member_name(args->name_of_file, base, files->numbers[i]);
        if (!files->paths[i])
            return scion_error_code();
    }
    return 0;
}

static void free_names(const char **names, int n)
{
    int i;

    for (i = 0; names && i < n; i++)
        free((char *)names[i]);
    free(names);
}

static void free_files(struct files *files)
{
    free_names(files->paths, files->n);
    free_names(files->finals, files->n);
    free(files->numbers);
}

static int unpack_tasks(const sion_int64 *given, sion_int64 numbers, struct scion_mapped_plan *plan)
{
    sion_int64 chunks = numbers - (sion_int64)plan->ntasks * SCION_TASK_PLACE_WORDS, *used;
    int i;

    plan->tasks = scion_array((uint64_t)plan->ntasks + 1, sizeof *plan->tasks);
    plan->used = used = scion_array((uint64_t)chunks + 1, sizeof *used);
    if (!plan->tasks || !plan->used)
        return scion_fail_memory("tasks");
    for (i = 0; i < plan->ntasks; i++) {
        sion_int64 its;

        plan->tasks[i] = scion_task_place_at(given);
        given += SCION_TASK_PLACE_WORDS;
        its = scion_task_place_numbers(plan->tasks[i].count);
        memcpy(used, given, (size_t)its * sizeof *used);
        given += its;
        used += its;
    }
    return 0;
}

/* What rank 0 broadcasts to all processes. */
struct common {
    struct scion_facts facts;
    int is_counted; /* rank 0 has requested statistics */
    int is_atomic;
    int appends, keeps;
    int checksum; /* SCION_COMPARES_*: checksums are made, or compared */
    int members;  /* reading: merged streams are read by members */
    int is_sound; /* reading: nothing may be damaged */
    char base[SCION_NAME_BYTES];
};

/* The files are next to those names until the close. */
static int name_beside(const struct common *common, struct files *files)
{
    const struct scion_creation creation = {
        .name = common->base, .flag2 = common->facts.flag2, .is_atomic = 1};
    int rc = 0, i;

    files->finals = files->paths;
    files->paths = calloc((size_t)files->n + 1, sizeof *files->paths);
    if (!files->paths)
        return scion_fail_memory("file names");
    for (i = 0; i < files->n && rc == 0; i++) {
        char *beside = NULL;

        rc = scion_name_beside(&creation, files->finals[i], files->numbers[i], &beside);
        files->paths[i] = beside;
    }
    return rc;
}

static int map_tasks(const struct scion_mapped_args *args, const struct common *common,
                     const struct scion_mapped_reply *reply, const sion_int64 *given,
                     struct scion_container **container)
{
    const struct scion_meta1 head = scion_head_of(&common->facts, 0);
    struct files files = {0};
    struct scion_mapped_plan plan = {.head = &head,
                                     .mode = &args->mode,
                                     .name = common->base,
                                     .are_derived = !args->name_of_file,
                                     .ntasks = (int)reply->ntasks,
                                     .all = (int)reply->all,
                                     .writing = args->mode.access == SCION_ACCESS_WRITE,
                                     .appends = common->appends,
                                     .keeps = common->keeps};
    int rc, i;

    rc = unpack_tasks(given, reply->numbers, &plan);
    if (rc == 0)
        rc = find_files(plan.tasks, plan.ntasks, &files);
    if (rc == 0)
        rc = name_files(args, common->base, &files);
    if (rc == 0 && common->is_atomic)
        rc = name_beside(common, &files);
    for (i = 0; i < plan.ntasks && rc == 0; i++) {
        const int *found = bsearch(&plan.tasks[i].file, files.numbers, (size_t)files.n, sizeof(int),
                                   compare_numbers);

        plan.tasks[i].index = (int)(found - files.numbers);
    }
    plan.paths = files.paths;
    plan.finals = files.finals;
    plan.nfiles = files.n;
    if (rc == 0) {
        rc = scion_container_map(&plan, container);
    } else {
        free(plan.tasks);
        free(plan.used);
    }
    free_files(&files);
    return rc;
}

static int make_sums(struct scion_container *container)
{
    if (!scion_crc_find())
        return scion_crc_missing();
    return scion_container_is_writing(container) ? scion_checksum_make(container) : 0;
}

static int export_stream(const struct scion_mapped_args *args, struct scion_container *container)
{
    FILE *stream;

    if (!args->want_stream || args->mode.posix || scion_mode_zips(&args->mode) ||
        scion_container_ntasks(container) == 0)
        return 0;
    return scion_stream_export(scion_container_stream(container), &stream);
}

static struct scion_mapped_request make_request(struct scion_mapped_root *root)
{
    const struct scion_mapped_args *args = root->args;
    int writes = args->mode.access == SCION_ACCESS_WRITE;
    struct scion_mapped_request request = {
        .head = {(writes ? SCION_ASKS_WRITING : 0) | (args->mode.append ? SCION_ASKS_APPEND : 0),
                 writes ? args->nfiles : 0},
        .ntasks = args->ntasks,
        .fsblksize = args->fsblksize,
    };

    int rc = args->status;

    if (rc == 0)
        rc = prepare_root(root);
    if (rc == 0)
        rc = pack_list(root);
    if (rc != 0)
        return (struct scion_mapped_request){.head.status = rc};
    if (args->ntasks > 0)
        request.first = request_task(args, root->comm->rank, 0);
    return request;
}

static int open_together(struct scion_mapped_root *root, struct scion_container **container)
{
    const struct scion_mapped_args *args = root->args;
    const struct scion_mapped_request request = make_request(root);
    struct scion_mapped_reply reply;
    struct common common = {0};
    sion_int64 *given = NULL;
    int rc = exchange(root, &request, &reply, &given);

    if (rc == 0) {
        strcpy(common.base, args->name);
        common.facts = root->facts;
        common.is_counted = args->is_counted;
        common.is_atomic = scion_mode_is_atomic(&args->mode);
        common.appends = root->appends;
        common.keeps = root->keeps;
        common.checksum = root->checksum;
        common.members = root->members;
        common.is_sound = root->is_sound;
        rc = scion_bcast(root->comm, &common, sizeof common, 0);
    }
    if (rc == 0) {
        root->is_atomic = common.is_atomic;
        root->appends = common.appends;
        root->keeps = common.keeps;
        root->members = common.members;
        root->is_sound = common.is_sound;
        rc = map_tasks(args, &common, &reply, given, container);
        if (rc == 0 && common.checksum)
            rc = make_sums(*container);
        if (rc == 0 && common.is_counted)
            scion_container_count(*container);
        if (rc == 0)
            rc = export_stream(args, *container);
        rc = scion_agree(root->comm, scion_name_rank(root->comm, rc));
    }
    if (rc == 0 && common.checksum && args->mode.access == SCION_ACCESS_READ)
        rc = scion_agree(root->comm, scion_name_rank(root->comm, scion_checksum_watch_mapped(
                                                                     root, *container,
                                                                     common.checksum ==
                                                                         SCION_COMPARES_AT_OPEN)));
    if (rc == 0 && common.members)
        rc = scion_agree(root->comm,
                         scion_name_rank(root->comm, scion_open_mapped_members(root, *container)));
    if (rc == 0 && scion_container_unzips(*container))
        rc = scion_agree(root->comm,
                         scion_name_rank(root->comm, scion_container_unzip_mapped(*container)));
    free(given);
    return rc;
}

/* A refresh asks for the same tasks, whatever shares there are by then. */
static struct scion_reopening *remember(const struct scion_mapped_root *root,
                                        const struct scion_mapped_args *args,
                                        const struct scion_container *container)
{
    struct scion_mapped_args same = *args;
    struct scion_state_seen seen = {0};

    same.ntasks = scion_container_ntasks(container);
    same.globalranks = scion_parallel_ranks(container);
    if (root->files)
        scion_see_state(root->files[0], &seen);
    return scion_reopening_keep(scion_reopening_new(NULL, &same, &seen), root->files,
                                root->files ? root->nfiles : 0);
}

static void keep_for_close(struct scion_mapped_root *root, const struct scion_mapped_args *args,
                           int is_atomic, struct scion_container *container)
{
    struct scion_parallel *parallel = scion_parallel_new(root->comm, args->kind, args->threads);
    int i;

    scion_container_own(container, &scion_parallel_owner, parallel);
    if (!scion_container_is_writing(container)) {
        parallel->again = remember(root, args, container);
        return;
    }
    parallel->is_atomic = is_atomic;
    parallel->grows = root->appends || root->keeps;
    parallel->keeps = root->keeps;
    parallel->files = root->files;
    parallel->nfiles = root->nfiles;
    parallel->mapping = root->mapping;
    parallel->lock = root->lock;
    for (i = 0; root->files && i < root->nfiles; i++)
        scion_physical_forget_tables(root->files[i]);
    root->files = NULL;
    root->mapping.pairs = NULL;
    root->lock = NULL;
    if (root->keeps && root->appends)
        scion_begin_generation(container);
}

int scion_mapped_open(struct scion_comm *comm, const struct scion_mapped_args *args,
                      struct scion_container **container, struct scion_seen *seen)
{
    struct scion_mapped_root root = {.args = args, .comm = comm};
    struct scion_container *new = NULL;
    int rc;

    rc = open_together(&root, &new);
    if (rc == 0)
        keep_for_close(&root, args, root.is_atomic, new);
    else if (new)
        scion_container_close(new);
    if (rc != 0 && root.files && root.files[0])
        scion_sound_look(root.files[0], &args->mode, &root.seen);
    *seen = root.seen;
    /* After a good open for writing, the container has them. */
    scion_files_free(root.files, root.nfiles,
                     args->mode.access == SCION_ACCESS_WRITE && !root.appends);
    scion_writer_lock_release(root.lock, !root.appends);
    free_root(&root);
    if (rc == 0)
        *container = new;
    return rc;
}
