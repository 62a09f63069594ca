/* Containers that one process opens: all tasks, or one rank. */
#include <stdlib.h>

#include "api/public.h"

#include "api/drain.h"
#include "api/handle.h"
#include "api/stats.h"
#include "api/unclosed.h"
#include "base/memory.h"
#include "base/trace.h"

static void trace_open(const char *function, const char *fname, const char *file_mode)
{
    if (scion_tracing(SCION_TRACE_FUNCTION))
        scion_trace_line(SCION_TRACE_FUNCTION, function, "'%s', mode '%s'", fname ? fname : "NULL",
                         file_mode ? file_mode : "NULL");
}

static int check_mode(const char *fname, const char *file_mode, struct scion_mode *mode)
{
    int rc = scion_name_check(fname);

    if (rc == 0)
        rc = scion_mode_parse(file_mode, mode);
    if (rc == 0)
        scion_api_cannot_stage(fname, mode, "a container that one process writes");
    return rc == 0 ? scion_api_settle(fname, mode) : rc;
}

static int take_sid(struct scion_container *container)
{
    return scion_handle_new(SCION_HANDLE_CONTAINER, container);
}

/* Take numbers as SIONlib does: one for each file of a set; the second is the container's sid. */
static int take_numbers(struct scion_container *container)
{
    int nfiles = scion_container_mapping(container) ? scion_container_nfiles(container) : 0;
    struct scion_api_numbers *files;
    int sid = -1, number;

    if (nfiles == 0)
        return take_sid(container);
    files = malloc(sizeof *files + (size_t)nfiles * sizeof *files->numbers);
    if (!files)
        return scion_fail_memory("numbers of files");
    files->n = 0;
    scion_container_own(container, &scion_api_owner, files);
    while (files->n < nfiles) {
        number = scion_handle_new(SCION_HANDLE_PART, container);
        if (number < 0)
            return number;
        files->numbers[files->n++] = number;
        if (files->n == 1)
            sid = take_sid(container);
    }
    return sid;
}

/* Give a container its sid, and the caller its FILE*. On an error, close it. */
static int finish_open(const char *function, struct scion_container *container, double begin,
                       FILE **fileptr)
{
    int rc = scion_api_export(container, fileptr);
    int sid = rc == 0 ? take_numbers(container) : rc;

    if (sid < 0) {
        scion_api_dispose(-1, container);
        return scion_api_fail(function, NULL, -1);
    }
    scion_container_warn_merged(container);
    scion_log_warnings(-1);
    scion_unclosed_add(container, 0, 1);
    scion_api_count_from(container, begin);
    return scion_api_result(function, sid);
}

static int check_plan(const int *ntasks, const int *nfiles, sion_int64 *const *chunksizes,
                      const sion_int32 *fsblksize, int *const *globalranks)
{
    int t;

    if (!ntasks || !nfiles || !chunksizes || !*chunksizes || !fsblksize || !globalranks ||
        !*globalranks)
        return scion_fail(SION_ERR_ARGUMENT, "writing needs ntasks, nfiles, chunksizes, fsblksize "
                                             "and globalranks, and one of them is NULL");
    if (*ntasks < 1)
        return scion_fail(SION_ERR_ARGUMENT, "number of tasks is %d, at least 1 is needed",
                          *ntasks);
    if (*nfiles > 1)
        return scion_fail(SION_ERR_ARGUMENT,
                          "number of files is %d: a serial program writes one physical file",
                          *nfiles);
    for (t = 0; t < *ntasks; t++) {
        if ((*chunksizes)[t] < 0)
            return scion_fail(SION_ERR_ARGUMENT, "chunk size of task %d is %lld", t,
                              (*chunksizes)[t]);
    }
    return 0;
}

/* Copy the sizes and ranks of all tasks to the caller's arrays, or to new ones. */
static int give_tasks(struct scion_container *container, sion_int64 **chunksizes, int **globalranks)
{
    size_t n = (size_t)scion_container_ntasks(container);
    int new_sizes = chunksizes && !*chunksizes, new_ranks = globalranks && !*globalranks, t;
    sion_int64 *sizes = new_sizes    ? scion_array_to_fill(n, sizeof *sizes)
                        : chunksizes ? *chunksizes
                                     : NULL;
    int *ranks = new_ranks     ? scion_array_to_fill(n, sizeof *ranks)
                 : globalranks ? *globalranks
                               : NULL;

    if ((new_sizes && !sizes) || (new_ranks && !ranks)) {
        if (new_sizes)
            free(sizes);
        if (new_ranks)
            free(ranks);
        return scion_fail_memory("array for the caller");
    }
    for (t = 0; t < scion_container_ntasks(container); t++) {
        const struct scion_physical *physical;
        int file, lrank;

        scion_container_locate(container, t, &file, &lrank);
        physical = scion_container_file(container, file);
        if (sizes)
            sizes[t] = physical->chunksizes[lrank];
        if (ranks)
            ranks[t] = (int)physical->globalranks[lrank];
    }
    if (chunksizes)
        *chunksizes = sizes;
    if (globalranks)
        *globalranks = ranks;
    return 0;
}

static int open_reading(const char *fname, const struct scion_mode *mode, sion_int64 **chunksizes,
                        int **globalranks, struct scion_container **container)
{
    int rc = scion_container_open(fname, mode, container);

    if (rc != 0)
        return rc;
    rc = give_tasks(*container, chunksizes, globalranks);
    if (rc != 0)
        scion_container_close(*container);
    return rc;
}

int sion_open(char *fname, const char *file_mode, int *ntasks, int *nfiles, sion_int64 **chunksizes,
              sion_int32 *fsblksize, int **globalranks, FILE **fileptr)
{
    double begin = scion_api_begin_open();
    struct scion_container *container;
    struct scion_mode mode;
    int rc = check_mode(fname, file_mode, &mode);

    trace_open(__func__, fname, file_mode);
    if (rc == 0 && mode.access == SCION_ACCESS_WRITE) {
        rc = check_plan(ntasks, nfiles, chunksizes, fsblksize, globalranks);
        if (rc == 0) {
            const struct scion_serial_plan plan = {fname,      &mode,       *ntasks,
                                                   *fsblksize, *chunksizes, *globalranks};

            rc = scion_container_create(&plan, &container);
        }
    } else if (rc == 0) {
        rc = open_reading(fname, &mode, chunksizes, globalranks, &container);
    }
    if (rc != 0)
        return scion_api_fail(__func__, NULL, -1);
    if (ntasks)
        *ntasks = scion_container_ntasks(container);
    if (nfiles && !scion_container_is_writing(container))
        *nfiles = scion_container_nfiles(container);
    if (fsblksize)
        *fsblksize = scion_container_head(container)->fsblksize;
    return finish_open(__func__, container, begin, fileptr);
}

int sion_open_rank(char *fname, const char *file_mode, sion_int64 *chunksize, sion_int32 *fsblksize,
                   int *rank, FILE **fileptr)
{
    double begin = scion_api_begin_open();
    struct scion_container *container;
    struct scion_mode mode;
    int rc = check_mode(fname, file_mode, &mode);

    trace_open(__func__, fname, file_mode);
    if (rc == 0 && mode.access == SCION_ACCESS_WRITE)
        rc = scion_fail(SION_ERR_MODE, "%s: one rank can only be opened for reading", fname);
    if (rc == 0 && !rank)
        rc = scion_fail(SION_ERR_ARGUMENT, "rank is NULL");
    if (rc == 0)
        rc = scion_container_open_rank(fname, &mode, *rank, &container);
    if (rc != 0)
        return scion_api_fail(__func__, NULL, -1);
    if (chunksize)
        *chunksize = scion_container_rank_chunksize(container);
    if (fsblksize)
        *fsblksize = scion_container_head(container)->fsblksize;
    return finish_open(__func__, container, begin, fileptr);
}

int sion_close(int sid)
{
    return scion_api_result(__func__, scion_api_close(__func__, sid));
}
