/* Requests of an open: what they contain, sending them, and receiving the replies. */
#include <stdint.h>
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

void scion_note_capability(struct scion_comm *comm, struct scion_request_head *head)
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
    scion_note_capability(comm, &opening->request.head);
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
