/*
 * Processes of sionrun on several nodes that make one container: one of each node. They tell each
 * other what is needed by small files in a folder beside the container,
 *
 *   FOLDER/.NAME.JOB.sionrun/node.R   notes of the node whose lowest rank is R
 *   FOLDER/.NAME.JOB.sionrun/N.what   what is told by the N-th collective call
 *
 * because the programs may have used MPI, and ended it, or none.
 */
#ifndef UTILS_SIONRUN_NODES_H
#define UTILS_SIONRUN_NODES_H

#include "comm/comm.h"
#include "lib/tool.h"
#include "sionrun/folder.h"

struct nodes_wait {
    int patience;      /* seconds without a sign of life from a node that works */
    int impatient;     /* the same holds until all have met */
    int reduced;       /* go on without those that are not there in time */
    int while_running; /* the programs need not have ended */

    /* Called now and then while programs run on other nodes; or NULL. */
    void (*idle)(void *context);
    /* The same: whether the other nodes go without this one, which need not meet them; or NULL. */
    int (*is_over)(void *context);
    void *context;
};

enum { NODES_GO_ALONE = TOOL_FAILED + 2 /* a result of nodes_meet(): is_over() said so */ };

/*
 * Wait until the programs of all processes of the job have ended, and get a communicator of the
 * nodes; NULL: this is the only one. *is_reduced: some are not there. TOOL_RUN, NODES_GO_ALONE, or
 * TOOL_FAILED after a message.
 */
int nodes_meet(const struct folder *folder, const char *job, const struct nodes_wait *wait,
               struct scion_comm **comm, int *is_reduced);

/* Whether another node waits in nodes_meet() for this job. */
int nodes_are_met(const struct folder *folder, const char *job);

/* Tell the others that this node works. At most one call in some seconds does something. */
void nodes_live(void *comm);

#endif
