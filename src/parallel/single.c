/* Opens of containers of which every task has one task: the tasks' part. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/trace.h"
#include "comm/agree.h"
#include "parallel/buddy.h"

/* Places and name in one message, for tasks that all know that they do not know the name. */
struct named_reply {
    struct scion_reply reply;
    char base[SCION_NAME_BYTES];
};

static int decide_named(void *context, const void *requests, int n, void *replies, int *blamed)
{
    struct scion_opening *opening = context;
    struct scion_reply *plain = scion_must_allocate((size_t)n, sizeof *plain);
    struct named_reply *named = replies;
    int rc = scion_decide_places(opening, requests, n, plain), i;

    (void)blamed;
    for (i = 0; i < n && rc == 0; i++) {
        named[i].reply = plain[i];
        strcpy(named[i].base, opening->args->name);
    }
    free(plain);
    return rc;
}

/* The places in a file from its first task, and if the names differ the one that counts. */
static int ask_for_places(struct scion_opening *opening)
{
    struct named_reply named;
    const struct scion_consultation how = {
        .comm = opening->parallel->local,
        .global = opening->parallel->global,
        .request = sizeof opening->request,
        .reply = sizeof named,
        .decide = decide_named,
        .context = opening,
    };
    int rc;

    if (opening->reply.same_names)
        return scion_ask(how.comm, opening, scion_decide_places);
    rc = scion_ask_as(&how, opening, &named);
    if (rc != 0)
        return rc;
    opening->reply = named.reply;
    memcpy(opening->base, named.base, sizeof opening->base);
    return 0;
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
        return ask_for_places(opening);
    if (rc != SCION_COMM_TORN)
        return rc;
    if (opening->request.writing)
        return SION_ERR_COMM;
    parallel->local = parallel->global;
    return scion_ask(parallel->global, opening, scion_decide_all_places);
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
    scion_container_own(opening->container, &scion_parallel_owner, opening->parallel);
    if (args->want_stream && !args->mode.posix)
        rc = scion_stream_export(scion_container_stream(opening->container), &stream);
    return rc;
}

static int join(struct scion_opening *opening)
{
    struct scion_task task = {
        .place = {opening->reply.start, opening->reply.globalskip, opening->reply.chunksize},
        .rank = opening->parallel->global->rank,
        .lrank = opening->reply.lrank,
        .maxchunks = opening->reply.maxchunks,
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
    opening->parallel->collective.at_end = opening->reply.at_end;
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
    scion_physical_close(opening->physical);
    if (opening->container)
        scion_container_close(opening->container);
    else
        scion_parallel_free(opening->parallel);
}

int scion_single_open(struct scion_opening *opening)
{
    int rc;

    scion_fill_request(opening);
    rc = open_together(opening);
    if (rc == 0 && opening->args->mode.buddies > 0)
        rc = scion_buddy_create(opening);
    free_outgoing(&opening->outgoing);
    scion_files_free(opening->all, opening->nall, 0);
    if (rc != 0) {
        give_up(opening);
        return rc;
    }
    if (opening->request.writing)
        scion_container_keep_physical(opening->container, opening->physical);
    else
        scion_physical_close(opening->physical);
    return 0;
}
