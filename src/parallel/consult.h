/*
 * Rank 0 decides for all: every task sends it a request of a fixed size and gets a reply. This is
 * the one place where a failure before the end of an open, of whatever kind, becomes everybody's,
 * so nobody leaves alone.
 */
#ifndef SCION_PARALLEL_CONSULT_H
#define SCION_PARALLEL_CONSULT_H

#include <stdint.h>

#include "comm/comm.h"

/*
 * Every request begins so. A negative status is the task's own failure, its reason in the error
 * record; otherwise both numbers are the caller's.
 */
struct scion_request_head {
    int32_t status, number;
};

/*
 * Every reply begins so. With a negative status the number is the rank that has the reason;
 * otherwise both are what was decided.
 */
struct scion_reply_head {
    int32_t status, number;
};

/*
 * On rank 0: replies[n] to requests[n], which are there already, zeroed unless they are in the same
 * place. 0, or a failure that all get; *blamed: the rank that it is the fault of, if it is not this
 * one.
 */
typedef int scion_decide_function(void *context, const void *requests, int n, void *replies,
                                  int *blamed);

struct scion_consultation {
    struct scion_comm *comm;
    const struct scion_comm *global; /* whose ranks messages name; comm, or what it is a part of */
    size_t request, reply;           /* bytes, multiples of 8 */
    scion_decide_function *decide;   /* called if no task has failed */
    void *context;
    int in_place; /* a reply may be where the request of the same rank is, to save memory */
};

/* Collective. A failure of a task, or of decide, is returned by all and names its rank. */
int scion_consult(const struct scion_consultation *how, const void *request, void *reply);

/*
 * The second half, for who gathers the requests by himself: collective; on rank 0 the status of
 * its decision, and who is blamed for it, or -1.
 */
int scion_send_replies(const struct scion_consultation *how, int status, int blamed, void *replies,
                       void *reply);

#endif
