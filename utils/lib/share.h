/*
 * Work that is shared by the processes that a launcher of MPI programs has started together. They
 * need no MPI for it: the launcher leaves their numbers in the environment.
 */
#ifndef UTILS_LIB_SHARE_H
#define UTILS_LIB_SHARE_H

struct share {
    int rank, size; /* size 1: alone */
};

/* As the environment has it; 0 of 1 without a launcher, or with --alone. */
struct share share_find(void);

/* The number of this process, as the launchers say it; NULL: none has started it. */
const char *share_rank_of_launcher(void);

/* Whether a piece of the work is this process's: each is one process's. */
static inline int share_has(const struct share *share, int piece)
{
    return piece % share->size == share->rank;
}

/*
 * Of tools whose work cannot be shared: 1 if this process is to do it, with a warning if there are
 * others; 0 if another one does it.
 */
int share_is_mine(void);

#endif
