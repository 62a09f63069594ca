#include "parallel/gathering.h"

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
struct pending {
    struct scion_mark mark; /* of the stream, before it */
    sion_int64 end;         /* bytes of the batch up to its end */
};

/* The last batch, until its outcome is known: if the collector ends before that, the sender writes
 * it. */
struct unconfirmed {
    char *data; /* [ROOM], or NULL */
    struct scion_run runs[MOST];
    int nruns;
};

/* On a sender. */
struct scion_gathering {
    int span, left;     /* calls from the last batch to the next; of those, still to come */
    sion_int64 passed;  /* bytes of the records of all calls since the last batch */
    char *buffer;       /* [ROOM], made when first needed */
    const char *direct; /* a batch of one record is sent from the application's memory */
    struct scion_run runs[MOST];
    int nruns;
    sion_int64 bytes;                      /* of all runs */
    struct pending kept[MOST], sent[MOST]; /* records of the next batch, and of the last one */
    int nkept;
    int is_sent; /* there is a last batch, and its outcome has not been received */
    struct unconfirmed unconfirmed;
    struct scion_verdict failure; /* of the first record that was lost; code 0: none */
};

int scion_gathers(const struct scion_container *container)
{
    const struct scion_parallel *parallel = scion_parallel_of(container);
    const struct scion_collective *collective = &parallel->collective;

    return collective->group && collective->group->size > 1 &&
           scion_container_is_writing(container) && !collective->merge && !parallel->buddies &&
           !scion_container_commits(container) && scion_has_batches(collective->group);
}

void scion_gathering_free(struct scion_gathering *gathering)
{
    if (gathering) {
        free(gathering->buffer);
        free(gathering->unconfirmed.data);
    }
    free(gathering);
}

static struct scion_gathering *gathering_of(struct scion_collective *collective)
{
    if (!collective->gathering) {
        collective->gathering = scion_must_allocate(1, sizeof *collective->gathering);
        collective->gathering->span = collective->gathering->left = 1;
    }
    return collective->gathering;
}

/* ---- failures ---- */

static void forget(struct scion_gathering *gathering)
{
    gathering->nruns = gathering->nkept = 0;
    gathering->bytes = 0;
    gathering->direct = NULL;
}

/*
 * Of a batch, only the first bytes were stored. The stream goes back to the first record that is
 * not whole, so the lengths count nothing that is not there. Later records are lost, too.
 */
static void lose(struct scion_gathering *gathering, struct scion_stream *stream,
                 const struct pending *records, sion_int64 stored)
{
    while (records->end <= stored)
        records++;
    scion_stream_return(stream, &records->mark);
    forget(gathering);
}

static int fail_again(const struct scion_gathering *gathering)
{
    return gathering->failure.code == 0
               ? 0
               : scion_fail((int)gathering->failure.code, "%s", gathering->failure.text);
}

/* ---- to the collector ---- */

/* Receive the outcome of the last batch. The result is that of the communication. */
static int receive(struct scion_collective *collective, struct scion_stream *stream)
{
    struct scion_gathering *gathering = collective->gathering;
    struct scion_verdict *failure = &gathering->failure;
    struct scion_outcome outcome;
    int rc;

    if (!gathering->is_sent)
        return 0;
    gathering->is_sent = 0;
    rc = scion_receive_outcome(collective->group, &outcome);
    if (rc != 0 || outcome.verdict.code == 0)
        return rc;
    failure->code = outcome.verdict.code;
    snprintf(failure->text, sizeof failure->text,
             "a record that was accepted is lost: its collector, task %d of the file: %.400s",
             collective->collector, outcome.verdict.text);
    lose(gathering, stream, gathering->sent, outcome.stored);
    return 0;
}

static int has_room(struct scion_gathering *gathering, sion_int64 bytes)
{
    if (bytes > ROOM - gathering->bytes)
        return 0;
    if (!gathering->buffer)
        gathering->buffer = malloc(ROOM);
    return gathering->buffer != NULL;
}

/* What was gathered stays in its buffer, and the next records go to the other one. */
static void keep_sent(struct scion_gathering *gathering)
{
    struct unconfirmed *sent = &gathering->unconfirmed;
    char *other = sent->data;

    sent->nruns = 0;
    if (gathering->direct && (gathering->bytes > EAGER || !has_room(gathering, 0)))
        return;
    if (gathering->direct)
        memcpy(gathering->buffer, gathering->direct, (size_t)gathering->bytes);
    sent->data = gathering->buffer;
    gathering->buffer = other;
    sent->nruns = gathering->nruns;
    memcpy(sent->runs, gathering->runs, (size_t)gathering->nruns * sizeof *sent->runs);
}

static int send(struct scion_collective *collective, int next)
{
    struct scion_gathering *gathering = collective->gathering;
    int rc;
    const struct scion_batch batch = {
        .runs = gathering->runs,
        .nruns = gathering->nruns,
        .data = gathering->direct ? gathering->direct : gathering->buffer,
        .bytes = gathering->bytes,
        .next = next,
    };

    memcpy(gathering->sent, gathering->kept, (size_t)gathering->nkept * sizeof *gathering->kept);
    gathering->span = gathering->left = next == SCION_LAST ? 1 : next;
    gathering->passed = 0;
    gathering->is_sent = 1;
    rc = scion_send_batch(collective->group, &batch);
    keep_sent(gathering);
    forget(gathering);
    return rc;
}

/*
 * So many calls that records of the size of the last ones fill the buffer, but at most twice as
 * many as before, because the first records are often smaller than the later ones.
 */
static int next_span(const struct scion_gathering *gathering)
{
    sion_int64 each = gathering->passed / gathering->span, calls = each > 0 ? ROOM / each : MOST;

    calls = calls < 2 * gathering->span ? calls : 2 * gathering->span;
    return calls > MOST ? MOST : calls < 1 ? 1 : (int)calls;
}

/* ---- records ---- */

static void keep(struct scion_gathering *gathering, const struct scion_mark *mark,
                 sion_int64 position, sion_int64 bytes)
{
    struct scion_run *end = gathering->runs + gathering->nruns;

    gathering->bytes += bytes;
    gathering->kept[gathering->nkept++] = (struct pending){*mark, gathering->bytes};
    if (gathering->nruns > 0 && end[-1].position + end[-1].bytes == position) {
        end[-1].bytes += bytes;
        return;
    }
    *end = (struct scion_run){position, bytes};
    gathering->nruns++;
}

/*
 * If the record's place is known: send it now, or gather it. If there is no room, because records
 * have become larger since the last batch, the task writes it itself.
 */
static int take(struct scion_gathering *gathering, struct scion_stream *stream,
                const struct scion_mark *mark, sion_int64 position, const void *data,
                sion_int64 bytes)
{
    if (gathering->left == 0 && gathering->bytes == 0)
        gathering->direct = data;
    else if (has_room(gathering, bytes))
        memcpy(gathering->buffer + gathering->bytes, data, (size_t)bytes);
    else
        return scion_file_write(stream->file, data, (size_t)bytes, position, NULL);
    keep(gathering, mark, position, bytes);
    return 0;
}

/* 1 or an error code; then the stream is where it was. */
static int accept(struct scion_gathering *gathering, struct scion_stream *stream, const void *data,
                  sion_int64 bytes)
{
    struct scion_mark mark;
    sion_int64 position;
    int rc = scion_stream_reserve(stream, bytes, &mark, &position);

    if (rc != 1)
        return rc;
    rc = take(gathering, stream, &mark, position, data, bytes);
    if (rc != 0) {
        scion_stream_return(stream, &mark);
        return rc;
    }
    gathering->passed += bytes;
    scion_stream_show(stream, data, (size_t)bytes);
    rc = scion_stream_pass(stream, bytes);
    return rc != 0 ? rc : 1;
}

static int accept_any(struct scion_gathering *gathering, struct scion_stream *stream, int status,
                      const void *data, sion_int64 bytes)
{
    if (status == 0)
        status = fail_again(gathering);
    if (status != 0 || bytes == 0)
        return status != 0 ? status : 1;
    return stream->second ? scion_stream_write(stream, data, (size_t)bytes)
                          : accept(gathering, stream, data, bytes);
}

static int write_on_sender(struct scion_collective *collective, struct scion_stream *stream,
                           int status, const void *data, sion_int64 bytes)
{
    SCION_HOLD(&stream->hold);
    struct scion_gathering *gathering = gathering_of(collective);
    int is_due = --gathering->left == 0, rc = 0, other = 0;
    struct scion_verdict own;

    scion_note(status, &own);
    if (is_due)
        other = receive(collective, stream);
    rc = accept_any(gathering, stream, status, data, bytes);
    if (status == 0)
        scion_note(rc < 0 ? rc : 0, &own);
    if (is_due && other == 0)
        other = send(collective, next_span(gathering));
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

int scion_gathering_write(struct scion_container *container, int sid, int status, const void *data,
                          sion_int64 bytes)
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
static void write_runs(struct scion_gathering *gathering, struct scion_stream *stream)
{
    struct scion_verdict *failure = &gathering->failure;
    sion_int64 done;
    int rc = write_each(stream, gathering->runs, gathering->nruns, gathering->buffer, &done);

    if (rc == 0) {
        forget(gathering);
        return;
    }
    failure->code = rc;
    snprintf(failure->text, sizeof failure->text, "a record that was accepted is lost: %.400s",
             scion_error_text());
    lose(gathering, stream, gathering->kept, done);
}

int scion_gathering_flush(struct scion_container *container)
{
    struct scion_collective *collective = &scion_parallel_of(container)->collective;
    struct scion_stream *stream = scion_container_stream(container);
    SCION_HOLD(&stream->hold);
    int rc;

    if (!collective->gathering)
        return 0;
    rc = receive(collective, stream);
    write_runs(collective->gathering, stream);
    return rc != 0 ? rc : fail_again(collective->gathering);
}

int scion_gathering_save(struct scion_container *container)
{
    const struct scion_gathering *gathering = scion_parallel_of(container)->collective.gathering;
    struct scion_stream *stream = scion_container_stream(container);
    const struct unconfirmed *sent;
    sion_int64 done;
    int rc, other;

    if (!gathering)
        return 0;
    sent = &gathering->unconfirmed;
    rc = gathering->is_sent ? write_each(stream, sent->runs, sent->nruns, sent->data, &done) : 0;
    other = write_each(stream, gathering->runs, gathering->nruns, gathering->buffer, &done);
    rc = scion_first_failure(rc, other);
    return rc != 0 ? rc : fail_again(gathering);
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
    if (!collective->gathering)
        return send_nothing(collective->group);
    rc = receive(collective, stream);
    if (rc == 0)
        rc = send(collective, SCION_LAST);
    return rc != 0 ? rc : receive(collective, stream);
}

int scion_gathering_settle(struct scion_container *container)
{
    const struct scion_gathering *gathering;
    int rc = finish(container);

    gathering = scion_parallel_of(container)->collective.gathering;
    return rc != 0 || !gathering ? rc : fail_again(gathering);
}

void scion_gathering_drop(struct scion_container *container)
{
    struct scion_gathering *gathering = scion_parallel_of(container)->collective.gathering;

    if (gathering)
        forget(gathering);
}
