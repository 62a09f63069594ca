#include "file/mapped.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "file/private.h"

/* First by rank, so that it can be searched; of one that is listed twice the first one counts. */
static int compare_attached(const void *a, const void *b)
{
    const struct scion_attached *const *one = a, *const *two = b;

    if ((*one)->rank != (*two)->rank)
        return (*one)->rank < (*two)->rank ? -1 : 1;
    return *one < *two ? -1 : *one > *two;
}

static int make_index(struct scion_container *container)
{
    int n = container->ntasks, i;

    container->by_rank = malloc(((size_t)n + 1) * sizeof *container->by_rank);
    if (!container->by_rank)
        return scion_fail_memory("tasks");
    for (i = 0; i < n; i++)
        container->by_rank[i] = &container->attached[i];
    qsort(container->by_rank, (size_t)n, sizeof *container->by_rank, compare_attached);
    return 0;
}

int scion_container_find_attached(const struct scion_container *container, int rank)
{
    int low = 0, high = container->ntasks;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (container->by_rank[middle]->rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == container->ntasks || container->by_rank[low]->rank != rank)
        return -1;
    return (int)(container->by_rank[low] - container->attached);
}

/* What the file layer needs of a file whose metadata another process has: a descriptor. */
static int add_files(struct scion_container *container, const struct scion_mapped_plan *plan)
{
    int i;

    container->files = malloc(((size_t)plan->nfiles + 1) * sizeof *container->files);
    if (!container->files)
        return scion_fail_memory("files");
    for (i = 0; i < plan->nfiles; i++) {
        struct scion_physical *physical = scion_physical_new(plan->paths[i]);

        if (!physical)
            return SION_ERR_MEMORY;
        physical->head = container->head;
        physical->is_written = container->writing;
        container->files[container->nopen++] = physical;
    }
    return 0;
}

static int add_lengths(struct scion_container *container)
{
    int i, rc = 0;

    container->lengths = calloc((size_t)container->ntasks + 1, sizeof *container->lengths);
    container->marks = calloc((size_t)container->ntasks + 1, sizeof *container->marks);
    if (!container->lengths || !container->marks)
        return scion_fail_memory("tasks");
    for (i = 0; i < container->ntasks && rc == 0; i++) {
        const struct scion_attached *task = &container->attached[i];

        if (container->writing)
            rc = scion_lengths_new(&container->lengths[i]);
        else
            scion_lengths_view(&container->lengths[i], task->used, 1, task->count);
    }
    return rc;
}

/* A process without tasks: a stream that can neither be written nor read. */
static int enter_nothing(struct scion_container *container)
{
    static const struct scion_mark start = {0, 0, 0};
    const struct scion_place nowhere = {0, 0, 0};
    int rc = scion_lengths_new(&container->own);

    container->rank = -1;
    return rc != 0
               ? rc
               : scion_stream_enter(&container->stream, NULL, &nowhere, &container->own, &start);
}

/* Its tasks' files can be opened; the first task of the first file is selected. */
static int enter_first(struct scion_container *container)
{
    int first = 0, rc = 0, i;

    if (container->ntasks == 0)
        return enter_nothing(container);
    for (i = 0; i < container->nopen && rc == 0; i++)
        rc = scion_container_need_descriptor(container, container->files[i]);
    for (i = 1; i < container->ntasks; i++) {
        if (container->attached[i].file < container->attached[first].file)
            first = i;
    }
    return rc != 0 ? rc : scion_container_enter(container, first);
}

int scion_container_map(const struct scion_mapped_plan *plan, struct scion_container **container)
{
    struct scion_container *new;
    int rc = scion_container_new(SCION_VIEW_MAPPED, plan->mode, plan->writing, plan->head, &new);

    if (rc != 0) {
        scion_attached_free(plan->tasks, plan->ntasks);
        return rc;
    }
    new->attached = plan->tasks;
    new->ntasks = plan->ntasks;
    new->all = plan->all;
    new->maxchunks = 1;
    rc = make_index(new);
    if (rc == 0)
        rc = add_files(new, plan);
    if (rc == 0)
        rc = add_lengths(new);
    if (rc == 0 && !(new->name = strdup(plan->nfiles > 0 ? plan->paths[0] : plan->name)))
        rc = scion_fail_memory("file name");
    if (rc == 0)
        rc = enter_first(new);
    if (rc != 0) {
        scion_container_free(new);
        return rc;
    }
    *container = new;
    return 0;
}

void scion_attached_free(struct scion_attached *tasks, int ntasks)
{
    int i;

    for (i = 0; tasks && i < ntasks; i++)
        free(tasks[i].used);
    free(tasks);
}

/* The tasks from `first` on, with chunk lengths of their own. */
static struct scion_attached *copy_tasks(const struct scion_container *container, int first, int n)
{
    struct scion_attached *copy = calloc((size_t)n + 1, sizeof *copy);
    int i;

    for (i = 0; copy && i < n; i++) {
        const struct scion_attached *from = &container->attached[first + i];
        size_t bytes = (size_t)from->count * sizeof *from->used;

        copy[i] = *from;
        copy[i].used = malloc(bytes);
        if (!copy[i].used) {
            scion_attached_free(copy, i);
            return NULL;
        }
        memcpy(copy[i].used, from->used, bytes);
    }
    return copy;
}

static const char **list_paths(const struct scion_container *container)
{
    const char **paths = malloc(((size_t)container->nopen + 1) * sizeof *paths);
    int i;

    for (i = 0; paths && i < container->nopen; i++)
        paths[i] = container->files[i]->path;
    return paths;
}

/* Every task goes on where it stands in the original, and so does the selection. */
static int copy_cursors(struct scion_container *container, int first,
                        struct scion_container *duplicate)
{
    struct scion_mark mark = {container->stream.chunk, container->stream.before, 0};
    int rc = scion_stream_pos(&container->stream, &mark.pos), i;

    if (rc != 0 || duplicate->ntasks == 0)
        return rc;
    container->marks[container->rank] = mark;
    for (i = 0; i < duplicate->ntasks; i++)
        duplicate->marks[i] = container->marks[first + i];
    i = duplicate->ntasks == 1 ? 0 : container->rank;
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
        .nfiles = container->nopen,
        .tasks = copy_tasks(container, first, n),
        .ntasks = n,
    };
    int rc = 0;

    if (!plan.paths || !plan.tasks) {
        scion_attached_free(plan.tasks, plan.tasks ? n : 0);
        rc = scion_fail_memory("duplicate");
    } else {
        rc = scion_container_map(&plan, duplicate);
    }
    free(plan.paths);
    if (rc != 0)
        return rc;
    rc = copy_cursors(container, first, *duplicate);
    if (rc != 0)
        scion_container_free(*duplicate);
    return rc;
}
