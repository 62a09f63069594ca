#include "file/commits.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "file/nonce.h"
#include "file/private.h"

struct scion_commits {
    struct scion_commit *tasks; /* [ntasks], of a parallel container [1] */
    int *left;                  /* [ntasks] tasks that were left since the last flush */
    int nleft;
    unsigned char *is_left; /* [ntasks] */
};

int scion_commits_make(struct scion_container *container)
{
    size_t n = scion_container_has_tasks(container) ? (size_t)container->ntasks : 1;
    struct scion_commits *new;

    if (!container->writing || scion_marker_trailer(container->head.flag2, NULL) == 0)
        return 0;
    container->commits = new = calloc(1, sizeof *new);
    if (!new)
        return scion_fail_memory("commit records");
    new->tasks = calloc(n + 1, sizeof *new->tasks);
    new->left = scion_array(n + 1, sizeof *new->left);
    new->is_left = calloc(n + 1, 1);
    return new->tasks &&new->left &&new->is_left ? 0 : scion_fail_memory("commit records");
}

void scion_commits_free(struct scion_container *container)
{
    struct scion_commits *commits = container->commits;

    if (!commits)
        return;
    free(commits->tasks);
    free(commits->left);
    free(commits->is_left);
    free(commits);
    container->commits = NULL;
}

/* Memory of tasks that are never selected is not touched. */
void scion_commits_enter(struct scion_container *container, int task)
{
    struct scion_commit *commit;
    uint32_t nonce;

    if (!container->commits)
        return;
    commit = &container->commits->tasks[task];
    scion_marker_trailer(container->head.flag2, &nonce);
    if (!commit->is_begun)
        scion_commit_init(commit, nonce, container->lrank, scion_container_syncs_flush(container));
    container->front.stream.commit = commit;
}

void scion_commits_leave(struct scion_container *container, int task)
{
    struct scion_commits *commits = container->commits;

    if (!commits || commits->is_left[task])
        return;
    commits->is_left[task] = 1;
    commits->left[commits->nleft++] = task;
}

void scion_commits_restart(struct scion_container *container)
{
    container->head.flag2 = scion_recovery_renew(container->head.flag2);
    if (!container->commits)
        return;
    container->commits->tasks[0].is_begun = 0;
    scion_commits_enter(container, 0);
}

/* The file of a task that was left, open. */
static int find_left(struct scion_container *container, int task, struct scion_file **file,
                     struct scion_place *place)
{
    int lrank, rc;
    struct scion_physical *physical;

    if (task == container->selected) {
        *file = container->front.stream.file;
        return 0;
    }
    physical = scion_tasks_locate(container, task, &lrank, place);
    rc = scion_tasks_need_descriptor(&container->tasks, physical);
    *file = physical->file;
    return rc;
}

/* To the disk, if flushes wait: each file once, as far as tasks of a file follow each other. */
static int sync_left(struct scion_container *container)
{
    const struct scion_commits *commits = container->commits;
    struct scion_file *file, *last = NULL;
    struct scion_place place;
    int rc = 0, i;

    if (!scion_container_syncs_flush(container))
        return scion_file_check_flushed(container->front.stream.file);
    for (i = 0; i < commits->nleft && rc == 0; i++) {
        rc = find_left(container, commits->left[i], &file, &place);
        if (rc == 0 && file != last)
            rc = scion_file_sync(last = file);
    }
    return rc;
}

/* The slots of the other tasks: their bytes were given to the system when they were left. */
static int write_left(struct scion_container *container)
{
    const struct scion_commits *commits = container->commits;
    struct scion_file *file;
    struct scion_place place;
    int rc = 0, i;

    for (i = 0; i < commits->nleft && rc == 0; i++) {
        int task = commits->left[i];
        const struct scion_mark *mark;

        if (task == container->selected)
            continue;
        mark = &container->tasks.marks[task];
        rc = find_left(container, task, &file, &place);
        if (rc == 0)
            rc = scion_commit_write(&commits->tasks[task], file, &place, mark->chunk, mark->pos, 1);
    }
    return rc;
}

/* With all bytes where they must be: the slots of the other tasks. If that fails, or if `rc` says
   that something before has failed, all stay on the list: a task that has its slot already does not
   get a second one. */
static int end_left(struct scion_container *container, int rc)
{
    struct scion_commits *commits = container->commits;
    int other = write_left(container);

    rc = scion_first_failure(rc, other);
    other = sync_left(container);
    rc = scion_first_failure(rc, other);
    while (rc == 0 && commits->nleft > 0)
        commits->is_left[commits->left[--commits->nleft]] = 0;
    return rc;
}

int scion_commits_write_left(struct scion_container *container)
{
    int rc = sync_left(container);

    return rc == 0 ? end_left(container, 0) : rc;
}

int scion_commits_flush(struct scion_container *container)
{
    int rc = scion_stream_flush(&container->front.stream), other;

    if (container->selected >= 0)
        scion_commits_leave(container, container->selected);
    other = sync_left(container);
    if (other != 0)
        return scion_first_failure(rc, other);
    if (rc == 0)
        rc = scion_stream_commit(&container->front.stream);
    return end_left(container, rc);
}
