/* Which group of tasks keeps the copies of which others' data. Pure. */
#ifndef SCION_GEOMETRY_BUDDY_H
#define SCION_GEOMETRY_BUDDY_H

enum {
    /* Exchanges of a level take place in so many rounds at most. */
    SCION_BUDDY_ROUNDS = 3
};

/* Of ngroups groups, 0 <= level < ngroups - 1: the group that keeps a copy of `group`'s data. */
int scion_buddy_keeper(int group, int level, int ngroups);

/* The group of whose data `group` keeps a copy. */
int scion_buddy_kept(int group, int level, int ngroups);

/*
 * The round in which a group's data are copied, 0 .. SCION_BUDDY_ROUNDS - 1: the exchange takes the
 * group and one task of its keeper, and in no round a group is at both ends. O(ngroups).
 */
int scion_buddy_round(int group, int level, int ngroups);

#endif
