/* Which tasks are on the same node. */
#include <limits.h>
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

static sion_int64 number_of_host(void)
{
    char host[256] = "";

    return gethostname(host, sizeof host - 1) == 0 ? number_of(host) : 0;
}

/* All tasks ask the communicator, because that may be collective, even if SION_NODE is set. */
int scion_node(struct scion_comm *comm, sion_int64 *node)
{
    const char *name = scion_env("NODE");
    int rc = 0;

    if (comm->ops->node)
        rc = comm->ops->node(comm, node);
    if (name)
        *node = number_of(name);
    else if (!comm->ops->node)
        *node = number_of_host();
    return rc == 0 ? 0 : scion_fail(SION_ERR_COMM, "finding the tasks of a node failed (%d)", rc);
}

int scion_has_named_node(void)
{
    return scion_env("NODE") != NULL;
}

int scion_split_by_node(struct scion_comm *comm, struct scion_comm **part, sion_int64 *number)
{
    const char *name = scion_env("NODE");
    int rc;

    *number = 0;
    if (!name && comm->ops->split_by_node) {
        rc = comm->ops->split_by_node(comm, part);
        return rc == 0 ? 0
                       : scion_fail(SION_ERR_COMM, "finding the tasks of a node failed (%d)", rc);
    }
    *number = name ? number_of(name) : number_of_host();
    return scion_split(comm, (int)(*number & INT_MAX), comm->rank, part);
}
