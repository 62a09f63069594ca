/* Duplicates of containers that are read. */
#include "api/public.h"

#include "api/handle.h"
#include "file/mapped.h"

static int check_dup(const struct scion_container *container, int mode)
{
    if (scion_container_is_writing(container))
        return scion_fail(SION_ERR_MODE, "the container is open for writing, and only one that is "
                                         "open for reading can be duplicated");
    if (mode != SION_DUP_ALL && mode != SION_DUP_RANK && mode != SION_DUP_RANK_KEY)
        return scion_fail(SION_ERR_ARGUMENT,
                          "the mode of a duplicate is SION_DUP_ALL, "
                          "SION_DUP_RANK or SION_DUP_RANK_KEY, not %d",
                          mode);
    if (mode == SION_DUP_RANK_KEY && scion_container_keyval_mode(container) != SION_KEYVAL_INLINE)
        return scion_fail(SION_ERR_MODE, "SION_DUP_RANK_KEY needs a key-value container");
    return 0;
}

/* If a container has one task, any rank means that task. */
static int choose_task(const struct scion_container *container, int mode, int rank, int *task)
{
    *task = -1;
    if (mode == SION_DUP_ALL || !scion_container_has_tasks(container))
        return 0;
    *task =
        scion_container_is_mapped(container) ? scion_container_find_rank(container, rank) : rank;
    if (*task < 0 || *task >= scion_container_ntasks(container))
        return scion_fail(SION_ERR_ARGUMENT, "rank %d is not one of those that were opened", rank);
    return 0;
}

int sion_dup(int sid, int mode, int rank, uint64_t key)
{
    struct scion_container *container = scion_api_get(__func__, sid, -1), *duplicate;
    int task, rc;

    if (!container)
        return -1;
    rc = check_dup(container, mode);
    if (rc == 0)
        rc = choose_task(container, mode, rank, &task);
    if (rc == 0)
        rc = scion_container_duplicate(container, task, mode == SION_DUP_RANK_KEY ? &key : NULL,
                                       &duplicate);
    if (rc == 0) {
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
    if (!scion_container_is_duplicate(container)) {
        scion_fail(SION_ERR_MODE, "sid %d is no duplicate", sid);
        return scion_api_fail(__func__, container, SION_NOT_SUCCESS);
    }
    scion_handle_free(sid);
    if (scion_container_close(container) != 0)
        return scion_api_fail(__func__, NULL, SION_NOT_SUCCESS);
    return scion_api_result(__func__, SION_SUCCESS);
}
