#include "lib/staged.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lib/tool.h"
#include "stage/begin.h"
#include "stage/queue.h"
#include "stage/rows.h"
#include "vfs/storage.h"

struct staged {
    struct staged_plan plan;
    struct team *team;
    struct scion_stage_part part; /* until it is listed: then its strings are the list's */
    struct scion_staged *listed;  /* NULL: not yet */
    char *path;
    struct stat file;
    int has_lock, has_new;
};

static int failed(void)
{
    tool_error("%s", scion_error_text());
    return TOOL_FAILED;
}

static int result(int rc)
{
    return rc == 0 ? TOOL_RUN : failed();
}

/* ---- the beginning ---- */

/* The leader makes the file that the container's own folder has until all nodes have drained. */
static int make_new(struct staged *staged, mode_t permissions, sion_int64 *fsblksize)
{
    struct scion_storage storage;
    char *new = NULL;
    int rc = scion_staged_lock(staged->part.target);

    staged->has_lock = rc == 0;
    if (rc == 0)
        rc = scion_stage_make_new(&staged->part, 0, permissions, &new);
    staged->has_new = new != NULL;
    if (rc == 0 && *fsblksize == 0) {
        rc = scion_storage_of(new, &storage);
        *fsblksize = rc == 0 ? storage.fsblksize : 0;
    }
    free(new);
    return result(rc);
}

static int count_ours(const struct staged_plan *plan, int ntasks)
{
    int n = 0, t;

    for (t = 0; t < ntasks; t++)
        n += plan->ours[t] != 0;
    return n;
}

static int make_file(struct staged *staged)
{
    struct scion_file *file;
    int rc;

    staged->path = scion_stage_data(staged->part.record, 0);
    if (!staged->path)
        return SION_ERR_MEMORY;
    rc = scion_file_open(staged->path, SCION_OPEN_NEW, 0600, &file);
    if (rc != 0)
        return rc;
    staged->file = *scion_file_opened(file);
    return scion_file_close(file);
}

static int list(struct staged *staged)
{
    struct scion_stage_part *part = &staged->part;
    int rc = scion_stage_part_begin(part);

    if (rc == 0)
        rc = scion_staged_add(part, 1, staged->has_lock, &staged->listed);
    if (rc == 0)
        staged->has_lock = 0;
    return rc == 0 ? make_file(staged) : rc;
}

static int tell_number(struct team *team, sion_int64 *number)
{
    return team_tell(team, number, sizeof *number);
}

static int node_of(const struct team *team)
{
    return team_is_shared(team) ? team->rank : 0;
}

int staged_begin(struct staged **staged, const struct staged_plan *plan, const char *name,
                 struct team *team, int ntasks, mode_t permissions, sion_int64 *flag2,
                 int *fsblksize)
{
    struct staged *new = calloc(1, sizeof *new);
    sion_int64 blksize = *fsblksize;
    int status = team_agree(team, new ? TOOL_RUN : result(scion_fail_memory(name)));

    *staged = new;
    if (!new || status != TOOL_RUN)
        return TOOL_FAILED;
    new->plan = *plan;
    new->team = team;
    status = tell_number(team, flag2);
    if (status == TOOL_RUN)
        status =
            result(scion_stage_part_init(&new->part, plan->folder, name, *flag2, node_of(team)));
    if (status == TOOL_RUN && team_leads(team))
        status = make_new(new, permissions, &blksize);
    status = team_agree(team, status);
    if (status == TOOL_RUN)
        status = tell_number(team, &blksize);
    *fsblksize = (int)blksize;
    new->part.nodes = team_is_shared(team) ? team->size : 1;
    new->part.nfiles = 1;
    new->part.ntasks = 1 + count_ours(plan, ntasks);
    if (status == TOOL_RUN)
        status = plan->note(plan->context, &new->part, 0);
    return status == TOOL_RUN ? result(list(new)) : status;
}

const char *staged_path(const struct staged *staged)
{
    return staged->path;
}

const struct stat *staged_file(const struct staged *staged)
{
    return &staged->file;
}

/* ---- where the data are ---- */

static struct scion_stage_row begin_row(const struct staged *staged,
                                        const struct scion_physical *physical)
{
    return (struct scion_stage_row){
        .skip = physical->layout.globalskip,
        .flag1 = physical->head.flag1,
        .flag2 = physical->head.flag2,
        .fsblksize = physical->head.fsblksize,
        .big_endian = physical->head.big_endian,
        .ntasks = staged->part.ntasks,
    };
}

/* The first row has no task, so that each node has one. */
static int place_tables(const struct staged *staged, const struct scion_physical *physical)
{
    struct scion_stage_row row = begin_row(staged, physical);

    row.lrank = SCION_STAGE_NO_TASK;
    if (team_leads(staged->team)) {
        row.head_end = physical->layout.start_of_data;
        if (scion_layout_end(&physical->layout, 1, &row.tail))
            return scion_fail(SION_ERR_NO_SPACE, "%s: too long", physical->path);
    }
    return scion_stage_row_write(staged->part.record, 0, &row, NULL);
}

static int place_task(const struct staged *staged, const struct scion_physical *physical, int t,
                      sion_int64 used, int number)
{
    struct scion_stage_row row = begin_row(staged, physical);

    row.start = physical->starts[t];
    row.size = physical->chunksizes[t];
    row.count = 1;
    row.rank = physical->globalranks ? physical->globalranks[t] : physical->first_rank + t;
    row.lrank = t;
    row.last = used;
    return scion_stage_row_write(staged->part.record, number, &row, NULL);
}

int staged_place(struct staged *staged, const struct scion_physical *physical,
                 const sion_int64 *used)
{
    int rc = 0, n = 1, t;

    if (staged->part.nodes == 1)
        return TOOL_RUN;
    rc = place_tables(staged, physical);
    for (t = 0; t < physical->head.ntasks && rc == 0; t++) {
        if (staged->plan.ours[t])
            rc = place_task(staged, physical, t, used[t], n++);
    }
    return result(rc);
}

/* ---- the end ---- */

static void give_up(struct staged *staged)
{
    if (staged->has_new)
        scion_stage_remove_new(&staged->part, 0);
    if (staged->listed) {
        scion_staged_drop(staged->listed, 0);
        return;
    }
    if (staged->part.record)
        scion_stage_part_remove(&staged->part);
    if (staged->has_lock)
        scion_staged_unlock(staged->part.target);
    scion_stage_part_free(&staged->part);
}

int staged_end(struct staged *staged, int status)
{
    if (!staged)
        return status;
    if (status == TOOL_RUN)
        status = result(scion_staged_seal(staged->listed, 1));
    status = team_agree(staged->team, status);
    if (status == TOOL_RUN) {
        /* The others drain theirs, so nothing can stop that any more. */
        (void)staged->plan.note(staged->plan.context, &staged->part, 1);
        scion_staged_hand_over(staged->listed);
    } else {
        give_up(staged);
    }
    free(staged->path);
    free(staged);
    return status;
}
