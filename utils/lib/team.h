/*
 * The processes of a tool that make one output together, under mpiexec: they share the tasks, one
 * of them prints, and a failure of one of them is a failure of all. NULL instead of a team: this
 * process is alone, as it is in a team of one.
 */
#ifndef UTILS_LIB_TEAM_H
#define UTILS_LIB_TEAM_H

#include <stddef.h>

#include "base/error.h"
#include "comm/comm.h"
#include "lib/progress.h"

struct team {
    struct scion_comm *comm; /* NULL: alone */
    int rank, size;
    int failed;                    /* 0, or the status that all have agreed on */
    char reason[SCION_ERROR_TEXT]; /* why this process has failed */

    /* Shared work, in bytes, and how many agreements there are in it. */
    sion_int64 own, all, done;
    int round, rounds;
};

/*
 * Errors go to team_agree() from now on, and the first process alone prints warnings and progress.
 * comm: of this team from now on, freed by team_close(); NULL: alone. lib/world.h finds it.
 */
void team_open(struct team *team, struct scion_comm *comm);

/* What is wrong, but fails nobody, is printed meanwhile, by the processes that speak. */
void team_speak(struct team *team, int speaks);
void team_silence(struct team *team);

void team_close(struct team *team);

static inline int team_is_shared(const struct team *team)
{
    return team && team->comm;
}

/* Whether this process creates, renames and prints for all. */
static inline int team_leads(const struct team *team)
{
    return !team_is_shared(team) || team->rank == 0;
}

/*
 * What follows is collective, but for team_advance(). It returns TOOL_RUN, or the status of a
 * failure; all can go on to the next team_agree() after one.
 */

/*
 * If all pass a good status, returns it. Else all return that of the first process that has failed,
 * and the leader has printed its rank and reason. After that, it is no longer collective and always
 * returns this.
 */
int team_agree(struct team *team, int status);

/* The leader's bytes for all. */
int team_tell(struct team *team, void *data, size_t bytes);

/*
 * Agree, and whether all see the same as the leader of something that is called `name`: n numbers,
 * which are looked at if the status is TOOL_RUN.
 */
int team_agree_same(struct team *team, int status, const char *name, const sion_int64 *numbers,
                    int n);

/* Process r has numbers[first[r]] .. numbers[first[r + 1] - 1]; afterwards all have all. */
int team_collect(struct team *team, sion_int64 *numbers, const int *first);

/* ---- shared work ---- */

/*
 * Which of n tasks this process has: *begin .. *end - 1, about as many bytes as the others. Begins
 * the work on them, whose progress is that of all tasks. Not collective.
 */
int team_share(struct team *team, const sion_int64 *bytes, int n, int *begin, int *end);

/* The same if the leader has to do everything. */
void team_share_nothing(struct team *team, const sion_int64 *bytes, int n, int *begin, int *end);

/*
 * Some bytes have been done. Now and then all agree here, so that no process works on for long
 * when another one has failed; that may be the result.
 */
int team_advance(struct team *team, struct progress *progress, sion_int64 bytes);

/* After the last byte, if nothing has failed. */
int team_end_work(struct team *team, struct progress *progress);

#endif
