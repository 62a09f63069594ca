/*
 * Work that is shared by the processes that a launcher of MPI programs has started together. They
 * need no MPI for it: the launcher leaves their numbers in the environment. Those that have to
 * speak with each other do it by lib/team.h.
 */
#ifndef UTILS_LIB_SHARE_H
#define UTILS_LIB_SHARE_H

struct share {
    int rank, size; /* size 1: alone */
};

/* As the environment has it; 0 of 1 without a launcher, or with --alone. */
struct share share_find(void);

/* The number of this process, as the launchers say it; NULL: none has started it. And the variable
   that says it. */
const char *share_rank_of_launcher(void);
const char *share_variable_of_launcher(void);

/* Whether this process prints what all of them would print, before they know of each other. */
int share_is_first(void);

/* Whether a piece of the work is this process's: each is one process's. */
static inline int share_has(const struct share *share, int piece)
{
    return piece % share->size == share->rank;
}

#endif
