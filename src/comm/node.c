/* Which tasks are on the same node. */
#include <stdint.h>
#include <unistd.h>

#include "base/env.h"
#include "base/error.h"
#include "base/hash.h"
#include "comm/comm.h"

/* Bit 62 is set, so it differs from every number of a communicator, which is a rank. */
static sion_int64 number_of(const char *name)
{
    return (sion_int64)(scion_hash_name(name) >> 2 | UINT64_C(1) << 62);
}

/* All tasks ask the communicator, because that may be collective, even if SION_NODE is set. */
int scion_node(struct scion_comm *comm, sion_int64 *node)
{
    const char *name = scion_env("NODE");
    char host[256] = "";
    int rc = 0;

    if (comm->ops->node)
        rc = comm->ops->node(comm, node);
    else if (!name && gethostname(host, sizeof host - 1) == 0)
        name = host;
    if (name)
        *node = number_of(name);
    else if (!comm->ops->node)
        *node = 0;
    return rc == 0 ? 0 : scion_fail(SION_ERR_COMM, "finding the tasks of a node failed (%d)", rc);
}
