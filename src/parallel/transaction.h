/* Transactions: how many tasks of a file may be inside of one at a time. */
#ifndef SCION_PARALLEL_TRANSACTION_H
#define SCION_PARALLEL_TRANSACTION_H

#include "comm/comm.h"

/* Transactions of the tasks of a physical file. */
struct scion_turns {
    struct scion_comm *comm; /* made by the library; parallel->local if that was, too */
    int at_once;             /* tasks that may be inside at a time; 0: no transaction yet */
    int is_begun;            /* the task has entered one, and not left it */
    int is_inside;           /* and it is its turn */
    int is_first;            /* the task for which it waited makes no more transactions */
};

struct scion_parallel;

/*
 * Before the tasks of a file do something else together: this task makes no more transactions, even
 * if it is inside of one, so no other one waits for it.
 */
int scion_end_turns(struct scion_parallel *parallel);

/* After that: wait until the task before says the same, so that no message stays on its way. */
int scion_await_turns(struct scion_parallel *parallel);

#endif
