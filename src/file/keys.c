#include "file/container.h"

#include <stdlib.h>

#include "base/error.h"
#include "file/private.h"

static struct scion_keyval **slot_of(struct scion_container *container)
{
    int several = scion_container_has_tasks(container) && container->ntasks > 0;
    size_t n = several ? (size_t)container->ntasks : 1;

    if (!container->keyvals) {
        container->keyvals = calloc(n, sizeof *container->keyvals);
        container->nkeyvals = (int)n;
    }
    if (!container->keyvals)
        return NULL;
    return &container->keyvals[several ? container->rank : 0];
}

int scion_container_keyval(struct scion_container *container, struct scion_keyval **keyval)
{
    struct scion_keyval **slot = slot_of(container);
    int rc = slot ? 0 : scion_fail_memory("key-value index");

    if (rc == 0 && !*slot) {
        rc = scion_keyval_new(container->head.swapped, slot);
        if (rc == 0 && container->one_key)
            scion_keyval_restrict(*slot, container->key);
    }
    if (rc == 0)
        *keyval = *slot;
    return rc;
}

int scion_container_copy_keyvals(const struct scion_container *container, int task,
                                 struct scion_container *duplicate)
{
    const uint64_t *key = duplicate->one_key ? &duplicate->key : NULL;
    int of_one = duplicate->ntasks == 1 || !scion_container_has_tasks(duplicate);
    int first = task >= 0 && container->nkeyvals > 1 ? task : 0, i, rc = 0;

    if (!container->keyvals)
        return 0;
    duplicate->nkeyvals = of_one ? 1 : container->nkeyvals;
    duplicate->keyvals = calloc((size_t)duplicate->nkeyvals, sizeof *duplicate->keyvals);
    if (!duplicate->keyvals)
        return scion_fail_memory("key-value index");
    for (i = 0; i < duplicate->nkeyvals && rc == 0; i++) {
        if (container->keyvals[first + i])
            rc = scion_keyval_copy(container->keyvals[first + i], key, &duplicate->keyvals[i]);
    }
    return rc;
}

void scion_container_free_keyvals(struct scion_container *container)
{
    int i;

    for (i = 0; container->keyvals && i < container->nkeyvals; i++)
        scion_keyval_free(container->keyvals[i]);
    free(container->keyvals);
}
