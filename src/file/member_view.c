/* A file that was written merged, read as if each task had its bytes in a chunk of its own. */
#include <stdlib.h>
#include <string.h>

#include "sion_const.h"

#include "base/error.h"
#include "base/memory.h"
#include "file/mapped.h"
#include "file/members.h"
#include "file/private.h"

/* ---- a file with its tables ---- */

/* Whose chunks they are has been decided: the tables say where they are in the view. */
struct member_tables {
    struct scion_strides pieces;
    sion_int64 *starts, *bytes; /* [ntasks] */
};

/* Another task may be the reason. */
static int lock_out(struct scion_physical *physical, const struct scion_damage *damage, int t)
{
    const struct scion_damage reason = *damage; /* adding it may move the list that it is in */
    int rc = scion_damages_add(&physical->damages, physical->head.ntasks, &reason);

    if (rc == 0)
        scion_damages_share(&physical->damages, (int)reason.task, t);
    return rc;
}

static int place_task(struct scion_physical *physical, const struct scion_members *members, int t,
                      struct member_tables *member_tables)
{
    const struct scion_damage *damage = scion_members_damage(physical, members, t);
    int rc = 0;

    member_tables->starts[t] = member_tables->pieces.bytes;
    if (!damage)
        rc = scion_members_place(physical, members, t, &member_tables->pieces);
    else
        rc = lock_out(physical, damage, t);
    member_tables->bytes[t] = member_tables->pieces.bytes - member_tables->starts[t];
    return rc;
}

int scion_physical_take_tables(struct scion_physical *physical, sion_int64 **starts,
                               sion_int64 **bytes)
{
    size_t n = (size_t)physical->head.ntasks, t;
    sion_int64 *sizes = scion_array(n, sizeof *sizes);

    if (!sizes)
        return scion_fail_memory("metadata");
    memcpy(sizes, *bytes, n * sizeof *sizes);
    free(physical->starts);
    free(physical->chunksizes);
    free(physical->used);
    physical->starts = *starts;
    physical->chunksizes = sizes;
    physical->used = *bytes;
    *starts = *bytes = NULL;
    for (t = 0; t < n; t++)
        physical->counts[t] = 1;
    physical->maxchunks = 1;
    physical->layout.globalskip = 0;
    physical->grain = 1;
    physical->trailer = 0;
    return 0;
}

/* The new tables take the place of the old ones. */
static int take(struct scion_physical *physical, struct member_tables *member_tables)
{
    int rc;

    physical->members = scion_piece_view_new(&member_tables->pieces);
    if (!physical->members)
        return scion_fail_memory("members");
    rc = scion_physical_take_tables(physical, &member_tables->starts, &member_tables->bytes);
    if (rc == 0)
        scion_file_show(physical->file, &physical->members->view);
    return rc;
}

int scion_physical_show_members(struct scion_physical *physical)
{
    size_t n = (size_t)physical->head.ntasks;
    struct scion_members members;
    struct member_tables member_tables = {.starts = scion_array(n, sizeof *member_tables.starts),
                                          .bytes = scion_array(n, sizeof *member_tables.bytes)};
    int rc = scion_members_read(physical, &members), t;

    if (rc == 0 && (!member_tables.starts || !member_tables.bytes))
        rc = scion_fail_memory("members");
    for (t = 0; t < members.ntasks && rc == 0; t++)
        rc = place_task(physical, &members, t, &member_tables);
    if (rc == 0 && members.ntasks > 0)
        rc = take(physical, &member_tables);
    scion_members_free(&members);
    scion_strides_free(&member_tables.pieces);
    free(member_tables.starts);
    free(member_tables.bytes);
    return rc;
}

/* ---- containers that one process has opened ---- */

int scion_container_shows_members(const struct scion_container *container,
                                  const struct scion_physical *physical)
{
    return container->merge && physical->members_at > 0 && !physical->members &&
           container->keyval != SION_KEYVAL_INLINE;
}

void scion_container_warn_merged(const struct scion_container *container)
{
    const struct scion_physical *physical =
        container->view == SCION_VIEW_RANK ? container->one.physical : container->tasks.files[0];

    if (!container->writing && !container->merge)
        scion_members_warn(physical);
}

/* The stream is on task 0, and has read nothing. */
int scion_container_enter_again(struct scion_container *container)
{
    struct scion_tasks *tasks = &container->tasks;

    if (!tasks->lengths)
        return 0;
    scion_lengths_free(&tasks->lengths[0]);
    tasks->last_visited = 0;
    return scion_container_enter(container, 0);
}

int scion_container_show_all_members(struct scion_container *container)
{
    struct scion_tasks *tasks = &container->tasks;
    int most = 0, are_shown = 0, rc = 0, i;

    for (i = 0; i < tasks->nopen && rc == 0; i++) {
        struct scion_physical *physical = tasks->files[i];

        if (scion_container_shows_members(container, physical)) {
            rc = scion_tasks_need_descriptor(tasks, physical);
            if (rc == 0)
                rc = scion_physical_show_members(physical);
            are_shown = 1;
        }
        most = physical->maxchunks > most ? physical->maxchunks : most;
    }
    if (rc != 0 || !are_shown)
        return rc;
    container->maxchunks = most;
    return scion_container_enter_again(container);
}

/* ---- mapped containers ---- */

int scion_member_at(const sion_int64 **row, struct scion_strides *pieces,
                    const struct scion_damage **damage)
{
    sion_int64 n = *(*row)++, i;
    int rc = 0;

    *damage = n < 0 ? (const void *)*row : NULL;
    if (*damage)
        *row += SCION_DAMAGE_WORDS;
    for (i = 0; i < n && rc == 0; i++, *row += SCION_STRIDE_WORDS) {
        const struct scion_stride run = {(*row)[0], (*row)[1], (*row)[2], (*row)[3]};

        rc = scion_strides_add(pieces, &run);
    }
    return rc;
}

sion_int64 scion_member_row(const struct scion_strides *pieces, const struct scion_damage *damage,
                            sion_int64 *row)
{
    sion_int64 i;

    if (damage) {
        if (row) {
            *row++ = -1;
            memcpy(row, damage, sizeof *damage);
        }
        return 1 + SCION_DAMAGE_WORDS;
    }
    if (row)
        *row++ = pieces->n;
    for (i = 0; row && i < pieces->n; i++, row += SCION_STRIDE_WORDS)
        memcpy(row, &pieces->list[i], sizeof pieces->list[i]);
    return 1 + SCION_STRIDE_WORDS * pieces->n;
}

/* The pieces of the tasks of each file, one task after the other. */
struct member_map {
    struct scion_container *container;
    struct scion_strides *files; /* [nopen] */
    sion_int64 *used, *next;     /* of all tasks, as container->mapped.used */
};

static void take_task(struct member_map *member_map, int i, sion_int64 base, sion_int64 bytes,
                      const struct scion_damage *damage)
{
    struct scion_task_place *task = &member_map->container->mapped.tasks[i];
    struct scion_lengths *lengths = &member_map->container->tasks.lengths[i];

    task->place = (struct scion_place){.start = base, .chunksize = bytes};
    task->count = damage ? -SCION_DAMAGED_NUMBERS : 1;
    *member_map->next = bytes;
    if (damage)
        memcpy(member_map->next + 1, damage, sizeof *damage);
    scion_lengths_free(lengths);
    scion_lengths_view(lengths, member_map->next, 1, 1);
    member_map->next += damage ? SCION_DAMAGED_NUMBERS : 1;
}

static int show_files(struct member_map *member_map)
{
    struct scion_tasks *tasks = &member_map->container->tasks;
    int i;

    for (i = 0; i < tasks->nopen; i++) {
        struct scion_physical *physical = tasks->files[i];

        physical->members = scion_piece_view_new(&member_map->files[i]);
        if (!physical->members)
            return SION_ERR_MEMORY;
        if (physical->file)
            scion_file_show(physical->file, &physical->members->view);
    }
    return 0;
}

static int show_tasks(struct member_map *member_map, const sion_int64 *rows)
{
    struct scion_container *container = member_map->container;
    const struct scion_damage *damage;
    int rc = 0, i;

    for (i = 0; i < container->ntasks && rc == 0; i++) {
        struct scion_strides *file = &member_map->files[container->mapped.tasks[i].index];
        sion_int64 base = file->bytes;

        rc = scion_member_at(&rows, file, &damage);
        take_task(member_map, i, base, file->bytes - base, damage);
    }
    free(container->mapped.used);
    container->mapped.used = member_map->used;
    member_map->used = NULL;
    return rc != 0 ? rc : show_files(member_map);
}

int scion_container_show_mapped_members(struct scion_container *container, const sion_int64 *rows)
{
    size_t nfiles = (size_t)container->tasks.nopen + 1, n = (size_t)container->ntasks + 1, i;
    struct member_map member_map = {.container = container,
                                    .files = calloc(nfiles, sizeof *member_map.files),
                                    .used =
                                        scion_array(n * SCION_DAMAGED_NUMBERS, sizeof(sion_int64))};
    int rc = 0;

    member_map.next = member_map.used;
    rc = member_map.files && member_map.used ? show_tasks(&member_map, rows)
                                             : scion_fail_memory("members of merged streams");
    for (i = 0; member_map.files && i < nfiles; i++)
        scion_strides_free(&member_map.files[i]);
    free(member_map.files);
    free(member_map.used);
    return rc == 0 && container->ntasks > 0 ? scion_container_enter(container, container->selected)
                                            : rc;
}
