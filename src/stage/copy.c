#include "stage/copy.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "file/stats.h"
#include "stage/report.h"
#include "stage/rows.h"
#include "vfs/path.h"

int scion_drain_is_stopped(struct scion_drain *drain)
{
    return __atomic_load_n(&drain->stop, __ATOMIC_RELAXED);
}

void scion_drain_doze(double seconds)
{
    const struct timespec time = {(time_t)seconds,
                                  (long)((seconds - (double)(time_t)seconds) * 1e9)};

    nanosleep(&time, NULL);
}

enum { PIECE = 8 << 20, REMEMBERED = 64 << 20 };

/* A drain in progress. */
struct copy {
    struct scion_stage_part *part;
    struct scion_drain *drain;
    struct scion_file *from, *to;
    struct scion_stage_range *own; /* the node's bytes of the file */
    size_t nown;
    double begin, said;
    sion_int64 moved;   /* since then */
    sion_int64 unsaved; /* bytes since the record was written */
};

/* The smaller the rate, the smaller the pieces: the others should not wait for one. */
static sion_int64 piece_of(const struct copy *copy)
{
    long long rate = copy->drain->rate;

    if (rate <= 0 || rate >= 4LL * PIECE)
        return PIECE;
    return rate < 4 * 65536 ? 65536 : rate / 4;
}

/* They wait for a node that takes longer than they do. */
static void tell_others(struct copy *copy)
{
    if (copy->part->nodes > 1)
        scion_report_beat(copy->part, copy->drain->patience, &copy->said);
}

static void keep_to_rate(struct copy *copy)
{
    double ahead;

    if (copy->drain->rate <= 0)
        return;
    do {
        ahead = (double)copy->moved / (double)copy->drain->rate - (scion_seconds() - copy->begin);
        if (ahead > 0)
            scion_drain_doze(ahead < 0.1 ? ahead : 0.1);
        tell_others(copy);
    } while (ahead > 0 && !scion_drain_is_stopped(copy->drain));
}

/* Where the next drain goes on, if this one is killed. What was copied is with the system. */
static int remember(struct copy *copy, sion_int64 at)
{
    copy->part->at = at;
    copy->unsaved = 0;
    return scion_stage_part_update(copy->part);
}

static void note_progress(struct scion_drain *drain, sion_int64 bytes)
{
    __atomic_add_fetch(&drain->done, bytes, __ATOMIC_RELAXED);
    if (drain->step)
        drain->step(drain->context, bytes);
}

static int unless_stopped(struct copy *copy, sion_int64 at)
{
    if (!scion_drain_is_stopped(copy->drain))
        return 0;
    return remember(copy, at) == 0 ? SCION_DRAIN_STOPPED : scion_error_code();
}

static int copy_run(struct copy *copy, sion_int64 at, sion_int64 bytes)
{
    int rc = unless_stopped(copy, at);

    while (bytes > 0 && rc == 0) {
        sion_int64 most = piece_of(copy), part = bytes < most ? bytes : most;

        rc = scion_file_copy(copy->from, at, copy->to, at, part);
        at += part;
        bytes -= part;
        copy->moved += part;
        copy->unsaved += part;
        note_progress(copy->drain, part);
        if (rc == 0 && copy->unsaved >= REMEMBERED)
            rc = remember(copy, at);
        if (rc == 0)
            tell_others(copy);
        if (rc == 0)
            keep_to_rate(copy);
        if (rc == 0)
            rc = unless_stopped(copy, at);
    }
    return rc;
}

/* What the node has written in a run of data, whose rest is that of other nodes. */
static int copy_own(struct copy *copy, sion_int64 at, sion_int64 bytes)
{
    sion_int64 end = at + bytes;
    size_t low = 0, high = copy->nown;
    int rc = 0;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (copy->own[middle].end <= at)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < copy->nown && copy->own[low].begin < end && rc == 0; low++) {
        const struct scion_stage_range *own = &copy->own[low];
        sion_int64 from = own->begin > at ? own->begin : at, to = own->end < end ? own->end : end;

        rc = copy_run(copy, from, to - from);
    }
    return rc;
}

typedef int run_function(struct copy *copy, sion_int64 at, sion_int64 bytes);

/* Call a function for each run of data of an open file, from an offset on. */
static int each_run(struct copy *copy, sion_int64 at, run_function *function)
{
    sion_int64 size;
    int rc = scion_file_size(copy->from, &size);

    while (rc == 0 && at < size) {
        int is_hole;
        sion_int64 run = scion_file_run(copy->from, at, size - at, &is_hole);

        if (!is_hole)
            rc = function(copy, at, run);
        at += run;
    }
    return rc;
}

/* *is_there: the node has written something to this file. */
static int open_data(struct copy *copy, int number, int *is_there)
{
    char *name = scion_stage_data(copy->part->record, number);
    int rc = name ? scion_file_look_for(name, is_there) : SION_ERR_MEMORY;

    if (rc == 0 && *is_there)
        rc = scion_file_open(name, SCION_OPEN_READ, 0, &copy->from);
    free(name);
    return rc;
}

static int find_own(struct copy *copy, int number)
{
    sion_int64 size;
    int rc = scion_file_size(copy->from, &size);

    return rc == 0 ? scion_stage_ranges(copy->part, number, size, &copy->own, &copy->nown) : rc;
}

static int copy_data(struct copy *copy, int number)
{
    char *name = scion_stage_new(copy->part, number);
    int rc = name ? scion_file_open(name, SCION_OPEN_OWN, 0, &copy->to) : SION_ERR_MEMORY, closed;

    free(name);
    if (rc != 0)
        return rc;
    if (copy->part->nodes > 1)
        rc = find_own(copy, number);
    if (rc == 0)
        rc = each_run(copy, copy->part->at, copy->part->nodes > 1 ? copy_own : copy_run);
    if (rc == 0)
        rc = scion_file_sync(copy->to);
    free(copy->own);
    copy->own = NULL;
    closed = scion_file_close(copy->to);
    rc = scion_first_failure(rc, closed);
    /* After a failure the system may have lost what it had taken: copy the file from its beginning.
     */
    if (rc < 0)
        copy->part->at = 0;
    return rc;
}

static int copy_file(struct copy *copy, int number)
{
    int is_there, rc = open_data(copy, number, &is_there), closed;

    if (rc == 0 && is_there) {
        rc = copy_data(copy, number);
        closed = scion_file_close(copy->from);
        rc = scion_first_failure(rc, closed);
    }
    if (rc == 0) {
        copy->part->at_file = number + 1;
        rc = remember(copy, 0);
    }
    return rc;
}

static int count_run(struct copy *copy, sion_int64 at, sion_int64 bytes)
{
    (void)at;
    copy->moved += bytes;
    return 0;
}

int scion_stage_bytes(const struct scion_stage_part *part, sion_int64 *bytes)
{
    struct copy copy = {.part = (struct scion_stage_part *)part};
    int rc = 0, is_there, i;

    for (i = 0; i < part->nfiles && rc == 0; i++) {
        rc = open_data(&copy, i, &is_there);
        if (rc == 0 && is_there) {
            rc = each_run(&copy, 0, count_run);
            scion_file_close(copy.from);
        }
    }
    *bytes = copy.moved;
    return rc;
}

int scion_stage_is_another_start(const struct scion_stage_part *part)
{
    char boot[SCION_STAGE_BOOT];

    scion_stage_boot(boot);
    return *boot && *part->boot && strcmp(boot, part->boot) != 0;
}

/* After another start of the machine, the new files may not have what was copied. */
static void choose_start(struct scion_stage_part *part)
{
    if (scion_stage_is_another_start(part)) {
        part->at_file = 0;
        part->at = 0;
    }
}

int scion_stage_copy(struct scion_stage_part *part, struct scion_drain *drain)
{
    struct copy copy = {.part = part, .drain = drain, .begin = scion_seconds()};
    sion_int64 total;
    int rc = scion_stage_bytes(part, &total);

    copy.said = copy.begin;
    __atomic_store_n(&drain->total, total, __ATOMIC_RELAXED);
    if (rc == 0)
        choose_start(part);
    while (rc == 0 && part->at_file < part->nfiles)
        rc = copy_file(&copy, part->at_file);
    if (rc == 0)
        note_progress(drain, total - drain->done); /* what an earlier drain has copied */
    return rc;
}
