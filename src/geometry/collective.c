#include "geometry/collective.h"

#include <stddef.h>

#include "base/checked.h"
#include "base/error.h"

static int too_large(void)
{
    return scion_fail(SION_ERR_ARGUMENT, "chunk sizes add up to more than a file can hold");
}

/* The wanted number of groups if nobody says how large they are to be. */
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

/* Never more groups than file system blocks. */
static sion_int64 wanted_number(sion_int64 total, int ntasks, int fsblksize, int collsize)
{
    sion_int64 most = total / fsblksize + (total % fsblksize > 0), number;

    number =
        collsize > 0 ? ((sion_int64)ntasks + collsize - 1) / collsize : choose_number(most, ntasks);
    if (number > most)
        number = most;
    return number > 0 ? number : 1;
}

/* How a group is filled. */
struct filling {
    const struct scion_grouping *grouping;
    sion_int64 target; /* bytes of a group */
    sion_int64 bytes;  /* in the present one */
};

/* Whether the next task joins the group that begins with task `first`. */
static int joins(const struct filling *filling, int first, int task, sion_int64 bytes)
{
    const struct scion_grouping *grouping = filling->grouping;

    if (grouping->only_sends && grouping->only_sends[task])
        return 1;
    if (!grouping->by_count)
        return filling->bytes + bytes <= filling->target;
    if (grouping->collsize > 0)
        return task - first < grouping->collsize;
    return !grouping->nodes || grouping->nodes[task] == grouping->nodes[first];
}

static void close_group(struct scion_gang *gangs, int first, int end)
{
    int t;

    for (t = first; t < end; t++)
        gangs[t] = (struct scion_gang){first, end - first};
}

int scion_collective_group(const sion_int64 *chunksizes, int ntasks, int fsblksize,
                           const struct scion_grouping *grouping, struct scion_gang *gangs)
{
    struct filling filling = {.grouping = grouping, .bytes = chunksizes[0]};
    sion_int64 total = 0, number;
    int first = 0, t;

    if (grouping->only_sends && grouping->only_sends[0])
        return scion_fail(SION_ERR_ARGUMENT, "the first task cannot collect for a group");
    for (t = 0; t < ntasks; t++) {
        if (scion_add(total, chunksizes[t], &total))
            return too_large();
    }
    number = wanted_number(total, ntasks, fsblksize, grouping->collsize);
    if (scion_round_up(total / number, fsblksize, &filling.target))
        return too_large();
    for (t = 1; t < ntasks; t++) {
        if (!joins(&filling, first, t, chunksizes[t])) {
            close_group(gangs, first, t);
            first = t;
            filling.bytes = 0;
        }
        filling.bytes += chunksizes[t];
    }
    close_group(gangs, first, ntasks);
    return 0;
}

/* Room for all at the collector; the others keep chunks of their own, normally unused. */
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
                           const struct scion_gang *gangs)
{
    int first, rc = 0;

    for (first = 0; first < ntasks && rc == 0; first += gangs[first].size)
        rc = align_group(chunksizes + first, gangs[first].size, fsblksize, merge);
    return rc;
}
