/* A file that was read is written on: behind its data, or, if these are not certain, not at all. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mode.h"
#include "file/generations.h"
#include "file/growth.h"
#include "file/physical_tables.h"
#include "format/slot.h"
#include "sion_const.h"

static int refuse_damaged(const struct scion_physical *physical)
{
    char text[SCION_DAMAGE_TEXT];

    scion_damage_describe(physical->damages.list, text);
    return scion_fail(SION_ERR_DAMAGED, "%s cannot be written on: %s", physical->path, text);
}

static int refuse(const struct scion_physical *physical, const char *why)
{
    return scion_fail(SION_ERR_MODE, "%s cannot be written on: %s", physical->path, why);
}

/*
 * Whether a file can have its next free block there: behind its chunks are not more than a few
 * areas, which are about as large as its tables. Memory is taken for each block before it.
 */
static int is_floor(const struct scion_physical *physical, sion_int64 floor)
{
    sion_int64 skip = physical->layout.globalskip, tables = 3 << 20;

    return floor <= 64 * ((sion_int64)physical->maxchunks + 64) + (skip > 0 ? tables / skip : 0);
}

static int check(const struct scion_physical *physical)
{
    const struct scion_meta1 *head = &physical->head;

    if (head->format_version != SION_FILEFORMAT_VERSION)
        return scion_fail(SION_ERR_VERSION, "%s cannot be written on: it has format version %d",
                          physical->path, head->format_version);
    if (head->swapped)
        return refuse(physical, "it has the byte order of another kind of host");
    if (scion_marker_trailer(head->flag2, NULL) > 0)
        return refuse(physical, "it has commit records (mode word recover)");
    if (physical->has_odd_generations)
        return refuse(physical, "its record of generations is damaged");
    if (physical->members_at > 0)
        return refuse(physical, "it has merged streams (mode word cmerge)");
    if (!is_floor(physical, physical->state.floor) || !is_floor(physical, physical->newest_floor))
        return refuse(physical, "the record of its state is damaged");
    return physical->damages.n > 0 ? refuse_damaged(physical) : 0;
}

static sion_int64 count_bytes(const struct scion_physical *physical)
{
    size_t n = (size_t)physical->head.ntasks, t;
    sion_int64 bytes = 0, b;

    for (t = 0; t < n; t++) {
        for (b = 0; b < physical->counts[t]; b++)
            bytes += physical->used[(size_t)b * n + t];
    }
    return bytes;
}

/* Of a state that was published: what is behind its last block, and behind all areas. */
static int cut_blocks(struct scion_physical *physical)
{
    sion_int64 blocks = physical->state.floor, end;

    physical->floor = blocks;
    if (blocks < physical->maxchunks)
        blocks = physical->maxchunks;
    if (scion_layout_end(&physical->layout, blocks, &end) || end >= physical->size)
        return 0;
    return scion_file_truncate(physical->file, end);
}

/*
 * The first block that has nothing of what the file says by now. Behind a state's record there is
 * only what a killed writer has left, which goes; other files keep all that is behind the tables.
 */
static int find_floor(struct scion_physical *physical)
{
    int rc = 0;

    if (physical->is_back) {
        physical->floor = physical->newest_floor; /* the tail says that one until the next switch */
        return 0;
    }
    if (physical->state.generation == 0)
        physical->behind = physical->size;
    else if (!physical->is_in_area)
        rc = scion_file_truncate(physical->file, physical->behind);
    if (physical->is_in_area)
        return cut_blocks(physical);
    if (physical->tail_start >= physical->layout.start_of_data)
        physical->floor = scion_physical_block_behind(physical);
    return rc;
}

void scion_physical_forget_tables(struct scion_physical *physical)
{
    free(physical->counts);
    free(physical->used);
    free(physical->all_used);
    physical->counts = physical->used = physical->all_used = NULL;
}

int scion_append_look(const char *name, int *is_there)
{
    struct stat status;
    int errnum = scion_path_status(name, &status);

    *is_there = errnum == 0 && status.st_size > 0;
    return errnum == 0 || errnum == ENOENT ? 0 : scion_fail_errno(errnum, "cannot open %s", name);
}

/* The copies would stay as they are. */
static int has_copies(const char *path)
{
    static const char suffix[] = "_BUDDY_00";
    char *copy = malloc(strlen(path) + sizeof suffix);
    int found = copy && scion_file_exists(strcat(strcpy(copy, path), suffix));

    free(copy);
    return found;
}

int scion_append_check(const struct scion_physical *physical, const struct scion_mode *mode,
                       int ntasks)
{
    int has = physical->mapping.size >= 0 ? physical->mapping.size : physical->head.ntasks;
    int keyval = scion_meta1_keyval(&physical->head);

    if (has != ntasks)
        return scion_fail(SION_ERR_MISMATCH, "%s has %d tasks, and cannot be written on by %d",
                          physical->path, has, ntasks);
    if (mode->keyval != SION_KEYVAL_NOTSET && mode->keyval != keyval)
        return scion_fail(SION_ERR_MISMATCH, "%s has the key-value mode %s, not %s", physical->path,
                          scion_keyval_name(keyval), scion_keyval_name(mode->keyval));
    if (scion_mode_zips(mode) && !scion_marker_is_zipped(physical->head.flag2))
        return refuse(physical, "its streams are not compressed, as the mode asks for");
    return has_copies(physical->path) ? refuse(physical, "it is a buddy checkpoint") : 0;
}

int scion_physical_append(struct scion_physical *physical, const struct scion_physical_plan *plan)
{
    int rc = check(physical), closed;

    if (rc != 0)
        return rc;
    physical->is_written = 1;
    physical->is_derived = plan->is_derived;
    physical->is_durable = plan->is_durable;
    physical->is_flushed = plan->is_flushed;
    closed = scion_file_close(physical->file);
    physical->file = NULL;
    rc = scion_physical_resume(physical);
    rc = scion_first_failure(rc, closed);
    physical->grows = 1;
    physical->states = physical->state.generation;
    physical->bytes = count_bytes(physical);
    physical->tail_maxchunks = physical->maxchunks;
    physical->tail_start = physical->start_of_varheader;
    if (rc == 0)
        rc = find_floor(physical);
    if (rc == 0)
        rc = scion_generations_go_on(physical, plan->keep, physical->bytes);
    if (rc == 0 && !(physical->growth = scion_growth_new(physical)))
        rc = SION_ERR_MEMORY;
    if (rc == 0 && physical->generations)
        scion_growth_leap(physical);
    return rc;
}
