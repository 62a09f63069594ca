#include "api/parallel.h"

#include <string.h>

#include "api/handle.h"
#include "api/public.h"
#include "base/env.h"
#include "base/trace.h"
#include "parallel/parallel.h"

/*
 * The interface itself takes a number of the handle table, the first one in most programs, so
 * that containers are numbered as SIONlib numbers them.
 */
static int need_interface(void)
{
    static int number = -1;
    static int interface;

    if (number < 0)
        number = scion_handle_new(SCION_HANDLE_INTERFACE, &interface);
    return number < 0 ? number : 0;
}

static int check_mode(const struct sion_layer_call *call, struct scion_mode *mode)
{
    int rc = scion_name_check(call->fname), keyval;

    if (rc == 0)
        rc = scion_mode_parse(call->file_mode, mode);
    if (rc == 0 && mode->access == SCION_ACCESS_NONE)
        rc = scion_fail(SION_ERR_ARGUMENT, "unknown file mode '%s': neither reading nor writing",
                        call->file_mode);
    if (rc == 0 && call->only_reading && mode->access == SCION_ACCESS_WRITE)
        rc = scion_fail(SION_ERR_MODE, "file mode '%s' would write", call->file_mode);
    if (rc == 0 && mode->buddies > 0)
        rc = scion_fail(SION_ERR_ARGUMENT, "file mode '%s': buddy checkpoints are not supported",
                        call->file_mode);
    if (rc == 0 && mode->access == SCION_ACCESS_WRITE)
        rc = scion_mode_keyval_for_writing(mode, &keyval);
    if (rc == 0 && (mode->collective || mode->merge || mode->node_aware))
        scion_warn("collective mode is not supported, every task writes and reads by itself");
    return rc;
}

static int check_pointers(const struct sion_layer_call *call, int writing)
{
    if (!call->has_local)
        return scion_fail(SION_ERR_ARGUMENT, "lComm is NULL");
    if (!call->numFiles || (call->seated && !call->filenumber))
        return scion_fail(SION_ERR_ARGUMENT, "%s is NULL",
                          call->numFiles ? "filenumber" : "numFiles");
    if (!writing)
        return 0;
    if (!call->chunksize || !call->fsblksize || !call->globalrank)
        return scion_fail(SION_ERR_ARGUMENT,
                          "writing needs chunksize, fsblksize and globalrank, and one is NULL");
    if (call->seated && (!call->lrank || !call->lsize))
        return scion_fail(SION_ERR_ARGUMENT, "writing needs lrank and lsize, and one is NULL");
    if (*call->chunksize < 0)
        return scion_fail(SION_ERR_ARGUMENT, "chunk size is %lld", *call->chunksize);
    return 0;
}

static int fill_files(const struct sion_layer_call *call, struct scion_parallel_args *args)
{
    int rc;

    args->nfiles = *call->numFiles;
    if (call->seated) {
        args->seated = 1;
        args->filenumber = *call->filenumber;
        args->lrank = *call->lrank;
        args->lsize = *call->lsize;
        return 0;
    }
    if (args->nfiles > 0)
        return 0;
    rc = call->find_leader(call->data, &args->leader, &args->lrank, &args->lsize);
    if (rc > 0)
        args->nfiles = 1;
    return rc < 0 ? scion_fail(SION_ERR_MISMATCH,
                               "the local communicator is not a part of the global one")
                  : 0;
}

static int fill_args(const struct sion_layer_call *call, struct scion_parallel_args *args)
{
    int rc = check_mode(call, &args->mode);
    int writing = args->mode.access == SCION_ACCESS_WRITE;

    if (rc == 0)
        rc = check_pointers(call, writing);
    if (rc != 0)
        return rc;
    args->name = call->fname;
    args->want_stream = call->fileptr != NULL;
    args->name_of_file = call->name_of_file;
    if (!writing)
        return 0;
    args->chunksize = *call->chunksize;
    args->fsblksize = *call->fsblksize;
    return fill_files(call, args);
}

/* The rank that prints what all have in common: 0, or the one that SION_ERROR_MSG_RANK asks for. */
static int is_speaker(int rank, int size)
{
    long long wanted;

    if (!scion_env_number("ERROR_MSG_RANK", &wanted) || wanted < 0 || wanted >= size)
        wanted = 0;
    return rank == wanted;
}

/* All ranks have the same failure; one prints it. */
static int fail_together(const char *function, int rank, int size, int rc)
{
    if (scion_tracing(SCION_TRACE_FUNCTION))
        scion_trace_line(SCION_TRACE_FUNCTION, function, "fails: %s", scion_error_text());
    if (is_speaker(rank, size)) {
        scion_fail_prefix("%s", function);
        scion_log_error(rank, rc);
    }
    return rc;
}

static void print_warnings(int rank, int size)
{
    if (is_speaker(rank, size))
        scion_log_warnings(rank);
    else
        scion_log_drop_warnings();
}

static int give_outputs(const struct sion_layer_call *call, struct scion_container *container,
                        int sid)
{
    scion_handle_set(sid, SCION_HANDLE_CONTAINER, container);
    *call->numFiles = container->nfiles;
    if (call->seated && !container->writing)
        *call->filenumber = container->head.filenumber;
    if (call->chunksize && !container->writing)
        *call->chunksize = container->stream.place.chunksize;
    if (call->fsblksize)
        *call->fsblksize = container->head.fsblksize;
    if (call->globalrank)
        *call->globalrank = container->rank;
    if (call->newfname)
        *call->newfname = strdup(container->name);
    /* Cannot fail: the FILE* was made while the ranks still could agree on a failure. */
    scion_api_export(container, call->fileptr);
    return scion_api_result(call->function, sid);
}

static void trace_open(const struct sion_layer_call *call, const struct scion_comm *comm)
{
    scion_trace_set_rank(call->process);
    if (scion_tracing(SCION_TRACE_FUNCTION))
        scion_trace_line(SCION_TRACE_FUNCTION, call->function, "'%s', mode '%s', rank %d of %d",
                         call->fname ? call->fname : "NULL",
                         call->file_mode ? call->file_mode : "NULL", comm->rank, comm->size);
}

int sion_layer_open(struct scion_comm *comm, const struct sion_layer_call *call)
{
    static int reserved;
    struct scion_parallel_args args = {0};
    struct scion_container *container;
    int rank, size, sid;

    if (!comm) {
        scion_fail(SION_ERR_ARGUMENT, "no communicator");
        return scion_api_fail(call->function, NULL, -1);
    }
    rank = comm->rank;
    size = comm->size;
    trace_open(call, comm);
    args.status = fill_args(call, &args);
    sid = call->has_interface || need_interface() == 0
              ? scion_handle_new(SCION_HANDLE_PART, &reserved)
              : -1;
    if (args.status == 0 && sid < 0)
        args.status = SION_ERR_MEMORY;
    if (scion_parallel_open(comm, &args, &container) == 0) {
        print_warnings(rank, size);
        return give_outputs(call, container, sid);
    }
    print_warnings(rank, size);
    scion_handle_cancel(sid);
    return fail_together(call->function, rank, size, -1);
}

/* The container of a sid that a parallel open made, or NULL with a message that it returns rc. */
static struct scion_container *get_parallel(const char *function, int sid, int rc)
{
    struct scion_container *container = scion_api_get(function, sid, rc);

    if (container && scion_parallel_rank(container) < 0) {
        scion_fail(SION_ERR_MODE, "sid %d was not opened in parallel", sid);
        scion_api_fail(function, container, rc);
        return NULL;
    }
    return container;
}

int sion_layer_close(const char *function, int sid)
{
    struct scion_container *container = get_parallel(function, sid, -1);
    int rank, size;

    if (!container)
        return -1;
    rank = scion_parallel_rank(container);
    size = scion_parallel_size(container);
    scion_handle_free(sid);
    if (scion_parallel_close(container) != 0)
        return fail_together(function, rank, size, -1);
    return scion_api_result(function, SION_SUCCESS);
}

int sion_layer_reinit(const char *function, int sid, sion_int64 chunksize)
{
    struct scion_container *container = get_parallel(function, sid, -1);
    int status = 0;

    if (!container)
        return -1;
    if (!container->writing) {
        scion_fail(SION_ERR_MODE, "container is open for reading");
        return scion_api_fail(function, container, SION_NOT_SUCCESS);
    }
    if (chunksize < 0)
        status = scion_fail(SION_ERR_ARGUMENT, "chunk size is %lld", chunksize);
    if (scion_parallel_restart(container, status, chunksize) != 0)
        return fail_together(function, scion_parallel_rank(container),
                             scion_parallel_size(container), SION_NOT_SUCCESS);
    return scion_api_result(function, SION_SUCCESS);
}

int sion_layer_check(struct scion_comm *comm, const struct sion_layer_call *call)
{
    int sid, readable;

    scion_log_begin_quiet();
    sid = sion_layer_open(comm, call);
    readable = sid >= 0 && sion_layer_close(call->function, sid) == SION_SUCCESS;
    scion_log_end_quiet();
    return readable;
}

int sion_layer_transaction(const char *function, int sid, int entering)
{
    struct scion_container *container = get_parallel(function, sid, SION_NOT_SUCCESS);
    int rc;

    if (!container)
        return SION_NOT_SUCCESS;
    rc = entering ? scion_parallel_enter(container) : scion_parallel_leave(container);
    if (rc != 0)
        return scion_api_fail(function, container, SION_NOT_SUCCESS);
    return scion_api_result(function, SION_SUCCESS);
}
