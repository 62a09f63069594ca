#include "parallel/parallel.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/trace.h"
#include "base/handles.h"
#include "comm/agree.h"
#include "parallel/buddy.h"
#include "parallel/mapped.h"

void scion_parallel_free(struct scion_parallel *parallel)
{
    scion_collective_free(&parallel->collective);
    scion_buddy_free(parallel, 0);
    if (parallel->turns.comm != parallel->local)
        scion_comm_free(parallel->turns.comm);
    if (parallel->local != parallel->global)
        scion_comm_free(parallel->local);
    scion_comm_free(parallel->global);
    free(parallel->mapping.pairs);
    scion_mapped_free_files(parallel->files, parallel->nfiles, 0);
    free(parallel);
}

/* FNV-1a: a file's first task sees by it whether all have passed its name. */
static sion_int64 hash_name(const char *name)
{
    uint64_t hash = 14695981039346656037u;

    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 1099511628211u;
    return (sion_int64)hash;
}

void scion_fill_request(struct scion_opening *opening)
{
    const struct scion_parallel_args *args = opening->args;

    opening->request = (struct scion_request){
        .status = args->status,
        .writing = args->mode.access == SCION_ACCESS_WRITE,
        .nfiles = args->nfiles > 0 ? args->nfiles : 0,
        .leader = args->leader,
        .lrank = args->lrank,
        .lsize = args->lsize,
        .rank = opening->parallel->global->rank,
        .filenumber = args->seated ? args->filenumber : -1,
        .chunksize = args->chunksize,
        .name_hash = args->status == 0 ? hash_name(args->name) : 0,
        .node = args->mode.node_aware ? scion_node_number() : 0,
        .buddies = args->mode.buddies,
        .divided = args->divided,
    };
}

static int first_failing(const struct scion_request *requests, int n)
{
    int i = 0;

    while (i < n && requests[i].status == 0)
        i++;
    return i;
}

/* At the root: replies[n], all of them with the failure if there is one. */
static void answer(struct scion_opening *opening, scion_decide_function *decide,
                   const struct scion_request *requests, int n, struct scion_reply *replies)
{
    int failing = first_failing(requests, n), status, i;

    if (failing < n) {
        status = requests[failing].status;
    } else {
        failing = 0;
        status = decide(opening, requests, n, replies);
    }
    for (i = 0; i < n && status != 0; i++) {
        replies[i].status = status;
        replies[i].failing = failing;
    }
}

/* Answer and name in one message. */
struct named_reply {
    struct scion_reply reply;
    char base[SCION_NAME_BYTES];
};

/* As scatter of the replies, to tasks that all know that they do not know the name. */
static int scatter_named(struct scion_comm *comm, struct scion_opening *opening,
                         const struct scion_reply *replies)
{
    struct named_reply *named = NULL, own;
    int rc, i;

    if (comm->rank == 0) {
        named = scion_must_allocate((size_t)comm->size, sizeof *named);
        for (i = 0; i < comm->size; i++) {
            named[i].reply = replies[i];
            strcpy(named[i].base, opening->args->name);
        }
    }
    rc = scion_scatter(comm, named, &own, sizeof own, 0);
    free(named);
    if (rc != 0)
        return rc;
    opening->reply = own.reply;
    memcpy(opening->base, own.base, sizeof own.base);
    return 0;
}

int scion_ask(struct scion_comm *comm, struct scion_opening *opening, scion_decide_function *decide)
{
    struct scion_request *requests = NULL;
    struct scion_reply *replies = NULL;
    int rc;

    if (comm->rank == 0) {
        requests = scion_must_allocate((size_t)comm->size, sizeof *requests);
        replies = scion_must_allocate((size_t)comm->size, sizeof *replies);
    }
    opening->request.capability = scion_capability(comm);
    rc = scion_gather(comm, &opening->request, requests, sizeof *requests, 0);
    if (rc == 0 && comm->rank == 0)
        answer(opening, decide, requests, comm->size, replies);
    if (rc == 0 && opening->reply.grouped && !opening->reply.same_names)
        rc = scatter_named(comm, opening, replies);
    else if (rc == 0)
        rc = scion_scatter(comm, replies, &opening->reply, sizeof *replies, 0);
    free(requests);
    free(replies);
    if (rc == 0 && opening->reply.status != 0) {
        if (comm->rank == opening->reply.failing)
            scion_name_rank(opening->parallel->global, opening->reply.status);
        rc = scion_agree_on(comm, opening->reply.status, opening->reply.failing);
    }
    return rc;
}

/*
 * A set of files: a communicator for each, and the places in it from its first task. Where a
 * process's threads are in several files, which only a reader can be, rank 0 knows all places.
 */
static int exchange_locally(struct scion_opening *opening)
{
    struct scion_parallel *parallel = opening->parallel;
    int rc;

    opening->request.lrank = opening->reply.lrank;
    opening->request.filenumber = opening->reply.filenumber;
    rc = scion_split(parallel->global, opening->reply.filenumber, opening->reply.lrank,
                     &parallel->local);
    if (rc == 0)
        return scion_ask(parallel->local, opening, scion_decide_places);
    if (rc != SCION_COMM_TORN)
        return rc;
    if (opening->request.writing)
        return SION_ERR_COMM;
    parallel->local = parallel->global;
    return scion_ask(parallel->global, opening, scion_decide_all_places);
}

char *scion_own_name(const struct scion_opening *opening, const char *base)
{
    return scion_member_name(opening->args->name_of_file, base, opening->reply.filenumber);
}

char *scion_member_name(char *(*name_of_file)(const char *name, int number), const char *base,
                        int number)
{
    char *name;

    if (!name_of_file || number == 0)
        return scion_physical_name(base, number);
    name = name_of_file(base, number);
    if (!name)
        scion_fail(SION_ERR_ARGUMENT, "the application gives no name for file %d of %s", number,
                   base);
    return name;
}

/* The name of this task's file, by the base name that the file's first task passed. */
static char *agree_on_name(struct scion_opening *opening)
{
    struct scion_comm *local = opening->parallel->local;

    if (opening->reply.same_names)
        return scion_own_name(opening, opening->args->name);
    if (!opening->reply.grouped) {
        strcpy(opening->base, opening->args->name);
        if (scion_bcast(local, opening->base, sizeof opening->base, 0) != 0)
            return NULL;
    }
    return scion_own_name(opening, opening->base);
}

/* Reading: the lengths of all chunks of this task. */
static int receive_lengths(struct scion_opening *opening, struct scion_task *task)
{
    const struct scion_outgoing *outgoing = &opening->outgoing;
    struct scion_comm *local = opening->parallel->local;

    task->count = opening->reply.count;
    task->used = scion_must_allocate((size_t)task->count, sizeof *task->used);
    task->used[0] = opening->reply.used;
    if (opening->reply.maxchunks <= 1)
        return 0;
    return scion_scatterv(local, outgoing->numbers, outgoing->counts, outgoing->first, task->used,
                          (int)task->count, 0);
}

struct scion_meta1 scion_head_of(const struct scion_reply *reply)
{
    struct scion_meta1 head;

    memset(&head, 0, sizeof head);
    head.fsblksize = reply->fsblksize;
    head.ntasks = reply->ntasks;
    head.nfiles = reply->nfiles;
    head.filenumber = reply->filenumber;
    head.version = reply->version;
    head.patch = reply->patch;
    head.format_version = reply->format_version;
    head.swapped = reply->swapped;
    head.big_endian = reply->big_endian;
    head.flag1 = reply->flag1;
    return head;
}

/* Every task opens the file itself. name and task->used are taken over on success. */
static int attach(struct scion_opening *opening, char *name, const struct scion_task *task)
{
    const struct scion_meta1 head = scion_head_of(&opening->reply);
    const struct scion_parallel_args *args = opening->args;
    struct scion_file *file;
    FILE *stream;
    int rc = scion_file_open(name, opening->request.writing ? SCION_OPEN_WRITE : SCION_OPEN_READ, 0,
                             &file);

    if (rc != 0)
        return rc;
    rc = scion_container_attach(&head, &args->mode, file, name, task, &opening->container);
    if (rc != 0) {
        scion_file_close(file);
        return rc;
    }
    opening->container->maxchunks = opening->reply.maxchunks;
    opening->container->parallel = opening->parallel;
    if (args->want_stream && !args->mode.posix)
        rc = scion_stream_export(&opening->container->stream, &stream);
    return rc;
}

static int join(struct scion_opening *opening)
{
    struct scion_task task = {
        .place = {opening->reply.start, opening->reply.globalskip, opening->reply.chunksize},
        .rank = opening->parallel->global->rank,
        .lrank = opening->reply.lrank,
    };
    char *name = agree_on_name(opening);
    int rc = name ? 0 : scion_error_code(), joined;

    if (!opening->request.writing) {
        int received = receive_lengths(opening, &task);

        rc = rc != 0 ? rc : received;
    }
    if (rc == 0)
        rc = attach(opening, name, &task);
    joined = scion_collective_join(opening->parallel, opening->reply.collector,
                                   opening->reply.collsize, opening->reply.merge);
    if (opening->container && joined == 0)
        scion_collective_follow(opening->container, opening->reply.at_end);
    if (!opening->container) {
        free(name);
        free(task.used);
    }
    return rc != 0 ? rc : joined;
}

static int open_together(struct scion_opening *opening)
{
    int rc = scion_ask(opening->parallel->global, opening, scion_decide_files);

    if (rc != 0)
        return rc;
    opening->parallel->first_leader = opening->reply.first_leader;
    scion_trace(SCION_TRACE_STEP, "task %d of file %d, one of %d", opening->reply.lrank,
                opening->reply.filenumber, opening->reply.nfiles);
    if (opening->reply.grouped)
        rc = exchange_locally(opening);
    if (rc == 0)
        rc = scion_name_rank(opening->parallel->global, join(opening));
    return scion_agree(opening->parallel->global, rc);
}

static void free_outgoing(struct scion_outgoing *outgoing)
{
    free(outgoing->counts);
    free(outgoing->first);
    free(outgoing->numbers);
}

/* Leave nothing behind, not even an empty file. */
static void give_up(struct scion_opening *opening)
{
    if (opening->created)
        scion_file_remove(opening->physical->path);
    scion_buddy_free(opening->parallel, 1);
    if (opening->container)
        scion_container_close(opening->container);
    scion_physical_close(opening->physical);
    scion_parallel_free(opening->parallel);
}

int scion_parallel_open(struct scion_comm *comm, const struct scion_parallel_args *args,
                        struct scion_container **container)
{
    struct scion_opening opening = {.args = args};
    int rc;

    if (args->mode.buddies > 0 && args->mode.access == SCION_ACCESS_READ)
        return scion_buddy_open(comm, args, container);
    opening.parallel = scion_must_allocate(1, sizeof *opening.parallel);
    *opening.parallel = (struct scion_parallel){
        .global = comm,
        .local = comm,
        .kind = args->kind,
        .threads = args->threads,
        .mapping.size = -1,
    };
    scion_fill_request(&opening);
    rc = open_together(&opening);
    if (rc == 0 && args->mode.buddies > 0)
        rc = scion_buddy_create(&opening);
    scion_trace(SCION_TRACE_INTERNAL, "rank %d of %d: %d", comm->rank, comm->size, rc);
    free_outgoing(&opening.outgoing);
    scion_mapped_free_files(opening.all, opening.nall, 0);
    if (rc != 0) {
        give_up(&opening);
        return rc;
    }
    if (args->mode.access == SCION_ACCESS_WRITE)
        opening.container->physical = opening.physical;
    else
        scion_physical_close(opening.physical);
    *container = opening.container;
    return 0;
}

int scion_parallel_rank(const struct scion_container *container)
{
    return container->parallel ? container->parallel->global->rank : -1;
}

int scion_parallel_size(const struct scion_container *container)
{
    return container->parallel ? container->parallel->global->size : 0;
}

int scion_parallel_kind(const struct scion_container *container)
{
    return container->parallel ? container->parallel->kind : 0;
}

int scion_parallel_is_merged(const struct scion_container *container)
{
    return container->parallel->collective.merge;
}

int scion_parallel_threads(const struct scion_container *container)
{
    return container->parallel->threads;
}

struct scion_comm *scion_parallel_comm(const struct scion_container *container)
{
    return container->parallel->global;
}
