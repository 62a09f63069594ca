#include "file/mapped.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "file/commits.h"
#include "file/members.h"
#include "file/private.h"
#include "file/unzip.h"
#include "file/zips.h"

/* Sorted by rank, to be searched; if a rank is listed twice, the first entry counts. */
static int compare_placed(const void *a, const void *b)
{
    const struct scion_task_place *const *one = a, *const *two = b;

    if ((*one)->rank != (*two)->rank)
        return (*one)->rank < (*two)->rank ? -1 : 1;
    return *one < *two ? -1 : *one > *two;
}

static int make_index(struct scion_container *container)
{
    int n = container->ntasks, i;

    container->mapped.by_rank = scion_array((size_t)n + 1, sizeof *container->mapped.by_rank);
    if (!container->mapped.by_rank)
        return scion_fail_memory("tasks");
    for (i = 0; i < n; i++)
        container->mapped.by_rank[i] = &container->mapped.tasks[i];
    qsort(container->mapped.by_rank, (size_t)n, sizeof *container->mapped.by_rank, compare_placed);
    return 0;
}

int scion_container_find_rank(const struct scion_container *container, int rank)
{
    int low = 0, high = container->ntasks;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (container->mapped.by_rank[middle]->rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == container->ntasks || container->mapped.by_rank[low]->rank != rank)
        return -1;
    return (int)(container->mapped.by_rank[low] - container->mapped.tasks);
}

/* A file whose metadata another process has: only a descriptor is needed. */
static int add_files(struct scion_container *container, const struct scion_mapped_plan *plan)
{
    int i;

    container->tasks.files = scion_array((size_t)plan->nfiles + 1, sizeof *container->tasks.files);
    if (!container->tasks.files)
        return scion_fail_memory("files");
    for (i = 0; i < plan->nfiles; i++) {
        struct scion_physical *physical = scion_physical_new(plan->paths[i]);

        if (!physical)
            return SION_ERR_MEMORY;
        physical->head = container->head;
        physical->is_written = container->writing;
        physical->is_derived =
            plan->finals || (plan->are_derived && strcmp(plan->paths[i], plan->name) != 0);
        container->tasks.files[container->tasks.nopen++] = physical;
        if (plan->finals && !(physical->final = strdup(plan->finals[i])))
            return scion_fail_memory("file name");
    }
    return 0;
}

static int go_on(struct scion_tasks *tasks, int task, sion_int64 *used, sion_int64 count)
{
    struct scion_lengths old;

    scion_lengths_view(&old, used, 1, count);
    return scion_lengths_go_on(&tasks->lengths[task], &old, &tasks->marks[task]);
}

static int add_lengths(struct scion_container *container, int appends)
{
    struct scion_tasks *tasks = &container->tasks;
    sion_int64 *used = container->mapped.used;
    int rc = scion_tasks_make(tasks, container->ntasks), i;

    for (i = 0; i < container->ntasks && rc == 0; i++) {
        sion_int64 count = container->mapped.tasks[i].count;

        if (appends)
            rc = go_on(tasks, i, used, scion_task_place_chunks(count));
        else if (container->writing)
            rc = scion_lengths_new(&tasks->lengths[i]);
        else
            scion_lengths_view(&tasks->lengths[i], used, 1, scion_task_place_chunks(count));
        used = container->writing && !appends ? NULL : used + scion_task_place_numbers(count);
        if (rc == 0)
            scion_tasks_visit(tasks, i);
    }
    return rc;
}

int scion_mapped_lock_out(struct scion_container *container, const struct scion_damage *damage)
{
    struct scion_mapped_view *view = &container->mapped;
    size_t task = (size_t)container->selected, n = (size_t)container->ntasks;
    sion_int64 *used;

    if (!view->locked)
        view->locked = scion_array(n, SCION_DAMAGED_NUMBERS * sizeof *view->locked);
    if (!view->locked)
        return scion_fail_memory("damaged tasks");
    used = view->locked + task * SCION_DAMAGED_NUMBERS;
    used[0] = 0;
    memcpy(used + 1, damage, sizeof *damage);
    view->tasks[task].count = -SCION_DAMAGED_NUMBERS;
    scion_lengths_view(&container->tasks.lengths[task], used, 1, 1);
    return scion_container_enter(container, (int)task);
}

/* ---- guards ---- */

/* Tasks of a file that have checksums, and their chunks. */
struct guard_size {
    struct scion_guard_facts facts;
    int tasks;
    sion_int64 chunks;
};

static void measure_guards(const struct scion_container *container,
                           const struct scion_crc_place *places, struct guard_size *sizes)
{
    int i;

    for (i = 0; i < container->ntasks; i++) {
        const struct scion_task_place *task = &container->mapped.tasks[i];
        struct guard_size *size = &sizes[task->index];

        if (places[i].piece <= 0)
            continue;
        size->facts =
            (struct scion_guard_facts){places[i].piece, places[i].swapped, task->place.globalskip};
        size->tasks++;
        size->chunks += container->tasks.lengths[i].count;
    }
}

static int make_guards(const struct scion_container *container,
                       const struct scion_crc_place *places, const uint32_t *crcs,
                       const struct guard_size *sizes, struct scion_guard **guards)
{
    int rc = 0, i;

    for (i = 0; i < container->tasks.nopen && rc == 0; i++) {
        if (sizes[i].tasks > 0)
            rc = scion_guard_new(&sizes[i].facts, sizes[i].tasks, sizes[i].chunks, &guards[i]);
    }
    for (i = 0; i < container->ntasks && rc == 0; i++) {
        const struct scion_task_place *task = &container->mapped.tasks[i];

        if (places[i].piece <= 0)
            continue;
        scion_guard_add(guards[task->index], task->lrank, task->place.start, places[i].at,
                        &container->tasks.lengths[i]);
        rc = scion_guard_give(guards[task->index], crcs, places[i].count);
        crcs += places[i].count;
    }
    return rc;
}

int scion_mapped_guards(const struct scion_container *container,
                        const struct scion_crc_place *places, const uint32_t *crcs,
                        struct scion_guard ***guards)
{
    size_t n = (size_t)container->tasks.nopen + 1;
    struct guard_size *sizes = calloc(n, sizeof *sizes);
    int rc;

    *guards = calloc(n, sizeof(struct scion_guard *));
    if (sizes && *guards) {
        measure_guards(container, places, sizes);
        rc = make_guards(container, places, crcs, sizes, *guards);
    } else {
        rc = scion_fail_memory("checksums");
    }
    free(sizes);
    return rc;
}

void scion_mapped_watch(struct scion_container *container, struct scion_guard **guards)
{
    int i;

    for (i = 0; i < container->tasks.nopen; i++) {
        struct scion_physical *physical = container->tasks.files[i];

        physical->guard = guards[i];
        guards[i] = NULL;
        if (physical->file)
            scion_guard_watch(physical->guard, physical->file);
    }
}

/* A process without tasks: a stream that can neither be written nor read. */
static int enter_nothing(struct scion_container *container)
{
    static const struct scion_mark start = {0, 0, 0};
    const struct scion_place nowhere = {.start = 0};
    int rc = scion_lengths_new(&container->mapped.nothing);

    container->selected = container->rank = -1;
    return rc != 0 ? rc
                   : scion_stream_enter(&container->front.stream, NULL, &nowhere,
                                        &container->mapped.nothing, &start);
}

/* Its tasks' files can be opened; the first task of the first file is selected. */
static int enter_first(struct scion_container *container)
{
    int first = 0, rc = 0, i;

    if (container->ntasks == 0)
        return enter_nothing(container);
    for (i = 0; i < container->tasks.nopen && rc == 0; i++)
        rc = scion_tasks_need_descriptor(&container->tasks, container->tasks.files[i]);
    for (i = 1; i < container->ntasks; i++) {
        if (container->mapped.tasks[i].index < container->mapped.tasks[first].index)
            first = i;
    }
    return rc != 0 ? rc : scion_container_enter(container, first);
}

static struct scion_physical *locate(const struct scion_container *container, int task, int *lrank,
                                     struct scion_place *place)
{
    const struct scion_task_place *placed = &container->mapped.tasks[task];

    *lrank = placed->lrank;
    *place = placed->place;
    return container->tasks.files[placed->index];
}

void scion_mapped_raise(struct scion_container *container, const sion_int64 *floors)
{
    struct scion_task_place *tasks = container->mapped.tasks;
    int i;

    for (i = 0; i < container->ntasks; i++)
        tasks[i].place.floor = floors[tasks[i].file];
    if (container->selected >= 0)
        container->front.stream.place.floor = tasks[container->selected].place.floor;
}

int scion_mapped_leap(struct scion_container *container)
{
    int rc = 0, i;

    for (i = 0; i < container->ntasks && rc == 0; i++) {
        if (i != container->selected)
            rc = scion_tasks_leap(&container->tasks, i, container->mapped.tasks[i].place.floor);
    }
    return rc == 0 && container->ntasks > 0 ? scion_stream_leap(&container->front.stream) : rc;
}

void scion_mapped_drop(struct scion_container *container, const sion_int64 *forgotten)
{
    int i;

    for (i = 0; i < container->ntasks; i++)
        container->tasks.lengths[i].forgotten = forgotten[container->mapped.tasks[i].file];
}

static int release(struct scion_container *container)
{
    scion_lengths_free(&container->mapped.nothing);
    free(container->mapped.tasks);
    free(container->mapped.used);
    free(container->mapped.locked);
    free(container->mapped.by_rank);
    return scion_tasks_free(&container->tasks);
}

static const struct scion_view_operations operations = {SCION_VIEW_MAPPED, locate, NULL, release};

int scion_container_map(const struct scion_mapped_plan *plan, struct scion_container **container)
{
    struct scion_container *new;
    int rc = scion_container_new(&operations, plan->mode, plan->writing, plan->head, &new);

    if (rc != 0) {
        free(plan->tasks);
        free(plan->used);
        return rc;
    }
    new->mapped.tasks = plan->tasks;
    new->mapped.used = plan->used;
    new->ntasks = plan->ntasks;
    new->mapped.all = plan->all;
    new->appends = plan->appends;
    new->keeps = plan->keeps;
    new->maxchunks = 1;
    rc = make_index(new);
    if (rc == 0)
        rc = add_files(new, plan);
    if (rc == 0)
        rc = add_lengths(new, plan->appends);
    if (rc == 0)
        rc = scion_commits_make(new);
    if (rc == 0)
        rc = scion_zips_make(new);
    if (rc == 0)
        rc = scion_zips_go_on(new);
    if (rc == 0)
        rc = scion_container_set_name(
            new, plan->nfiles > 0 ? scion_physical_final(new->tasks.files[0]) : plan->name);
    if (rc == 0)
        rc = enter_first(new);
    if (rc != 0) {
        scion_container_free(new);
        return rc;
    }
    *container = new;
    return 0;
}

static sion_int64 count_numbers(const struct scion_task_place *tasks, int n)
{
    sion_int64 count = 0;

    while (n-- > 0)
        count += scion_task_place_numbers(tasks[n].count);
    return count;
}

/* plan->ntasks tasks from `first` on, with chunk lengths of their own. */
static int copy_tasks(const struct scion_container *container, int first,
                      struct scion_mapped_plan *plan)
{
    const struct scion_task_place *from = container->mapped.tasks;
    uint64_t numbers = (uint64_t)count_numbers(from + first, plan->ntasks);

    plan->tasks = scion_array((uint64_t)plan->ntasks + 1, sizeof *plan->tasks);
    plan->used = scion_array(numbers + 1, sizeof *plan->used);
    if (!plan->tasks || !plan->used) {
        free(plan->tasks);
        free(plan->used);
        return scion_fail_memory("duplicate");
    }
    if (plan->ntasks > 0) {
        memcpy(plan->tasks, from + first, (size_t)plan->ntasks * sizeof *plan->tasks);
        memcpy(plan->used, container->mapped.used + count_numbers(from, first),
               (size_t)numbers * sizeof *plan->used);
    }
    return 0;
}

static const char **list_paths(const struct scion_container *container)
{
    const char **paths = scion_array((size_t)container->tasks.nopen + 1, sizeof *paths);
    int i;

    for (i = 0; paths && i < container->tasks.nopen; i++)
        paths[i] = container->tasks.files[i]->path;
    return paths;
}

static int copy_guard(const struct scion_physical *from, struct scion_physical *to)
{
    int rc = scion_guard_copy(from->guard, &to->guard);

    if (rc == 0 && to->guard && to->file)
        scion_guard_watch(to->guard, to->file);
    return rc;
}

/* The tasks' places are those of members already. */
static int copy_members(const struct scion_container *container, struct scion_container *duplicate)
{
    int i;

    for (i = 0; i < container->tasks.nopen; i++) {
        const struct scion_physical *from = container->tasks.files[i];
        struct scion_physical *to = duplicate->tasks.files[i];
        int rc = copy_guard(from, to);

        if (rc != 0)
            return rc;
        if (from->unzip) {
            to->unzip = scion_unzip_view_copy(from->unzip);
            if (!to->unzip)
                return SION_ERR_MEMORY;
            duplicate->front.stream.is_zipped = 1;
            if (to->file)
                scion_file_show(to->file, scion_unzip_view_of(to->unzip));
        }
        if (!from->members)
            continue;
        to->members = scion_piece_view_copy(from->members);
        if (!to->members)
            return SION_ERR_MEMORY;
        if (to->file)
            scion_file_show(to->file, &to->members->view);
    }
    return 0;
}

/* Every task goes on where it stands in the original, and so does the selection. */
static int copy_cursors(struct scion_container *container, int first,
                        struct scion_container *duplicate)
{
    struct scion_mark mark = {container->front.stream.chunk, container->front.stream.before, 0};
    int rc = scion_stream_pos(&container->front.stream, &mark.pos), i;

    if (rc != 0 || duplicate->ntasks == 0)
        return rc;
    container->tasks.marks[container->selected] = mark;
    for (i = 0; i < duplicate->ntasks; i++)
        duplicate->tasks.marks[i] = container->tasks.marks[first + i];
    i = duplicate->ntasks == 1 ? 0 : container->selected;
    return scion_container_enter(duplicate, i);
}

int scion_container_duplicate_mapped(struct scion_container *container, int task,
                                     struct scion_container **duplicate)
{
    const struct scion_mode mode = scion_container_mode(container);
    int first = task < 0 ? 0 : task, n = task < 0 ? container->ntasks : 1;
    struct scion_mapped_plan plan = {
        .head = &container->head,
        .mode = &mode,
        .name = container->name,
        .paths = list_paths(container),
        .nfiles = container->tasks.nopen,
        .ntasks = n,
    };
    int rc = plan.paths ? copy_tasks(container, first, &plan) : scion_fail_memory("duplicate");

    if (rc == 0)
        rc = scion_container_map(&plan, duplicate);
    free(plan.paths);
    if (rc != 0)
        return rc;
    rc = copy_members(container, *duplicate);
    if (rc == 0)
        rc = copy_cursors(container, first, *duplicate);
    if (rc != 0)
        scion_container_free(*duplicate);
    return rc;
}
