/* A reader of a container that is written goes on with its newest state. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/warning.h"
#include "file/newer.h"
#include "file/physical_read.h"
#include "file/private.h"
#include "sion_const.h"

static struct scion_lengths lengths_of(const struct scion_physical *physical, size_t task)
{
    struct scion_lengths lengths;

    scion_lengths_view(&lengths, physical->used + task, (size_t)physical->head.ntasks,
                       physical->counts[task]);
    return lengths;
}

static struct scion_lengths lengths_of_rank(const struct scion_rank_view *view)
{
    struct scion_lengths lengths;

    scion_lengths_view(&lengths, view->column.used, 1, view->column.count);
    return lengths;
}

static int goes_on(const struct scion_physical *old, const struct scion_physical *new, int newer,
                   sion_int64 first)
{
    size_t n = (size_t)old->head.ntasks, t;

    if (new->head.ntasks != old->head.ntasks || new->head.flag1 != old->head.flag1 ||
        new->head.flag2 != old->head.flag2 || new->inode != old->inode ||
        new->device != old->device ||
        (!old->unzip && /* whose chunks are what there is */
         memcmp(new->chunksizes, old->chunksizes, n * sizeof *old->chunksizes) != 0) ||
        memcmp(new->globalranks, old->globalranks, n * sizeof *old->globalranks) != 0)
        return 0;
    for (t = 0; newer == SCION_NEWER_GROWS && t < n; t++) {
        const struct scion_lengths before = lengths_of(old, t), now = lengths_of(new, t);

        const struct scion_newer_task task = {&before, old->unzip, old->starts[t]};

        if (!scion_newer_has_all(&task, &now, first))
            return 0;
    }
    return 1;
}

/* First chunk of a file that is left to a reader of all generations. */
static sion_int64 first_of(const struct scion_container *old, const struct scion_physical *file,
                           const struct scion_physical *now)
{
    return old->wanted.sees_all && file->generations ? scion_newer_first(now) : 0;
}

/* SCION_NEWER_* or an error code; now: a file of the new state. */
static int compare(const struct scion_container *old, const struct scion_container *new,
                   const struct scion_physical *now)
{
    if (old->wanted.sees_all && now->has_odd_generations)
        return scion_fail(SION_ERR_DAMAGED, "cannot read %s: its record of generations is damaged",
                          old->name);
    return scion_newer_compare(old->name, old->wanted.sees_all, old->generation, new->generation);
}

/* SCION_NEWER_* or an error code. */
static int check_files(const struct scion_container *old, const struct scion_container *new)
{
    int newer = compare(old, new, new->tasks.files[0]);
    int i, same = new->ntasks == old->ntasks &&new->tasks.nopen == old->tasks.nopen;

    if (newer <= SCION_NEWER_STAYS)
        return newer;
    for (i = 0; same && i < old->tasks.nopen; i++) {
        const struct scion_physical *file = old->tasks.files[i], *now = new->tasks.files[i];

        same = goes_on(file, now, newer, first_of(old, file, now));
    }
    return same ? newer : scion_newer_fail_changed(old);
}

static void swap_generations(struct scion_container *one, struct scion_container *other)
{
    sion_int64 generation = one->generation;

    one->generation = other->generation;
    other->generation = generation;
}

/* The tables, and what is made of them. */
static void swap_tables(struct scion_container *one, struct scion_container *other)
{
    const struct scion_serial_view serial = one->serial;

    one->serial = other->serial;
    other->serial = serial;
    swap_generations(one, other);
    scion_container_swap_tasks(one, other);
}

/* The same of a file that this process has read. */
static void add_loss_of(const struct scion_container *container, int task,
                        const struct scion_physical *file, const struct scion_newer_task *old,
                        const struct scion_mark *mark, struct scion_newer_loss *loss)
{
    const struct scion_generations *then = file->generations;

    if (then)
        scion_container_add_loss(container, task, then->list, then->head.n, old, mark, loss);
}

/* Every task stays where it is, if that is still there: chunks before the last one do not change.
   gone: bytes of the selected task that are not there any more. */
static void move_marks(const struct scion_container *container, struct scion_container *new,
                       struct scion_newer_loss *loss, sion_int64 *gone)
{
    int task, file, lrank;

    for (task = 0; task < container->ntasks; task++) {
        const struct scion_physical *old, *now;
        struct scion_mark *mark = &new->tasks.marks[task];
        struct scion_newer_task before;
        struct scion_lengths lengths;
        sion_int64 first, before_first;

        scion_container_locate(container, task, &file, &lrank);
        old = container->tasks.files[file];
        now = new->tasks.files[file];
        first = first_of(container, old, now);
        *mark = container->tasks.marks[task];
        if (first == 0)
            continue;
        lengths = lengths_of(old, (size_t)lrank);
        before = (struct scion_newer_task){&lengths, old->unzip, old->starts[lrank]};
        add_loss_of(container, task, old, &before, mark, loss);
        scion_newer_move(&before, now->counts[lrank], first, mark);
        before_first = scion_newer_before(&before, first);
        new->tasks.forgotten[task] += before_first;
        if (task == container->selected)
            *gone = before_first;
    }
}

/* The indexes of keys are those of the tables that `old` has now. */
static void drop_keys(struct scion_container *container, const struct scion_container *old,
                      int moves)
{
    int task, file, lrank;

    if (moves)
        scion_container_forget_keys(container);
    for (task = 0; container->indexes.keyvals && task < container->ntasks; task++) {
        const struct scion_physical *before;
        struct scion_newer_task its;
        struct scion_lengths lengths;

        scion_container_locate(container, task, &file, &lrank);
        before = old->tasks.files[file];
        lengths = lengths_of(before, (size_t)lrank);
        its = (struct scion_newer_task){&lengths, NULL, 0};
        scion_container_drop_keys(
            container, task,
            scion_newer_before(&its, first_of(container, before, container->tasks.files[file])));
    }
}

/* The new state gets room for what its tasks have had, and have no more; first what the old one
   knows of that. */
static int carry_forgotten(const struct scion_tasks *old, struct scion_tasks *now, int ntasks)
{
    int i;

    now->forgotten = scion_array((uint64_t)ntasks, sizeof *now->forgotten);
    if (!now->forgotten)
        return scion_fail_memory("refresh");
    for (i = 0; i < ntasks; i++)
        now->forgotten[i] = old->forgotten ? old->forgotten[i] : 0;
    return 0;
}

static int take_over(struct scion_container *container, struct scion_container *new, int moves,
                     sion_int64 *gone)
{
    int selected = container->selected, rc;
    struct scion_newer_loss loss = {.first = 1};

    rc = scion_stream_leave(&container->front.stream, &container->tasks.marks[selected]);
    if (rc != 0)
        return rc;
    if (container->wanted.sees_all) {
        scion_newer_begin(container->tasks.files[0], new->tasks.files[0], &loss);
        rc = carry_forgotten(&container->tasks, &new->tasks, container->ntasks);
    }
    if (rc != 0)
        return rc;
    if (moves)
        rc = scion_stream_size(&container->front.stream, gone);
    else
        move_marks(container, new, &loss, gone);
    if (rc != 0)
        return rc;
    swap_tables(container, new);
    rc = scion_container_enter(container, selected);
    if (rc != 0) {
        swap_tables(container, new);
        scion_container_enter(container, selected);
        return rc;
    }
    drop_keys(container, new, moves);
    scion_newer_warn(container->name, &loss);
    return 0;
}

/* gone: bytes that the selected task had, and has no more. */
static int refresh_all(struct scion_container *container, sion_int64 *gone)
{
    const struct scion_mode mode = scion_container_mode_of_newer(container);
    struct scion_container *new;
    int rc = scion_tasks_need_descriptor(&container->tasks, container->tasks.files[0]), newer;

    if (rc != 0 || scion_physical_is_newest(container->tasks.files[0]))
        return rc;
    rc = scion_container_open(container->name, &mode, &new);
    if (rc != 0)
        return rc;
    rc = newer = check_files(container, new);
    if (newer > SCION_NEWER_STAYS)
        rc = take_over(container, new, newer == SCION_NEWER_MOVES, gone);
    scion_container_free(new);
    return rc;
}

static void swap_ranks(struct scion_container *one, struct scion_container *other)
{
    const struct scion_rank_view view = one->one;

    one->one = other->one;
    other->one = view;
    swap_generations(one, other);
}

/* SCION_NEWER_* or an error code. */
static int check_rank(const struct scion_container *old, const struct scion_container *new)
{
    const struct scion_column *before = &old->one.column, *now = &new->one.column;
    const struct scion_lengths lengths = lengths_of_rank(&old->one),
                               more = lengths_of_rank(&new->one);
    const struct scion_newer_task task = {&lengths, old->one.physical->unzip, 0};
    int newer = compare(old, new, new->one.physical);

    if (newer <= SCION_NEWER_STAYS)
        return newer;
    if (now->lrank != before->lrank || now->globalrank != before->globalrank ||
        (!old->one.physical->unzip &&
         (now->start != before->start || now->chunksize != before->chunksize)) ||
        (newer == SCION_NEWER_GROWS &&
         !scion_newer_has_all(&task, &more, first_of(old, old->one.physical, new->one.physical))))
        return scion_newer_fail_changed(old);
    return newer;
}

/* As take_over(). */
static int take_over_rank(struct scion_container *container, struct scion_container *new, int moves,
                          sion_int64 *gone)
{
    const struct scion_physical *old = container->one.physical, *now = new->one.physical;
    const struct scion_lengths lengths = lengths_of_rank(&container->one);
    const struct scion_newer_task task = {&lengths, old->unzip, 0};
    sion_int64 first = first_of(container, old, now);
    struct scion_newer_loss loss = {.first = 1};
    struct scion_mark mark, goal = {0, 0, 0};
    int rc = scion_stream_leave(&container->front.stream, &mark);

    if (rc != 0)
        return rc;
    if (container->wanted.sees_all)
        scion_newer_begin(old, now, &loss);
    add_loss_of(container, 0, old, &task, &mark, &loss);
    *gone = scion_newer_before(&task, moves ? SCION_NEWER_ALL : first);
    if (!moves) {
        goal = mark;
        scion_newer_move(&task, new->one.column.count, first, &goal);
    }
    new->one.forgotten = container->one.forgotten + (moves ? 0 : *gone);
    swap_ranks(container, new);
    rc = scion_rank_enter(container, &goal);
    if (rc != 0) {
        swap_ranks(container, new);
        scion_rank_enter(container, &mark);
        return rc;
    }
    if (moves)
        scion_container_forget_keys(container);
    else
        scion_container_drop_keys(container, 0, *gone);
    scion_newer_warn(container->name, &loss);
    return 0;
}

static int refresh_rank(struct scion_container *container, sion_int64 *gone)
{
    const struct scion_mode mode = scion_container_mode_of_newer(container);
    struct scion_container *new;
    int rc = scion_physical_resume(container->one.physical), newer;

    if (rc != 0 || scion_physical_is_newest(container->one.physical))
        return rc;
    rc = scion_rank_open_again(container, &mode, &new);
    if (rc != 0)
        return rc;
    rc = newer = check_rank(container, new);
    if (newer > SCION_NEWER_STAYS)
        rc = take_over_rank(container, new, newer == SCION_NEWER_MOVES, gone);
    scion_container_free(new);
    return rc;
}

static int refresh_alone(struct scion_container *container, sion_int64 *gone)
{
    return container->view == SCION_VIEW_ALL ? refresh_all(container, gone)
                                             : refresh_rank(container, gone);
}

static int has_owner(const struct scion_container *container)
{
    return container->owner && container->owner->refresh;
}

/* Whether it is one whose state is known, to itself or to its owner. */
static int check_reader(const struct scion_container *container)
{
    if (container->writing)
        return scion_fail(SION_ERR_MODE, "%s is open for writing", container->name);
    if (!has_owner(container) && container->view != SCION_VIEW_ALL &&
        container->view != SCION_VIEW_RANK)
        return scion_fail(SION_ERR_MODE,
                          "%s is a duplicate of what several tasks have opened together",
                          container->name);
    return 0;
}

int scion_container_refresh(struct scion_container *container, sion_int64 *bytes)
{
    SCION_HOLD(&container->front.stream.hold);
    struct scion_stream *stream = &container->front.stream;
    sion_int64 before = 0, gone = 0;
    int rc;

    *bytes = 0;
    rc = check_reader(container);
    if (rc != 0)
        return rc;
    if (has_owner(container))
        return scion_container_refresh_together(container, bytes);
    rc = scion_stream_size(stream, &before);
    if (rc == 0)
        rc = refresh_alone(container, &gone);
    if (rc == 0)
        rc = scion_stream_size(stream, bytes);
    *bytes = rc == 0 ? *bytes - before + gone : 0;
    return rc;
}

static sion_int64 forgotten_of(const struct scion_container *container)
{
    int task = container->selected;

    switch (container->view) {
    case SCION_VIEW_RANK:
        return container->one.forgotten;
    case SCION_VIEW_PARALLEL:
        return container->parallel.lengths.lost;
    case SCION_VIEW_MAPPED:
        return task >= 0 ? container->tasks.lengths[task].lost : 0;
    default:
        return container->tasks.forgotten ? container->tasks.forgotten[task] : 0;
    }
}

int scion_container_generation(struct scion_container *container, sion_int64 *number,
                               sion_int64 *forgotten)
{
    SCION_HOLD(&container->front.stream.hold);
    int rc = check_reader(container);

    if (rc != 0)
        return rc;
    *number = container->generation;
    *forgotten = forgotten_of(container);
    if (has_owner(container))
        rc = container->owner->generation(container, number);
    return rc == 0 && *number < 0 ? scion_fail_memory("refresh") : rc;
}
