/*
 * A file that this library has written merged says so. Others do not, but they have groups: a first
 * task with all bytes and with room for the chunks of all tasks of the group, and other tasks with
 * empty chunks. A group is full when the first task of the next one does not fit into it.
 *
 * If all chunks are equal, as they are if every task has asked for less than a block of the file
 * system, their sizes show nothing; then all tasks of a file are taken as one group.
 */
#include "scr/merged.h"

#include "base/error.h"

/* A physical file, as far as it was examined. */
struct groups {
    sion_int64 fsblksize, chunksize; /* chunksize: of its first task */
    int groups, others;              /* others: tasks that are not the first of a group */
    int are_equal;                   /* chunks of all tasks */
    int is_other;                    /* it is not a merged file */

    sion_int64 room, before; /* chunk of the present group's first task, of the group's before */
    sion_int64 least;        /* bytes that the others of the present group have asked for */
    int own_others;          /* in the present group */
    sion_int64 largest;      /* group with others: what groups are filled up to, or more */
    sion_int64
        tightest; /* room of a group and of the task that did not fit into it; 0: one group only */
};

static int has_data(const struct sion_layer_part *part)
{
    return part->count > 1 || part->used[0] > 0;
}

static void end_group(struct groups *groups)
{
    sion_int64 both = groups->before + groups->room - groups->least;

    if (groups->room < groups->least)
        groups->is_other = 1;
    if (groups->own_others > 0 && groups->room > groups->largest)
        groups->largest = groups->room;
    if (groups->before > 0 && (groups->tightest == 0 || both < groups->tightest))
        groups->tightest = both;
}

/* 1: the groups are those of a merged file. */
static int end_file(struct groups *groups)
{
    end_group(groups);
    if (groups->is_other || groups->others == 0)
        return 0;
    if (groups->are_equal)
        return groups->groups == 1 && groups->chunksize == groups->fsblksize;
    return groups->groups == 1 || groups->tightest > groups->largest;
}

static void add_task(struct groups *groups, const struct sion_layer_part *part)
{
    groups->are_equal &= part->chunksize == groups->chunksize;
    if (has_data(part)) {
        if (groups->groups++ > 0)
            end_group(groups);
        groups->before = groups->room;
        groups->room = part->chunksize;
        groups->least = groups->own_others = 0;
    } else if (part->chunksize > 0) {
        groups->others++;
        groups->own_others++;
        groups->least += part->chunksize - groups->fsblksize + 1;
    }
    if (groups->groups == 0)
        groups->is_other = 1;
}

static int check_file(const struct sion_layer_parts *parts, int file)
{
    struct groups groups = {.are_equal = 1};
    struct sion_layer_part part;
    int n = sion_layer_parts_tasks(parts, file), t;

    for (t = 0; t < n; t++) {
        sion_layer_parts_at(parts, file, t, &part);
        groups.fsblksize = part.fsblksize;
        if (t == 0)
            groups.chunksize = part.chunksize;
        add_task(&groups, &part);
    }
    if (n > 0 && part.is_merged)
        return scion_fail(SION_ERR_MODE,
                          "%.200s was written merged (cmerge): collectors have the bytes of their "
                          "groups, and SCR cannot restart from that",
                          part.path);
    if (!end_file(&groups))
        return 0;
    return scion_fail(SION_ERR_MODE,
                      "%.200s: tasks seem to have the bytes of those after them, as in a merged "
                      "container (cmerge), which SCR cannot restart from",
                      part.path);
}

int scion_merged_check(const struct sion_layer_parts *parts)
{
    int n = sion_layer_parts_files(parts), rc = 0, i;

    for (i = 0; i < n && rc == 0; i++)
        rc = check_file(parts, i);
    return rc;
}
