#include "file/physical.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/checked.h"
#include "file/generations.h"
#include "file/growth.h"
#include "file/guard.h"
#include "file/physical_read.h"
#include "file/private.h"
#include "file/piece_view.h"
#include "file/unzip_view.h"
#include "format/slot.h"
#include "vfs/writer_lock.h"

int scion_name_check(const char *name)
{
    if (!name || !*name)
        return scion_fail(SION_ERR_ARGUMENT, "no file name given");
    if (strlen(name) > SCION_NAME_MAX)
        return scion_fail(SION_ERR_ARGUMENT, "file name of %zu bytes is too long, at most %d",
                          strlen(name), SCION_NAME_MAX);
    return 0;
}

char *scion_physical_name(const char *name, int number)
{
    size_t size = strlen(name) + 16;
    char *full = malloc(size);

    if (!full)
        scion_fail_memory("file name");
    else if (number == 0)
        strcpy(full, name);
    else
        snprintf(full, size, "%s.%06d", name, number);
    return full;
}

int scion_physical_is_misnamed(const struct scion_physical *physical)
{
    const struct scion_meta1 *head = &physical->head;
    size_t length = strlen(physical->path), digits;
    char end[16];

    if (head->nfiles <= 1 || head->filenumber == 0 || head->format_version == 2)
        return 0;
    digits = (size_t)snprintf(end, sizeof end, ".%06d", head->filenumber);
    return length <= digits || strcmp(physical->path + length - digits, end) != 0;
}

struct scion_place scion_physical_chunk_place(const struct scion_physical *physical,
                                              sion_int64 start, sion_int64 chunksize)
{
    struct scion_place place = {
        .start = start, .globalskip = physical->layout.globalskip, .floor = physical->floor};

    /* No overflow: the layout was computed with the rounded size. */
    scion_round_up(chunksize, physical->grain, &place.chunksize);
    place.chunksize = scion_trailer_room(place.chunksize, physical->trailer);
    return place;
}

struct scion_place scion_physical_place(const struct scion_physical *physical, int task)
{
    return scion_physical_chunk_place(physical, physical->starts[task], physical->chunksizes[task]);
}

const char *scion_physical_final(const struct scion_physical *physical)
{
    return physical->final ? physical->final : physical->path;
}

int scion_physical_close(struct scion_physical *physical)
{
    int rc, closed;

    if (!physical)
        return 0;
    if (physical->final && physical->is_beside && physical->trailer == 0)
        scion_file_remove(physical->path);
    rc = scion_writer_lock_release(physical->lock, 0);
    closed = physical->file ? scion_file_close(physical->file)
                            : scion_harm_check_flushed(&physical->harm, physical->path);
    free(physical->path);
    free(physical->final);
    free(physical->globalranks);
    free(physical->small.all);
    free(physical->chunksizes);
    free(physical->starts);
    free(physical->groups);
    free(physical->counts);
    free(physical->used);
    free(physical->all_used);
    scion_damages_free(&physical->damages);
    free(physical->mapping.pairs);
    scion_piece_view_free(physical->members);
    scion_unzip_view_free(physical->unzip);
    scion_guard_free(physical->guard);
    scion_generations_free(physical->generations);
    scion_growth_free(physical->growth);
    free(physical);
    return scion_first_failure(rc, closed);
}

void scion_physical_identify(struct scion_physical *physical, const struct stat *status)
{
    physical->device = status->st_dev;
    physical->inode = status->st_ino;
    physical->size = status->st_size;
}

/* As it is now. */
static int note_identity(struct scion_physical *physical)
{
    struct stat status;
    int rc = scion_file_status(physical->file, &status);

    if (rc == 0)
        scion_physical_identify(physical, &status);
    return rc;
}

struct scion_physical *scion_physical_new(const char *path)
{
    struct scion_physical *physical = calloc(1, sizeof *physical);
    char *copy = strdup(path);

    if (!physical || !copy) {
        scion_fail_memory("file");
        free(physical);
        free(copy);
        return NULL;
    }
    physical->path = copy;
    physical->mapping.size = -1;
    return physical;
}

int scion_physical_fail_together(const char *path)
{
    return scion_fail(SION_ERR_DAMAGED, "%s was not written together with file 0 of its set", path);
}

int scion_physical_check_member(const struct scion_physical *physical,
                                const struct scion_meta1 *master, int number)
{
    const struct scion_meta1 *head = &physical->head;

    if (head->nfiles != master->nfiles || head->filenumber != number)
        return scion_fail(SION_ERR_DAMAGED, "%s says it is file %d of %d, not file %d of %d",
                          physical->path, head->filenumber, head->nfiles, number, master->nfiles);
    if (head->format_version != master->format_version || head->big_endian != master->big_endian ||
        scion_meta1_keyval(head) != scion_meta1_keyval(master))
        return scion_fail(SION_ERR_DAMAGED, "%s is not of the same kind as file 0 of its set",
                          physical->path);
    return scion_marker_fits(head->flag2, master->flag2)
               ? 0
               : scion_physical_fail_together(physical->path);
}

int scion_physical_check_lrank(const struct scion_physical *member, int lrank)
{
    if (lrank >= member->head.ntasks)
        return scion_fail(SION_ERR_DAMAGED, "mapping says task %d of %s, which has %d", lrank,
                          member->path, member->head.ntasks);
    return 0;
}

int scion_physical_check_rank(const struct scion_physical *member, int lrank, sion_int64 found,
                              sion_int64 rank)
{
    if (found != rank)
        return scion_fail(SION_ERR_DAMAGED,
                          "mapping says task %d of %s has rank %lld, but its rank is %lld", lrank,
                          member->path, rank, found);
    return 0;
}

int scion_physical_check_task(const struct scion_physical *member, int lrank, sion_int64 rank)
{
    int rc = scion_physical_check_lrank(member, lrank);

    return rc != 0 ? rc
                   : scion_physical_check_rank(member, lrank, member->globalranks[lrank], rank);
}

int scion_physical_is_same(const struct scion_physical *physical,
                           const struct scion_physical *other)
{
    return physical->device == other->device && physical->inode == other->inode &&
           physical->size == other->size;
}

int scion_physical_check_written(const struct scion_physical *physical)
{
    return physical->file ? scion_file_check_written(physical->file)
                          : scion_harm_check_written(&physical->harm, physical->path);
}

/* A file that is written grows. */
int scion_physical_suspend(struct scion_physical *physical)
{
    int rc = physical->is_written ? note_identity(physical) : 0;
    int closed = scion_file_suspend(physical->file, &physical->harm);

    physical->file = NULL;
    scion_guard_rest(physical->guard);
    if (physical->unzip)
        scion_unzip_view_rest(physical->unzip);
    return scion_first_failure(rc, closed);
}

/*
 * A file that has become longer while it had no descriptor: whether it was written on, so that what
 * was read of it is still there. Mapped containers have no tables to compare.
 */
static int has_grown(struct scion_physical *physical, sion_int64 size)
{
    size_t n = (size_t)physical->head.ntasks, bytes = n * sizeof *physical->counts;
    sion_int64 *now;
    int is_same;

    if (physical->is_in_area) /* its tables have been read, and may have changed since */
        return 1;
    if (size < physical->size || !physical->counts || physical->start_of_varheader <= 0)
        return size > physical->size && !physical->counts;
    now = malloc(bytes);
    is_same = now && scion_file_read(physical->file, now, bytes, physical->start_of_varheader) == 0;
    if (is_same) {
        scion_array_decode(now, n, physical->head.swapped);
        is_same = memcmp(now, physical->counts, bytes) == 0;
    }
    free(now);
    return is_same;
}

static int check_identity(struct scion_physical *physical)
{
    struct stat status;
    int rc;

    if (physical->inode == 0) /* it had no descriptor before */
        return note_identity(physical);
    rc = scion_file_status(physical->file, &status);
    if (rc == 0 && (status.st_dev != physical->device || status.st_ino != physical->inode))
        rc = scion_fail(SION_ERR_DAMAGED, "%s is another file than the one that was opened",
                        physical->path);
    if (rc == 0 && !physical->is_written && status.st_size != physical->size &&
        !has_grown(physical, status.st_size))
        rc = scion_fail(SION_ERR_DAMAGED, "%s had %lld bytes when it was opened, and now has %lld",
                        physical->path, physical->size, (sion_int64)status.st_size);
    return rc;
}

static enum scion_open_how how_to_resume(const struct scion_physical *physical)
{
    return !physical->is_written  ? SCION_OPEN_READ
           : physical->is_derived ? SCION_OPEN_OWN
                                  : SCION_OPEN_WRITE;
}

int scion_physical_resume(struct scion_physical *physical)
{
    int rc;

    if (physical->file)
        return 0;
    rc = scion_file_open(physical->path, how_to_resume(physical), 0, &physical->file);
    if (rc != 0)
        return rc;
    scion_file_resume(physical->file, &physical->harm);
    rc = check_identity(physical);
    if (rc != 0) {
        scion_file_close(physical->file);
        physical->file = NULL;
        return rc;
    }
    if (physical->members)
        scion_file_show(physical->file, &physical->members->view);
    if (physical->unzip)
        scion_file_show(physical->file, scion_unzip_view_of(physical->unzip));
    if (physical->guard)
        scion_guard_watch(physical->guard, physical->file);
    return 0;
}
