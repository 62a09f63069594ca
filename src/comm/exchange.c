/* Messages between any tasks, also of communicators whose tasks cannot send to each other. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "comm/comm.h"
#include "comm/rows.h"

/*
 * Messages through rank 0, for communicators whose tasks cannot send to each other. A message is
 * its peer, its count and its words. They move in rounds of a gather and a scatter, so that rank 0
 * holds at most 2 * (ROUND words + the longest message) + O(size).
 */
enum { HEAD = 2, ROUND = 1 << 20 };

/* On rank 0: room for counts[size] words of the tasks. -1: more than one collective can carry. */
static int make_post(const sion_int64 *counts, int size, struct scion_rows *post)
{
    int i;

    scion_rows_must_begin(post, size);
    for (i = 0; i < size; i++)
        scion_rows_add(post, counts[i]);
    if (!scion_rows_fit(post))
        return -1;
    scion_rows_must_make(post);
    return 0;
}

static sion_int64 *flatten(const struct scion_message *out, int nout, sion_int64 *count)
{
    sion_int64 *words, *at;
    int i;

    for (*count = 0, i = 0; i < nout; i++)
        *count += HEAD + out[i].count;
    at = words = scion_must_allocate((size_t)*count + 1, sizeof *words);
    for (i = 0; i < nout; i++) {
        at[0] = out[i].peer;
        at[1] = out[i].count;
        memcpy(at + HEAD, out[i].words, (size_t)out[i].count * sizeof *at);
        at += HEAD + out[i].count;
    }
    return words;
}

/* Call for each message of each task, in the order of the tasks. */
#define EACH_MESSAGE(post, size, from, at)                                                         \
    for (from = 0; from < (size); from++)                                                          \
        for (at = (post)->numbers + (post)->first[from];                                           \
             at < (post)->numbers + (post)->first[from] + (post)->counts[from];                    \
             at += HEAD + at[1])

/* On rank 0: sort the messages by receiver, and replace the receiver by the sender. */
static void sort_post(const struct scion_rows *came, int size, sion_int64 *counts,
                      struct scion_rows *goes)
{
    const sion_int64 *at;
    int from, i;

    memset(counts, 0, (size_t)size * sizeof *counts);
    EACH_MESSAGE(came, size, from, at)
    counts[at[0]] += HEAD + at[1];
    make_post(counts, size, goes);
    EACH_MESSAGE(came, size, from, at)
    {
        sion_int64 *to = goes->numbers + goes->first[at[0]];

        memcpy(to, at, (size_t)(HEAD + at[1]) * sizeof *to);
        to[0] = from;
        goes->first[at[0]] += (int)(HEAD + at[1]);
    }
    for (i = 0; i < size; i++)
        goes->first[i] -= goes->counts[i];
}

/* The messages that a task waits for. Over all rounds they arrive in the order of the peers. */
struct receive_queue {
    struct scion_message *in;
    int n, taken;
    int status; /* a wrong message is reported after the last round */
};

static int refuse_peer(sion_int64 peer)
{
    return scion_fail(SION_ERR_COMM, "no message from task %lld", peer);
}

static void take(const sion_int64 *words, sion_int64 count, struct receive_queue *receive_queue)
{
    const sion_int64 *at;

    for (at = words; at < words + count && receive_queue->status == 0; at += HEAD + at[1]) {
        const struct scion_message *in = &receive_queue->in[receive_queue->taken];

        if (receive_queue->taken == receive_queue->n || at[0] != in->peer || at[1] != in->count) {
            receive_queue->status = refuse_peer(at[0]);
        } else {
            memcpy(in->words, at + HEAD, (size_t)at[1] * sizeof *at);
            receive_queue->taken++;
        }
    }
}

/* Gather the words of all tasks on rank 0. Too many words are an error on all. */
static int collect(struct scion_comm *comm, const sion_int64 *words, sion_int64 count,
                   sion_int64 *counts, struct scion_rows *came)
{
    sion_int64 status = 0;
    int rc = scion_gather(comm, &count, counts, sizeof count, 0);

    if (rc == 0 && comm->rank == 0)
        status = make_post(counts, comm->size, came);
    if (rc == 0)
        rc = scion_bcast(comm, &status, sizeof status, 0);
    if (rc == 0 && status != 0)
        rc = scion_fail(SION_ERR_COMM, "the messages of all tasks are too long for rank 0");
    if (rc == 0)
        rc = scion_gatherv(comm, words, (int)count, came->numbers, came->counts, came->first, 0);
    return rc;
}

/* Cannot be too many words: they are those that were collected. */
static int distribute(struct scion_comm *comm, const struct scion_rows *came, sion_int64 *counts,
                      struct receive_queue *receive_queue)
{
    struct scion_rows goes = {0};
    sion_int64 expected = 0, *words;
    int rc;

    if (comm->rank == 0)
        sort_post(came, comm->size, counts, &goes);
    rc = scion_scatter(comm, counts, &expected, sizeof expected, 0);
    words = scion_must_allocate((size_t)expected + 1, sizeof *words);
    if (rc == 0)
        rc = scion_scatterv(comm, goes.numbers, goes.counts, goes.first, words, (int)expected, 0);
    if (rc == 0)
        take(words, expected, receive_queue);
    free(words);
    scion_rows_free(&goes);
    return rc;
}

/* One round: some messages of each task. */
static int relay(struct scion_comm *comm, const struct scion_message *out, int nout,
                 sion_int64 *counts, struct receive_queue *receive_queue)
{
    struct scion_rows came = {0};
    sion_int64 count, *words = flatten(out, nout, &count);
    int rc = collect(comm, words, count, counts, &came);

    if (rc == 0)
        rc = distribute(comm, &came, counts, receive_queue);
    free(words);
    scion_rows_free(&came);
    return rc;
}

/* Where a task's messages begin in the sequence of all, and the words of all. */
struct span {
    sion_int64 first, total;
};

static int find_span(struct scion_comm *comm, const struct scion_message *out, int nout,
                     sion_int64 *counts, struct span *span)
{
    struct span *spans = NULL;
    sion_int64 mine = 0, total = 0;
    int rc, i;

    for (i = 0; i < nout; i++)
        mine += HEAD + out[i].count;
    rc = scion_gather(comm, &mine, counts, sizeof mine, 0);
    if (rc == 0 && comm->rank == 0) {
        spans = scion_must_allocate((size_t)comm->size, sizeof *spans);
        for (i = 0; i < comm->size; i++) {
            spans[i].first = total;
            total += counts[i];
        }
        for (i = 0; i < comm->size; i++)
            spans[i].total = total;
    }
    if (rc == 0)
        rc = scion_scatter(comm, spans, span, sizeof *span, 0);
    free(spans);
    return rc;
}

/*
 * A message is sent in the round that contains its first word. All tasks take part in all rounds.
 */
static int by_rank_0(struct scion_comm *comm, const struct scion_message *out, int nout,
                     struct scion_message *in, int nin)
{
    struct receive_queue receive_queue = {.in = in, .n = nin};
    struct span span = {0, 0};
    sion_int64 *counts = NULL, end;
    int rc, i = 0;

    if (comm->rank == 0)
        counts = scion_must_allocate((size_t)comm->size, sizeof *counts);
    rc = find_span(comm, out, nout, counts, &span);
    for (end = ROUND; rc == 0 && end - ROUND < span.total; end += ROUND) {
        int first = i;

        for (; i < nout && span.first < end; i++)
            span.first += HEAD + out[i].count;
        rc = relay(comm, out + first, i - first, counts, &receive_queue);
    }
    free(counts);
    if (rc == 0 && receive_queue.status == 0 && receive_queue.taken < nin)
        receive_queue.status = refuse_peer(in[receive_queue.taken].peer);
    return rc != 0 ? rc : receive_queue.status;
}

int scion_exchange(struct scion_comm *comm, const struct scion_message *out, int nout,
                   struct scion_message *in, int nin)
{
    int i;

    for (i = 0; i < nin; i++) {
        if (in[i].count > INT_MAX)
            return scion_fail(SION_ERR_COMM, "a message of %lld numbers is too long", in[i].count);
    }
    if (!comm->ops->exchange)
        return by_rank_0(comm, out, nout, in, nin);
    i = comm->ops->exchange(comm, out, nout, in, nin);
    return i == 0 ? 0 : scion_fail(SION_ERR_COMM, "messages between the tasks failed (%d)", i);
}
