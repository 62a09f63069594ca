/* Checksums of a container that one process writes or reads. */
#include <stdlib.h>

#include "base/crc.h"
#include "base/error.h"
#include "base/memory.h"
#include "file/checksum.h"
#include "file/growth.h"
#include "file/private.h"
#include "file/sound.h"
#include "file/checksum_tap.h"

int scion_checksum_make(struct scion_container *container)
{
    int ntasks = scion_container_has_tasks(container) ? container->ntasks : 1;
    int rc = scion_checksum_tap_begin(&container->front.stream, ntasks, &container->sums);

    if (rc == 0 && container->selected > 0)
        scion_stream_turn_tap(&container->front.stream, container->selected);
    return rc;
}

static int take_over(struct scion_container *container, const struct scion_checksum_table *table)
{
    int task, rc = 0;

    if (table->are_damaged)
        return scion_fail(SION_ERR_DAMAGED,
                          "%s cannot be written on: some of its checksums are damaged",
                          container->tasks.files[0]->path);
    for (task = 0; task < container->ntasks && rc == 0; task++)
        rc = scion_checksum_tap_go_on(container->sums, task, &container->tasks.lengths[task],
                                      table->crcs + table->first[task],
                                      table->first[task + 1] - table->first[task]);
    return rc;
}

int scion_checksum_go_on_serial(struct scion_container *container)
{
    struct scion_checksum_table *table = NULL;
    int rc = scion_crc_find() ? scion_checksum_make(container) : scion_crc_missing();

    if (rc == 0)
        rc = scion_checksum_table_read(container->tasks.files[0], &table);
    if (rc == 0 && table && table->piece == SCION_CHECKSUM_PIECE)
        rc = take_over(container, table);
    scion_checksum_table_free(table);
    return rc;
}

struct scion_checksum_tap *scion_checksum_tap_of(const struct scion_container *container)
{
    return container->sums;
}

/* ---- a serial state ---- */

static int collect(struct scion_container *container, struct scion_task_crcs *tasks)
{
    const struct scion_physical *physical = container->tasks.files[0];
    int is_news = scion_growth_is_in_area(physical), task, rc = 0;

    for (task = 0; task < container->ntasks && rc == 0; task++) {
        const struct scion_place place = scion_physical_place(physical, task);

        rc = (is_news ? scion_checksum_tap_news : scion_checksum_tap_get)(
            container->sums, task, physical->path, &place, &container->tasks.lengths[task],
            &tasks[task].crcs, &tasks[task].count);
    }
    return rc;
}

int scion_checksum_write_serial(struct scion_container *container,
                                const struct scion_mapping *mapping)
{
    struct scion_task_crcs *tasks = scion_array((uint64_t)container->ntasks, sizeof *tasks);
    int rc = tasks ? collect(container, tasks) : scion_fail_memory("checksums");

    if (rc == 0)
        rc = scion_checksum_write_tasks(container->tasks.files[0], mapping, tasks);
    free(tasks);
    return rc;
}

/* ---- a serial open ---- */

static int verify_file(struct scion_tasks *tasks, struct scion_physical *physical, int at_open,
                       int is_sound)
{
    int known = physical->damages.n, rc = scion_tasks_need_descriptor(tasks, physical);

    if (rc == 0 && !at_open)
        return scion_checksum_watch_physical(physical);
    if (rc == 0)
        rc = scion_checksum_verify_physical(physical, -1);
    if (rc == 0 && is_sound)
        return scion_sound_check(physical);
    if (rc == 0 && physical->damages.n > known)
        scion_physical_warn(physical, &physical->damages.list[known], physical->damages.n - known);
    return rc;
}

/* The stream's file may have lost its descriptor to the others, and its task may be damaged. */
static int enter_again(struct scion_container *container)
{
    struct scion_tasks *tasks = &container->tasks;
    struct scion_place place;
    int task = container->selected, lrank;
    const struct scion_physical *physical = scion_tasks_locate(container, task, &lrank, &place);

    scion_lengths_view(&tasks->lengths[task], physical->used + lrank, (size_t)physical->head.ntasks,
                       physical->counts[lrank]);
    return scion_container_enter(container, task);
}

int scion_checksum_verify_serial(struct scion_container *container, const struct scion_mode *mode)
{
    struct scion_tasks *tasks = &container->tasks;
    int is_sound = scion_sound_is_wanted(tasks->files[0], mode), wanted, i;
    int rc = scion_mode_find_checksum(mode, &wanted);

    for (i = 0; i < tasks->nopen && is_sound && rc == 0; i++)
        rc = scion_sound_check(tasks->files[i]);
    if (rc == 0 && is_sound)
        wanted = scion_sound_compares(tasks->files[0], wanted);
    container->compares = wanted;
    for (i = 0; i < tasks->nopen && wanted && rc == 0; i++)
        rc = verify_file(tasks, tasks->files[i], wanted == SCION_COMPARES_AT_OPEN, is_sound);
    return rc == 0 && wanted ? enter_again(container) : rc;
}
