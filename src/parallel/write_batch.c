#include "parallel/write_batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "parallel/state.h"

enum {
    ROOM = 1 << 20,          /* bytes that a sender gathers */
    MOST = SCION_BATCH_RUNS, /* records that it gathers, which is calls from batch to batch */
    EAGER = 256 << 10 /* a larger message ends when it is received, a smaller one may wait there */
};

/* A record that is not known to be in the file. */
struct open_record {
    struct scion_mark mark; /* of the stream, before it */
    sion_int64 end;         /* bytes of the batch up to its end */
};

/* The last batch, until its outcome is known: if the collector ends before that, the sender writes
 * it. */
struct last_batch {
    char *data; /* [ROOM], or NULL */
    struct scion_run runs[MOST];
    int nruns;
};

/* On a sender. */
struct scion_write_batch {
    int span, left;     /* calls from the last batch to the next; of those, still to come */
    sion_int64 passed;  /* bytes of the records of all calls since the last batch */
    char *buffer;       /* [ROOM], made when first needed */
    const char *direct; /* a batch of one record is sent from the application's memory */
    struct scion_run runs[MOST];
    int nruns;
    sion_int64 bytes;                          /* of all runs */
    struct open_record kept[MOST], sent[MOST]; /* records of the next batch, and of the last one */
    int nkept;
    int is_sent; /* there is a last batch, and its outcome has not been received */
    struct last_batch last_batch;
    struct scion_verdict failure; /* of the first record that was lost; code 0: none */
};

int scion_writes_batches(const struct scion_container *container)
{
    const struct scion_parallel *parallel = scion_parallel_of(container);
    const struct scion_collective *collective = &parallel->collective;

    return collective->group && collective->group->size > 1 &&
           scion_container_is_writing(container) && !collective->merge && !parallel->buddies &&
           !scion_container_commits(container) && scion_has_batches(collective->group);
}

void scion_write_batch_free(struct scion_write_batch *write_batch)
{
    if (write_batch) {
        free(write_batch->buffer);
        free(write_batch->last_batch.data);
    }
    free(write_batch);
}

static struct scion_write_batch *gathering_of(struct scion_collective *collective)
{
    if (!collective->write_batch) {
        collective->write_batch = scion_must_allocate(1, sizeof *collective->write_batch);
        collective->write_batch->span = collective->write_batch->left = 1;
    }
    return collective->write_batch;
}

/* ---- failures ---- */

static void forget(struct scion_write_batch *write_batch)
{
    write_batch->nruns = write_batch->nkept = 0;
    write_batch->bytes = 0;
    write_batch->direct = NULL;
}

/*
 * Of a batch, only the first bytes were stored. The stream goes back to the first record that is
 * not whole, so the lengths count nothing that is not there. Later records are lost, too.
 */
static void lose(struct scion_write_batch *write_batch, struct scion_stream *stream,
                 const struct open_record *records, sion_int64 stored)
{
    while (records->end <= stored)
        records++;
    scion_stream_return(stream, &records->mark);
    forget(write_batch);
}

static int fail_again(const struct scion_write_batch *write_batch)
{
    return write_batch->failure.code == 0
               ? 0
               : scion_fail((int)write_batch->failure.code, "%s", write_batch->failure.text);
}

/* ---- to the collector ---- */

/* Receive the outcome of the last batch. The result is that of the communication. */
static int receive(struct scion_collective *collective, struct scion_stream *stream)
{
    struct scion_write_batch *write_batch = collective->write_batch;
    struct scion_verdict *failure = &write_batch->failure;
    struct scion_outcome outcome;
    int rc;

    if (!write_batch->is_sent)
        return 0;
    write_batch->is_sent = 0;
    rc = scion_receive_outcome(collective->group, &outcome);
    if (rc != 0 || outcome.verdict.code == 0)
        return rc;
    failure->code = outcome.verdict.code;
    snprintf(failure->text, sizeof failure->text,
             "a record that was accepted is lost: its collector, task %d of the file: %.400s",
             collective->collector, outcome.verdict.text);
    lose(write_batch, stream, write_batch->sent, outcome.stored);
    return 0;
}

static int has_room(struct scion_write_batch *write_batch, sion_int64 bytes)
{
    if (bytes > ROOM - write_batch->bytes)
        return 0;
    if (!write_batch->buffer)
        write_batch->buffer = malloc(ROOM);
    return write_batch->buffer != NULL;
}

/* What was gathered stays in its buffer, and the next records go to the other one. */
static void keep_sent(struct scion_write_batch *write_batch)
{
    struct last_batch *sent = &write_batch->last_batch;
    char *other = sent->data;

    sent->nruns = 0;
    if (write_batch->direct && (write_batch->bytes > EAGER || !has_room(write_batch, 0)))
        return;
    if (write_batch->direct)
        memcpy(write_batch->buffer, write_batch->direct, (size_t)write_batch->bytes);
    sent->data = write_batch->buffer;
    write_batch->buffer = other;
    sent->nruns = write_batch->nruns;
    memcpy(sent->runs, write_batch->runs, (size_t)write_batch->nruns * sizeof *sent->runs);
}

static int send(struct scion_collective *collective, int next)
{
    struct scion_write_batch *write_batch = collective->write_batch;
    int rc;
    const struct scion_batch batch = {
        .runs = write_batch->runs,
        .nruns = write_batch->nruns,
        .data = write_batch->direct ? write_batch->direct : write_batch->buffer,
        .bytes = write_batch->bytes,
        .next = next,
    };

    memcpy(write_batch->sent, write_batch->kept,
           (size_t)write_batch->nkept * sizeof *write_batch->kept);
    write_batch->span = write_batch->left = next == SCION_LAST ? 1 : next;
    write_batch->passed = 0;
    write_batch->is_sent = 1;
    rc = scion_send_batch(collective->group, &batch);
    keep_sent(write_batch);
    forget(write_batch);
    return rc;
}

/*
 * So many calls that records of the size of the last ones fill the buffer, but at most twice as
 * many as before, because the first records are often smaller than the later ones.
 */
static int next_span(const struct scion_write_batch *write_batch)
{
    sion_int64 each = write_batch->passed / write_batch->span,
               calls = each > 0 ? ROOM / each : MOST;

    calls = calls < 2 * write_batch->span ? calls : 2 * write_batch->span;
    return calls > MOST ? MOST : calls < 1 ? 1 : (int)calls;
}

/* ---- records ---- */

static void keep(struct scion_write_batch *write_batch, const struct scion_mark *mark,
                 sion_int64 position, sion_int64 bytes)
{
    struct scion_run *end = write_batch->runs + write_batch->nruns;

    write_batch->bytes += bytes;
    write_batch->kept[write_batch->nkept++] = (struct open_record){*mark, write_batch->bytes};
    if (write_batch->nruns > 0 && end[-1].position + end[-1].bytes == position) {
        end[-1].bytes += bytes;
        return;
    }
    *end = (struct scion_run){position, bytes};
    write_batch->nruns++;
}

/*
 * If the record's place is known: send it now, or gather it. If there is no room, because records
 * have become larger since the last batch, the task writes it itself.
 */
static int take(struct scion_write_batch *write_batch, struct scion_stream *stream,
                const struct scion_mark *mark, sion_int64 position, const void *data,
                sion_int64 bytes)
{
    if (write_batch->left == 0 && write_batch->bytes == 0)
        write_batch->direct = data;
    else if (has_room(write_batch, bytes))
        memcpy(write_batch->buffer + write_batch->bytes, data, (size_t)bytes);
    else
        return scion_file_write(stream->file, data, (size_t)bytes, position, NULL);
    keep(write_batch, mark, position, bytes);
    return 0;
}

/* 1 or an error code; then the stream is where it was. */
static int accept(struct scion_write_batch *write_batch, struct scion_stream *stream,
                  const void *data, sion_int64 bytes)
{
    struct scion_mark mark;
    sion_int64 position;
    int rc = scion_stream_reserve(stream, bytes, &mark, &position);

    if (rc != 1)
        return rc;
    rc = take(write_batch, stream, &mark, position, data, bytes);
    if (rc != 0) {
        scion_stream_return(stream, &mark);
        return rc;
    }
    write_batch->passed += bytes;
    scion_stream_show(stream, data, (size_t)bytes);
    rc = scion_stream_pass(stream, bytes);
    return rc != 0 ? rc : 1;
}

static int accept_any(struct scion_write_batch *write_batch, struct scion_stream *stream,
                      int status, const void *data, sion_int64 bytes)
{
    if (status == 0)
        status = fail_again(write_batch);
    if (status != 0 || bytes == 0)
        return status != 0 ? status : 1;
    return stream->second ? scion_stream_write(stream, data, (size_t)bytes)
                          : accept(write_batch, stream, data, bytes);
}

static int write_on_sender(struct scion_collective *collective, struct scion_stream *stream,
                           int status, const void *data, sion_int64 bytes)
{
    SCION_HOLD(&stream->hold);
    struct scion_write_batch *write_batch = gathering_of(collective);
    int is_due = --write_batch->left == 0, rc = 0, other = 0;
    struct scion_verdict own;

    scion_note(status, &own);
    if (is_due)
        other = receive(collective, stream);
    rc = accept_any(write_batch, stream, status, data, bytes);
    if (status == 0)
        scion_note(rc < 0 ? rc : 0, &own);
    if (is_due && other == 0)
        other = send(collective, next_span(write_batch));
    if (rc < 0)
        return scion_fail(rc, "%s", own.text);
    return other != 0 ? other : rc;
}

/* ---- both ---- */

static int collect(struct scion_container *container, int sid, int all)
{
    const struct scion_transfer transfer = {
        .fsblksize = scion_container_head(container)->fsblksize,
        .sid = sid,
        .move = scion_store_piece,
        .context = scion_container_stream(container)->file,
    };

    return scion_collect_batches(scion_parallel_of(container)->collective.group, &transfer, all);
}

/* The collector's own records are written as those of sion_fwrite. */
static int write_on_collector(struct scion_container *container, int sid, int status,
                              const void *data, sion_int64 bytes)
{
    struct scion_verdict own;
    int rc = status != 0 ? status
             : bytes > 0
                 ? scion_stream_write(scion_container_stream(container), data, (size_t)bytes)
                 : 1;
    int other;

    scion_note(rc < 0 ? rc : 0, &own);
    other = collect(container, sid, 0);
    if (rc < 0)
        return scion_fail(rc, "%s", own.text);
    return other != 0 ? other : rc;
}

int scion_write_batch_write(struct scion_container *container, int sid, int status,
                            const void *data, sion_int64 bytes)
{
    struct scion_collective *collective = &scion_parallel_of(container)->collective;

    return collective->group->rank == 0
               ? write_on_collector(container, sid, status, data, bytes)
               : write_on_sender(collective, scion_container_stream(container), status, data,
                                 bytes);
}

static int write_each(struct scion_stream *stream, const struct scion_run *runs, int n,
                      const char *data, sion_int64 *done)
{
    int i, rc = 0;

    *done = 0;
    for (i = 0; i < n && rc == 0; i++) {
        rc = scion_file_write(stream->file, data + *done, (size_t)runs[i].bytes, runs[i].position,
                              NULL);
        *done += rc == 0 ? runs[i].bytes : 0;
    }
    return rc;
}

/* The task writes the runs itself. */
static void write_runs(struct scion_write_batch *write_batch, struct scion_stream *stream)
{
    struct scion_verdict *failure = &write_batch->failure;
    sion_int64 done;
    int rc = write_each(stream, write_batch->runs, write_batch->nruns, write_batch->buffer, &done);

    if (rc == 0) {
        forget(write_batch);
        return;
    }
    failure->code = rc;
    snprintf(failure->text, sizeof failure->text, "a record that was accepted is lost: %.400s",
             scion_error_text());
    lose(write_batch, stream, write_batch->kept, done);
}

int scion_write_batch_flush(struct scion_container *container)
{
    struct scion_collective *collective = &scion_parallel_of(container)->collective;
    struct scion_stream *stream = scion_container_stream(container);
    SCION_HOLD(&stream->hold);
    int rc;

    if (!collective->write_batch)
        return 0;
    rc = receive(collective, stream);
    write_runs(collective->write_batch, stream);
    return rc != 0 ? rc : fail_again(collective->write_batch);
}

int scion_write_batch_save(struct scion_container *container)
{
    const struct scion_write_batch *write_batch =
        scion_parallel_of(container)->collective.write_batch;
    struct scion_stream *stream = scion_container_stream(container);
    const struct last_batch *sent;
    sion_int64 done;
    int rc, other;

    if (!write_batch)
        return 0;
    sent = &write_batch->last_batch;
    rc = write_batch->is_sent ? write_each(stream, sent->runs, sent->nruns, sent->data, &done) : 0;
    other = write_each(stream, write_batch->runs, write_batch->nruns, write_batch->buffer, &done);
    rc = scion_first_failure(rc, other);
    return rc != 0 ? rc : fail_again(write_batch);
}

/* A task that has written nothing in the calls, or made none of them. */
static int send_nothing(struct scion_comm *group)
{
    static const struct scion_batch last = {.next = SCION_LAST};
    struct scion_outcome unused;
    int rc = scion_send_batch(group, &last);

    return rc != 0 ? rc : scion_receive_outcome(group, &unused);
}

/* Outside of the calls, of which other tasks may still make some. */
static int finish(struct scion_container *container)
{
    struct scion_collective *collective = &scion_parallel_of(container)->collective;
    struct scion_stream *stream = scion_container_stream(container);
    int rc;

    if (collective->group->rank == 0)
        return collect(container, 0, 1);
    if (!collective->write_batch)
        return send_nothing(collective->group);
    rc = receive(collective, stream);
    if (rc == 0)
        rc = send(collective, SCION_LAST);
    return rc != 0 ? rc : receive(collective, stream);
}

int scion_write_batch_settle(struct scion_container *container)
{
    const struct scion_write_batch *write_batch;
    int rc = finish(container);

    write_batch = scion_parallel_of(container)->collective.write_batch;
    return rc != 0 || !write_batch ? rc : fail_again(write_batch);
}

void scion_write_batch_drop(struct scion_container *container)
{
    struct scion_write_batch *write_batch = scion_parallel_of(container)->collective.write_batch;

    if (write_batch)
        forget(write_batch);
}
