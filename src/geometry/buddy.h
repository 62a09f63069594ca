/* Which group of tasks keeps the copies of which other group's data. Pure. */
#ifndef SCION_GEOMETRY_BUDDY_H
#define SCION_GEOMETRY_BUDDY_H

enum {
    /* The exchanges of a level take at most this many rounds. */
    SCION_BUDDY_ROUNDS = 3
};

/* Of ngroups groups, 0 <= level < ngroups - 1: the group that keeps a copy of `group`'s data. */
int scion_buddy_keeper(int group, int level, int ngroups);

/* The group of whose data `group` keeps a copy. */
int scion_buddy_kept(int group, int level, int ngroups);

/*
 * The round in which a group's data are copied, 0 .. SCION_BUDDY_ROUNDS - 1. An exchange involves
 * the group and one task of its keeper. In no round is a group in two exchanges. O(ngroups).
 */
int scion_buddy_round(int group, int level, int ngroups);

#endif
