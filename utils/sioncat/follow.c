#include "sioncat/follow.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "lib/follow.h"
#include "lib/message.h"
#include "lib/tool.h"

enum { PIECE = 1 << 20 };

struct tail {
    struct follow follow;
    const struct numbers *tasks;
    sion_int64 *done; /* [ntasks] bytes of each that were written */
    char *buffer;     /* [PIECE] */
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

/* What a task has got. */
static int write_new(struct tail *tail, int task)
{
    struct scion_container *container = tail->follow.container;
    struct scion_stream *stream = scion_container_stream(container);
    sion_int64 size;
    int status = TOOL_RUN;

    if (scion_container_select(container, task) != 0 || scion_stream_size(stream, &size) != 0)
        return failed();
    while (tail->done[task] < size && status == TOOL_RUN) {
        sion_int64 left = size - tail->done[task];
        size_t bytes = left < PIECE ? (size_t)left : PIECE;

        if (scion_stream_read_range(stream, tail->done[task], tail->buffer, bytes) != 0)
            return failed();
        status = write_bytes(tail, bytes);
        tail->done[task] += (sion_int64)bytes;
    }
    return status;
}

static int write_all_new(struct tail *tail)
{
    int n = scion_container_ntasks(tail->follow.container), task, status = TOOL_RUN;

    for (task = 0; task < n && status == TOOL_RUN; task++) {
        if (numbers_have(tail->tasks, (uint64_t)task))
            status = write_new(tail, task);
    }
    if (status == TOOL_RUN && fflush(stdout) != 0) {
        tool_error("cannot write to stdout");
        status = TOOL_FAILED;
    }
    return status;
}

static int follow_all(struct tail *tail)
{
    int n = scion_container_ntasks(tail->follow.container);
    int status = numbers_check(tail->tasks, n);

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
    tail.done = calloc((size_t)scion_container_ntasks(tail.follow.container), sizeof *tail.done);
    tail.buffer = malloc(PIECE);
    if (tail.done && tail.buffer) {
        status = follow_all(&tail);
    } else {
        tool_error("out of memory for the tasks of %s", name);
        status = TOOL_FAILED;
    }
    free(tail.done);
    free(tail.buffer);
    return follow_close(&tail.follow, status);
}
