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
 * Each group points to its keeper, so the groups form rings. A ring begins at its smallest group.
 * Along a ring, rounds 0 and 1 alternate; the last group of a ring of odd length takes round 2.
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
