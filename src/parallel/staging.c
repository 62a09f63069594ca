#include "parallel/staging.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "comm/agree.h"
#include "file/nonce.h"
#include "format/slot.h"
#include "parallel/consult.h"
#include "parallel/opening.h"
#include "stage/begin.h"
#include "stage/queue.h"
#include "stage/rows.h"
#include "vfs/path.h"

static struct scion_staging *new_staging(const struct scion_opening *opening, int node)
{
    struct scion_staging *new = calloc(1, sizeof *new);
    struct scion_stage_part *part = new ? &new->part : NULL;

    if (!new) {
        scion_fail_memory("staged container");
        return NULL;
    }
    new->number = -1;
    new->flag2 = opening->flag2;
    if (scion_stage_part_init(part, opening->args->mode.stage, opening->args->name, opening->flag2,
                              node) == 0) {
        new->record = strdup(part->record);
        new->target = strdup(part->target);
        if (new->record &&new->target)
            return new;
        scion_fail_memory("staged container");
    }
    scion_stage_part_free(part);
    free(new->record);
    free(new->target);
    free(new);
    return NULL;
}

/* ---- the choice ---- */

static const char *obstacle(const struct scion_opening *opening)
{
    return opening->args->mode.buddies > 0 ? "buddy checkpoints"
           : opening->args->name_of_file   ? "files that the application names"
           : opening->other_names          ? "a container that tasks call by several names"
                                           : NULL;
}

static void warn_directly(const struct scion_opening *opening, const char *why)
{
    scion_warn("%s is not staged, but written directly: %s", opening->args->name, why);
}

int scion_staging_choose(struct scion_opening *opening)
{
    const struct scion_mode *mode = &opening->args->mode;
    const char *why = obstacle(opening);
    char reason[SCION_ERROR_TEXT + 32];
    uint32_t nonce;
    int rc;

    if (!*mode->stage)
        return 0;
    if (why) {
        snprintf(reason, sizeof reason, "not possible with %s", why);
        if (mode->stage_asked) /* what SION_STAGE says is for the containers that can be staged */
            warn_directly(opening, reason);
        return 0;
    }
    if (!scion_marker_nonce(opening->flag2, &nonce))
        opening->flag2 = scion_recovery_none();
    opening->parallel->staging = new_staging(opening, 0);
    if (!opening->parallel->staging) {
        warn_directly(opening, scion_error_text());
        return 0;
    }
    opening->parallel->staging->leads = 1;
    opening->parallel->staging->part.nfiles = 1;
    rc = mode->unlocked ? 0 : scion_staged_lock(opening->parallel->staging->target);
    opening->parallel->staging->has_lock = rc == 0 && !mode->unlocked;
    if (rc == 0)
        opening->parallel->is_atomic = 1;
    return rc;
}

/* ---- the nodes ---- */

/* What each task says of itself, and what it is told. */
struct node_request {
    struct scion_request_head head;
    sion_int64 node;
    sion_int64 bytes; /* of its chunks */
};

struct node_reply {
    struct scion_reply_head head;
    sion_int64 bytes; /* of all chunks of its node */
    int32_t node, nodes, index, ntasks;
};

struct node_task {
    sion_int64 node;
    int rank;
};

static int compare_tasks(const void *a, const void *b)
{
    const struct node_task *one = a, *two = b;

    if (one->node != two->node)
        return one->node < two->node ? -1 : 1;
    return one->rank - two->rank;
}

/* Groups of tasks that write into one block would be torn. */
static int check_groups(const struct scion_opening *opening, int nodes)
{
    const struct scion_mode *mode = &opening->args->mode;

    return nodes == 1 || scion_collective_size(mode, opening->parallel->global->size) < 0 ||
                   mode->merge || (mode->node_aware && mode->collsize == 0)
               ? 0
               : scion_fail(SION_ERR_ARGUMENT, "collective groups that several nodes share");
}

/* Nodes are numbered in the order of their first ranks. first[n]: that rank of each rank's node. */
static int number_nodes(const struct node_task *tasks, int n, int *first,
                        struct node_reply *replies)
{
    int i, nodes = 0;

    for (i = 0; i < n; i++) {
        int rank = tasks[i].rank, is_first = i == 0 || tasks[i].node != tasks[i - 1].node;

        first[rank] = is_first ? rank : first[tasks[i - 1].rank];
        replies[rank].index = is_first ? 0 : replies[tasks[i - 1].rank].index + 1;
    }
    for (i = 0; i < n; i++)
        replies[i].node = first[i] == i ? nodes++ : replies[first[i]].node;
    return nodes;
}

static int decide_nodes(void *context, const void *asked, int n, void *told, int *blamed)
{
    const struct node_request *requests = asked;
    struct node_task *tasks = scion_array((size_t)n, sizeof *tasks);
    int *first = scion_array((size_t)n, sizeof *first), nodes, i;
    struct node_reply *replies = told;
    int rc = tasks && first ? 0 : scion_fail_memory("tasks");

    (void)blamed;
    for (i = 0; i < n && rc == 0; i++)
        tasks[i] = (struct node_task){requests[i].node, i};
    if (rc == 0) {
        qsort(tasks, (size_t)n, sizeof *tasks, compare_tasks);
        nodes = number_nodes(tasks, n, first, replies);
        rc = check_groups(context, nodes);
    }
    for (i = 0; i < n && rc == 0; i++) {
        replies[first[i]].bytes += requests[i].bytes;
        replies[first[i]].ntasks++;
    }
    for (i = 0; i < n && rc == 0; i++) {
        replies[i].nodes = nodes;
        replies[i].bytes = replies[first[i]].bytes;
        replies[i].ntasks = replies[first[i]].ntasks;
    }
    free(tasks);
    free(first);
    return rc;
}

/*
 * The same of many tasks that ask for the same, of which no task holds anything: each node adds its
 * own, and the first tasks of all nodes are counted. SCION_MORE: two nodes look like one.
 */
static int count_nodes(struct scion_opening *opening, struct scion_comm *node, sion_int64 name,
                       struct node_reply *reply)
{
    struct scion_comm *global = opening->parallel->global;
    sion_int64 words[SCION_RANGES_MOST] = {name},
               bytes[SCION_SUMS_MOST] = {opening->args->chunksize},
               nodes[SCION_SUMS_MOST] = {node->rank == 0}, number = nodes[0];
    struct scion_range ranges[SCION_RANGES_MOST];
    int rc = scion_find_ranges_and_sums(node, words, ranges, bytes);

    words[0] = ranges[0].least != ranges[0].most;
    if (rc == 0)
        rc = scion_find_ranges_and_sums(global, words, ranges, nodes);
    if (rc == 0 && ranges[0].most != 0)
        return SCION_MORE;
    if (rc == 0)
        rc = scion_sums_before(global, &number, 1);
    if (rc == 0)
        rc = scion_bcast(node, &number, sizeof number, 0);
    *reply = (struct node_reply){
        .bytes = bytes[0],
        .node = (int32_t)number,
        .nodes = (int32_t)nodes[0],
        .index = node->rank,
        .ntasks = node->size,
    };
    return rc;
}

static int find_nodes_alike(struct scion_opening *opening, struct node_reply *reply)
{
    struct scion_comm *node = opening->node;
    sion_int64 name = 0;
    int rc = node ? 0 : scion_split_by_node(opening->parallel->global, &node, &name);

    if (rc == 0)
        rc = count_nodes(opening, node, name, reply);
    if (node != opening->node)
        scion_comm_free(node);
    return rc;
}

static int ask_for_nodes(struct scion_opening *opening, struct node_reply *reply)
{
    struct scion_comm *global = opening->parallel->global;
    struct node_request request = {.bytes = opening->args->chunksize};
    const struct scion_consultation how = {
        .comm = global,
        .global = global,
        .request = sizeof request,
        .reply = sizeof *reply,
        .decide = decide_nodes,
        .context = opening,
    };
    int rc = scion_node(global, &request.node);

    if (rc == 0 && !*opening->args->mode.stage)
        rc = scion_fail(SION_ERR_MISMATCH, "it has no folder for staging, but rank 0 has one");
    request.head.status = rc;
    return scion_consult(&how, &request, reply);
}

static int find_nodes(struct scion_opening *opening, struct node_reply *reply)
{
    int rc = opening->likeness != SCION_DIFFER ? find_nodes_alike(opening, reply) : SCION_MORE;

    return rc == SCION_MORE ? ask_for_nodes(opening, reply) : rc;
}

/* The first task of a node: is there room, and may another container wait? */
static int begin_part(struct scion_opening *opening, struct scion_stage_part *part,
                      sion_int64 bytes)
{
    const struct scion_mode *mode = &opening->args->mode;
    int rc = scion_staged_make_room(mode->stage_keep);

    if (rc == 0)
        rc = scion_stage_check_room(mode->stage, bytes);
    return rc == 0 ? scion_stage_part_begin(part) : rc;
}

static int join_node(struct scion_opening *opening, const struct node_reply *reply)
{
    struct scion_parallel *parallel = opening->parallel;
    struct scion_staging *staging;
    struct scion_stage_part *part;
    int rc = 0;

    if (!parallel->staging)
        parallel->staging = new_staging(opening, reply->node);
    staging = parallel->staging;
    if (!staging)
        return scion_error_code();
    part = &staging->part;
    part->nodes = staging->nodes = reply->nodes;
    part->ntasks = reply->ntasks;
    part->nfiles = staging->nfiles = opening->nfiles;
    staging->index = reply->index;
    staging->ntasks = reply->ntasks;
    staging->leads = reply->index == 0;
    if (staging->leads)
        rc = begin_part(opening, part, reply->bytes);
    if (rc == 0)
        rc = scion_staged_add(part, staging->leads, staging->has_lock, &staging->listed);
    if (rc == 0) {
        *part = (struct scion_stage_part){0};
        staging->has_lock = 0;
    }
    return rc;
}

int scion_staging_join(struct scion_opening *opening, int *refused)
{
    struct scion_comm *global = opening->parallel->global;
    struct node_reply reply;
    int rc = find_nodes(opening, &reply);

    if (rc == 0) {
        rc = scion_name_rank(global, join_node(opening, &reply));
        rc = scion_agree(global, rc);
    }
    *refused = rc != 0 && rc != SION_ERR_COMM;
    if (*refused && global->rank == 0)
        warn_directly(opening, scion_error_text());
    return rc;
}

int scion_staging_make_new(struct scion_staging *staging, int number, mode_t permissions,
                           char **path)
{
    const struct scion_stage_part part = {.target = staging->target, .flag2 = staging->flag2};
    int rc = scion_stage_make_new(&part, number, permissions, path);

    if (rc == 0)
        staging->number = number;
    return rc;
}

/* ---- the close ---- */

/* The first task of the file has written what is before and behind the data. */
static int add_tables(const struct scion_physical *physical, struct scion_stage_row *row)
{
    row->head_end = physical->layout.start_of_data;
    return scion_layout_end(&physical->layout, physical->maxchunks, &row->tail)
               ? scion_fail(SION_ERR_NO_SPACE, "%s: too long", physical->path)
               : 0;
}

/* This task's row, but for how many chunks it has. */
static struct scion_stage_row row_of(const struct scion_staging *staging,
                                     const struct scion_container *container,
                                     const struct scion_place *place)
{
    const struct scion_meta1 *head = scion_container_head(container);

    return (struct scion_stage_row){
        .file = head->filenumber,
        .start = place->start,
        .size = place->chunksize + scion_marker_trailer(staging->flag2, NULL),
        .skip = place->globalskip,
        .rank = scion_container_rank(container),
        .lrank = scion_container_lrank(container),
        .flag1 = head->flag1,
        .flag2 = head->flag2,
        .fsblksize = head->fsblksize,
        .big_endian = head->big_endian,
        .ntasks = staging->ntasks,
    };
}

int scion_staging_announces(const struct scion_staging *staging)
{
    return staging && staging->nodes > 1 && scion_marker_trailer(staging->flag2, NULL) > 0;
}

int scion_staging_announce(const struct scion_parallel *parallel, struct scion_container *container,
                           const struct scion_physical *physical)
{
    const struct scion_staging *staging = parallel->staging;
    struct scion_stage_row row;

    row = row_of(staging, container, &scion_container_stream(container)->place);
    row.count = -1;
    if (physical) {
        row.head_end = physical->layout.start_of_data;
        row.tail = INT64_MAX;
    }
    return scion_stage_row_write(staging->record, staging->index, &row, NULL);
}

/* Only streams that leave space in their chunks need a list. */
static int is_full(const struct scion_lengths *lengths, sion_int64 room)
{
    sion_int64 i;

    for (i = 0; i + 1 < lengths->count; i++) {
        if (scion_lengths_used(lengths, i) != room)
            return 0;
    }
    return 1;
}

int scion_staging_note(struct scion_parallel *parallel, const struct scion_container *container,
                       const struct scion_place *place)
{
    const struct scion_staging *staging = parallel->staging;
    const struct scion_lengths *lengths = scion_container_lengths(container, 0);
    struct scion_stage_row row;
    int rc = 0;

    if (staging->nodes == 1)
        return 0;
    row = row_of(staging, container, place);
    row.count = lengths->count;
    row.last = lengths->count > 0 ? scion_lengths_used(lengths, lengths->count - 1) : 0;
    row.is_listed = !is_full(lengths, place->chunksize);
    if (parallel->local->rank == 0)
        rc = add_tables(scion_container_physical(container), &row);
    return rc == 0 ? scion_stage_row_write(staging->record, staging->index, &row, lengths->used)
                   : rc;
}

int scion_staging_seal(struct scion_parallel *parallel, int is_synced)
{
    struct scion_staging *staging = parallel->staging;
    int rc = scion_staged_seal(staging->listed, is_synced);

    staging->is_sealed = rc == 0;
    return rc;
}

void scion_staging_hand_over(struct scion_parallel *parallel)
{
    struct scion_staging *staging = parallel->staging;

    if (!staging || !staging->listed)
        return;
    scion_staged_hand_over(staging->listed);
    staging->listed = NULL;
}

int scion_staging_drain(struct scion_parallel *parallel)
{
    struct scion_comm *global = parallel->global;

    scion_staging_hand_over(parallel);
    return scion_agree(global,
                       scion_name_rank(global, scion_staged_wait(parallel->staging->target, 0)));
}

/* The first task of a file has written its header anew. */
static int is_new_start(struct scion_file *file, int *is_new)
{
    char magic[4];
    size_t got;
    int rc = scion_file_read_some(file, magic, sizeof magic, 0, &got);

    *is_new = rc == 0 && got == sizeof magic && memcmp(magic, "sion", sizeof magic) == 0;
    return rc;
}

static int empty_data(const char *name)
{
    struct scion_file *file;
    int rc, is_new, closed;

    if (!scion_file_exists(name))
        return 0;
    rc = scion_file_open(name, SCION_OPEN_OWN, 0, &file);
    if (rc != 0)
        return rc;
    rc = is_new_start(file, &is_new);
    if (rc == 0 && !is_new)
        rc = scion_file_truncate(file, 0);
    closed = scion_file_close(file);
    return scion_first_failure(rc, closed);
}

int scion_staging_restart(const struct scion_parallel *parallel)
{
    const struct scion_staging *staging = parallel->staging;
    int rc = 0, i;

    if (!staging || !staging->leads)
        return 0;
    for (i = 0; i < staging->nfiles && rc == 0; i++) {
        char *name = scion_stage_data(staging->record, i);

        rc = name ? empty_data(name) : SION_ERR_MEMORY;
        free(name);
    }
    return rc;
}

static void remove_new(const struct scion_staging *staging)
{
    const struct scion_stage_part part = {.target = staging->target, .flag2 = staging->flag2};

    scion_stage_remove_new(&part, staging->number);
}

void scion_staging_free(struct scion_parallel *parallel)
{
    struct scion_staging *staging = parallel->staging;
    int keep;

    if (!staging)
        return;
    keep = staging->is_open && scion_marker_trailer(staging->flag2, NULL) > 0;
    if (!staging->listed && !staging->is_sealed && staging->leads)
        scion_stage_part_remove(&staging->part);
    if (staging->listed || !staging->is_sealed) {
        if (staging->listed)
            scion_staged_drop(staging->listed, keep);
        if (staging->number >= 0 && !keep)
            remove_new(staging);
    }
    if (staging->has_lock)
        scion_staged_unlock(staging->target);
    scion_stage_part_free(&staging->part);
    free(staging->record);
    free(staging->target);
    free(staging);
    parallel->staging = NULL;
}
