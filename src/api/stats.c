#include "api/stats.h"

#include <stdlib.h>
#include <string.h>

#include "api/handle.h"
#include "api/public.h"
#include "base/env.h"
#include "base/memory.h"
#include "base/sized.h"
#include "vfs/vfs.h"

static int is_enabled; /* by the application */

/* SION_STATS, or NULL if it is not set or says no. */
static const char *requested_file(void)
{
    const char *text = scion_env("STATS");

    return text && *text && strcmp(text, "0") != 0 ? text : NULL;
}

int scion_stats_requested(void)
{
    return __atomic_load_n(&is_enabled, __ATOMIC_RELAXED) || requested_file() != NULL;
}

int sion_stats_enable(int on)
{
    __atomic_store_n(&is_enabled, on != 0, __ATOMIC_RELAXED);
    return SION_SUCCESS;
}

int sion_get_stats(int sid, sion_stats_t *stats)
{
    struct scion_container *container = scion_api_get(__func__, sid, 0);
    const struct scion_stats *counted = container ? scion_container_stats(container) : NULL;
    sion_stats_t own;

    if (!counted)
        return SION_NOT_SUCCESS;
    own = (sion_stats_t){
        .calls = counted->calls,
        .bytes = counted->bytes,
        .smallest = counted->smallest,
        .median = counted->calls > 0 ? scion_stats_median(counted) : 0,
        .largest = counted->largest,
        .hits = counted->hits,
        .system_calls = counted->system_calls,
        .transfer_seconds = counted->seconds[SCION_PHASE_TRANSFER],
        .flush_seconds = counted->seconds[SCION_PHASE_FLUSH],
    };
    if (scion_sized_give(stats, &own, sizeof own, "sion_stats_t") != 0)
        return scion_api_fail(__func__, container, SION_NOT_SUCCESS);
    return SION_SUCCESS;
}

/* ---- the report ---- */

/* The description of a container; the rest is the caller's. */
static void describe_job(struct scion_job *job, const struct scion_container *container)
{
    *job = (struct scion_job){
        .name = scion_container_name(container),
        .writing = scion_container_is_writing(container),
        .posix = scion_container_is_posix(container),
        .buffered = scion_container_front(container)->stream.buffer_size > 0,
        .nfiles = scion_container_nfiles(container),
        .fsblksize = scion_container_head(container)->fsblksize,
    };
}

static int ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

/* Append, because many containers and jobs may report to one file. */
static int append(const char *path, const char *text, size_t bytes)
{
    struct scion_file *file;
    sion_int64 size;
    int rc = scion_file_open(path, SCION_OPEN_CREATE, 0666, &file), other;

    if (rc != 0)
        return rc;
    rc = scion_file_size(file, &size);
    if (rc == 0)
        rc = scion_file_write(file, text, bytes, size, NULL);
    other = scion_file_close(file);
    return rc != 0 ? rc : other;
}

static void deliver(const char *where, const char *text, size_t bytes)
{
    if (strcmp(where, "1") == 0 || strcmp(where, "json") == 0) {
        fwrite(text, 1, bytes, stderr);
        return;
    }
    if (append(where, text, bytes) != 0) {
        scion_warn("SION_STATS: %s", scion_error_text());
        scion_log_warnings(-1);
    }
}

/* Print it to where SION_STATS says, if that is set. A failure is a warning. */
static void report_job(const struct scion_job *job)
{
    const char *where = job->nranks > 0 ? requested_file() : NULL;
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = where ? open_memstream(&text, &bytes) : NULL;

    if (!memory)
        return;
    if (strcmp(where, "json") == 0 || ends_with(where, ".json"))
        scion_job_print_json(memory, job);
    else
        scion_job_print(memory, job);
    if (fclose(memory) == 0)
        deliver(where, text, bytes);
    free(text);
}

/* ---- opens and closes ---- */

double scion_api_begin_open(void)
{
    return scion_stats_requested() ? scion_seconds() : 0;
}

void scion_api_note_open(struct scion_container *container, double begin)
{
    struct scion_stats *stats = scion_container_stats(container);

    if (stats)
        stats->seconds[SCION_PHASE_OPEN] = scion_seconds() - begin;
}

void scion_api_count_from(struct scion_container *container, double begin)
{
    if (begin <= 0)
        return;
    scion_container_count(container);
    scion_api_note_open(container, begin);
}

void scion_api_begin_close(struct scion_stats_report *stats_report,
                           struct scion_container *container)
{
    const struct scion_stats *counted = scion_container_stats(container);

    *stats_report = (struct scion_stats_report){.stats = NULL};
    if (!counted)
        return;
    scion_container_survey(container);
    stats_report->stats = scion_must_allocate(1, sizeof *stats_report->stats);
    *stats_report->stats = *counted;
    describe_job(&stats_report->job, container);
    stats_report->job.name = stats_report->name =
        strdup(stats_report->job.name ? stats_report->job.name : "");
    stats_report->begin = scion_seconds();
}

static void free_reporting(struct scion_stats_report *stats_report)
{
    free(stats_report->stats);
    free(stats_report->name);
}

void scion_api_end_close(struct scion_stats_report *stats_report)
{
    if (stats_report->stats && stats_report->name) {
        stats_report->stats->seconds[SCION_PHASE_CLOSE] = scion_seconds() - stats_report->begin;
        stats_report->job.ranks = stats_report->stats;
        stats_report->job.nranks = 1;
        report_job(&stats_report->job);
    }
    free_reporting(stats_report);
}

void scion_api_end_close_together(struct scion_stats_report *stats_report,
                                  const struct scion_stats *ranks, int nranks)
{
    if (ranks && stats_report->name) {
        stats_report->job.ranks = ranks;
        stats_report->job.nranks = nranks;
        report_job(&stats_report->job);
    }
    free_reporting(stats_report);
}
