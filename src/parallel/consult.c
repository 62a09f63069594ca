#include "parallel/consult.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "comm/agree.h"

/*
 * Requests and replies are arrays of the caller's structs, of which only the heads are known here.
 */
static const struct scion_request_head *request_head(const struct scion_consultation *how,
                                                     const void *requests, int i)
{
    return (const void *)((const char *)requests + (size_t)i * how->request);
}

static struct scion_reply_head *reply_head(const struct scion_consultation *how, void *replies,
                                           int i)
{
    return (void *)((char *)replies + (size_t)i * how->reply);
}

static int first_failing(const struct scion_consultation *how, const void *requests)
{
    int i = 0;

    while (i < how->comm->size && request_head(how, requests, i)->status >= 0)
        i++;
    return i;
}

/* Every reply says that rank `teller` has the reason of a failure. */
static void refuse(const struct scion_consultation *how, int status, int teller, void *replies)
{
    int i;

    for (i = 0; i < how->comm->size; i++)
        *reply_head(how, replies, i) = (struct scion_reply_head){status, teller};
}

/* Scatter the replies. The rank that has the reason of a failure has put its number before it. */
static int send_replies(const struct scion_consultation *how, const void *replies, void *reply)
{
    const struct scion_reply_head *own = reply;
    int rc = scion_scatter(how->comm, replies, reply, how->reply, 0);

    return rc == 0 && own->status < 0 ? scion_agree_on(how->comm, own->status, own->number) : rc;
}

/* If rank 0 has refused: name the blamed rank in the reason, and refuse all requests. */
static void rule(const struct scion_consultation *how, int status, int blamed, void *replies)
{
    if (status == 0)
        return;
    if (how->global->size > 1)
        scion_fail_prefix("rank %d", blamed >= 0 ? blamed : how->global->rank);
    refuse(how, status, 0, replies);
}

int scion_send_replies(const struct scion_consultation *how, int status, int blamed, void *replies,
                       void *reply)
{
    if (how->comm->rank == 0)
        rule(how, status, blamed, replies);
    return send_replies(how, replies, reply);
}

/* On rank 0. */
static void decide(const struct scion_consultation *how, const void *requests, void *replies)
{
    int failing = first_failing(how, requests), blamed = -1, status;

    if (failing < how->comm->size) {
        refuse(how, request_head(how, requests, failing)->status, failing, replies);
        return;
    }
    status = how->decide(how->context, requests, how->comm->size, replies, &blamed);
    rule(how, status, blamed, replies);
}

/* Allocate both arrays, or one for both. */
static void make_room(const struct scion_consultation *how, void **requests, void **replies)
{
    size_t n = (size_t)how->comm->size;
    int one_place = how->in_place && how->reply <= how->request;

    *requests = scion_must_allocate(n, how->request);
    scion_memory_fills(*requests, n * how->request);
    *replies = one_place ? *requests : scion_must_allocate(n, how->reply);
}

int scion_consult(const struct scion_consultation *how, const void *request, void *reply)
{
    struct scion_comm *comm = how->comm;
    const struct scion_request_head *head = request;
    void *requests = NULL, *replies = NULL;
    int rc;

    if (comm->rank == 0)
        make_room(how, &requests, &replies);
    scion_name_rank(how->global, head->status < 0 ? head->status : 0);
    rc = scion_gather(comm, request, requests, how->request, 0);
    if (rc == 0 && comm->rank == 0)
        decide(how, requests, replies);
    if (rc == 0)
        rc = send_replies(how, replies, reply);
    if (replies != requests)
        free(replies);
    free(requests);
    return rc;
}
