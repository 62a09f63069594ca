/* One task, of a container that one process has opened: the metadata of its file are read. */
#include "base/error.h"
#include "base/trace.h"
#include "file/private.h"

/* The file that holds a rank of a set, instead of file 0. */
static int follow_mapping(const char *name, int rank, int *lrank, struct scion_physical **physical)
{
    struct scion_physical *master = *physical, *member;
    int file = master->mapping.pairs[2 * (size_t)rank], rc;

    *lrank = master->mapping.pairs[2 * (size_t)rank + 1];
    if (file == 0)
        return 0;
    rc = scion_container_read_member(name, file, &member);
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
    struct scion_rank_view *view = &container->one;
    const struct scion_physical *physical = view->physical;
    const struct scion_place place = scion_physical_place(physical, lrank);

    if (scion_container_set_name(container, physical->path) != 0)
        return SION_ERR_MEMORY;
    container->ntasks = physical->head.ntasks;
    container->maxchunks = physical->maxchunks;
    container->rank = rank;
    container->lrank = lrank;
    scion_lengths_view(&view->lengths, physical->used + lrank, (size_t)physical->head.ntasks,
                       physical->counts[lrank]);
    return scion_stream_enter(&container->front.stream, physical->file, &place, &view->lengths,
                              &start);
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
    new->one.physical = physical;
    rc = attach_rank(new, rank, lrank);
    if (rc == 0)
        rc = scion_container_verify(new, mode);
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

int scion_rank_free(struct scion_container *container)
{
    scion_lengths_free(&container->one.lengths);
    return scion_physical_close(container->one.physical);
}
