#include "file/container.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/trace.h"
#include "file/private.h"

static int read_member(const char *name, int number, struct scion_physical **member)
{
    char *path = scion_physical_name(name, number);
    int rc;

    if (!path)
        return SION_ERR_MEMORY;
    rc = scion_physical_read(path, member);
    free(path);
    return rc;
}

static int open_member(struct scion_container *container, const char *name, int number)
{
    struct scion_physical *member;
    int rc = read_member(name, number, &member);

    if (rc != 0)
        return rc;
    container->files[container->nopen++] = member;
    rc = scion_physical_suspend(member);
    if (rc != 0)
        return rc;
    if (member->maxchunks > container->maxchunks)
        container->maxchunks = member->maxchunks;
    return scion_physical_check_member(member, &container->files[0]->head, number);
}

static int open_members(struct scion_container *container, const char *name)
{
    size_t nfiles = (size_t)container->nfiles;
    struct scion_physical **files = realloc(container->files, nfiles * sizeof *files);
    int number, rc = 0;

    if (!files)
        return scion_fail_memory("files");
    container->files = files;
    for (number = 1; number < container->nfiles && rc == 0; number++)
        rc = open_member(container, name, number);
    return rc;
}

/* Every pair names another task that is really there. */
static int check_pairs(const struct scion_container *container, unsigned char **seen)
{
    const struct scion_mapping *mapping = container->mapping;
    int rank;

    for (rank = 0; rank < mapping->size; rank++) {
        int file, lrank, rc;

        scion_container_locate(container, rank, &file, &lrank);
        rc = scion_physical_check_task(container->files[file], lrank, rank);
        if (rc != 0)
            return rc;
        if (seen[file][lrank]++)
            return scion_fail(SION_ERR_DAMAGED, "mapping names task %d of file %d twice", lrank,
                              file);
    }
    return 0;
}

static int check_mapping(const struct scion_container *container)
{
    unsigned char **seen = calloc((size_t)container->nopen, sizeof *seen);
    int i, rc = seen ? 0 : scion_fail_memory("mapping");

    for (i = 0; i < container->nopen && rc == 0; i++) {
        seen[i] = calloc((size_t)container->files[i]->head.ntasks, 1);
        if (!seen[i])
            rc = scion_fail_memory("mapping");
    }
    if (rc == 0)
        rc = check_pairs(container, seen);
    for (i = 0; seen && i < container->nopen; i++)
        free(seen[i]);
    free(seen);
    return rc;
}

static int open_set(struct scion_container *container, const char *name)
{
    int rc = open_members(container, name);

    if (rc != 0)
        return rc;
    container->mapping = &container->files[0]->mapping;
    container->ntasks = container->mapping->size;
    rc = check_mapping(container);
    if (rc != 0)
        scion_fail_prefix("cannot read %s", name);
    return rc;
}

int scion_container_open_metadata(const char *name, const struct scion_mode *mode,
                                  struct scion_container **container)
{
    struct scion_physical *physical;
    struct scion_container *new;
    int rc = scion_physical_read(name, &physical);

    scion_trace(SCION_TRACE_INTERNAL, "%s: %d", name, rc);
    if (rc == 0)
        rc = scion_container_of_file(physical, mode, 0, &new);
    if (rc != 0)
        return rc;
    if (physical->mapping.size >= 0)
        rc = open_set(new, name);
    if (rc != 0) {
        scion_container_free(new);
        return rc;
    }
    *container = new;
    return 0;
}

int scion_container_open(const char *name, const struct scion_mode *mode,
                         struct scion_container **container)
{
    struct scion_container *new;
    int rc = scion_container_open_metadata(name, mode, &new);

    if (rc != 0)
        return rc;
    rc = scion_container_make_tasks(new);
    if (rc == 0 && !(new->name = strdup(name)))
        rc = scion_fail_memory("file name");
    if (rc != 0) {
        scion_container_free(new);
        return rc;
    }
    scion_mode_compare_keyval(mode, new->keyval);
    *container = new;
    return 0;
}

/* The file that holds a rank of a set, instead of file 0. */
static int follow_mapping(const char *name, int rank, int *lrank, struct scion_physical **physical)
{
    struct scion_physical *master = *physical, *member;
    int file = master->mapping.pairs[2 * (size_t)rank], rc;

    *lrank = master->mapping.pairs[2 * (size_t)rank + 1];
    if (file == 0)
        return 0;
    rc = read_member(name, file, &member);
    if (rc != 0)
        return rc;
    rc = scion_physical_check_member(member, &master->head, file);
    if (rc != 0) {
        scion_physical_close(member);
        return rc;
    }
    *physical = member;
    return scion_physical_close(master);
}

static int find_rank(const char *name, int rank, int *lrank, struct scion_physical **physical)
{
    const struct scion_mapping *mapping = &(*physical)->mapping;
    int is_set = mapping->size >= 0, rc = 0;
    int tasks = is_set ? mapping->size : (*physical)->head.ntasks;

    if (rank < 0 || rank >= tasks)
        return scion_fail(SION_ERR_ARGUMENT, "rank %d is out of range (0 .. %d) in %s", rank,
                          tasks - 1, name);
    *lrank = rank;
    if (is_set)
        rc = follow_mapping(name, rank, lrank, physical);
    return rc == 0 && is_set ? scion_physical_check_task(*physical, *lrank, rank) : rc;
}

static int attach_rank(struct scion_container *container, int rank, int lrank)
{
    const struct scion_mark start = {0, 0, 0};
    const struct scion_physical *physical = container->physical;
    const struct scion_place place = scion_physical_place(physical, lrank);

    container->name = strdup(physical->path);
    if (!container->name)
        return scion_fail_memory("file name");
    container->ntasks = physical->head.ntasks;
    container->maxchunks = physical->maxchunks;
    container->rank = rank;
    container->lrank = lrank;
    scion_lengths_view(&container->own, physical->used + lrank, (size_t)physical->head.ntasks,
                       physical->counts[lrank]);
    return scion_stream_enter(&container->stream, physical->file, &place, &container->own, &start);
}

/* physical is taken over in any case. */
static int show_rank(struct scion_physical *physical, const struct scion_mode *mode, int rank,
                     int lrank, struct scion_container **container)
{
    struct scion_container *new;
    int rc = scion_container_new(SCION_VIEW_RANK, mode, 0, &physical->head, &new);

    if (rc != 0) {
        scion_physical_close(physical);
        return rc;
    }
    new->physical = physical;
    rc = attach_rank(new, rank, lrank);
    if (rc != 0) {
        scion_container_free(new);
        return rc;
    }
    scion_mode_compare_keyval(mode, new->keyval);
    *container = new;
    return 0;
}

int scion_container_open_rank(const char *name, const struct scion_mode *mode, int rank,
                              struct scion_container **container)
{
    struct scion_physical *physical;
    int lrank = 0, rc = scion_physical_read(name, &physical);

    scion_trace(SCION_TRACE_INTERNAL, "%s, rank %d: %d", name, rank, rc);
    if (rc != 0)
        return rc;
    rc = find_rank(name, rank, &lrank, &physical);
    if (rc != 0) {
        scion_physical_close(physical);
        return rc;
    }
    return show_rank(physical, mode, rank, lrank, container);
}

int scion_container_open_member(const char *path, const struct scion_mode *mode, int rank,
                                int lrank, struct scion_container **container)
{
    struct scion_physical *physical;
    int rc = scion_physical_read(path, &physical);

    if (rc == 0 && lrank >= physical->head.ntasks) {
        rc = scion_fail(SION_ERR_DAMAGED, "%s has no task %d", path, lrank);
        scion_physical_close(physical);
    }
    return rc != 0 ? rc : show_rank(physical, mode, rank, lrank, container);
}
