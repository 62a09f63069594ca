#include "geometry/collective.h"

#include <stddef.h>

#include "base/checked.h"
#include "base/error.h"

static int too_large(void)
{
    return scion_fail(SION_ERR_ARGUMENT, "chunk sizes add up to more than a file can hold");
}

/* The number of groups if no size is requested. */
static sion_int64 choose_number(sion_int64 most, int ntasks)
{
    static const struct {
        int tasks, groups;
    } caps[] = {{512, 32}, {256, 16}, {128, 8}, {64, 8}, {32, 8}, {16, 4}};
    sion_int64 number = most < ntasks ? most : ntasks;
    size_t i;

    for (i = 0; i < sizeof caps / sizeof caps[0]; i++) {
        if (ntasks >= caps[i].tasks && number > caps[i].groups)
            return caps[i].groups;
    }
    return number;
}

/* The number of groups, at most that of file system blocks. */
static sion_int64 number_of_groups(sion_int64 total, int ntasks, int fsblksize, int collsize)
{
    sion_int64 most = total / fsblksize + (total % fsblksize > 0), number;

    number =
        collsize > 0 ? ((sion_int64)ntasks + collsize - 1) / collsize : choose_number(most, ntasks);
    if (number > most)
        number = most;
    return number > 0 ? number : 1;
}

/* The group that is being filled. */
struct group_fill {
    const struct scion_group_criteria *criteria;
    sion_int64 target; /* bytes of a full group */
    sion_int64 bytes;  /* bytes of its tasks so far */
};

/* Whether the next task joins the group that begins with task `first`. */
static int joins(const struct group_fill *group_fill, int first, int task, sion_int64 bytes)
{
    const struct scion_group_criteria *criteria = group_fill->criteria;

    if (criteria->only_sends && criteria->only_sends[task])
        return 1;
    if (!criteria->by_count)
        return group_fill->bytes + bytes <= group_fill->target;
    if (criteria->collsize > 0)
        return task - first < criteria->collsize;
    return !criteria->nodes || criteria->nodes[task] == criteria->nodes[first];
}

static void close_group(struct scion_group *groups, int first, int end)
{
    int t;

    for (t = first; t < end; t++)
        groups[t] = (struct scion_group){first, end - first};
}

int scion_collective_group(const sion_int64 *chunksizes, int ntasks, int fsblksize,
                           const struct scion_group_criteria *criteria, struct scion_group *groups)
{
    struct group_fill group_fill = {.criteria = criteria, .bytes = chunksizes[0]};
    sion_int64 total = 0, number;
    int first = 0, t;

    if (criteria->only_sends && criteria->only_sends[0])
        return scion_fail(SION_ERR_ARGUMENT, "the first task cannot collect for a group");
    for (t = 0; t < ntasks; t++) {
        if (scion_add(total, chunksizes[t], &total))
            return too_large();
    }
    number = number_of_groups(total, ntasks, fsblksize, criteria->collsize);
    if (scion_round_up(total / number, fsblksize, &group_fill.target))
        return too_large();
    for (t = 1; t < ntasks; t++) {
        if (!joins(&group_fill, first, t, chunksizes[t])) {
            close_group(groups, first, t);
            first = t;
            group_fill.bytes = 0;
        }
        group_fill.bytes += chunksizes[t];
    }
    close_group(groups, first, ntasks);
    return 0;
}

/*
 * The collector's chunk gets room for all data. The others keep chunks, which stay empty normally.
 */
static int align_merged(sion_int64 *chunksizes, int size, int fsblksize, sion_int64 room)
{
    int t;

    chunksizes[0] = room;
    for (t = 1; t < size; t++) {
        if (scion_round_up(chunksizes[t], fsblksize, &chunksizes[t]))
            return too_large();
    }
    return 0;
}

static int align_group(sion_int64 *chunksizes, int size, int fsblksize, int merge)
{
    sion_int64 bytes = 0, room;
    int t;

    for (t = 0; t < size; t++) {
        if (scion_add(bytes, chunksizes[t], &bytes))
            return too_large();
    }
    if (scion_round_up(bytes, fsblksize, &room))
        return too_large();
    if (merge)
        return align_merged(chunksizes, size, fsblksize, room);
    chunksizes[size - 1] += room - bytes;
    return 0;
}

int scion_collective_align(sion_int64 *chunksizes, int ntasks, int fsblksize, int merge,
                           const struct scion_group *groups)
{
    int first, rc = 0;

    for (first = 0; first < ntasks && rc == 0; first += groups[first].size)
        rc = align_group(chunksizes + first, groups[first].size, fsblksize, merge);
    return rc;
}

/* ---- tasks that request the same ---- */

int scion_collective_group_evenly(const struct scion_group_criteria *criteria,
                                  struct scion_even_groups *even)
{
    sion_int64 bytes = even->chunksize, total, number, target, size;

    if (scion_mul(bytes, even->ntasks, &total))
        return too_large();
    number = number_of_groups(total, even->ntasks, even->fsblksize, criteria->collsize);
    if (scion_round_up(total / number, even->fsblksize, &target))
        return too_large();
    size = criteria->by_count && criteria->collsize > 0 ? criteria->collsize
           : criteria->by_count || bytes == 0           ? even->ntasks
           : target < bytes                             ? 1
                                                        : target / bytes;
    even->size = size < even->ntasks ? (int)size : even->ntasks;
    return scion_round_up(bytes * even->size, even->fsblksize, &target) ? too_large() : 0;
}

/* The last task of a group gets what is left of its last block. */
int scion_even_groups_chunk(const struct scion_even_groups *even, int task, sion_int64 *stored,
                            sion_int64 *before)
{
    sion_int64 bytes = even->chunksize, room = 0;
    int first = task - task % even->size, left = even->ntasks - first;
    int size = left < even->size ? left : even->size;

    scion_round_up(bytes * even->size, even->fsblksize, &room);
    *before = first / even->size * room + (task - first) * bytes;
    scion_round_up(bytes * size, even->fsblksize, &room);
    *stored = task == first + size - 1 ? bytes + room - bytes * size : bytes;
    return first;
}

/* ---- containers that were merged ---- */

void scion_collective_find(const unsigned char *has_data, int ntasks, struct scion_group *groups)
{
    int first = 0, t;

    for (t = 1; t < ntasks; t++) {
        if (has_data[t]) {
            close_group(groups, first, t);
            first = t;
        }
    }
    close_group(groups, first, ntasks);
}
