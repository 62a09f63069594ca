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
struct filling {
    const struct scion_group_criteria *criteria;
    sion_int64 target; /* bytes of a full group */
    sion_int64 bytes;  /* bytes of its tasks so far */
};

/* Whether the next task joins the group that begins with task `first`. */
static int joins(const struct filling *filling, int first, int task, sion_int64 bytes)
{
    const struct scion_group_criteria *criteria = filling->criteria;

    if (criteria->only_sends && criteria->only_sends[task])
        return 1;
    if (!criteria->by_count)
        return filling->bytes + bytes <= filling->target;
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
    struct filling filling = {.criteria = criteria, .bytes = chunksizes[0]};
    sion_int64 total = 0, number;
    int first = 0, t;

    if (criteria->only_sends && criteria->only_sends[0])
        return scion_fail(SION_ERR_ARGUMENT, "the first task cannot collect for a group");
    for (t = 0; t < ntasks; t++) {
        if (scion_add(total, chunksizes[t], &total))
            return too_large();
    }
    number = number_of_groups(total, ntasks, fsblksize, criteria->collsize);
    if (scion_round_up(total / number, fsblksize, &filling.target))
        return too_large();
    for (t = 1; t < ntasks; t++) {
        if (!joins(&filling, first, t, chunksizes[t])) {
            close_group(groups, first, t);
            first = t;
            filling.bytes = 0;
        }
        filling.bytes += chunksizes[t];
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

/* Limits of a requested size. Stored sizes were rounded up, so they do not determine it. */
struct range {
    sion_int64 least, most;
};

static sion_int64 least_of(sion_int64 stored, int fsblksize)
{
    return stored > fsblksize ? stored - fsblksize + 1 : stored > 0;
}

/* Sum over a group's tasks from the second one up to `last`. */
static sion_int64 least_of_senders(const sion_int64 *stored, int fsblksize, int first, int last)
{
    sion_int64 sum = 0;
    int t;

    for (t = first + 1; t <= last; t++)
        sum += least_of(stored[t], fsblksize);
    return sum;
}

static int can_collect(const struct scion_group_criteria *criteria, int task)
{
    return !criteria->only_sends || !criteria->only_sends[task];
}

/* Whether all tasks of a group may have joined it: those that can only send join in any case. */
static int may_be_filled(const sion_int64 *stored, int fsblksize,
                         const struct scion_group_criteria *criteria, struct scion_group group,
                         const struct range *target)
{
    int end = group.first + group.size - 1, last = end;
    sion_int64 whole = least_of(stored[group.first], fsblksize), least;

    if (least_of_senders(stored, fsblksize, group.first, end) > stored[group.first])
        return 0;
    while (last > group.first && !can_collect(criteria, last))
        last--;
    least = least_of_senders(stored, fsblksize, group.first, last);
    if (last == end && least < whole)
        least = whole;
    return last == group.first || least <= target->most;
}

/* Whether the group may have ended where the next one begins. */
static int may_end(const sion_int64 *stored, int fsblksize,
                   const struct scion_group_criteria *criteria, struct scion_group group,
                   struct scion_group next, const struct range *target)
{
    sion_int64 most = stored[next.first] -
                      least_of_senders(stored, fsblksize, next.first, next.first + next.size - 1);

    return can_collect(criteria, next.first) && stored[group.first] + most > target->least;
}

/* The same for groups that are formed without sizes. */
static int is_counted(const struct scion_group_criteria *criteria, const struct scion_group *groups,
                      int ntasks)
{
    const struct filling filling = {.criteria = criteria};
    int t;

    for (t = 1; t < ntasks; t++) {
        int first = groups[t - 1].first;

        if (joins(&filling, first, t, 0) != (groups[t].first == first))
            return 0;
    }
    return 1;
}

int scion_collective_fits(const sion_int64 *stored, int ntasks, int fsblksize,
                          const struct scion_group_criteria *criteria,
                          const struct scion_group *groups)
{
    struct range total = {0, 0}, target, number;
    int first, next;

    if (criteria->by_count)
        return is_counted(criteria, groups, ntasks);
    for (first = 0; first < ntasks; first += groups[first].size) {
        if (scion_add(total.most, stored[first], &total.most))
            return 0;
        total.least += least_of(stored[first], fsblksize);
    }
    number.least = number_of_groups(total.least, ntasks, fsblksize, criteria->collsize);
    number.most = number_of_groups(total.most, ntasks, fsblksize, criteria->collsize);
    if (scion_round_up(total.least / number.most, fsblksize, &target.least) ||
        scion_round_up(total.most / number.least, fsblksize, &target.most))
        return 0;
    for (first = 0; first < ntasks; first = next) {
        next = first + groups[first].size;
        if (!may_be_filled(stored, fsblksize, criteria, groups[first], &target) ||
            (next < ntasks &&
             !may_end(stored, fsblksize, criteria, groups[first], groups[next], &target)))
            return 0;
    }
    return 1;
}
