/* A reader of a container that is written goes on with its newest state. */
#include <string.h>

#include "base/error.h"
#include "file/physical_read.h"
#include "file/private.h"
#include "file/unzip.h"

static int fail_changed(const struct scion_container *container)
{
    return scion_fail(SION_ERR_MISMATCH, "%s is not the container any more that was opened",
                      container->name);
}

/* Number i of entries that are `stride` apart, of the same chunks: states only add bytes. */
static int has_all(const sion_int64 *old, size_t old_stride, sion_int64 old_count,
                   const sion_int64 *new, size_t new_stride, sion_int64 new_count)
{
    sion_int64 b;

    for (b = 0; b < old_count; b++) {
        sion_int64 now = b < new_count ? new[(size_t)b * new_stride] : 0;

        if (now < old[(size_t)b * old_stride])
            return 0;
    }
    return 1;
}

static int goes_on(const struct scion_physical *old, const struct scion_physical *new)
{
    size_t n = (size_t)old->head.ntasks, t;

    if (new->head.ntasks != old->head.ntasks || new->head.flag1 != old->head.flag1 ||
        new->head.flag2 != old->head.flag2 || new->inode != old->inode ||
        new->device != old->device ||
        (!old->unzip && /* whose chunks are what there is */
         memcmp(new->chunksizes, old->chunksizes, n * sizeof *old->chunksizes) != 0) ||
        memcmp(new->globalranks, old->globalranks, n * sizeof *old->globalranks) != 0)
        return 0;
    for (t = 0; t < n; t++) {
        if (!has_all(old->used + t, n, old->counts[t], new->used + t, n, new->counts[t]))
            return 0;
    }
    return 1;
}

static int check_files(const struct scion_container *old, const struct scion_container *new)
{
    int i, same = new->ntasks == old->ntasks &&new->tasks.nopen == old->tasks.nopen;

    for (i = 0; same && i < old->tasks.nopen; i++)
        same = goes_on(old->tasks.files[i], new->tasks.files[i]);
    return same ? 0 : fail_changed(old);
}

static void swap_tasks(struct scion_container *one, struct scion_container *other)
{
    const struct scion_tasks tasks = one->tasks;
    int maxchunks = one->maxchunks;

    one->tasks = other->tasks;
    other->tasks = tasks;
    one->maxchunks = other->maxchunks;
    other->maxchunks = maxchunks;
}

/* The tables, and what is made of them. */
static void swap_tables(struct scion_container *one, struct scion_container *other)
{
    const struct scion_serial_view serial = one->serial;

    one->serial = other->serial;
    other->serial = serial;
    swap_tasks(one, other);
}

/* Every task stays where it is: chunks before the last one do not change. */
static int take_over(struct scion_container *container, struct scion_container *new)
{
    int selected = container->selected, rc;

    rc = scion_stream_leave(&container->front.stream, &container->tasks.marks[selected]);
    if (rc != 0) {
        scion_container_free(new);
        return rc;
    }
    memcpy(new->tasks.marks, container->tasks.marks,
           (size_t)container->ntasks * sizeof *new->tasks.marks);
    swap_tables(container, new);
    rc = scion_container_enter(container, selected);
    if (rc != 0) {
        swap_tables(container, new);
        scion_container_enter(container, selected);
        scion_container_free(new);
        return rc;
    }
    scion_container_free(new);
    return 0;
}

static int refresh_all(struct scion_container *container)
{
    const struct scion_mode mode = scion_container_mode(container);
    struct scion_container *new;
    int rc = scion_tasks_need_descriptor(&container->tasks, container->tasks.files[0]);

    if (rc != 0 || scion_physical_is_newest(container->tasks.files[0]))
        return rc;
    rc = scion_container_open(container->name, &mode, &new);
    if (rc != 0)
        return rc;
    rc = check_files(container, new);
    if (rc != 0) {
        scion_container_free(new);
        return rc;
    }
    return take_over(container, new);
}

static int refresh_rank(struct scion_container *container)
{
    const struct scion_mode mode = scion_container_mode(container);
    struct scion_rank_view *old = &container->one, moved;
    struct scion_container *new;
    struct scion_mark mark;
    int rc = scion_physical_resume(old->physical);

    if (rc != 0 || scion_physical_is_newest(old->physical))
        return rc;
    rc = scion_rank_open_again(container, &mode, &new);
    if (rc != 0)
        return rc;
    if (new->one.column.lrank != old->column.lrank ||
        new->one.column.globalrank != old->column.globalrank ||
        (!old->physical->unzip && (new->one.column.start != old->column.start ||
                                   new->one.column.chunksize != old->column.chunksize)) ||
        !has_all(old->column.used, 1, old->column.count, new->one.column.used, 1,
                 new->one.column.count)) {
        scion_container_free(new);
        return fail_changed(container);
    }
    rc = scion_stream_leave(&container->front.stream, &mark);
    moved = *old;
    *old = new->one;
    new->one = moved;
    if (rc == 0)
        rc = scion_rank_enter(container, &mark);
    if (rc != 0) {
        moved = *old;
        *old = new->one;
        new->one = moved;
        scion_rank_enter(container, &mark);
    }
    scion_container_free(new);
    return rc;
}

/* ---- opened by all together ---- */

/* A stream that is seen decompressed has one chunk, of the bytes that there are. */
static int place_goes_on(const struct scion_container *container, const struct scion_place *old,
                         const struct scion_place *new)
{
    return scion_container_unzips(container) ||
           (old->start == new->start && old->globalskip == new->globalskip &&
            old->chunksize == new->chunksize);
}

static int task_goes_on(const struct scion_lengths *old, const struct scion_lengths *new)
{
    sion_int64 b;

    for (b = 0; b < old->count; b++) {
        if (scion_lengths_used(old, b) > (b < new->count ? scion_lengths_used(new, b) : 0))
            return 0;
    }
    return 1;
}

static int mapped_goes_on(const struct scion_container *old, const struct scion_container *new)
{
    int goes_on = old->ntasks == new->ntasks, i;

    for (i = 0; goes_on && i < old->ntasks; i++) {
        const struct scion_task_place *one = &old->mapped.tasks[i], *two = &new->mapped.tasks[i];

        goes_on = one->rank == two->rank && one->file == two->file && one->lrank == two->lrank &&
                  place_goes_on(old, &one->place, &two->place) &&
                  task_goes_on(&old->tasks.lengths[i], &new->tasks.lengths[i]);
    }
    return goes_on;
}

int scion_container_goes_on(const struct scion_container *container,
                            const struct scion_container *again)
{
    int goes_on = container->view == SCION_VIEW_MAPPED
                      ? mapped_goes_on(container, again)
                      : container->rank == again->rank && container->lrank == again->lrank &&
                            place_goes_on(container, &container->front.stream.place,
                                          &again->front.stream.place) &&
                            task_goes_on(&container->parallel.lengths, &again->parallel.lengths);

    return goes_on && container->nfiles == again->nfiles ? 0 : fail_changed(container);
}

static void swap_views(struct scion_container *one, struct scion_container *other)
{
    const struct scion_damage *damage = one->front.stream.damage;

    if (one->view == SCION_VIEW_MAPPED) {
        const struct scion_mapped_view mapped = one->mapped;

        one->mapped = other->mapped;
        other->mapped = mapped;
    } else {
        const struct scion_parallel_view parallel = one->parallel;
        const struct scion_place place = one->front.stream.place;

        one->front.stream.place = other->front.stream.place;
        other->front.stream.place = place;
        one->parallel = other->parallel;
        other->parallel = parallel;
        one->front.stream.damage = other->front.stream.damage;
        other->front.stream.damage = damage;
    }
    swap_tasks(one, other);
}

/* Where all of its tasks stand. */
static int enter_again(struct scion_container *container, const struct scion_mark *mark)
{
    const struct scion_place place = container->front.stream.place;

    if (container->view == SCION_VIEW_PARALLEL)
        return scion_stream_enter(&container->front.stream, container->parallel.file, &place,
                                  &container->parallel.lengths, mark);
    return container->selected < 0 ? 0 : scion_container_enter(container, container->selected);
}

int scion_container_exchange(struct scion_container *container, struct scion_container *again)
{
    int is_mapped = container->view == SCION_VIEW_MAPPED, selected = container->selected, rc = 0;
    struct scion_mark mark = {0, 0, 0}, *marks = container->tasks.marks;

    if (!is_mapped || selected >= 0)
        rc = scion_stream_leave(&container->front.stream, is_mapped ? &marks[selected] : &mark);
    if (rc != 0)
        return rc;
    if (is_mapped && container->ntasks > 0)
        memcpy(again->tasks.marks, marks, (size_t)container->ntasks * sizeof *marks);
    swap_views(container, again);
    rc = enter_again(container, &mark);
    if (rc != 0) {
        swap_views(container, again);
        enter_again(container, &mark);
    }
    return rc;
}

static int stream_size(struct scion_container *container, sion_int64 *bytes)
{
    *bytes = 0;
    return container->view == SCION_VIEW_MAPPED && container->selected < 0
               ? 0
               : scion_stream_size(&container->front.stream, bytes);
}

/* What a task cannot count is of a task that is damaged, and was before. */
static int refresh_together(struct scion_container *container, sion_int64 *bytes)
{
    sion_int64 before = 0;
    int rc;

    if (stream_size(container, &before) != 0)
        before = 0;
    rc = container->owner->refresh(container);
    if (rc == 0 && stream_size(container, bytes) != 0)
        *bytes = before;
    *bytes -= rc == 0 ? before : 0;
    return rc;
}

int scion_container_refresh(struct scion_container *container, sion_int64 *bytes)
{
    SCION_HOLD(&container->front.stream.hold);
    struct scion_stream *stream = &container->front.stream;
    sion_int64 before = 0;
    int rc;

    *bytes = 0;
    if (container->writing)
        return scion_fail(SION_ERR_MODE, "%s is open for writing", container->name);
    if (container->owner && container->owner->refresh)
        return refresh_together(container, bytes);
    if (container->view != SCION_VIEW_ALL && container->view != SCION_VIEW_RANK)
        return scion_fail(SION_ERR_MODE,
                          "%s is a duplicate of what several tasks have opened together",
                          container->name);
    if (container->generation > 0)
        return scion_fail(SION_ERR_MODE,
                          "%s is read as generation %lld, which does not change: "
                          "open it again to read a newer one",
                          container->name, container->generation);
    rc = scion_stream_size(stream, &before);
    if (rc == 0)
        rc = container->view == SCION_VIEW_ALL ? refresh_all(container) : refresh_rank(container);
    if (rc == 0)
        rc = scion_stream_size(stream, bytes);
    *bytes -= before;
    return rc;
}
