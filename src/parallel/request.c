/* Requests of an open: what they contain, sending them, and receiving the replies. */
#include <stddef.h>
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
    sion_int64 fsblksize, trailer; /* of the file */
};

/* On rank 0. A failure goes into the reply. */
static void decide_alike(struct scion_opening *opening, struct alike_reply *told)
{
    struct scion_comm *global = opening->parallel->global;
    int rc = scion_decide_alike(opening, global->size, &told->reply);

    if (rc != 0) {
        told->reply.head = (struct scion_reply_head){scion_name_rank(global, rc), 0};
        return;
    }
    told->fsblksize = opening->physical->head.fsblksize;
    told->trailer = opening->physical->trailer;
    if (opening->args->is_counted)
        told->reply.head.status |= SCION_REPLY_COUNT;
}

/* Behind the chunks of the tasks before, as rank 0 would find it. */
static int find_place(struct scion_opening *opening, const struct alike_reply *told, int is_even)
{
    struct scion_comm *global = opening->parallel->global;
    const struct scion_physical file = {.head.fsblksize = (int32_t)told->fsblksize,
                                        .trailer = (int)told->trailer,
                                        .grain = 1,
                                        .layout.start_of_data = told->reply.start};
    sion_int64 next = 0, before;
    const struct scion_place place =
        scion_physical_next_place(&file, opening->request.chunksize, &next);
    int rc = 0;

    before = next - told->reply.start;
    if (is_even)
        before *= global->rank;
    else
        rc = scion_sum_before(global, &before);
    opening->reply = told->reply;
    opening->reply.head.number = global->rank;
    opening->reply.start += before;
    opening->reply.chunksize = place.chunksize;
    return rc;
}

/* To rank 0, which frees them. All have 32 bits. */
static int gather_sizes(struct scion_opening *opening, uint32_t **sizes)
{
    struct scion_comm *global = opening->parallel->global;
    uint32_t own = (uint32_t)opening->request.chunksize;

    if (global->rank == 0)
        *sizes = scion_must_allocate((size_t)global->size, sizeof **sizes);
    return scion_gather(global, &own, *sizes, sizeof own, 0);
}

/* All know that their requests are the same, but for the chunk sizes if not `is_even`. */
static int hear(struct scion_opening *opening, int is_even)
{
    struct scion_comm *global = opening->parallel->global;
    struct alike_reply told = {.fsblksize = 0};
    uint32_t *sizes = NULL;
    int rc = is_even ? 0 : gather_sizes(opening, &sizes);

    opening->sizes = sizes;
    if (rc == 0 && global->rank == 0)
        decide_alike(opening, &told);
    opening->sizes = NULL;
    free(sizes);
    if (rc == 0)
        rc = scion_bcast(global, &told, sizeof told, 0);
    if (rc != 0)
        return rc;
    if (told.reply.head.status < 0)
        return scion_agree_on(global, told.reply.head.status, told.reply.head.number);
    return find_place(opening, &told, is_even);
}

/* How far the requests of all tasks are the same. */
enum likeness { THEY_DIFFER, SIZES_DIFFER, ALL_ALIKE };

enum {
    WORDS = sizeof(struct scion_request) / sizeof(sion_int64),
    SIZE = offsetof(struct scion_request, chunksize) / sizeof(sion_int64)
};

static enum likeness judge(const struct scion_range ranges[WORDS + 1])
{
    const struct scion_range *size = &ranges[SIZE];
    int i;

    for (i = 0; i < WORDS; i++) {
        if (i != SIZE && ranges[i].least != ranges[i].most)
            return THEY_DIFFER;
    }
    if (ranges[WORDS].least == 0)
        return THEY_DIFFER;
    if (size->least == size->most)
        return ALL_ALIKE;
    return size->least >= 0 && size->most <= UINT32_MAX ? SIZES_DIFFER : THEY_DIFFER;
}

/* A task's place depends on its rank, not on what it knows of its file. Readers are told sizes and
   numbers of files. */
static int compare(struct scion_opening *opening, enum likeness *likeness)
{
    struct scion_comm *global = opening->parallel->global;
    struct scion_request same = opening->request;
    int is_reader = scion_reads_own_column(opening, global->size);
    sion_int64 words[WORDS + 1] = {[WORDS] = is_reader || scion_is_plain(opening, global->size)};
    struct scion_range ranges[WORDS + 1];
    int rc;

    same.lsize = same.leader = same.lrank = 0;
    if (is_reader)
        same.chunksize = same.head.number = 0;
    memcpy(words, &same, sizeof same);
    rc = scion_find_ranges(global, words, WORDS + 1, ranges);
    *likeness = judge(ranges);
    return rc;
}

int scion_ask_all(struct scion_opening *opening)
{
    struct scion_comm *global = opening->parallel->global;
    enum likeness likeness = THEY_DIFFER;
    int rc = 0;

    note_capability(global, &opening->request.head);
    if (scion_is_large(global))
        rc = compare(opening, &likeness);
    if (rc != 0)
        return rc;
    if (likeness != THEY_DIFFER && opening->args->mode.access == SCION_ACCESS_WRITE)
        return hear(opening, likeness == ALL_ALIKE);
    if (likeness != THEY_DIFFER)
        rc = scion_ask_for_survey(opening);
    return likeness == THEY_DIFFER || rc == SCION_MORE
               ? scion_ask(global, opening, scion_decide_files)
               : rc;
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
