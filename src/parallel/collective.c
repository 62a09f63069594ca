/* Collective reads and writes: each task finds its record's place, collectors move the bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "parallel/write_batch.h"
#include "parallel/members.h"
#include "parallel/state.h"

void scion_collective_free(struct scion_collective *collective)
{
    scion_write_batch_free(collective->write_batch);
    scion_member_log_free(collective->member_log);
    scion_comm_free(collective->group);
    free(collective->criteria);
    *collective = (struct scion_collective){0};
}

int scion_collective_join(struct scion_parallel *parallel, int collector)
{
    struct scion_collective *collective = &parallel->collective;
    struct scion_comm *group;
    int rc = scion_form_group(parallel->local, collector, &group);

    if (rc != 0)
        return rc;
    scion_write_batch_free(collective->write_batch);
    collective->write_batch = NULL;
    scion_member_log_free(collective->member_log);
    collective->member_log = NULL;
    scion_comm_free(collective->group);
    collective->group = group;
    collective->collector = collector;
    return 0;
}

int scion_collective_is_on(const struct scion_container *container)
{
    const struct scion_parallel *parallel = scion_parallel_of(container);

    return parallel && parallel->collective.group && !scion_container_is_zipped(container);
}

int scion_collective_has_group(const struct scion_container *container)
{
    return scion_collective_is_on(container) &&
           scion_parallel_of(container)->collective.group->size > 1;
}

int scion_collective_reads_together(const struct scion_container *container)
{
    const struct scion_parallel *parallel = scion_parallel_of(container);

    return scion_collective_has_group(container) &&
           (parallel->collective.merge || parallel->collective.reads);
}

/* ---- on the collector ---- */

/*
 * Merging: append to the collector's stream. If a piece fails, all pieces of its record are
 * removed.
 */
static int append(void *context, const struct scion_piece *piece, struct scion_verdict *verdict)
{
    struct scion_container *container = context;
    struct scion_mark *mark = &scion_parallel_of(container)->collective.mark;
    int rc = 0;

    if (piece->begins)
        rc = scion_stream_mark(scion_container_stream(container), mark);
    if (rc == 0 && piece->begins)
        rc = scion_member_log_begin_record(container);
    if (rc != 0)
        return scion_note(rc, verdict);
    rc = scion_stream_write(scion_container_stream(container), piece->data, (size_t)piece->bytes);
    if (rc == 1) {
        scion_member_log_add(container, piece);
        return 0;
    }
    scion_note(rc, verdict);
    scion_stream_return(scion_container_stream(container), mark);
    scion_member_log_drop_record(container);
    return rc;
}

/* ---- on every task ---- */

/* Find the record's place in the file. 1, 0 at the end of the stream, or an error code. */
static int find_place(struct scion_record_move *record_move, void *data, sion_int64 bytes)
{
    struct scion_record *record = &record_move->record;
    int rc = 1;

    if (bytes == 0)
        return 1;
    if (record_move->transfer.appends) {
        record->position = SCION_APPENDED;
    } else {
        rc =
            scion_stream_reserve(record_move->stream, bytes, &record_move->mark, &record->position);
        record_move->is_reserved = rc == 1;
    }
    if (rc == 1) {
        record->data = data;
        record->bytes = bytes;
    }
    return rc;
}

/* A failure of the collector is a failure of this task. */
static int judge(const struct scion_record_move *record_move)
{
    const struct scion_verdict *verdict = &record_move->record.verdict;

    if (verdict->code == 0)
        return 1;
    if (record_move->group->rank == 0)
        return scion_fail((int)verdict->code, "%s", verdict->text);
    return scion_fail((int)verdict->code, "its collector, task %d of the file: %s",
                      record_move->collector, verdict->text);
}

/* Move the stream after the record, or back to where it was. */
static int end(struct scion_record_move *record_move, int rc)
{
    if (!record_move->is_reserved)
        return rc;
    if (rc != 1) {
        scion_stream_return(record_move->stream, &record_move->mark);
        record_move->is_reserved = 0;
        return rc;
    }
    if (record_move->stream->writing)
        scion_stream_show(record_move->stream, record_move->record.data,
                          (size_t)record_move->record.bytes);
    rc = scion_stream_pass(record_move->stream, record_move->record.bytes);
    return rc != 0 ? rc : 1;
}

/* The task takes part in any case. rc: its result so far, as the function's result. */
static int move(struct scion_record_move *record_move, int rc)
{
    struct scion_verdict own = {0};
    int moved;

    if (rc < 0)
        scion_note(rc, &own);
    if (rc != 1)
        record_move->record.bytes = SCION_FAILED;
    moved = scion_transfer(record_move->group, &record_move->transfer, &record_move->record);
    if (rc < 0)
        return scion_fail(rc, "%s", own.text);
    if (rc == 1)
        rc = moved != 0 ? moved : judge(record_move);
    return end(record_move, rc);
}

int scion_move(struct scion_record_move *record_move, int status, void *data, sion_int64 bytes)
{
    record_move->record = (struct scion_record){.position = SCION_NOWHERE};
    record_move->is_reserved = 0;
    return move(record_move, status != 0 ? status : find_place(record_move, data, bytes));
}

void scion_record_move_undo(struct scion_record_move *record_move)
{
    if (record_move->is_reserved)
        scion_stream_return(record_move->stream, &record_move->mark);
    record_move->is_reserved = 0;
}

void scion_move_through_collector(struct scion_record_move *record_move,
                                  struct scion_container *container, int sid)
{
    const struct scion_collective *collective = &scion_parallel_of(container)->collective;

    record_move->stream = scion_container_stream(container);
    record_move->group = collective->group;
    record_move->collector = collective->collector;
    record_move->transfer = (struct scion_transfer){
        .scatters = !scion_container_is_writing(container),
        .appends = scion_container_is_writing(container) && collective->merge,
        .fsblksize = scion_container_head(container)->fsblksize,
        .sid = sid,
        .context = scion_container_stream(container)->file,
    };
    record_move->transfer.move =
        scion_container_is_writing(container) ? scion_store_piece : scion_load_piece;
    if (record_move->transfer.appends) {
        record_move->transfer.move = append;
        record_move->transfer.context = container;
    }
}

/* If the application's second FILE* does all I/O, the task takes part without a record. */
static int move_own(struct scion_container *container, int sid, int status, void *data,
                    sion_int64 bytes)
{
    struct scion_record_move record_move;
    struct scion_stream *stream = scion_container_stream(container);
    int rc;

    scion_move_through_collector(&record_move, container, sid);
    if (status != 0 || !stream->second)
        return scion_move(&record_move, status, data, bytes);
    rc = scion_container_is_writing(container) ? scion_stream_write(stream, data, (size_t)bytes)
                                               : scion_stream_read(stream, data, (size_t)bytes);
    if (rc < 0)
        return scion_move(&record_move, rc, NULL, 0);
    status = scion_move(&record_move, 0, NULL, 0);
    return status < 0 ? status : rc;
}

/* ---- merged streams of which nothing says whose bytes they are ---- */

static int fail_merged(const struct scion_container *container)
{
    return scion_fail(SION_ERR_MISMATCH,
                      "%s has no record of its members, and tasks seem to have the bytes of those "
                      "after them: whose bytes are next is not known",
                      scion_container_name(container));
}

/* The same on all tasks of the group. */
static int refuse_merged(const struct scion_container *container, int status)
{
    if (status != 0 || scion_parallel_of(container)->collective.at_end)
        return status;
    return fail_merged(container);
}

int scion_collective_at_end(struct scion_container *container, int *at_end)
{
    const struct scion_collective *collective = &scion_parallel_of(container)->collective;

    if (scion_container_is_writing(container) || !collective->merge ||
        !scion_collective_has_group(container))
        return scion_stream_at_end(scion_container_stream(container), at_end);
    *at_end = collective->at_end;
    return *at_end ? 0 : fail_merged(container);
}

/* ---- merged streams that are committed ---- */

/* What a collector tells its group about a commit. */
struct outcome {
    sion_int64 status; /* 1: the records are committed; or an error code */
    char text[SCION_VERDICT_TEXT];
};

/* A write by all tasks of a group, as one of them sees it; the collector's decides. */
struct group_write {
    struct scion_container *container;
    struct scion_mark mark; /* position of the collector's stream before the write */
    struct outcome outcome;
};

static int end_taking(struct group_write *group_write, int status)
{
    group_write->outcome.status = status;
    if (status < 0)
        snprintf(group_write->outcome.text, sizeof group_write->outcome.text, "%s",
                 scion_error_text());
    return status;
}

static int tell(void *context, const struct scion_piece *piece, struct scion_verdict *verdict)
{
    const struct group_write *group_write = context;

    (void)verdict;
    memcpy(piece->data, (const char *)&group_write->outcome + piece->position,
           (size_t)piece->bytes);
    return 0;
}

/* Send the collector's outcome to its group. */
static int transfer_outcome(struct group_write *group_write, int sid, int collects)
{
    const struct scion_container *container = group_write->container;
    const struct scion_transfer transfer = {
        .scatters = 1,
        .fsblksize = (int)sizeof group_write->outcome,
        .sid = sid,
        .move = tell,
        .context = group_write,
    };
    struct scion_record record = {
        .data = &group_write->outcome,
        .position = collects ? SCION_NOWHERE : 0,
        .bytes = collects ? 0 : (sion_int64)sizeof group_write->outcome,
    };

    return scion_transfer(scion_parallel_of(container)->collective.group, &transfer, &record);
}

static int judge_taking(const struct scion_collective *collective, const struct outcome *outcome)
{
    if (outcome->status >= 0)
        return (int)outcome->status;
    if (collective->group->rank == 0)
        return scion_fail((int)outcome->status, "%s", outcome->text);
    return scion_fail((int)outcome->status, "its collector, task %d of the file: %s",
                      collective->collector, outcome->text);
}

/*
 * Writing with trailers: a sender cannot flush its collector's stream, so the records are committed
 * before a collective write returns. Takes two transfers: the records, and whether the collector
 * has committed them; if not, it removes all of them from its stream.
 */
static int write_merged(struct scion_container *container, int sid, int status, const void *data,
                        sion_int64 bytes)
{
    const struct scion_collective *collective = &scion_parallel_of(container)->collective;
    struct scion_stream *stream = scion_container_stream(container);
    struct group_write group_write = {.container = container, .outcome.status = 1};
    struct scion_verdict own = {0};
    int collects = collective->group->rank == 0, rc, told;

    if (collects && scion_stream_mark(stream, &group_write.mark) != 0 && status == 0)
        status = scion_error_code();
    rc = move_own(container, sid, status, scion_not_const(data), bytes);
    if (rc < 0)
        scion_note(rc, &own);
    if (collects && scion_container_flush(container) != 0) {
        end_taking(&group_write, scion_error_code());
        scion_stream_return(stream, &group_write.mark);
        scion_member_log_drop(container);
    }
    told = transfer_outcome(&group_write, sid, collects);
    if (rc < 0)
        return scion_fail(rc, "%s", own.text);
    return told != 0 ? told : judge_taking(collective, &group_write.outcome);
}

/* The result of a call in which all tasks of the group learn the same failure, or have their own.
 */
static int note_end(const struct scion_collective *collective, int rc)
{
    if (rc != 1)
        collective->group->parts = 1;
    return rc;
}

static int append_to_collector(struct scion_container *container, int sid, int status,
                               const void *data, sion_int64 bytes)
{
    const struct scion_collective *collective = &scion_parallel_of(container)->collective;
    int begun = scion_member_log_begin(container), rc;

    status = scion_first_failure(status, begun);
    rc = scion_container_commits(container)
             ? note_end(collective, write_merged(container, sid, status, data, bytes))
             : move_own(container, sid, status, scion_not_const(data), bytes);
    scion_member_log_end(container, rc, bytes);
    return rc;
}

int scion_collective_write(struct scion_container *container, int sid, int status, const void *data,
                           sion_int64 bytes)
{
    scion_parallel_of(container)->collective.sid = sid;
    if (scion_member_log_is_on(container))
        return append_to_collector(container, sid, status, data, bytes);
    if (scion_writes_batches(container))
        return scion_write_batch_write(container, sid, status, data, bytes);
    return move_own(container, sid, status, scion_not_const(data), bytes);
}

int scion_collective_read(struct scion_container *container, int sid, int status, void *data,
                          sion_int64 bytes)
{
    struct scion_collective *collective = &scion_parallel_of(container)->collective;

    collective->sid = sid;
    if (collective->merge)
        return refuse_merged(container, status);
    return move_own(container, sid, status, data, bytes);
}
