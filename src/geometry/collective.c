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

/* ---- containers that were merged ---- */

void scion_collective_find(const unsigned char *has_data, int ntasks, struct scion_gang *gangs)
{
    int first = 0, t;

    for (t = 1; t < ntasks; t++) {
        if (has_data[t]) {
            close_group(gangs, first, t);
            first = t;
        }
    }
    close_group(gangs, first, ntasks);
}

/* Bytes that were asked for, as far as stored sizes tell, which were rounded up. */
struct range {
    sion_int64 least, most;
};

static sion_int64 least_of(sion_int64 stored, int fsblksize)
{
    return stored > fsblksize ? stored - fsblksize + 1 : stored > 0;
}

/* Of the tasks behind the first of a group, up to `last`. */
static sion_int64 least_of_senders(const sion_int64 *stored, int fsblksize, int first, int last)
{
    sion_int64 sum = 0;
    int t;

    for (t = first + 1; t <= last; t++)
        sum += least_of(stored[t], fsblksize);
    return sum;
}

static int can_collect(const struct scion_grouping *grouping, int task)
{
    return !grouping->only_sends || !grouping->only_sends[task];
}

/* Whether all tasks of a group may have joined it: those that can only send join in any case. */
static int may_be_filled(const sion_int64 *stored, int fsblksize,
                         const struct scion_grouping *grouping, struct scion_gang gang,
                         const struct range *target)
{
    int end = gang.first + gang.size - 1, last = end;
    sion_int64 whole = least_of(stored[gang.first], fsblksize), least;

    if (least_of_senders(stored, fsblksize, gang.first, end) > stored[gang.first])
        return 0;
    while (last > gang.first && !can_collect(grouping, last))
        last--;
    least = least_of_senders(stored, fsblksize, gang.first, last);
    if (last == end && least < whole)
        least = whole;
    return last == gang.first || least <= target->most;
}

/* Whether the group may have ended where the next one begins. */
static int may_end(const sion_int64 *stored, int fsblksize, const struct scion_grouping *grouping,
                   struct scion_gang gang, struct scion_gang next, const struct range *target)
{
    sion_int64 most = stored[next.first] -
                      least_of_senders(stored, fsblksize, next.first, next.first + next.size - 1);

    return can_collect(grouping, next.first) && stored[gang.first] + most > target->least;
}

/* The same where sizes do not count. */
static int is_counted(const struct scion_grouping *grouping, const struct scion_gang *gangs,
                      int ntasks)
{
    const struct filling filling = {.grouping = grouping};
    int t;

    for (t = 1; t < ntasks; t++) {
        int first = gangs[t - 1].first;

        if (joins(&filling, first, t, 0) != (gangs[t].first == first))
            return 0;
    }
    return 1;
}

int scion_collective_fits(const sion_int64 *stored, int ntasks, int fsblksize,
                          const struct scion_grouping *grouping, const struct scion_gang *gangs)
{
    struct range total = {0, 0}, target, number;
    int first, next;

    if (grouping->by_count)
        return is_counted(grouping, gangs, ntasks);
    for (first = 0; first < ntasks; first += gangs[first].size) {
        if (scion_add(total.most, stored[first], &total.most))
            return 0;
        total.least += least_of(stored[first], fsblksize);
    }
    number.least = wanted_number(total.least, ntasks, fsblksize, grouping->collsize);
    number.most = wanted_number(total.most, ntasks, fsblksize, grouping->collsize);
    if (scion_round_up(total.least / number.most, fsblksize, &target.least) ||
        scion_round_up(total.most / number.least, fsblksize, &target.most))
        return 0;
    for (first = 0; first < ntasks; first = next) {
        next = first + gangs[first].size;
        if (!may_be_filled(stored, fsblksize, grouping, gangs[first], &target) ||
            (next < ntasks &&
             !may_end(stored, fsblksize, grouping, gangs[first], gangs[next], &target)))
            return 0;
    }
    return 1;
}
