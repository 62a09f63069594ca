/* A container that was opened by all together goes on with what they have opened again. */
#include "file/newer.h"
#include "file/private.h"
#include "file/unzip.h"

/* A stream that is seen decompressed has one chunk, of the bytes that there are. */
static int place_goes_on(const struct scion_container *container, const struct scion_place *old,
                         const struct scion_place *new)
{
    return scion_container_unzips(container) ||
           (old->start == new->start && old->globalskip == new->globalskip &&
            old->chunksize == new->chunksize);
}

static sion_int64 size_or_none(struct scion_container *container)
{
    sion_int64 bytes = 0;

    if ((container->view == SCION_VIEW_MAPPED && container->selected < 0) ||
        scion_stream_size(&container->front.stream, &bytes) != 0)
        return 0;
    return bytes;
}

/* Number of the file of a task of this process. */
static int file_of(const struct scion_container *container, int i)
{
    return container->view == SCION_VIEW_MAPPED ? container->mapped.tasks[i].file
                                                : container->head.filenumber;
}

/* A task of this process. */
static struct scion_newer_task old_task(const struct scion_container *container, int i)
{
    const struct scion_task_place *task;

    if (container->view != SCION_VIEW_MAPPED)
        return (struct scion_newer_task){&container->parallel.lengths, container->parallel.unzip,
                                         0};
    if (container->ntasks == 0)
        return (struct scion_newer_task){.lengths = &container->mapped.nothing};
    task = &container->mapped.tasks[i];
    return (struct scion_newer_task){&container->tasks.lengths[i],
                                     container->tasks.files[task->index]->unzip, task->place.start};
}

/* What its file has lost. */
static const sion_int64 *row_of(const struct scion_container *container, int i,
                                const struct scion_newer_step *step)
{
    int row = step->nrows > 1 ? file_of(container, i) : 0;

    return step->rows + (size_t)row * scion_newer_row(step->n);
}

/* First chunk that is left of what it sees. */
static sion_int64 first_left(const struct scion_container *container, int i,
                             const struct scion_newer_step *step)
{
    return step->rows ? *row_of(container, i, step) : 0;
}

static int mapped_goes_on(const struct scion_container *old, const struct scion_container *new,
                          const struct scion_newer_step *step)
{
    int goes_on = old->ntasks == new->ntasks, i;

    for (i = 0; goes_on && i < old->ntasks; i++) {
        const struct scion_task_place *one = &old->mapped.tasks[i], *two = &new->mapped.tasks[i];
        const struct scion_newer_task task = old_task(old, i);

        goes_on = one->rank == two->rank && one->file == two->file && one->lrank == two->lrank &&
                  place_goes_on(old, &one->place, &two->place) &&
                  (step->newer == SCION_NEWER_MOVES ||
                   scion_newer_has_all(&task, &new->tasks.lengths[i], first_left(old, i, step)));
    }
    return goes_on;
}

static int task_goes_on(const struct scion_container *old, const struct scion_container *new,
                        const struct scion_newer_step *step)
{
    const struct scion_newer_task task = old_task(old, 0);

    return old->rank == new->rank &&
           old->lrank == new->lrank &&place_goes_on(old, &old->front.stream.place,
                                                    &new->front.stream.place) &&
           (step->newer == SCION_NEWER_MOVES ||
            scion_newer_has_all(&task, &new->parallel.lengths, first_left(old, 0, step)));
}

int scion_container_goes_on(const struct scion_container *container,
                            const struct scion_container *again,
                            const struct scion_newer_step *step)
{
    int goes_on = container->view == SCION_VIEW_MAPPED ? mapped_goes_on(container, again, step)
                                                       : task_goes_on(container, again, step);

    return goes_on && container->nfiles == again->nfiles ? 0 : scion_newer_fail_changed(container);
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
    scion_container_swap_tasks(one, other);
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

/* The task stays where it is, if that is still there. */
static void move_mark(const struct scion_container *container, struct scion_container *again, int i,
                      struct scion_newer_step *step, struct scion_mark *mark)
{
    const struct scion_newer_task task = old_task(container, i);
    struct scion_lengths *now =
        container->view == SCION_VIEW_MAPPED ? &again->tasks.lengths[i] : &again->parallel.lengths;
    sion_int64 first = first_left(container, i, step), gone;

    now->lost = task.lengths->lost;
    if (first == 0)
        return;
    gone = scion_newer_before(&task, first);
    now->lost += gone;
    scion_container_add_loss(container, i, (const void *)(row_of(container, i, step) + 1), step->n,
                             &task, mark, &step->loss);
    scion_newer_move(&task, now->count, first, mark);
    if (container->view != SCION_VIEW_MAPPED || i == container->selected)
        step->gone = gone;
}

/* Those of all tasks; own: of the one that a process has, which is *mark. */
static void move_all(const struct scion_container *container, struct scion_container *again,
                     struct scion_newer_step *step, struct scion_mark *own)
{
    const struct scion_mark *marks = container->tasks.marks;
    int i;

    if (container->view != SCION_VIEW_MAPPED) {
        move_mark(container, again, 0, step, own);
        return;
    }
    for (i = 0; i < container->ntasks; i++) {
        again->tasks.marks[i] = marks[i];
        move_mark(container, again, i, step, &again->tasks.marks[i]);
    }
}

static void go_back(struct scion_container *container, struct scion_container *again,
                    const struct scion_mark *was)
{
    swap_views(container, again);
    enter_again(container, was);
}

int scion_container_exchange(struct scion_container *container, struct scion_container *again,
                             struct scion_newer_step *step)
{
    int is_mapped = container->view == SCION_VIEW_MAPPED, selected = container->selected, rc = 0;
    struct scion_mark mark = {0, 0, 0}, to;

    if (!is_mapped || selected >= 0)
        rc = scion_stream_leave(&container->front.stream,
                                is_mapped ? &container->tasks.marks[selected] : &mark);
    if (rc != 0)
        return rc;
    to = step->newer == SCION_NEWER_MOVES ? (struct scion_mark){0, 0, 0} : mark;
    if (step->newer == SCION_NEWER_MOVES)
        step->gone = size_or_none(container);
    else
        move_all(container, again, step, &to);
    swap_views(container, again);
    rc = enter_again(container, &to);
    step->was = mark;
    if (rc != 0)
        go_back(container, again, &mark);
    return rc;
}

void scion_container_exchange_back(struct scion_container *container, struct scion_container *again,
                                   const struct scion_newer_step *step)
{
    struct scion_mark there;

    if (container->view != SCION_VIEW_MAPPED || container->selected >= 0)
        scion_stream_leave(&container->front.stream, &there);
    go_back(container, again, &step->was);
}

void scion_container_drop_old_keys(struct scion_container *container,
                                   const struct scion_container *again,
                                   const struct scion_newer_step *step)
{
    int n = container->view == SCION_VIEW_MAPPED ? container->ntasks : 1, i;

    if (step->newer == SCION_NEWER_MOVES)
        scion_container_forget_keys(container);
    for (i = 0; step->newer == SCION_NEWER_GROWS && i < n; i++) {
        sion_int64 before = scion_container_lengths(again, i)->lost;

        scion_container_drop_keys(container, i,
                                  scion_container_lengths(container, i)->lost - before);
    }
}

/* What a task cannot count is of a task that is damaged, and was before. */
int scion_container_refresh_together(struct scion_container *container, sion_int64 *bytes)
{
    sion_int64 before = size_or_none(container), gone, now;
    int rc = container->owner->refresh(container, &gone);

    if (rc == 0) {
        now = size_or_none(container);
        *bytes = now > before - gone ? now - (before - gone) : 0;
    }
    return rc;
}
