#include "lib/team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "comm/agree.h"
#include "geometry/share.h"
#include "lib/message.h"

enum {
    /* They agree each time a process has done so many bytes, and at most so often. */
    ROUND_BYTES = 16 << 20,
    ROUNDS_MOST = 100
};

void team_open(struct team *team, struct scion_comm *comm)
{
    *team = (struct team){.comm = comm, .size = 1};
    if (!comm)
        return;
    team->rank = comm->rank;
    team->size = comm->size;
    team_silence(team);
    if (team->rank != 0)
        progress_choose("never");
}

void team_silence(struct team *team)
{
    if (!team->comm)
        return;
    tool_keep_error(team->reason, sizeof team->reason);
    tool_mute(team->rank != 0);
}

void team_speak(struct team *team, int speaks)
{
    if (!team->comm)
        return;
    tool_keep_error(NULL, 0);
    tool_mute(!speaks);
}

void team_close(struct team *team)
{
    if (!team->comm)
        return;
    tool_keep_error(NULL, 0);
    tool_mute(0);
    scion_comm_free(team->comm);
    team->comm = NULL;
}

static int is_good(int status)
{
    return status == TOOL_RUN || status == TOOL_DONE;
}

/* What fails later, while everything is removed, is not said. */
static void print_failure(struct team *team)
{
    if (team->rank != 0)
        return;
    tool_keep_error(NULL, 0);
    tool_error("%s", scion_error_text());
    snprintf(team->reason, sizeof team->reason, "said");
    tool_keep_error(team->reason, sizeof team->reason);
}

int team_agree(struct team *team, int status)
{
    int rc = 0;

    if (!team_is_shared(team))
        return status;
    if (team->failed)
        return team->failed;
    if (!is_good(status))
        rc = scion_fail(-status, "%s", team->reason[0] ? team->reason : "failed");
    rc = scion_agree(team->comm, scion_name_rank(team->comm, rc));
    if (rc == 0)
        return status;
    team->failed = rc == -TOOL_USAGE ? TOOL_USAGE : TOOL_FAILED;
    print_failure(team);
    return team->failed;
}

static int result(int rc)
{
    if (rc == 0)
        return TOOL_RUN;
    tool_error("%s", scion_error_text());
    return TOOL_FAILED;
}

/* What does not fill a word goes behind the others. */
int team_tell(struct team *team, void *data, size_t bytes)
{
    size_t rest = bytes % sizeof(sion_int64), whole = bytes - rest;
    char *end = (char *)data + whole;
    sion_int64 last = 0;
    int rc;

    if (!team_is_shared(team))
        return TOOL_RUN;
    memcpy(&last, end, rest);
    rc = whole > 0 ? scion_bcast(team->comm, data, whole, 0) : 0;
    if (rc == 0 && rest > 0)
        rc = scion_bcast(team->comm, &last, sizeof last, 0);
    memcpy(end, &last, rest);
    return result(rc);
}

int team_agree_same(struct team *team, int status, const char *name, const sion_int64 *numbers,
                    int n)
{
    sion_int64 told[SCION_TOLD_MOST];
    size_t bytes = (size_t)n * sizeof *told;
    int sent;

    if (!team_is_shared(team))
        return status;
    memcpy(told, numbers, bytes);
    sent = team_tell(team, told, bytes);
    if (sent != TOOL_RUN)
        status = sent;
    if (status == TOOL_RUN && memcmp(told, numbers, bytes) != 0) {
        tool_error("%s is not what rank 0 has under this name", name);
        status = TOOL_FAILED;
    }
    return team_agree(team, status);
}

/* At the root it must not be sent from where it is received. */
int team_collect(struct team *team, sion_int64 *numbers, const int *first)
{
    int rank = team->rank, own, rc, r;
    int *counts;
    sion_int64 *sent;

    if (!team_is_shared(team))
        return TOOL_RUN;
    own = first[rank + 1] - first[rank];
    counts = scion_must_allocate((size_t)team->size, sizeof *counts);
    sent = scion_must_allocate((size_t)own + 1, sizeof *sent);
    for (r = 0; r < team->size; r++)
        counts[r] = first[r + 1] - first[r];
    memcpy(sent, numbers + first[rank], (size_t)own * sizeof *sent);
    rc = scion_gatherv(team->comm, sent, own, numbers, counts, first, 0);
    if (rc == 0)
        rc = scion_bcast(team->comm, numbers, (size_t)first[team->size] * sizeof *numbers, 0);
    free(counts);
    free(sent);
    return result(rc);
}

/* ---- shared work ---- */

static sion_int64 sum_of(const sion_int64 *bytes, int begin, int end)
{
    sion_int64 sum = 0;
    int task;

    for (task = begin; task < end; task++)
        sum += bytes[task];
    return sum;
}

/* All get the same number of rounds. */
static void begin_work(struct team *team, sion_int64 own, sion_int64 all)
{
    sion_int64 rounds = all / team->size / ROUND_BYTES;

    team->own = own;
    team->all = all;
    team->done = 0;
    team->round = 0;
    team->rounds = rounds > ROUNDS_MOST ? ROUNDS_MOST : (int)rounds;
}

int team_share(struct team *team, const sion_int64 *bytes, int n, int *begin, int *end)
{
    int *first, rc;

    *begin = 0;
    *end = n;
    if (!team_is_shared(team))
        return TOOL_RUN;
    first = scion_array((size_t)team->size + 1, sizeof *first);
    rc = first ? scion_share_by_bytes(bytes, n, team->size, first) : scion_fail_memory("shares");
    if (rc == 0) {
        *begin = first[team->rank];
        *end = first[team->rank + 1];
        begin_work(team, sum_of(bytes, *begin, *end), sum_of(bytes, 0, n));
    }
    free(first);
    return result(rc);
}

void team_share_nothing(struct team *team, const sion_int64 *bytes, int n, int *begin, int *end)
{
    *begin = 0;
    *end = team_leads(team) ? n : 0;
    if (team_is_shared(team))
        begin_work(team, sum_of(bytes, 0, *end), sum_of(bytes, 0, n));
}

/* When all have done as much of their parts, the progress of all is known, too. */
static int end_round(struct team *team, struct progress *progress)
{
    int status = team_agree(team, TOOL_RUN);

    if (status != TOOL_RUN)
        return status;
    team->round++;
    progress_step(progress, team->all / team->rounds * team->round - progress->done);
    return TOOL_RUN;
}

int team_advance(struct team *team, struct progress *progress, sion_int64 bytes)
{
    int status = TOOL_RUN;

    if (!team_is_shared(team)) {
        progress_step(progress, bytes);
        return TOOL_RUN;
    }
    team->done += bytes;
    while (status == TOOL_RUN && team->round < team->rounds &&
           team->done >= team->own / team->rounds * (team->round + 1))
        status = end_round(team, progress);
    return status;
}

int team_end_work(struct team *team, struct progress *progress)
{
    int status = TOOL_RUN;

    if (!team_is_shared(team))
        return TOOL_RUN;
    while (status == TOOL_RUN && team->round < team->rounds)
        status = end_round(team, progress);
    status = team_agree(team, status);
    if (status == TOOL_RUN)
        progress_step(progress, team->all - progress->done);
    return status;
}
