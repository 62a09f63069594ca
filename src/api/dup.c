#include "api/public.h"

#include "api/handle.h"
#include "file/mapped.h"

static int check_dup(const struct scion_container *container, int mode, int rank)
{
    if (!scion_container_is_shared(container) || container->writing)
        return scion_fail(SION_ERR_MODE,
                          "mode not implemented: only containers opened for reading in parallel "
                          "can be duplicated");
    if (mode != SION_DUP_ALL && mode != SION_DUP_RANK && mode != SION_DUP_RANK_KEY)
        return scion_fail(SION_ERR_ARGUMENT, "mode %d not implemented", mode);
    if (mode == SION_DUP_RANK_KEY && container->keyval != SION_KEYVAL_INLINE)
        return scion_fail(SION_ERR_MODE, "SION_DUP_RANK_KEY needs a key-value container");
    if (container->view == SCION_VIEW_MAPPED)
        return 0;
    if (mode != SION_DUP_ALL && rank != container->rank && rank != container->lrank)
        return scion_fail(SION_ERR_ARGUMENT, "rank %d is not the one that was opened, %d", rank,
                          container->rank);
    return 0;
}

/* Of a mapped container the rank says which of the process's tasks. */
static int duplicate_mapped(struct scion_container *container, int mode, int rank,
                            struct scion_container **duplicate)
{
    int task = -1;

    if (mode != SION_DUP_ALL) {
        task = scion_container_find_attached(container, rank);
        if (task < 0)
            return scion_fail(SION_ERR_ARGUMENT, "rank %d is not one of those that were opened",
                              rank);
    }
    return scion_container_duplicate_mapped(container, task, duplicate);
}

int sion_dup(int sid, int mode, int rank, uint64_t key)
{
    struct scion_container *container = scion_api_get(__func__, sid, -1), *duplicate;
    int rc;

    if (!container)
        return -1;
    rc = check_dup(container, mode, rank);
    if (rc == 0)
        rc = container->view == SCION_VIEW_MAPPED
                 ? duplicate_mapped(container, mode, rank, &duplicate)
                 : scion_container_duplicate(container, &duplicate);
    if (rc == 0) {
        duplicate->one_key = container->one_key || mode == SION_DUP_RANK_KEY;
        duplicate->key = container->one_key ? container->key : key;
        rc = scion_handle_new(SCION_HANDLE_CONTAINER, duplicate);
        if (rc < 0)
            scion_container_close(duplicate);
    }
    return rc >= 0 ? scion_api_result(__func__, rc) : scion_api_fail(__func__, container, -1);
}

int sion_dedup(int sid)
{
    struct scion_container *container = scion_api_get(__func__, sid, -1);

    if (!container)
        return -1;
    if (!scion_container_is_shared(container) || container->parallel) {
        scion_fail(SION_ERR_MODE, "sid %d is no duplicate", sid);
        return scion_api_fail(__func__, container, SION_NOT_SUCCESS);
    }
    scion_handle_free(sid);
    if (scion_container_close(container) != 0)
        return scion_api_fail(__func__, NULL, SION_NOT_SUCCESS);
    return scion_api_result(__func__, SION_SUCCESS);
}
