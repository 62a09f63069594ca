/* Mapped containers, for every kind of communicator. */
#include <stdlib.h>

#include "api/handle.h"
#include "api/parallel_private.h"
#include "api/public.h"
#include "api/stats.h"
#include "base/memory.h"
#include "file/mapped.h"
#include "parallel/parallel.h"

static int check_written(const struct sion_layer_call *call, int n)
{
    const struct sion_layer_mapped *mapped = call->mapped;
    int i;

    if (!call->fsblksize || !mapped->globalranks || !mapped->chunksizes || !mapped->filenumbers ||
        !mapped->lranks)
        return scion_fail(SION_ERR_ARGUMENT, "writing needs all maps and fsblksize, and one "
                                             "is NULL");
    if (n < 0)
        return scion_fail(SION_ERR_ARGUMENT, "%d local tasks", n);
    if (n > 0 && (!*mapped->globalranks || !*mapped->chunksizes || !*mapped->filenumbers ||
                  !*mapped->lranks))
        return scion_fail(SION_ERR_ARGUMENT, "a map of %d local tasks is NULL", n);
    for (i = 0; i < n; i++) {
        if ((*mapped->chunksizes)[i] < 0)
            return scion_fail(SION_ERR_ARGUMENT, "chunk size of task %d is %lld",
                              (*mapped->globalranks)[i], (*mapped->chunksizes)[i]);
    }
    return 0;
}

static int check_read(const struct sion_layer_mapped *mapped, int n)
{
    if (!mapped->globalranks)
        return scion_fail(SION_ERR_ARGUMENT, "globalranks is NULL");
    if (n < -1)
        return scion_fail(SION_ERR_ARGUMENT, "%d local tasks", n);
    if (n > 0 && !*mapped->globalranks)
        return scion_fail(SION_ERR_ARGUMENT, "the list of %d local tasks is NULL", n);
    if (n == -1 && *mapped->globalranks)
        return scion_fail(SION_ERR_ARGUMENT, "nlocaltasks -1 asks for a list, but there is one: "
                                             "*globalranks must be NULL");
    return 0;
}

static int fill_args(const struct sion_layer_call *call, struct scion_mapped_args *args)
{
    const struct sion_layer_mapped *mapped = call->mapped;
    int rc = scion_layer_check_mode(call, &args->mode), n, writing;

    if (rc != 0)
        return rc;
    if (!mapped->nlocaltasks || !call->numFiles)
        return scion_fail(SION_ERR_ARGUMENT, "%s is NULL",
                          call->numFiles ? "nlocaltasks" : "numFiles");
    n = *mapped->nlocaltasks;
    writing = args->mode.access == SCION_ACCESS_WRITE;
    rc = writing ? check_written(call, n) : check_read(mapped, n);
    if (rc != 0)
        return rc;
    args->name = call->fname;
    args->name_of_file = call->name_of_file;
    args->want_stream = call->fileptr != NULL;
    args->ntasks = n;
    args->globalranks = *mapped->globalranks;
    if (!writing)
        return 0;
    args->chunksizes = *mapped->chunksizes;
    args->filenumbers = *mapped->filenumbers;
    args->lranks = *mapped->lranks;
    args->nfiles = *call->numFiles;
    args->fsblksize = *call->fsblksize;
    return 0;
}

/*
 * An output array: the caller's, or a new one for the caller; NULL if the caller has passed NULL.
 */
#define OUTPUT_ARRAY(pointer, n)                                                                   \
    (!(pointer) ? NULL                                                                             \
     : *(pointer)                                                                                  \
         ? *(pointer)                                                                              \
         : (*(pointer) = scion_must_allocate((size_t)(n) + ((n) == 0), sizeof **(pointer))))

static void give_maps(const struct sion_layer_mapped *mapped,
                      const struct scion_container *container)
{
    int n = scion_container_ntasks(container), i;
    int *ranks = OUTPUT_ARRAY(mapped->globalranks, n);
    sion_int64 *chunksizes = OUTPUT_ARRAY(mapped->chunksizes, n);
    int *filenumbers = OUTPUT_ARRAY(mapped->filenumbers, n);
    int *lranks = OUTPUT_ARRAY(mapped->lranks, n);

    *mapped->nlocaltasks = n;
    for (i = 0; i < n; i++) {
        const struct scion_task_place *task = scion_container_task_place(container, i);

        ranks[i] = task->rank;
        if (chunksizes)
            chunksizes[i] = task->place.chunksize;
        if (filenumbers)
            filenumbers[i] = task->file;
        if (lranks)
            lranks[i] = task->lrank;
    }
}

static int give_outputs(const struct sion_layer_call *call, struct scion_container *container,
                        int sid)
{
    scion_layer_expect_close(container);
    scion_handle_set(sid, SCION_HANDLE_CONTAINER, container);
    *call->numFiles = scion_container_nfiles(container);
    if (call->fsblksize)
        *call->fsblksize = scion_container_head(container)->fsblksize;
    if (!scion_container_is_writing(container))
        give_maps(call->mapped, container);
    if (scion_container_ntasks(container) > 0)
        scion_api_export(container, call->fileptr);
    else if (call->fileptr)
        *call->fileptr = NULL;
    return scion_api_result(call->function, sid);
}

/* args->status says whether the call's arguments are in args. */
static int open_tasks(struct scion_comm *comm, const struct sion_layer_call *call,
                      struct scion_mapped_args *args, scion_layer_give *give)
{
    struct scion_container *container;
    struct scion_layer_opening opening;

    if (scion_layer_begin_open(comm, call, &args->status, &opening) != 0)
        return -1;
    args->is_counted = scion_stats_requested();
    if (scion_parallel_open_mapped(comm, args, &container) != 0)
        container = NULL;
    return scion_layer_end_open(call, &opening, container, give);
}

int sion_layer_open_mapped(struct scion_comm *comm, const struct sion_layer_call *call)
{
    struct scion_mapped_args args = {.kind = (int)call->kind | SION_LAYER_MAPPED, .threads = 1};

    args.status = comm ? fill_args(call, &args) : 0;
    return open_tasks(comm, call, &args, give_outputs);
}

/* ---- shares ---- */

static int fill_share(const struct sion_layer_call *call, struct scion_mapped_args *args)
{
    const struct sion_layer_shared *shared = call->shared;
    int rc = scion_layer_check_mode(call, &args->mode);

    if (rc != 0)
        return rc;
    if (args->mode.buddies > 0)
        return scion_fail(SION_ERR_ARGUMENT, "file mode '%s': copies are not read by shares",
                          call->file_mode);
    if (args->mode.keyval == SION_KEYVAL_NOTSET)
        args->mode.keyval = SION_KEYVAL_UNKNOWN; /* of either kind */
    if (!shared->ntasks || !shared->ranks)
        return scion_fail(SION_ERR_ARGUMENT, "%s is NULL", shared->ntasks ? "ranks" : "ntasks");
    if (shared->by != SION_SHARE_TASKS && shared->by != SION_SHARE_BYTES)
        return scion_fail(SION_ERR_ARGUMENT,
                          "by is %d, neither SION_SHARE_TASKS nor SION_SHARE_BYTES", shared->by);
    args->name = call->fname;
    args->name_of_file = call->name_of_file;
    args->ntasks = shared->by == SION_SHARE_TASKS ? SCION_SHARE_BY_TASKS : SCION_SHARE_BY_BYTES;
    return 0;
}

static int give_share(const struct sion_layer_call *call, struct scion_container *container,
                      int sid)
{
    scion_handle_set(sid, SCION_HANDLE_CONTAINER, container);
    *call->shared->ntasks = scion_container_ntasks(container);
    *call->shared->ranks = scion_parallel_ranks(container);
    return scion_api_result(call->function, sid);
}

int sion_layer_open_shared(struct scion_comm *comm, const struct sion_layer_call *call)
{
    struct scion_mapped_args args = {.kind = (int)call->kind, .threads = call->threads};
    struct sion_layer_call reading = *call;

    reading.only_reading = 1;
    args.status = comm ? fill_share(&reading, &args) : 0;
    return open_tasks(comm, &reading, &args, give_share);
}
