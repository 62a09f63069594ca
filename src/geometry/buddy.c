#include "geometry/buddy.h"

int scion_buddy_keeper(int group, int level, int ngroups)
{
    int distance = (level + 1) % ngroups;

    return group >= distance ? group - distance : group - distance + ngroups;
}

int scion_buddy_kept(int group, int level, int ngroups)
{
    return (int)(((long long)group + level + 1) % ngroups);
}

/*
 * From group to keeper to keeper's keeper the groups form rings, each of which begins at its
 * smallest group. Along a ring rounds 0 and 1 take turns; the last of an odd number needs a third.
 */
int scion_buddy_round(int group, int level, int ngroups)
{
    int first = group, position = 0, length = 0, at = group;

    do {
        if (at < first)
            first = at;
        at = scion_buddy_keeper(at, level, ngroups);
        length++;
    } while (at != group);
    for (at = first; at != group; at = scion_buddy_keeper(at, level, ngroups))
        position++;
    return length % 2 == 1 && position == length - 1 ? 2 : position % 2;
}
