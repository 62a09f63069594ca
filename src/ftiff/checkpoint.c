/* The next checkpoint: its structure and data, and what all tasks have to agree on. */
#include "ftiff/public.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/env.h"
#include "base/error.h"
#include "base/memory.h"
#include "comm/agree.h"
#include "ftiff/call.h"
#include "ftiff/names.h"

static sion_int64 now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    return (sion_int64)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int make_structure(const sion_ftiff *handle, struct scion_fti_image *image)
{
    size_t most = HASH_COUNT(handle->variables);
    struct scion_fti_demand *demands = scion_array(most + 1, sizeof *demands);
    const struct scion_fti_protected *variable;
    int n = 0, rc;

    if (!demands)
        return scion_fail_memory("structure of a checkpoint");
    for (variable = handle->variables; variable; variable = variable->hh.next)
        demands[n++] = (struct scion_fti_demand){variable->id, variable->bytes};
    image->era = handle->era;
    rc = scion_fti_grow(&handle->image, demands, n, image);
    if (rc != 0)
        scion_fail_prefix("%s", handle->path);
    free(demands);
    return rc;
}

/* The containers of the variables, each with its part of the memory. */
static int find_data(const sion_ftiff *handle, struct scion_fti_draft *draft)
{
    int i;

    draft->data = calloc((size_t)draft->image.nvars + 1, sizeof *draft->data);
    if (!draft->data)
        return scion_fail_memory("structure of a checkpoint");
    for (i = 0; i < draft->image.nvars; i++) {
        const struct scion_fti_var *var = &draft->image.vars[i];

        if (var->chunksize > 0)
            draft->data[i] =
                (const char *)scion_fti_find_protected(handle, var->id)->data + var->dptr;
    }
    return 0;
}

static long long wanted_threads(const sion_ftiff *handle)
{
    long long threads = 1;

    scion_env_number("FTI_THREADS", &threads);
    return handle->threads > 0 ? handle->threads : threads;
}

static int make_draft(const sion_ftiff *handle, int ckptid, struct scion_fti_draft *draft)
{
    struct scion_fti_name name = scion_fti_name_parse(handle->path);
    int rc;

    if (ckptid < 0)
        return scion_fail(SION_ERR_ARGUMENT, "the number of a checkpoint is %d", ckptid);
    if (name.ckptid >= 0 && name.ckptid != ckptid)
        return scion_fail(SION_ERR_ARGUMENT, "%s is the name of checkpoint %d, not %d",
                          handle->path, name.ckptid, ckptid);
    rc = make_structure(handle, &draft->image);
    if (rc == 0)
        rc = find_data(handle, draft);
    return rc == 0
               ? scion_fti_seal(&draft->image, draft->data, wanted_threads(handle), ckptid, now())
               : rc;
}

/* All tasks write the same checkpoint, in the same layout. The result is this task's. */
static int compare_calls(sion_ftiff *handle, int ckptid)
{
    sion_int64 mine = (sion_int64)ckptid * SCION_FTI_ERAS + handle->era, least = mine;
    int rc = scion_minimum(handle->comm, &least, NULL, 0);

    if (rc != 0 || least == mine)
        return rc;
    return scion_fail(SION_ERR_MISMATCH,
                      "checkpoint %d in version %d, but another task writes %lld in %lld", ckptid,
                      (int)handle->era + 1, least / SCION_FTI_ERAS, least % SCION_FTI_ERAS + 1);
}

static int checkpoint(sion_ftiff *handle, int ckptid)
{
    struct scion_fti_draft draft = {.data = NULL};
    char *path = NULL;
    int rc = compare_calls(handle, ckptid);

    if (rc == 0)
        rc = scion_fti_prepare_open(handle);
    if (rc == 0)
        rc = make_draft(handle, ckptid, &draft);
    if (rc == 0)
        rc = scion_fti_copy_name(handle->path, &path);
    rc = scion_agree(handle->comm, scion_name_rank(handle->comm, rc));
    if (rc == 0)
        rc = handle->store->write(handle, &draft);
    if (rc == 0) {
        scion_fti_adopt(handle, &draft.image, path);
        path = NULL;
    }
    scion_fti_image_clear(&draft.image);
    free(draft.data);
    free(path);
    return rc;
}

int sion_ftiff_checkpoint(sion_ftiff *handle, int ckptid)
{
    RETURN(handle, checkpoint(handle, ckptid));
}
