/* All tasks of a container, in one process: a new file, or a file or a set of files to be read. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/trace.h"
#include "file/commits.h"
#include "file/generations.h"
#include "file/mapping.h"
#include "file/nonce.h"
#include "file/physical_read.h"
#include "file/private.h"
#include "file/sound.h"
#include "file/unzip.h"
#include "file/zips.h"
#include "vfs/writer_lock.h"

/* ---- what this view does ---- */

static int release(struct scion_container *container)
{
    int rc, unlocked;

    scion_answers_free(&container->serial.answers);
    rc = scion_tasks_free(&container->tasks);
    unlocked = scion_writer_lock_release(container->serial.lock, 0);
    return scion_first_failure(rc, unlocked);
}

static struct scion_physical *locate(const struct scion_container *container, int task, int *lrank,
                                     struct scion_place *place)
{
    int file;

    scion_container_locate(container, task, &file, lrank);
    *place = scion_physical_place(container->tasks.files[file], *lrank);
    return container->tasks.files[file];
}

static const struct scion_view_operations operations = {SCION_VIEW_ALL, locate, scion_serial_finish,
                                                        release};

/* ---- making it ---- */

/* Make a container whose only file is `physical`, which it takes over in any case. */
static int of_file(struct scion_physical *physical, const struct scion_mode *mode, int writing,
                   struct scion_container **container)
{
    struct scion_container *new;
    int rc = scion_container_new(&operations, mode, writing, &physical->head, &new);

    if (rc != 0) {
        scion_physical_close(physical);
        return rc;
    }
    new->tasks.files = malloc(sizeof *new->tasks.files);
    if (!new->tasks.files) {
        scion_physical_close(physical);
        scion_container_free(new);
        return scion_fail_memory("files");
    }
    new->tasks.files[new->tasks.nopen++] = physical;
    new->ntasks = physical->head.ntasks;
    new->maxchunks = physical->maxchunks;
    *container = new;
    return 0;
}

/* Where each task goes on. */
static int go_on(struct scion_container *container)
{
    const struct scion_physical *physical = container->tasks.files[0];
    struct scion_tasks *tasks = &container->tasks;
    int rc = 0, t;

    for (t = 0; t < container->ntasks && rc == 0; t++) {
        struct scion_lengths old;

        scion_lengths_view(&old, physical->used + t, (size_t)physical->head.ntasks,
                           physical->counts[t]);
        rc = scion_lengths_go_on(&tasks->lengths[t], &old, &tasks->marks[t]);
        if (rc == 0)
            scion_tasks_visit(tasks, t);
    }
    return rc;
}

/* Make the arrays over the tasks and select task 0. */
static int make_tasks(struct scion_container *container)
{
    int rc = scion_tasks_make(&container->tasks, container->ntasks);

    if (rc == 0 && container->appends)
        rc = go_on(container);
    if (rc == 0 && container->keeps)
        rc = scion_serial_visit_all(container);
    if (rc == 0)
        rc = scion_commits_make(container);
    if (rc == 0)
        rc = scion_zips_make(container);
    if (rc == 0)
        rc = scion_zips_go_on(container);
    if (rc == 0)
        rc = scion_container_enter(container, 0);
    return rc == 0 && container->keeps && container->appends
               ? scion_serial_begin_generation(container)
               : rc;
}

/* ---- writing ---- */

static int fill_plan(const struct scion_serial_plan *plan, struct scion_physical_plan *physical,
                     sion_int64 *globalranks)
{
    int keyval, t;
    int rc = scion_mode_keyval_for_writing(plan->mode, &keyval);

    if (rc != 0)
        return rc;
    scion_meta1_init(&physical->head, keyval, plan->mode->big_endian);
    physical->head.flag2 = scion_recovery_choose(plan->mode);
    physical->head.fsblksize = plan->fsblksize;
    physical->head.ntasks = plan->ntasks;
    physical->head.nfiles = 1;
    physical->head.filenumber = 1; /* serial writers count from 1 */
    strcpy(physical->head.prefix, plan->name);
    for (t = 0; t < plan->ntasks; t++)
        globalranks[t] = plan->globalranks[t];
    physical->chunksizes = plan->chunksizes;
    physical->globalranks = globalranks;
    physical->criteria = NULL;
    physical->permissions = scion_permissions(plan->mode);
    physical->is_durable = plan->mode->sync != SCION_SYNC_NONE;
    physical->is_flushed = scion_mode_syncs_flush(plan->mode);
    physical->keep = plan->mode->keep;
    physical->final = scion_mode_is_atomic(plan->mode) ? plan->name : NULL;
    physical->is_locked = !plan->mode->unlocked;
    return 0;
}

static int create_physical(const struct scion_serial_plan *plan, struct scion_physical **physical)
{
    struct scion_physical_plan physical_plan = {0};
    sion_int64 *globalranks = scion_array_to_fill((size_t)plan->ntasks, sizeof *globalranks);
    char *path = NULL;
    int rc;

    if (!globalranks)
        return scion_fail_memory("global ranks");
    rc = fill_plan(plan, &physical_plan, globalranks);
    if (rc == 0 && physical_plan.final)
        path = scion_physical_beside(plan->name, plan->name, physical_plan.head.flag2, 0);
    if (rc == 0 && physical_plan.final && !path)
        rc = SION_ERR_MEMORY;
    if (rc == 0)
        rc = scion_physical_create(path ? path : plan->name, &physical_plan, physical);
    free(path);
    free(globalranks);
    return rc;
}

int scion_lock_for_writing(const char *name, const struct scion_mode *mode, int create,
                           struct scion_writer_lock **lock)
{
    int creates = create && !scion_mode_is_atomic(mode);

    return mode->unlocked
               ? 0
               : scion_writer_lock_take(name, creates ? scion_permissions(mode) : 0, lock);
}

/* A container that is there is written on, if it is one that this plan is for. */
static int append_physical(const struct scion_serial_plan *plan, struct scion_physical **physical)
{
    const struct scion_physical_plan how = {
        .is_durable = plan->mode->sync != SCION_SYNC_NONE,
        .is_flushed = scion_mode_syncs_flush(plan->mode),
        .keep = plan->mode->keep,
    };
    int rc = scion_physical_read_locked(plan->name, physical);

    if (rc != 0)
        return rc;
    rc = scion_append_check(*physical, plan->mode, plan->ntasks);
    if (rc == 0 && (*physical)->head.nfiles > 1)
        rc = scion_fail(SION_ERR_MODE,
                        "%s cannot be written on by one process: it is a set of %d files",
                        plan->name, (*physical)->head.nfiles);
    if (rc == 0)
        rc = scion_physical_append(*physical, &how);
    if (rc != 0)
        scion_physical_close(*physical);
    return rc;
}

int scion_container_create(const struct scion_serial_plan *plan, struct scion_container **container)
{
    struct scion_physical *physical;
    struct scion_writer_lock *lock = NULL;
    struct scion_container *new;
    int wanted, appends = 0, rc = scion_mode_find_checksum(plan->mode, &wanted);

    if (rc == 0)
        rc = scion_lock_for_writing(plan->name, plan->mode, 1, &lock);
    if (rc == 0 && plan->mode->append)
        rc = scion_append_look(plan->name, &appends);
    if (rc == 0)
        rc = appends ? append_physical(plan, &physical) : create_physical(plan, &physical);
    scion_trace(SCION_TRACE_INTERNAL, "%s: %d", plan->name, rc);
    if (rc == 0)
        rc = of_file(physical, plan->mode, 1, &new);
    if (rc != 0) {
        scion_writer_lock_release(lock, !appends);
        return rc;
    }
    new->serial.lock = lock;
    new->appends = appends;
    new->keeps = physical->generations != NULL;
    rc = scion_container_set_name(new, plan->name);
    if (rc == 0)
        rc = make_tasks(new);
    if (rc == 0 && appends && (wanted || physical->sums_at > 0))
        rc = scion_checksum_go_on_serial(new);
    else if (rc == 0 && wanted)
        rc = scion_checksum_make(new);
    scion_publish_by_clock(new, plan->mode);
    scion_physical_forget_tables(physical);
    if (rc != 0) {
        if (!appends)
            scion_file_remove(new->tasks.files[0]->path);
        scion_container_free(new);
        return rc;
    }
    *container = new;
    return 0;
}

/* ---- reading ---- */

/* Read file `number` of a set. */
static int read_member_file(const char *name, int number, struct scion_physical **member)
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
    int rc = read_member_file(name, number, &member);

    if (rc != 0)
        return rc;
    container->tasks.files[container->tasks.nopen++] = member;
    rc = scion_physical_go_back(member, container->tasks.files[0]->state.generation);
    if (rc == 0)
        rc = scion_physical_suspend(member);
    if (rc != 0)
        return rc;
    if (member->maxchunks > container->maxchunks)
        container->maxchunks = member->maxchunks;
    return scion_physical_check_member(member, &container->tasks.files[0]->head, number);
}

static int open_members(struct scion_container *container, const char *name)
{
    size_t nfiles = (size_t)container->nfiles;
    struct scion_physical **files =
        scion_array_grown(container->tasks.files, nfiles, sizeof *files);
    int number, rc = 0;

    if (!files)
        return scion_fail_memory("files");
    container->tasks.files = files;
    for (number = 1; number < container->nfiles && rc == 0; number++)
        rc = open_member(container, name, number);
    return rc;
}

static int open_set(struct scion_container *container, const char *name)
{
    int rc = open_members(container, name);

    if (rc != 0)
        return rc;
    container->serial.mapping = &container->tasks.files[0]->mapping;
    container->ntasks = container->serial.mapping->size;
    rc = scion_mapping_settle(container->tasks.files, container->tasks.nopen);
    if (rc != 0)
        scion_fail_prefix("cannot read %s", name);
    return rc;
}

/* The files and their tables as they are. */
static int try_files(const char *name, const struct scion_mode *mode,
                     struct scion_container **container, struct scion_seen *seen, int *again)
{
    struct scion_physical *physical;
    struct scion_container *new;
    int rc = scion_physical_read(name, &physical), i;

    *seen = (struct scion_seen){0};
    *again = 0;
    if (rc == 0)
        rc = of_file(physical, mode, 0, &new);
    if (rc != 0)
        return rc;
    rc = scion_sound_choose(physical, mode, seen);
    new->generation = physical->view_number;
    new->maxchunks = physical->maxchunks;
    if (rc == 0 && physical->mapping.size >= 0)
        rc = open_set(new, name);
    for (i = 1; i < new->tasks.nopen &&rc == 0; i++)
        rc = scion_generations_show(new->tasks.files[i], physical->view_number);
    if (rc != 0) {
        *again = !scion_physical_is_steady(physical);
        scion_container_free(new);
        return rc;
    }
    if (scion_physical_is_misnamed(physical))
        scion_warn("the header of %s says that it is file %d of a set, its name does not: it is "
                   "read as one file",
                   name, physical->head.filenumber);
    *container = new;
    return 0;
}

/* Of a set, two states may be published while it is read: then file 0 says so. */
static int open_files(const char *name, const struct scion_mode *mode,
                      struct scion_container **container, struct scion_seen *seen)
{
    int again, attempt = 1, rc = try_files(name, mode, container, seen, &again);

    while (again && attempt++ < SCION_MOST_ATTEMPTS)
        rc = try_files(name, mode, container, seen, &again);
    return rc;
}

int scion_container_open_metadata(const char *name, const struct scion_mode *mode,
                                  struct scion_container **container)
{
    struct scion_seen seen;
    int rc = open_files(name, mode, container, &seen);

    scion_trace(SCION_TRACE_INTERNAL, "%s: %d", name, rc);
    if (rc != 0)
        return rc;
    rc = scion_container_show_all_members(*container);
    if (rc == 0)
        rc = scion_container_unzip_all(*container);
    if (rc != 0)
        scion_container_free(*container);
    return rc;
}

int scion_container_of_files(struct scion_physical **files, int nfiles,
                             const struct scion_mode *mode, struct scion_container **container)
{
    struct scion_container *new;
    int rc = scion_container_new(&operations, mode, 0, &files[0]->head, &new), i;

    if (rc != 0) {
        for (i = 0; i < nfiles; i++)
            scion_physical_close(files[i]);
        free(files);
        return rc;
    }
    new->tasks.files = files;
    new->tasks.nopen = nfiles;
    new->ntasks = files[0]->head.ntasks;
    for (i = 0; i < nfiles; i++) {
        if (files[i]->maxchunks > new->maxchunks)
            new->maxchunks = files[i]->maxchunks;
    }
    if (nfiles > 1) {
        new->serial.mapping = &files[0]->mapping;
        new->ntasks = new->serial.mapping->size;
    }
    *container = new;
    return 0;
}

static int open_once(const char *name, const struct scion_mode *mode,
                     struct scion_container **container, struct scion_seen *seen)
{
    struct scion_container *new;
    int rc = open_files(name, mode, &new, seen);

    if (rc != 0)
        return rc;
    rc = make_tasks(new);
    if (rc == 0)
        rc = scion_container_set_name(new, name);
    if (rc == 0)
        rc = scion_checksum_verify_serial(new, mode);
    if (rc == 0)
        rc = scion_container_show_all_members(new);
    if (rc == 0)
        rc = scion_container_unzip_all(new);
    if (rc != 0) {
        scion_sound_look(new->tasks.files[0], mode, seen);
        scion_container_free(new);
        return rc;
    }
    *container = new;
    return 0;
}

int scion_container_open(const char *name, const struct scion_mode *mode,
                         struct scion_container **container)
{
    struct scion_mode now = *mode;
    struct scion_sound sound;
    struct scion_seen seen;
    int rc;

    scion_sound_begin(&sound);
    while ((rc = open_once(name, &now, container, &seen)) != 0) {
        struct scion_sound_next next;

        scion_sound_decide(&sound, rc, &seen, &now, &next);
        rc = scion_sound_go_on(&sound, rc, &next, &now);
        if (rc != 0)
            break;
    }
    scion_trace(SCION_TRACE_INTERNAL, "%s: %d", name, rc);
    if (rc != 0)
        return rc;
    scion_sound_end(&sound, &seen, &now, 1);
    scion_container_want(*container, mode);
    scion_mode_compare_keyval(mode, (*container)->keyval);
    return 0;
}
