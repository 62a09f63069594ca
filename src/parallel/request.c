/* Requests of an open: what they contain, sending them, and receiving the replies. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "comm/agree.h"
#include "parallel/opening.h"

static uint32_t hash_name(const char *name)
{
    uint64_t hash = (uint64_t)scion_hash_name(name);

    return (uint32_t)(hash ^ hash >> 32);
}

void scion_fill_request(struct scion_opening *opening)
{
    const struct scion_parallel_args *args = opening->args;
    int asks = (args->mode.access == SCION_ACCESS_WRITE ? SCION_ASKS_WRITING : 0) |
               (args->seated ? SCION_ASKS_SEAT : 0) | args->mode.buddies * SCION_ASKS_COPIES |
               (args->mode.append ? SCION_ASKS_APPEND : 0);

    opening->request = (struct scion_request){
        .head = {args->status != 0 ? args->status : asks,
                 args->nfiles > 0 ? args->nfiles : -args->divided},
        .chunksize = args->chunksize,
        .name = args->status == 0 ? hash_name(args->name) : 0,
        .lsize = args->lsize,
        .leader = args->seated ? args->filenumber : args->leader,
        .lrank = args->lrank,
    };
}

/* An open that asks, and who decides. */
struct open_query {
    struct scion_opening *opening;
    scion_decide_opening *decide;
    struct scion_consultation how;
};

static int decide(void *context, const void *requests, int n, void *replies, int *blamed)
{
    const struct open_query *open_query = context;
    struct scion_reply *all = replies;
    int rc = open_query->decide(open_query->opening, requests, n, all), i;

    (void)blamed;
    for (i = 0; i < n && rc == 0 && open_query->opening->args->is_counted; i++)
        all[i].head.status |= SCION_REPLY_COUNT;
    return rc;
}

static void note_capability(struct scion_comm *comm, struct scion_request_head *head)
{
    if (head->status < 0)
        return;
    head->status &= ~(3 * SCION_ASKS_CAPABILITY);
    head->status |= (int)scion_capability(comm) * SCION_ASKS_CAPABILITY;
}

/* To find out the node is collective, so rank 0 decides whether it is needed. */
static int ask(struct open_query *open_query, void *reply)
{
    struct scion_opening *opening = open_query->opening;
    struct scion_comm *comm = open_query->how.comm;
    const struct scion_reply *own = reply;
    int rc;

    open_query->how.context = open_query;
    open_query->how.global = opening->parallel->global;
    open_query->how.request = sizeof opening->request;
    note_capability(comm, &opening->request.head);
    rc = scion_consult(&open_query->how, &opening->request, reply);
    if (rc != 0 || !(own->head.status & SCION_REPLY_AGAIN))
        return rc;
    opening->has_nodes = 1;
    open_query->decide =
        opening->files == SCION_FILES_NODE ? scion_decide_files : scion_decide_places;
    rc = scion_node(comm, &opening->request.node);
    if (rc != 0)
        opening->request.head.status = rc;
    return scion_consult(&open_query->how, &opening->request, reply);
}

int scion_ask(struct scion_comm *comm, struct scion_opening *opening,
              scion_decide_opening *function)
{
    struct open_query open_query = {
        .opening = opening,
        .decide = function,
        .how = {.comm = comm, .reply = sizeof opening->reply, .decide = decide, .in_place = 1},
    };

    return ask(&open_query, &opening->reply);
}

/* ---- many tasks that ask for the same ---- */

struct alike_reply {
    struct scion_reply reply;
    sion_int64 step;
};

/* On rank 0. A failure goes into the reply. */
static void decide_alike(struct scion_opening *opening, struct alike_reply *told)
{
    struct scion_comm *global = opening->parallel->global;
    int rc = scion_decide_alike(opening, global->size, &told->reply, &told->step);

    if (rc != 0)
        told->reply.head = (struct scion_reply_head){scion_name_rank(global, rc), 0};
    else if (opening->args->is_counted)
        told->reply.head.status |= SCION_REPLY_COUNT;
}

/* All know that their requests are the same. */
static int hear(struct scion_opening *opening, int *is_answered)
{
    struct scion_comm *global = opening->parallel->global;
    struct alike_reply told = {.step = 0};
    int rc;

    if (global->rank == 0)
        decide_alike(opening, &told);
    rc = scion_bcast(global, &told, sizeof told, 0);
    if (rc != 0)
        return rc;
    if (told.reply.head.status < 0)
        return scion_agree_on(global, told.reply.head.status, told.reply.head.number);
    *is_answered = !(told.reply.head.status & SCION_REPLY_GATHER);
    opening->reply = told.reply;
    opening->reply.head.number = global->rank;
    opening->reply.start += global->rank * told.step;
    return 0;
}

/* Where a number of files is asked for, a task's place depends on its rank only. */
static int compare(struct scion_opening *opening, int *alike)
{
    struct scion_request same = opening->request;
    sion_int64 words[sizeof same / sizeof(sion_int64)], none = 0;

    if (same.head.number > 0)
        same.lsize = same.leader = same.lrank = 0;
    memcpy(words, &same, sizeof words);
    return scion_are_alike(opening->parallel->global, words, sizeof words / sizeof *words, &none,
                           alike);
}

/* All tasks say the same here, because their requests are. */
static int asks_for_new_file(const struct scion_request *request)
{
    return request->head.status >= 0 && request->head.status & SCION_ASKS_WRITING &&
           request->head.number == 1;
}

int scion_ask_all(struct scion_opening *opening)
{
    struct scion_comm *global = opening->parallel->global;
    int alike = 0, is_answered = 0, rc = 0;

    note_capability(global, &opening->request.head);
    if (scion_is_large(global))
        rc = compare(opening, &alike);
    if (rc == 0 && alike && asks_for_new_file(&opening->request))
        rc = hear(opening, &is_answered);
    return rc != 0 || is_answered ? rc : scion_ask(global, opening, scion_decide_files);
}

/* ---- places and facts in one message ---- */

/* The reply if the tasks have passed different names. */
struct named_reply {
    struct scion_full_reply whole;
    char base[SCION_NAME_BYTES];
};

static int decide_member(void *context, const void *requests, int n, void *to, int *blamed)
{
    const struct open_query *open_query = context;
    struct scion_opening *opening = open_query->opening;
    struct scion_reply *replies = calloc((size_t)n, sizeof *replies);
    int rc =
        replies ? open_query->decide(opening, requests, n, replies) : scion_fail_memory("tasks");
    int i;

    (void)blamed;
    for (i = 0; i < n && rc == 0; i++) {
        struct named_reply *reply = (void *)((char *)to + (size_t)i * open_query->how.reply);

        reply->whole = (struct scion_full_reply){replies[i], opening->facts};
        if (opening->other_names)
            strcpy(reply->base, opening->args->name);
    }
    free(replies);
    return rc;
}

int scion_ask_member(struct scion_opening *opening)
{
    struct named_reply reply;
    struct open_query open_query = {
        .opening = opening,
        .decide = scion_decide_places,
        .how = {.comm = opening->parallel->local,
                .reply = opening->other_names ? sizeof reply : sizeof reply.whole,
                .decide = decide_member},
    };
    int rc = ask(&open_query, &reply);

    if (rc != 0)
        return rc;
    opening->reply = reply.whole.reply;
    opening->facts = reply.whole.facts;
    if (opening->other_names)
        memcpy(opening->base, reply.base, sizeof opening->base);
    return 0;
}

static int decide_all(void *context, const void *requests, int n, void *replies, int *blamed)
{
    const struct open_query *open_query = context;

    (void)requests, (void)blamed;
    return scion_decide_all_places(open_query->opening, n, replies);
}

int scion_ask_reader_of_all(struct scion_opening *opening)
{
    struct scion_full_reply reply;
    struct open_query open_query = {
        .opening = opening,
        .how = {.comm = opening->parallel->global, .reply = sizeof reply, .decide = decide_all},
    };
    int rc = ask(&open_query, &reply);

    if (rc == 0) {
        opening->reply = reply.reply;
        opening->facts = reply.facts;
    }
    return rc;
}
