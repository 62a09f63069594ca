/* What every task asks for at an open, and whether all ask for the same. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "parallel/private.h"

void scion_fill_request(struct scion_opening *opening)
{
    const struct scion_parallel_args *args = opening->args;

    opening->request = (struct scion_request){
        .petition.status = args->status,
        .writing = args->mode.access == SCION_ACCESS_WRITE,
        .nfiles = args->nfiles > 0 ? args->nfiles : 0,
        .leader = args->leader,
        .lrank = args->lrank,
        .lsize = args->lsize,
        .rank = opening->parallel->global->rank,
        .filenumber = args->seated ? args->filenumber : -1,
        .chunksize = args->chunksize,
        .name_hash = args->status == 0 ? (sion_int64)scion_hash_name(args->name) : 0,
        .buddies = args->mode.buddies,
        .divided = args->divided,
    };
}

int scion_check_requests(const struct scion_request *requests, int n)
{
    int i;

    for (i = 1; i < n; i++) {
        if (requests[i].writing != requests[0].writing)
            return scion_fail(SION_ERR_MISMATCH, "rank %d opens for %s, rank 0 for %s", i,
                              requests[i].writing ? "writing" : "reading",
                              requests[0].writing ? "writing" : "reading");
        if (requests[i].buddies != requests[0].buddies)
            return scion_fail(SION_ERR_MISMATCH, "rank %d asks for %d copies, rank 0 for %d", i,
                              requests[i].buddies, requests[0].buddies);
        if (requests[0].writing && (requests[i].nfiles != requests[0].nfiles ||
                                    requests[i].divided != requests[0].divided))
            return scion_fail(SION_ERR_MISMATCH, "rank %d asks for %d files, rank 0 for %d", i,
                              requests[i].nfiles + requests[i].divided,
                              requests[0].nfiles + requests[0].divided);
    }
    return 0;
}

/* A decision on an open, as scion_consult() knows it. */
struct asking {
    struct scion_opening *opening;
    scion_decide_opening *decide;
};

static int decide(void *context, const void *requests, int n, void *replies, int *blamed)
{
    const struct asking *asking = context;

    (void)blamed;
    return asking->decide(asking->opening, requests, n, replies);
}

/* Finding out the node is collective, so rank 0 says whether it is needed. */
int scion_ask_as(const struct scion_consultation *how, struct scion_opening *opening, void *reply)
{
    const struct scion_reply *decision = reply;
    int rc;

    opening->request.capability = scion_capability(how->comm);
    rc = scion_consult(how, &opening->request, reply);
    if (rc != 0 || !decision->needs_nodes)
        return rc;
    opening->has_nodes = 1;
    opening->request.petition.status = scion_node(how->comm, &opening->request.node);
    return scion_consult(how, &opening->request, reply);
}

int scion_ask(struct scion_comm *comm, struct scion_opening *opening,
              scion_decide_opening *function)
{
    struct asking asking = {opening, function};
    const struct scion_consultation how = {
        .comm = comm,
        .global = opening->parallel->global,
        .request = sizeof opening->request,
        .reply = sizeof opening->reply,
        .decide = decide,
        .context = &asking,
    };

    return scion_ask_as(&how, opening, &opening->reply);
}
