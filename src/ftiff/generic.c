/* Checkpoints of groups that are callbacks of the application. */
#include "ftiff/public.h"

#include <stdlib.h>

#include "api/parallel.h"
#include "base/error.h"
#include "ftiff/handle.h"

struct user_group {
    struct scion_fti_group group;
    int aid, rank, size;
    void *comm;
};

static struct scion_comm *again(const struct scion_fti_group *group)
{
    const struct user_group *user = (const struct user_group *)group;

    return sion_layer_generic_comm("sion_ftiff", user->aid, user->comm, user->rank, user->size);
}

static void free_group(struct scion_fti_group *group)
{
    free(group);
}

sion_ftiff *sion_ftiff_open_generic(const char *fname, int aid, void *group, int rank, int size)
{
    struct user_group *user = malloc(sizeof *user);
    struct scion_comm *comm = sion_layer_generic_begin(__func__, aid, group, rank, size,
                                                       user ? 0 : scion_fail_memory("handle"));

    if (!comm) {
        free(user);
        return NULL;
    }
    *user = (struct user_group){.group = {again, free_group, SION_LAYER_GENERIC},
                                .aid = aid,
                                .rank = rank,
                                .size = size,
                                .comm = group};
    return sion_layer_ftiff_open(__func__, fname, comm, &user->group);
}
