/*
 * Rank 0 decides for all tasks: each sends it a request of a fixed size and gets a reply. Here, and
 * only here, a failure before the end of an open becomes a failure of all tasks, so no task leaves
 * an open that others continue.
 */
#ifndef SCION_PARALLEL_CONSULT_H
#define SCION_PARALLEL_CONSULT_H

#include <stdint.h>

#include "comm/comm.h"

/*
 * Every request begins with this. status < 0: the task has failed, with the reason in its error
 * record; else both numbers are the caller's.
 */
struct scion_request_head {
    int32_t status, number;
};

/*
 * Every reply begins with this. status < 0: a failure, and `number` is the rank that has the
 * reason; else both numbers are the decision.
 */
struct scion_reply_head {
    int32_t status, number;
};

/*
 * On rank 0: fill replies[n] for requests[n]. The replies are zeroed, or are in the place of the
 * requests. Returns 0, or a failure that all tasks return; *blamed: the rank whose fault it is, if
 * it is not this one.
 */
typedef int scion_decide_function(void *context, const void *requests, int n, void *replies,
                                  int *blamed);

struct scion_consultation {
    struct scion_comm *comm;
    const struct scion_comm
        *global; /* messages name ranks of this one: comm, or the one that it was split from */
    size_t request, reply;         /* bytes, multiples of 8 */
    scion_decide_function *decide; /* called if no task has failed */
    void *context;
    int in_place; /* a reply may replace the request of the same rank, to save memory */
};

/*
 * Collective. If a task has failed, or `decide` fails, all tasks return that failure, which names
 * the rank.
 */
int scion_consult(const struct scion_consultation *how, const void *request, void *reply);

/*
 * The second half, for callers that gather the requests themselves. Collective. On rank 0: status:
 * the result of its decision; blamed: the rank whose fault it is, or -1.
 */
int scion_send_replies(const struct scion_consultation *how, int status, int blamed, void *replies,
                       void *reply);

#endif
