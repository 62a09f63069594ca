#include "sioncat/follow.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "lib/follow.h"
#include "lib/message.h"
#include "lib/tool.h"
#include "sion_const.h"

enum { PIECE = 1 << 20 };

struct tail {
    struct follow follow;
    const struct numbers *tasks;
    char *buffer; /* [PIECE] */
};

static int failed(void)
{
    tool_error("%s", scion_error_text());
    return TOOL_FAILED;
}

static int write_bytes(const struct tail *tail, size_t bytes)
{
    if (fwrite(tail->buffer, 1, bytes, stdout) == bytes)
        return TOOL_RUN;
    tool_error("cannot write to stdout");
    return TOOL_FAILED;
}

/* The next bytes of the selected task, which the writer had not forgotten when they were read. 0:
   they were, or there are none. */
static int read_piece(struct tail *tail, size_t *bytes)
{
    struct scion_stream *stream = scion_container_stream(tail->follow.container);
    sion_int64 chunk = stream->chunk, pos, skipped;
    int is_newest, status;

    if (scion_stream_pos(stream, &pos) != 0 ||
        scion_stream_read_bytes(stream, tail->buffer, PIECE, bytes) != 0)
        return failed();
    if (*bytes == 0 || !follow_generations(&tail->follow))
        return TOOL_RUN;
    if (scion_stream_seek(stream, chunk, pos) != 0)
        return failed();
    status = follow_check(&tail->follow, &is_newest);
    if (status != TOOL_RUN || !is_newest) {
        *bytes = 0;
        return status;
    }
    return scion_stream_skip(stream, (sion_int64)*bytes, &skipped) == 0 ? TOOL_RUN : failed();
}

/* What a task has got. */
static int write_new(struct tail *tail, int task)
{
    struct scion_container *container = tail->follow.container;
    int status = TOOL_RUN, at_end = 0;
    size_t bytes;

    if (scion_container_select(container, task) != 0)
        return failed();
    while (status == TOOL_RUN) {
        if (scion_stream_at_end(scion_container_stream(container), &at_end) != 0)
            return failed();
        if (at_end)
            return TOOL_RUN;
        status = read_piece(tail, &bytes);
        if (status == TOOL_RUN)
            status = write_bytes(tail, bytes);
    }
    return status;
}

static int write_all_once(struct tail *tail)
{
    int n = scion_container_ntasks(tail->follow.container), task, status = TOOL_RUN;

    for (task = 0; task < n && status == TOOL_RUN; task++) {
        if (numbers_have(tail->tasks, (uint64_t)task))
            status = write_new(tail, task);
    }
    return status;
}

/* Newer states may come meanwhile. */
static int write_all_new(struct tail *tail)
{
    int status;
    sion_int64 number;

    do {
        number = follow_number(&tail->follow);
        status = write_all_once(tail);
    } while (status == TOOL_RUN && follow_number(&tail->follow) != number);
    if (status == TOOL_RUN && fflush(stdout) != 0) {
        tool_error("cannot write to stdout");
        status = TOOL_FAILED;
    }
    return status;
}

/* The task begins with the newest generation. */
static int skip_older(const struct tail *tail, int task)
{
    const struct scion_generations *generations;
    struct scion_container *container = tail->follow.container;
    const struct scion_stream *stream = scion_container_stream(container);
    int file, lrank, rc;
    sion_int64 first;

    scion_container_locate(container, task, &file, &lrank);
    generations = scion_container_file(container, file)->generations;
    if (!generations || generations->head.n == 0)
        return TOOL_RUN;
    first = generations->list[generations->head.n - 1].first;
    rc = scion_container_select(container, task);
    if (rc == 0 && first < stream->lengths->count)
        rc = scion_container_seek(container, task, (int)first, 0);
    else if (rc == 0)
        rc = scion_container_seek(container, task, SION_END_POS, 0);
    return rc == 0 ? TOOL_RUN : failed();
}

static int skip_all_older(const struct tail *tail)
{
    int n = scion_container_ntasks(tail->follow.container), task, status = TOOL_RUN;

    if (tail->follow.from_oldest || !follow_generations(&tail->follow))
        return TOOL_RUN;
    for (task = 0; task < n && status == TOOL_RUN; task++) {
        if (numbers_have(tail->tasks, (uint64_t)task))
            status = skip_older(tail, task);
    }
    return status;
}

static int follow_all(struct tail *tail)
{
    int n = scion_container_ntasks(tail->follow.container);
    int status = numbers_check(tail->tasks, n);

    if (status == TOOL_RUN)
        status = skip_all_older(tail);
    if (status == TOOL_RUN)
        status = write_all_new(tail);
    while (status == TOOL_RUN && (status = follow_next(&tail->follow)) == TOOL_RUN)
        status = write_all_new(tail);
    return status;
}

int sioncat_follow(char *name, const struct numbers *tasks)
{
    struct tail tail = {.tasks = tasks};
    int status = follow_open(name, &tail.follow);

    if (status != TOOL_RUN)
        return status;
    tail.buffer = malloc(PIECE);
    if (tail.buffer) {
        status = follow_all(&tail);
    } else {
        tool_error("out of memory for the tasks of %s", name);
        status = TOOL_FAILED;
    }
    free(tail.buffer);
    return follow_close(&tail.follow, status);
}
