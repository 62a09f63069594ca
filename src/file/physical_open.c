/* Opens a physical file to read it, and says who writes it if it cannot be read for that reason. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "file/physical_read.h"
#include "file/physical_tables.h"
#include "file/slots.h"
#include "vfs/path.h"
#include "vfs/writer_lock.h"

static int add_certain(const struct scion_physical *physical, int task, sion_int64 *bytes)
{
    struct scion_slot slot = {.sequence = -1};
    sion_int64 chunk = 0;
    int rc;

    while ((rc = scion_physical_slot(physical, physical->size, task, chunk, slot.sequence,
                                     &slot)) == 1) {
        *bytes += slot.used;
        chunk++;
    }
    return rc;
}

/* Each task costs a read, of a file that is being written. */
enum { MOST_TASKS = 4096 };

/* Who writes it: the lock of a set is that of its name without ".000001", which `name` becomes. */
static int find_writer(char *name, struct scion_writer *writer)
{
    char *end = strrchr(name, '.');

    if (scion_writer_find(name, writer))
        return 1;
    if (!end || strspn(end + 1, "0123456789") != 6 || end[7])
        return 0;
    *end = '\0';
    return scion_writer_find(name, writer);
}

static int add_file(const char *name, int number, int *ntasks, sion_int64 *bytes)
{
    char *path = scion_physical_name(name, number);
    struct scion_physical *physical;
    int rc = path ? scion_physical_read_first(path, &physical) : SION_ERR_MEMORY, task;

    free(path);
    if (rc != 0)
        return rc;
    *ntasks += physical->head.ntasks;
    for (task = 0; task < physical->head.ntasks && *ntasks <= MOST_TASKS && rc == 0; task++)
        rc = add_certain(physical, task, bytes);
    scion_physical_close(physical);
    return rc;
}

/* " with N bytes ..." in text; "" where nothing is known. */
static void tell_certain(const struct scion_physical *physical, const char *name, char *text,
                         size_t size)
{
    int nfiles = physical->head.nfiles, ntasks = 0, number;
    sion_int64 bytes = 0;

    *text = '\0';
    if (physical->head.ntasks <= 0 || scion_marker_trailer(physical->head.flag2, NULL) == 0)
        return;
    for (number = 0; number == 0 || (number < nfiles && ntasks <= MOST_TASKS); number++) {
        if (add_file(name, number, &ntasks, &bytes) != 0)
            return;
    }
    if (ntasks <= MOST_TASKS)
        snprintf(text, size, "; %lld bytes of its %d tasks are certain so far", bytes, ntasks);
    else
        snprintf(text, size, "; sionrecover tells how much is certain so far");
}

/*
 * A container could not be read: if somebody writes it, the reason becomes that, who it is, and how
 * much of the data is certain by now. physical: what was read of the file; code: of the failure,
 * which is returned.
 */
static int blame_writer(const struct scion_physical *physical, int code)
{
    char who[SCION_WRITER_TEXT], certain[100], *name = strdup(physical->path);
    struct scion_writer writer;

    if (!name || !find_writer(name, &writer)) {
        free(name);
        return code;
    }
    tell_certain(physical, name, certain, sizeof certain);
    scion_fail(code, "%.200s is being written by %s, and can be read when that has closed it%s",
               name, scion_writer_text(&writer, who), certain);
    free(name);
    return code;
}

/* Failures that a file has while it is written, or before it is there. */
static int is_perhaps_written(const struct scion_physical *physical, int code)
{
    return code == SION_ERR_NOT_CLOSED || code == SION_ERR_NOT_SION ||
           (!physical->file && !scion_file_exists(physical->path));
}

/* What was read may be of two states, because one was published meanwhile. */
static int has_changed(struct scion_physical *physical)
{
    struct stat status;

    return physical->file && scion_file_status(physical->file, &status) == 0 &&
           (status.st_size > physical->size || !scion_physical_is_steady(physical));
}

static int read_one_state(const char *path, int (*read)(struct scion_physical *physical),
                          struct scion_physical **physical)
{
    int rc = scion_physical_begin(path, read, physical), attempt = 1;

    while (rc == SION_ERR_DAMAGED && attempt++ < SCION_MOST_ATTEMPTS && has_changed(*physical)) {
        scion_physical_close(*physical);
        rc = scion_physical_begin(path, read, physical);
    }
    return rc;
}

int scion_physical_read_by(const char *path, int (*read)(struct scion_physical *physical),
                           struct scion_physical **physical)
{
    struct scion_physical *new;
    int rc = read_one_state(path, read, &new);

    if (rc != 0 && new &&is_perhaps_written(new, rc))
        rc = blame_writer(new, rc);
    if (rc != 0)
        scion_physical_close(new);
    else
        *physical = new;
    return rc;
}

static void forget(struct scion_physical *physical)
{
    scion_physical_forget_tables(physical);
    free(physical->globalranks);
    free(physical->chunksizes);
    free(physical->starts);
    free(physical->mapping.pairs);
    scion_damages_free(&physical->damages);
    physical->globalranks = physical->chunksizes = physical->starts = NULL;
    physical->mapping = (struct scion_mapping){.size = -1};
    physical->damages = (struct scion_damages){0};
    physical->state = (struct scion_state){0};
    physical->members_at = physical->sums_at = 0;
    physical->has_late_sums = 0;
    physical->view_number = physical->view_first = physical->view_end = 0;
}

int scion_physical_read_back(struct scion_physical *physical, sion_int64 generation,
                             int (*read)(struct scion_physical *physical))
{
    int rc = 0;

    while (rc == 0 && physical->state.generation > generation) {
        const struct scion_state state = physical->state;

        if (state.old_start_of_varheader == 0)
            return scion_fail(SION_ERR_NOT_CLOSED, "%s has no state %lld, which file 0 has",
                              physical->path, generation);
        if (!physical->is_back)
            physical->newest_floor = state.floor;
        physical->is_back = 1;
        physical->tail_maxchunks = state.old_maxchunks;
        physical->tail_start = state.old_start_of_varheader;
        forget(physical);
        rc = read(physical);
        /* Areas take turns: where an older state was, there may be a newer one. */
        if (rc == 0 && physical->state.generation >= state.generation)
            rc = scion_fail(SION_ERR_DAMAGED, "%s has no state %lld any more, which file 0 has",
                            physical->path, generation);
    }
    return rc;
}

int scion_physical_go_back(struct scion_physical *physical, sion_int64 generation)
{
    return scion_physical_read_back(physical, generation, scion_physical_read_all);
}

int scion_physical_read_locked(const char *path, struct scion_physical **physical)
{
    struct scion_physical *new;
    int rc = scion_physical_begin(path, scion_physical_read_all, &new);

    if (rc != 0)
        scion_physical_close(new);
    else
        *physical = new;
    return rc;
}

int scion_physical_read(const char *path, struct scion_physical **physical)
{
    return scion_physical_read_by(path, scion_physical_read_all, physical);
}
