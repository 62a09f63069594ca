/* One task, of a container that one process has opened: of its file, that task's numbers are read.
 */
#include "base/crc.h"
#include "base/error.h"
#include "base/trace.h"
#include "file/checksum.h"
#include "file/column.h"
#include "file/generations.h"
#include "file/members.h"
#include "file/physical_read.h"
#include "file/private.h"
#include "file/sound.h"
#include "file/unzip.h"

#include <stdlib.h>

static int open_member(const char *name, int number, struct scion_physical **member)
{
    char *path = scion_physical_name(name, number);
    int rc;

    if (!path)
        return SION_ERR_MEMORY;
    rc = scion_column_open(path, member);
    free(path);
    return rc;
}

/* The file that holds a rank of a set, instead of file 0. */
static int follow_mapping(const char *name, int rank, int *lrank, struct scion_physical **physical)
{
    struct scion_physical *master = *physical, *member;
    int pair[2], rc = scion_column_find(master, rank, pair);

    if (rc == 0)
        rc = scion_physical_check_steady(master);
    *lrank = pair[1];
    if (rc != 0 || pair[0] == 0)
        return rc;
    rc = open_member(name, pair[0], &member);
    if (rc != 0)
        return rc;
    rc = scion_column_go_back(member, master->state.generation);
    if (rc == 0)
        rc = scion_physical_check_member(member, &master->head, pair[0]);
    if (rc != 0) {
        scion_physical_close(member);
        return rc;
    }
    *physical = member;
    return scion_physical_close(master);
}

static int read_rank(const char *name, int rank, struct scion_physical **physical,
                     struct scion_column *column)
{
    int is_set = (*physical)->mapping.size >= 0, lrank = rank, rc = 0;
    int tasks = is_set ? (*physical)->mapping.size : (*physical)->head.ntasks;

    if (rank < 0 || rank >= tasks)
        return scion_fail(SION_ERR_ARGUMENT, "rank %d is out of range (0 .. %d) in %s", rank,
                          tasks - 1, name);
    if (is_set)
        rc = follow_mapping(name, rank, &lrank, physical);
    if (rc == 0)
        rc = scion_physical_check_lrank(*physical, lrank);
    if (rc == 0)
        rc = scion_column_read(*physical, lrank, column);
    if (rc == 0 && is_set)
        rc = scion_physical_check_rank(*physical, lrank, column->globalrank, rank);
    return rc;
}

int scion_rank_enter(struct scion_container *container, const struct scion_mark *mark)
{
    struct scion_rank_view *view = &container->one;
    const struct scion_physical *physical = view->physical;
    const struct scion_column *column = &view->column;
    struct scion_place place =
        scion_physical_chunk_place(physical, column->start, column->chunksize);

    container->maxchunks = physical->maxchunks;
    if (physical->unzip) {
        container->maxchunks = 1;
        place = (struct scion_place){.chunksize = column->chunksize};
    }
    scion_lengths_free(&view->lengths);
    scion_lengths_view(&view->lengths, column->used, 1, column->count);
    container->front.stream.damage = column->damage.kind != SCION_SOUND ? &column->damage : NULL;
    return scion_stream_enter(&container->front.stream, physical->file, &place, &view->lengths,
                              mark);
}

static int enter_rank(struct scion_container *container)
{
    const struct scion_mark start = {0, 0, 0};

    return scion_rank_enter(container, &start);
}

static int attach_rank(struct scion_container *container, int rank)
{
    const struct scion_physical *physical = container->one.physical;

    if (scion_container_set_name(container, physical->path) != 0)
        return SION_ERR_MEMORY;
    container->ntasks = physical->head.ntasks;
    container->rank = rank;
    container->lrank = container->one.column.lrank;
    return enter_rank(container);
}

/* Compare the checksums of the task, if the mode asks for that, now or when its data are read. If
   it is found to be damaged, it has one empty chunk. */
static int verify(struct scion_container *container, const struct scion_mode *mode)
{
    struct scion_physical *physical = container->one.physical;
    struct scion_column *column = &container->one.column;
    const struct scion_damage *damage;
    int wanted, rc = scion_mode_find_checksum(mode, &wanted);

    if (rc == 0 && !wanted && scion_sound_is_wanted(physical, mode) && physical->sums_at > 0 &&
        scion_crc_find())
        wanted = SCION_COMPARES_READS;
    container->compares = wanted;
    if (rc != 0 || !wanted)
        return rc;
    rc = scion_physical_complete(physical);
    if (rc == 0 && wanted == SCION_COMPARES_READS)
        return scion_checksum_watch_physical(physical);
    if (rc == 0)
        rc = scion_checksum_verify_physical(physical, column->lrank);
    damage = rc == 0 ? scion_damages_find(&physical->damages, column->lrank) : NULL;
    if (!damage)
        return rc;
    scion_physical_warn(physical, damage, 1);
    column->damage = *damage;
    column->used[0] = 0;
    column->count = 1;
    return enter_rank(container);
}

/* The column says where the member's bytes are, as the file is shown from now on. */
static int show_member(struct scion_container *container)
{
    struct scion_physical *physical = container->one.physical;
    struct scion_column *column = &container->one.column;
    const struct scion_damage *damage;
    int rc;

    if (!scion_container_shows_members(container, physical))
        return 0;
    rc = scion_physical_complete(physical);
    if (rc == 0)
        rc = scion_physical_show_members(physical);
    if (rc != 0)
        return rc;
    damage = scion_damages_find(&physical->damages, column->lrank);
    if (damage)
        column->damage = *damage;
    column->start = physical->starts[column->lrank];
    column->chunksize = physical->chunksizes[column->lrank];
    column->used[0] = physical->used[column->lrank];
    column->count = 1;
    return enter_rank(container);
}

/* The same of a compressed stream. Other tasks, which queries tell of, stay as they are stored. */
static int unzip_task(struct scion_container *container)
{
    struct scion_column *column = &container->one.column;
    sion_int64 bytes;
    int rc;

    if (!scion_container_unzips(container) || column->damage.kind != SCION_SOUND)
        return 0;
    rc = scion_physical_unzip_task(container->one.physical, column, &column->damage, &bytes);
    if (rc != 0)
        return rc;
    container->front.stream.is_zipped = 1;
    column->chunksize = column->used[0] = bytes;
    column->count = 1;
    return enter_rank(container);
}

static int release(struct scion_container *container)
{
    scion_lengths_free(&container->one.lengths);
    scion_column_free(&container->one.column);
    return scion_physical_close(container->one.physical);
}

static const struct scion_view_operations operations = {SCION_VIEW_RANK, NULL, NULL, release};

/* physical and column are taken over in any case. *again, if it fails: as in try_rank(). */
static int show_rank(struct scion_physical *physical, struct scion_column *column,
                     const struct scion_mode *mode, int rank, struct scion_container **container,
                     int *again)
{
    struct scion_container *new;
    int rc = scion_container_new(&operations, mode, 0, &physical->head, &new);

    if (rc != 0) {
        scion_column_free(column);
        scion_physical_close(physical);
        return rc;
    }
    new->one.physical = physical;
    new->generation = physical->view_number;
    new->one.column = *column;
    rc = attach_rank(new, rank);
    if (rc == 0)
        rc = verify(new, mode);
    if (rc == 0)
        rc = show_member(new);
    if (rc == 0)
        rc = unzip_task(new);
    if (rc != 0) {
        *again = !scion_physical_is_steady(physical);
        scion_container_free(new);
        return rc;
    }
    scion_mode_compare_keyval(mode, new->keyval);
    *container = new;
    return 0;
}

/* *again: states have been published meanwhile, so that what was read is not there any more. */
static int try_rank(const char *name, const struct scion_mode *mode, int rank,
                    struct scion_physical **physical, struct scion_column *column, int *again)
{
    int rc = scion_column_open(name, physical);

    *again = 0;
    *column = (struct scion_column){.used = NULL};
    scion_trace(SCION_TRACE_INTERNAL, "%s, rank %d: %d", name, rank, rc);
    if (rc != 0)
        return rc;
    rc = read_rank(name, rank, physical, column);
    if (rc == 0)
        rc = scion_generations_choose(*physical, mode);
    if (rc == 0)
        scion_generations_mask(*physical, column->used, column->rows);
    if (rc != 0) {
        *again = !scion_physical_is_steady(*physical);
        scion_column_free(column);
        scion_physical_close(*physical);
    }
    return rc;
}

int scion_container_open_rank(const char *name, const struct scion_mode *mode, int rank,
                              struct scion_container **container)
{
    struct scion_physical *physical;
    struct scion_column column;
    int again = 1, attempt, rc = 0;

    for (attempt = 0; again && attempt < SCION_MOST_ATTEMPTS; attempt++) {
        rc = try_rank(name, mode, rank, &physical, &column, &again);
        if (rc == 0)
            rc = show_rank(physical, &column, mode, rank, container, &again);
    }
    return rc;
}

/* It may have been opened as a rank of a set, or of a file of the set by that one's name. */
int scion_rank_open_again(const struct scion_container *container, const struct scion_mode *mode,
                          struct scion_container **again)
{
    int is_of_set = container->nfiles > 1 && container->one.column.globalrank == container->rank;
    char *name = scion_name_of_set(container->name, is_of_set ? container->head.filenumber : 0);
    int rc = name ? scion_container_open_rank(name, mode, container->rank, again)
                  : scion_fail_memory("file name");

    free(name);
    return rc;
}

int scion_container_open_member(const char *path, const struct scion_mode *mode, int rank,
                                int lrank, struct scion_container **container)
{
    struct scion_physical *physical;
    struct scion_column column;
    int again, rc = scion_column_open(path, &physical);

    if (rc != 0)
        return rc;
    rc = lrank < physical->head.ntasks
             ? scion_column_read(physical, lrank, &column)
             : scion_fail(SION_ERR_DAMAGED, "%s has no task %d", path, lrank);
    if (rc == 0)
        rc = scion_generations_choose(physical, mode);
    if (rc == 0)
        scion_generations_mask(physical, column.used, column.rows);
    if (rc != 0)
        scion_physical_close(physical);
    return rc != 0 ? rc : show_rank(physical, &column, mode, rank, container, &again);
}

sion_int64 scion_container_rank_chunksize(const struct scion_container *container)
{
    return container->one.column.chunksize;
}
