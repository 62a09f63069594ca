#include "api/parallel_private.h"

#include <stdlib.h>
#include <string.h>

#include "api/drain.h"
#include "api/handle.h"
#include "api/public.h"
#include "api/stats.h"
#include "api/unclosed.h"
#include "base/memory.h"
#include "base/trace.h"
#include "comm/agree.h"
#include "geometry/split.h"
#include "parallel/parallel.h"
#include "parallel/tables.h"

/*
 * The interface itself takes a number of the handle table, the first one in most programs, so
 * that containers are numbered as SIONlib numbers them.
 */
static int need_interface(void)
{
    static int number = -1;
    static int interface;

    return scion_handle_need(&number, SCION_HANDLE_INTERFACE, &interface);
}

/* keyval: of a container that is written. */
static int check_buddies(const struct sion_layer_call *call, const struct scion_mode *mode,
                         int keyval)
{
    const char *why = call->mapped                    ? "a mapped container"
                      : call->kind == SION_LAYER_OMP  ? "OpenMP"
                      : call->kind == SION_LAYER_OMPI ? "OpenMP in MPI"
                      : mode->merge                   ? "merging collectors"
                      : keyval == SION_KEYVAL_INLINE  ? "key-value records"
                                                      : NULL;

    return why ? scion_fail(SION_ERR_ARGUMENT, "file mode '%s': no buddy checkpoints with %s",
                            call->file_mode, why)
               : 0;
}

static void refuse_for_mapped(const struct sion_layer_call *call, const struct scion_mode *mode)
{
    scion_api_cannot_stage(call->fname, mode, "a mapped container");
    if (mode->publish == SCION_PUBLISH_BY_WORD)
        scion_warn("%s is not published by the clock: a mapped container has no calls of all tasks",
                   call->fname);
}

int scion_layer_check_mode(const struct sion_layer_call *call, struct scion_mode *mode)
{
    int rc = scion_name_check(call->fname), keyval = SION_KEYVAL_NONE;

    if (rc == 0)
        rc = scion_mode_parse(call->file_mode, mode);
    if (rc == 0 && mode->access == SCION_ACCESS_NONE)
        rc = scion_fail(SION_ERR_ARGUMENT, "unknown file mode '%s': neither reading nor writing",
                        call->file_mode);
    if (rc == 0 && call->only_reading && mode->access == SCION_ACCESS_WRITE)
        rc = scion_fail(SION_ERR_MODE, "file mode '%s' would write", call->file_mode);
    if (rc == 0 && mode->access == SCION_ACCESS_WRITE)
        rc = scion_mode_keyval_for_writing(mode, &keyval);
    if (rc == 0 && mode->buddies > 0)
        rc = check_buddies(call, mode, keyval);
    if (rc == 0 && call->mapped)
        refuse_for_mapped(call, mode);
    return rc == 0 ? scion_api_settle(call->fname, mode) : rc;
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

/* The files that the program asks for; if that is one, the mode may say another number. */
static int wanted_files(const struct sion_layer_call *call, const struct scion_mode *mode)
{
    int has_number = mode->files > 0 || mode->files == SCION_FILES_WRITERS;

    return *call->numFiles == 1 && has_number
               ? scion_files_for_writers(mode->files, call->processes->size)
               : *call->numFiles;
}

/* Divide processes over files: the first task of a file's first process leads the file's tasks. */
static int divide_processes(const struct sion_layer_call *call, int rank,
                            struct scion_parallel_args *args)
{
    const struct sion_layer_processes *processes = call->processes;
    int nfiles = wanted_files(call, &args->mode), leader;
    struct scion_seat seat;

    if (nfiles > processes->size)
        return scion_fail(SION_ERR_ARGUMENT,
                          "Number of files(%d) cannot be bigger than the number of processes(%d), "
                          "aborting...",
                          nfiles, processes->size);
    seat = scion_split_evenly(processes->rank, processes->size, nfiles);
    leader = processes->rank - seat.lrank;
    args->divided = nfiles;
    args->leader = processes->first[leader];
    args->lrank = rank - args->leader;
    args->lsize = processes->first[leader + seat.lsize] - args->leader;
    return 0;
}

static int fill_files(const struct sion_layer_call *call, int rank,
                      struct scion_parallel_args *args)
{
    int rc;

    if (*call->numFiles > 0 && call->processes)
        return divide_processes(call, rank, args);
    args->nfiles = *call->numFiles;
    if (call->seated) {
        if (*call->filenumber < 0)
            return scion_fail(SION_ERR_ARGUMENT, "file number %d", *call->filenumber);
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

/* The groups that read a buddy checkpoint. */
static int fill_readers(const struct sion_layer_call *call, struct scion_parallel_args *args)
{
    int rc;

    if (call->seated) {
        if (!call->lrank)
            return scion_fail(SION_ERR_ARGUMENT, "a buddy checkpoint needs lrank, and it is NULL");
        args->lrank = *call->lrank;
        return 0;
    }
    rc = call->find_leader(call->data, &args->leader, &args->lrank, &args->lsize);
    return rc == 0 ? 0
                   : scion_fail(SION_ERR_MISMATCH,
                                "a buddy checkpoint is read by groups, and the local communicator "
                                "is no part of the global one");
}

static int fill_args(const struct sion_layer_call *call, int rank, struct scion_parallel_args *args)
{
    int rc = scion_layer_check_mode(call, &args->mode);
    int writing = args->mode.access == SCION_ACCESS_WRITE;

    if (rc == 0)
        rc = check_pointers(call, writing);
    if (rc != 0)
        return rc;
    args->name = call->fname;
    args->want_stream = call->fileptr != NULL;
    args->name_of_file = call->name_of_file;
    if (!writing)
        return args->mode.buddies > 0 ? fill_readers(call, args) : 0;
    args->chunksize = *call->chunksize;
    args->fsblksize = *call->fsblksize;
    return fill_files(call, rank, args);
}

void scion_layer_expect_close(struct scion_container *container)
{
    int rank = scion_parallel_rank(container), size = scion_parallel_size(container);

    scion_unclosed_add(container, scion_parallel_kind(container), scion_api_is_speaker(rank, size));
}

/* All ranks have the same failure, and one prints it. */
int scion_layer_fail_together(const char *function, int rank, int size, int rc)
{
    if (scion_tracing(SCION_TRACE_FUNCTION))
        scion_trace_line(SCION_TRACE_FUNCTION, function, "fails: %s", scion_error_text());
    if (scion_api_is_speaker(rank, size)) {
        scion_fail_prefix("%s", function);
        scion_log_error(rank, rc);
    }
    return rc;
}

int sion_layer_report(const char *function, int rank, int size, int code)
{
    return scion_layer_fail_together(function, rank, size, code);
}

int sion_layer_has_mpi(const char *function, const char *why)
{
    if (!why)
        return 1;
    scion_fail(SION_ERR_COMM, "%s", why);
    scion_api_fail(function, NULL, -1);
    return 0;
}

int sion_layer_is_merged(int sid)
{
    const struct scion_container *container = scion_api_find(sid);

    return container && scion_parallel_is_merged(container);
}

int sion_layer_is_atomic(int sid)
{
    const struct scion_container *container = scion_api_find(sid);

    return container && scion_parallel_is_atomic(container);
}

int sion_layer_is_first(int sid)
{
    const struct scion_container *container = scion_api_find(sid);

    return container && scion_parallel_comm(container)->rank == 0;
}

void sion_layer_quiet(int begin)
{
    if (begin)
        scion_log_begin_quiet();
    else
        scion_log_end_quiet();
}

static int give_outputs(const struct sion_layer_call *call, struct scion_container *container,
                        int sid)
{
    scion_layer_expect_close(container);
    scion_handle_set(sid, SCION_HANDLE_CONTAINER, container);
    *call->numFiles = scion_container_nfiles(container);
    if (call->seated && !scion_container_is_writing(container))
        *call->filenumber = scion_container_head(container)->filenumber;
    if (call->chunksize && !scion_container_is_writing(container))
        *call->chunksize = scion_container_stream(container)->place.chunksize;
    if (call->fsblksize)
        *call->fsblksize = scion_container_head(container)->fsblksize;
    if (call->globalrank)
        *call->globalrank = scion_container_rank(container);
    if (call->newfname)
        *call->newfname = strdup(scion_container_name(container));
    /* Cannot fail: the FILE* was made before the ranks agreed on the result. */
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

/* A number of the handle table for a container; -1: none is free. */
static int reserve(const struct sion_layer_call *call)
{
    static int reserved;

    return call->has_interface || need_interface() >= 0
               ? scion_handle_new(SCION_HANDLE_PART, &reserved)
               : -1;
}

int scion_layer_begin_open(const struct scion_comm *comm, const struct sion_layer_call *call,
                           int *status, struct scion_layer_opening *opening)
{
    if (!comm) {
        scion_fail(SION_ERR_ARGUMENT, "no communicator, or one between two groups");
        return scion_api_fail(call->function, NULL, -1);
    }
    scion_give_up_by(call->end_all);
    trace_open(call, comm);
    *opening = (struct scion_layer_opening){scion_seconds(), comm->rank, comm->size, reserve(call)};
    if (*status == 0 && opening->sid < 0)
        *status = SION_ERR_MEMORY;
    if (*status == 0 && scion_keep_reserve() != 0)
        *status = scion_fail_memory("reserve");
    return 0;
}

int scion_layer_end_open(const struct sion_layer_call *call,
                         const struct scion_layer_opening *opening,
                         struct scion_container *container, scion_layer_give *give)
{
    if (container)
        scion_api_note_open(container, opening->begin);
    scion_api_log_warnings(opening->rank, opening->size);
    if (container)
        return give(call, container, opening->sid);
    scion_handle_cancel(opening->sid);
    return scion_layer_fail_together(call->function, opening->rank, opening->size, -1);
}

int sion_layer_open(struct scion_comm *comm, const struct sion_layer_call *call)
{
    struct scion_parallel_args args = {
        .kind = (int)call->kind, .threads = call->threads, .is_counted = scion_stats_requested()};
    struct scion_container *container;
    struct scion_layer_opening opening;

    args.status = comm ? fill_args(call, comm->rank, &args) : 0;
    if (scion_layer_begin_open(comm, call, &args.status, &opening) != 0)
        return -1;
    if (scion_parallel_open(comm, &args, &container) != 0)
        container = NULL;
    return scion_layer_end_open(call, &opening, container, give_outputs);
}

/* 0 if this kind of interface has opened the sid; with ANY, if any has. */
static int check_kind(int sid, enum sion_layer_kind kind)
{
    static const char *const names[] = {
        [SION_LAYER_MPI] = "by MPI",
        [SION_LAYER_OMP] = "by OpenMP",
        [SION_LAYER_OMPI] = "by MPI and OpenMP",
        [SION_LAYER_GENERIC] = "by an interface of the application",
    };
    struct scion_container *container = scion_api_find(sid);
    int found, requested;

    if (!container)
        return scion_fail(SION_ERR_HANDLE, "invalid sion_filedesc, aborting %d ...", sid);
    found = scion_parallel_kind(container);
    if (found == 0)
        return scion_fail(SION_ERR_MODE, "sid %d was not opened in parallel", sid);
    if ((found & SION_LAYER_MAPPED) != ((int)kind & SION_LAYER_MAPPED))
        return scion_fail(SION_ERR_MODE, "sid %d was %sopened as a mapped container", sid,
                          found & SION_LAYER_MAPPED ? "" : "not ");
    found &= ~SION_LAYER_MAPPED;
    requested = (int)kind & ~SION_LAYER_MAPPED;
    if (requested != SION_LAYER_ANY && found != requested)
        return scion_fail(SION_ERR_MODE, "sid %d was opened %s, not %s", sid, names[found],
                          names[requested]);
    return 0;
}

int scion_layer_check_comm(const struct scion_container *container)
{
    const char *why = scion_comm_refusal(scion_parallel_comm(container));

    return why ? scion_fail(SION_ERR_COMM, "%s: %s", scion_container_name(container), why) : 0;
}

/*
 * The container of a sid that this kind of interface has opened, or NULL after printing that
 * `function` returns rc.
 */
static struct scion_container *get_parallel(const char *function, int sid,
                                            enum sion_layer_kind kind, int rc)
{
    struct scion_container *container = scion_api_find(sid);

    if (check_kind(sid, kind) == 0 && scion_layer_check_comm(container) == 0)
        return container;
    scion_api_fail(function, container, rc);
    return NULL;
}

static int close_container(const char *function, int sid, struct scion_container *container)
{
    int rank = scion_parallel_rank(container), size = scion_parallel_size(container), rc;
    struct scion_tally tally = {.own = NULL};
    struct scion_stats_report stats_report;

    scion_api_begin_close(&stats_report, container);
    tally.own = stats_report.stats;
    tally.begin = stats_report.begin;
    scion_unclosed_remove(container);
    rc = scion_parallel_close(container, &tally);
    scion_handle_free(sid);
    scion_api_end_close_together(&stats_report, tally.ranks, size);
    free(tally.ranks);
    if (rc != 0)
        return scion_layer_fail_together(function, rank, size, -1);
    scion_log_warnings(rank); /* about files that this rank has made */
    return scion_api_result(function, SION_SUCCESS);
}

int sion_layer_close(const char *function, int sid, enum sion_layer_kind kind)
{
    struct scion_container *container = get_parallel(function, sid, kind, -1);

    return container ? close_container(function, sid, container) : -1;
}

static int check_closing(const struct sion_layer_team_close *closing)
{
    int rc = check_kind(closing->sid, closing->kind), threads;

    if (rc != 0)
        return rc;
    threads = scion_parallel_threads(scion_api_find(closing->sid));
    if (threads != closing->threads)
        return scion_fail(SION_ERR_MISMATCH, "invalid number of OpenMP threads, %d <> %d",
                          closing->threads, threads);
    return 0;
}

/* On the callers' rank 0: check that every task of the container is closed once. */
static int check_tasks(const sion_int64 *tasks, int n)
{
    char *seen = scion_must_allocate((size_t)n, 1);
    int rc = 0, i;

    for (i = 0; i < n && rc == 0; i++) {
        if (tasks[i] >= n || seen[tasks[i]]++)
            rc = scion_fail(SION_ERR_HANDLE,
                            "the sids are not those of one container, one for each task");
    }
    free(seen);
    return rc;
}

/* Check that no two threads pass the same sid, which would be closed twice. */
static int compare_tasks(struct scion_comm *callers, int sid)
{
    sion_int64 task = scion_parallel_rank(scion_api_find(sid)), *tasks = NULL;
    int rc;

    if (callers->rank == 0)
        tasks = scion_must_allocate((size_t)callers->size, sizeof *tasks);
    rc = scion_gather(callers, &task, tasks, sizeof task, 0);
    if (rc == 0 && callers->rank == 0)
        rc = check_tasks(tasks, callers->size);
    free(tasks);
    return scion_agree(callers, rc);
}

int sion_layer_close_team(struct scion_comm *callers, const struct sion_layer_team_close *closing)
{
    int rc, rank, size;

    if (!callers) {
        scion_fail_memory("communicator");
        return scion_api_fail(closing->function, NULL, -1);
    }
    rank = callers->rank;
    size = callers->size;
    rc = scion_agree(callers, scion_name_rank(callers, check_closing(closing)));
    if (rc == 0)
        rc = compare_tasks(callers, closing->sid);
    scion_comm_free(callers);
    if (rc != 0)
        return scion_layer_fail_together(closing->function, rank, size,
                                         rc == SION_ERR_MISMATCH ? SION_NOT_SUCCESS : -1);
    return close_container(closing->function, closing->sid, scion_api_find(closing->sid));
}

/* NULL: the sid is not of this kind. */
static struct scion_container *find_kind(int sid, enum sion_layer_kind kind)
{
    struct scion_container *container = scion_api_find(sid);

    return container && scion_parallel_kind(container) == (int)kind ? container : NULL;
}

void sion_layer_leave_at_once(int sid, enum sion_layer_kind kind)
{
    struct scion_container *container = find_kind(sid, kind);

    if (container)
        scion_parallel_leave_at_once(container);
}

void sion_layer_leave_for_all(int sid, enum sion_layer_kind kind)
{
    struct scion_container *container = find_kind(sid, kind);

    if (container)
        scion_parallel_leave_for_all(container);
}

struct scion_comm *sion_layer_comm(int sid, enum sion_layer_kind kind)
{
    const struct scion_container *container = find_kind(sid, kind);

    return container ? scion_parallel_comm(container) : NULL;
}

int sion_layer_reinit(const char *function, int sid, enum sion_layer_kind kind,
                      sion_int64 chunksize)
{
    struct scion_container *container = get_parallel(function, sid, kind, -1);
    int status = 0;

    if (!container)
        return -1;
    if (!scion_container_is_writing(container)) {
        scion_fail(SION_ERR_MODE, "container is open for reading");
        return scion_api_fail(function, container, SION_NOT_SUCCESS);
    }
    if (chunksize < 0)
        status = scion_fail(SION_ERR_ARGUMENT, "chunk size is %lld", chunksize);
    if (scion_parallel_restart(container, status, chunksize) != 0)
        return scion_layer_fail_together(function, scion_parallel_rank(container),
                                         scion_parallel_size(container), SION_NOT_SUCCESS);
    return scion_api_result(function, SION_SUCCESS);
}

int sion_layer_publish(const char *function, int sid, enum sion_layer_kind kind)
{
    struct scion_container *container = scion_api_find(sid);
    int mapped = container ? scion_parallel_kind(container) & (int)SION_LAYER_MAPPED : 0;

    container = get_parallel(function, sid, kind | (enum sion_layer_kind)mapped, SION_NOT_SUCCESS);
    if (!container)
        return SION_NOT_SUCCESS;
    if (!scion_container_is_writing(container)) {
        scion_fail(SION_ERR_MODE, "container is open for reading");
        return scion_api_fail(function, container, SION_NOT_SUCCESS);
    }
    if (scion_parallel_publish(container) != 0)
        return scion_layer_fail_together(function, scion_parallel_rank(container),
                                         scion_parallel_size(container), SION_NOT_SUCCESS);
    return scion_api_result(function, SION_SUCCESS);
}

void scion_layer_meet(const char *function, struct scion_container *container, int of_transaction)
{
    if (scion_parallel_meet(container, of_transaction) != 0)
        scion_layer_fail_together(function, scion_parallel_rank(container),
                                  scion_parallel_size(container), 0);
}

int sion_layer_check(struct scion_comm *comm, const struct sion_layer_call *call)
{
    int sid, readable;

    scion_log_begin_quiet();
    sid = sion_layer_open(comm, call);
    readable = sid >= 0 && sion_layer_close(call->function, sid, call->kind) == SION_SUCCESS;
    scion_log_end_quiet();
    return readable;
}

int sion_layer_transaction(const char *function, int sid, int entering)
{
    struct scion_container *container =
        get_parallel(function, sid, SION_LAYER_MPI, SION_NOT_SUCCESS);
    int rc;

    if (!container)
        return SION_NOT_SUCCESS;
    rc = entering ? scion_parallel_enter(container) : scion_parallel_leave(container);
    if (rc != 0)
        return scion_api_fail(function, container, SION_NOT_SUCCESS);
    if (!entering)
        scion_layer_meet(function, container, 1);
    return scion_api_result(function, SION_SUCCESS);
}
