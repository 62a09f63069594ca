/* Collective reads and writes: each task finds its record's place, collectors move the bytes. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "parallel/private.h"

void scion_collective_free(struct scion_collective *collective)
{
    scion_comm_free(collective->gang);
    free(collective->grouping);
    *collective = (struct scion_collective){0};
}

int scion_collective_join(struct scion_parallel *parallel, int collector, int collsize, int merge)
{
    struct scion_collective *collective = &parallel->collective;
    struct scion_comm *gang;
    int rc;

    if (collsize == 0)
        return 0;
    rc = scion_gang(parallel->local, collector, collsize, &gang);
    if (rc != 0)
        return rc;
    scion_comm_free(collective->gang);
    collective->gang = gang;
    collective->collector = collector;
    collective->merge = merge;
    return 0;
}

int scion_collective_is_on(const struct scion_container *container)
{
    const struct scion_parallel *parallel = container->parallel;

    return parallel && parallel->collective.gang;
}

int scion_collective_has_group(const struct scion_container *container)
{
    return scion_collective_is_on(container) && container->parallel->collective.gang->size > 1;
}

/* ---- on the collector ---- */

static int note(int rc, struct scion_verdict *verdict)
{
    if (rc != 0) {
        verdict->code = rc;
        snprintf(verdict->text, sizeof verdict->text, "%s", scion_error_text());
    }
    return rc;
}

int scion_store_piece(void *file, const struct scion_piece *piece, struct scion_verdict *verdict)
{
    return note(scion_file_write(file, piece->data, (size_t)piece->bytes, piece->position, NULL),
                verdict);
}

int scion_load_piece(void *file, const struct scion_piece *piece, struct scion_verdict *verdict)
{
    return note(scion_file_read(file, piece->data, (size_t)piece->bytes, piece->position), verdict);
}

/* Merging: behind what the collector's stream has; a record of several pieces is taken back whole.
 */
static int append(void *context, const struct scion_piece *piece, struct scion_verdict *verdict)
{
    struct scion_container *container = context;
    struct scion_mark *mark = &container->parallel->collective.mark;
    int rc = 0;

    if (piece->begins)
        rc = scion_stream_mark(&container->stream, mark);
    if (rc != 0)
        return note(rc, verdict);
    rc = scion_stream_write(&container->stream, piece->data, (size_t)piece->bytes);
    if (rc == 1)
        return 0;
    note(rc, verdict);
    scion_stream_return(&container->stream, mark);
    return rc;
}

/* ---- on every task ---- */

/* This task's place in the file. 1, 0 at the end of the stream, or an error code. */
static int find_place(struct scion_moving *moving, void *data, sion_int64 bytes)
{
    struct scion_record *record = &moving->record;
    int rc = 1;

    if (bytes == 0)
        return 1;
    if (moving->transfer.appends) {
        record->position = SCION_APPENDED;
    } else {
        rc = scion_stream_reserve(moving->stream, bytes, &moving->mark, &record->position);
        moving->is_reserved = rc == 1;
    }
    if (rc == 1) {
        record->data = data;
        record->bytes = bytes;
    }
    return rc;
}

/* What the collector could not do is this task's failure. */
static int judge(const struct scion_moving *moving)
{
    const struct scion_verdict *verdict = &moving->record.verdict;

    if (verdict->code == 0)
        return 1;
    if (moving->gang->rank == 0)
        return scion_fail((int)verdict->code, "%s", verdict->text);
    return scion_fail((int)verdict->code, "its collector, task %d of the file: %s",
                      moving->collector, verdict->text);
}

/* Behind the record, or back to where the stream stood. */
static int end(struct scion_moving *moving, int rc)
{
    if (!moving->is_reserved)
        return rc;
    if (rc != 1) {
        scion_stream_return(moving->stream, &moving->mark);
        moving->is_reserved = 0;
        return rc;
    }
    if (moving->stream->writing)
        scion_stream_show(moving->stream, moving->record.data, (size_t)moving->record.bytes);
    rc = scion_stream_pass(moving->stream, moving->record.bytes);
    return rc != 0 ? rc : 1;
}

/* Whatever has happened before, the task takes part. rc: as the result. */
static int move(struct scion_moving *moving, int rc)
{
    struct scion_verdict own = {0};
    int moved;

    if (rc < 0) {
        note(rc, &own);
        moving->record.bytes = -1;
    }
    moved = scion_transfer(moving->gang, &moving->transfer, &moving->record);
    if (rc < 0)
        return scion_fail(rc, "%s", own.text);
    if (rc == 1)
        rc = moved != 0 ? moved : judge(moving);
    return end(moving, rc);
}

int scion_move(struct scion_moving *moving, int status, void *data, sion_int64 bytes)
{
    moving->record = (struct scion_record){.position = SCION_NOWHERE};
    moving->is_reserved = 0;
    return move(moving, status != 0 ? status : find_place(moving, data, bytes));
}

void scion_move_undo(struct scion_moving *moving)
{
    if (moving->is_reserved)
        scion_stream_return(moving->stream, &moving->mark);
    moving->is_reserved = 0;
}

void scion_move_through_collector(struct scion_moving *moving, struct scion_container *container,
                                  int sid)
{
    const struct scion_collective *collective = &container->parallel->collective;

    moving->stream = &container->stream;
    moving->gang = collective->gang;
    moving->collector = collective->collector;
    moving->transfer = (struct scion_transfer){
        .scatters = !container->writing,
        .appends = container->writing && collective->merge,
        .fsblksize = container->head.fsblksize,
        .sid = sid,
        .context = container->file,
    };
    moving->transfer.move = container->writing ? scion_store_piece : scion_load_piece;
    if (moving->transfer.appends) {
        moving->transfer.move = append;
        moving->transfer.context = container;
    }
}

/* While the application's second FILE* takes all I/O, the task takes part without a record. */
static int move_own(struct scion_container *container, int sid, int status, void *data,
                    sion_int64 bytes)
{
    struct scion_moving moving;
    struct scion_stream *stream = &container->stream;
    int rc;

    scion_move_through_collector(&moving, container, sid);
    if (status != 0 || !stream->second)
        return scion_move(&moving, status, data, bytes);
    rc = container->writing ? scion_stream_write(stream, data, (size_t)bytes)
                            : scion_stream_read(stream, data, (size_t)bytes);
    if (rc < 0)
        return scion_move(&moving, rc, NULL, 0);
    status = scion_move(&moving, 0, NULL, 0);
    return status < 0 ? status : rc;
}

int scion_collective_write(struct scion_container *container, int sid, int status, const void *data,
                           sion_int64 bytes)
{
    return move_own(container, sid, status, scion_not_const(data), bytes);
}

int scion_collective_read(struct scion_container *container, int sid, int status, void *data,
                          sion_int64 bytes)
{
    return move_own(container, sid, status, data, bytes);
}
