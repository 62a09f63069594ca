/* The key-value indexes of the tasks that can be selected. */
#include "file/container.h"

#include <stdlib.h>

#include "base/error.h"
#include "file/private.h"

static struct scion_keyval **slot_of(struct scion_container *container)
{
    int several = scion_container_has_tasks(container) && container->ntasks > 0;
    size_t n = several ? (size_t)container->ntasks : 1;

    if (!container->indexes.keyvals) {
        container->indexes.keyvals = calloc(n, sizeof *container->indexes.keyvals);
        container->indexes.n = (int)n;
    }
    if (!container->indexes.keyvals)
        return NULL;
    return &container->indexes.keyvals[several ? container->selected : 0];
}

int scion_container_keyval(struct scion_container *container, struct scion_keyval **keyval)
{
    struct scion_keyval **slot = slot_of(container);
    int rc = slot ? 0 : scion_fail_memory("key-value index");

    if (rc == 0 && !*slot) {
        rc = scion_keyval_new(container->head.swapped, slot);
        if (rc == 0 && container->indexes.one_key)
            scion_keyval_restrict(*slot, container->indexes.key);
    }
    if (rc == 0)
        *keyval = *slot;
    return rc;
}

int scion_container_copy_keyvals(const struct scion_container *container, int task,
                                 struct scion_container *duplicate)
{
    const uint64_t *key = duplicate->indexes.one_key ? &duplicate->indexes.key : NULL;
    int of_one = duplicate->ntasks == 1 || !scion_container_has_tasks(duplicate);
    int first = task >= 0 && container->indexes.n > 1 ? task : 0, i, rc = 0;

    if (!container->indexes.keyvals)
        return 0;
    duplicate->indexes.n = of_one ? 1 : container->indexes.n;
    duplicate->indexes.keyvals =
        calloc((size_t)duplicate->indexes.n, sizeof *duplicate->indexes.keyvals);
    if (!duplicate->indexes.keyvals)
        return scion_fail_memory("key-value index");
    for (i = 0; i < duplicate->indexes.n && rc == 0; i++) {
        if (container->indexes.keyvals[first + i])
            rc = scion_keyval_copy(container->indexes.keyvals[first + i], key,
                                   &duplicate->indexes.keyvals[i]);
    }
    return rc;
}

static struct scion_keyval **find_index(const struct scion_container *container, int task)
{
    const struct scion_indexes *indexes = &container->indexes;

    return indexes->keyvals ? &indexes->keyvals[indexes->n > 1 ? task : 0] : NULL;
}

void scion_container_drop_keys(struct scion_container *container, int task, sion_int64 bytes)
{
    struct scion_keyval **index = find_index(container, task);

    if (!index || !*index || bytes == 0 || scion_keyval_drop(index, bytes) == 0)
        return;
    scion_keyval_free(*index); /* it is made anew, and all keys are read from their starts */
    *index = NULL;
}

void scion_container_forget_keys(struct scion_container *container)
{
    scion_indexes_free(&container->indexes);
    container->indexes.keyvals = NULL;
    container->indexes.n = 0;
}

sion_int64 scion_container_known_of_keys(const struct scion_container *container, int task)
{
    struct scion_keyval **index = find_index(container, task);

    return index && *index ? scion_keyval_known(*index) : 0;
}

void scion_indexes_free(struct scion_indexes *indexes)
{
    int i;

    for (i = 0; indexes->keyvals && i < indexes->n; i++)
        scion_keyval_free(indexes->keyvals[i]);
    free(indexes->keyvals);
}
