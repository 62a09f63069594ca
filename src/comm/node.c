#include <stdint.h>
#include <unistd.h>

#include "base/env.h"
#include "base/error.h"
#include "comm/comm.h"

/* FNV-1a, with bit 62 set: never the number that a communicator gives, which is a rank. */
static sion_int64 hash_name(const char *name)
{
    uint64_t hash = 14695981039346656037u;

    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 1099511628211u;
    return (sion_int64)(hash >> 2 | UINT64_C(1) << 62);
}

/* All tasks ask the communicator, as that may be collective, whatever their environments say. */
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
        *node = hash_name(name);
    else if (!comm->ops->node)
        *node = 0;
    return rc == 0 ? 0 : scion_fail(SION_ERR_COMM, "finding the tasks of a node failed (%d)", rc);
}
