#include "file/commits.h"

#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/env.h"
#include "base/error.h"
#include "base/memory.h"
#include "file/mapped.h"
#include "file/private.h"

struct scion_commits {
    struct scion_commit *tasks; /* [ntasks], of a parallel container [1] */
    int *left;                  /* [ntasks] tasks that were left since the last flush */
    int nleft;
    unsigned char *is_left; /* [ntasks] */
};

/* A number that no other open has: random, or the time if the system has no random numbers. */
static uint32_t new_nonce(void)
{
    uint32_t nonce;
    struct timespec now;

    if (getrandom(&nonce, sizeof nonce, GRND_NONBLOCK) == (ssize_t)sizeof nonce)
        return nonce;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint32_t)now.tv_sec * 2654435761u ^ (uint32_t)now.tv_nsec ^ (uint32_t)getpid() << 16;
}

sion_int64 scion_recovery_none(void)
{
    return scion_marker_plain(new_nonce());
}

sion_int64 scion_recovery_choose(const struct scion_mode *mode)
{
    long long wanted = 0;

    scion_env_number("RECOVER", &wanted);
    if (mode->recover != 0)
        wanted = mode->recover > 0;
    if (wanted != 0)
        return scion_marker_make(new_nonce());
    return scion_mode_is_atomic(mode) ? scion_recovery_none() : 0;
}

sion_int64 scion_recovery_renew(sion_int64 flag2)
{
    uint32_t nonce;

    return scion_marker_trailer(flag2, &nonce) > 0 ? scion_marker_make(nonce + 1) : flag2;
}

static int task_in_file(const struct scion_container *container, int task)
{
    struct scion_place place;
    int lrank = container->lrank;

    if (scion_container_has_tasks(container))
        scion_tasks_locate(container, task, &lrank, &place);
    return lrank;
}

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
        scion_commit_init(commit, nonce, task_in_file(container, task),
                          scion_container_syncs_flush(container));
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

/* All tasks that were written since the last flush, among them the selected one: first their bytes
   to the disk, then the slots that vouch for them. */
static int commit_all(struct scion_container *container)
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

static int flush_owner(struct scion_container *container)
{
    return container->owner && container->owner->flush ? container->owner->flush(container) : 0;
}

int scion_container_flush(struct scion_container *container)
{
    SCION_HOLD(&container->front.stream.hold);
    int rc = flush_owner(container), other;

    if (container->commits) {
        other = commit_all(container);
        return scion_first_failure(rc, other);
    }
    other = scion_stream_flush(&container->front.stream);
    rc = scion_first_failure(rc, other);
    if (rc != 0)
        return rc;
    return scion_container_syncs_flush(container)
               ? scion_file_sync(container->front.stream.file)
               : scion_file_check_flushed(container->front.stream.file);
}

int scion_container_end_stream(struct scion_container *container)
{
    SCION_HOLD(&container->front.stream.hold);
    int is_there = container->front.stream.lengths != NULL;
    int rc = container->commits && is_there ? scion_container_flush(container) : 0;
    int other = scion_stream_close(&container->front.stream);

    return rc != 0 ? rc : other;
}
