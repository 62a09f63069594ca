#include "siondefrag/move.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "format/record.h"
#include "geometry/share.h"
#include "lib/output.h"
#include "lib/records.h"

enum {
    RANKS_PER_MARK = 16,
    DETAIL_LABEL = 27,
    /* Smaller holes are written as zeros, because another write would cost more. */
    HOLE_LEAST = 1 << 16
};

/* ---- the report ---- */

/* Each process lists its tasks; of the marks, the leader makes all. */
static void mark_task(const struct settings *settings, struct copy *copy, int task)
{
    if (!settings->verbose && (task % RANKS_PER_MARK != 0 || !team_leads(settings->team)))
        return;
    progress_clear(&copy->progress);
    if (settings->verbose)
        tool_line(stdout, TOOL_LABEL, "->rank:", "%d", task);
    else
        printf("[%d]", task);
}

/* ---- the copy ---- */

/* The stream of a task while it is copied: many chunks, or records, are written at a time. */
struct outlet {
    struct team *team;
    struct builder *builder; /* NULL: it goes into the spool, to be compressed */
    struct spool *spool;
    struct copy *copy;
    int task;
    sion_int64 pos; /* of the buffer's first byte */
};

/* Bytes that have been written, or left out. */
static int pass(struct outlet *outlet, sion_int64 bytes)
{
    outlet->pos += bytes;
    return team_advance(outlet->team, &outlet->copy->progress, bytes);
}

static int empty(struct outlet *outlet)
{
    struct copy *copy = outlet->copy;
    size_t bytes = copy->filled;
    int status = outlet->builder ? builder_write(outlet->builder, outlet->task, outlet->pos,
                                                 copy->buffer, bytes)
                                 : spool_write(outlet->spool, copy->buffer, bytes);

    copy->filled = 0;
    return status == TOOL_RUN ? pass(outlet, (sion_int64)bytes) : status;
}

static int take(struct outlet *outlet, size_t bytes)
{
    outlet->copy->filled += bytes;
    return outlet->copy->filled == COPY_PIECE ? empty(outlet) : TOOL_RUN;
}

/* A hole in the new container: nothing is written there. */
static int leave_hole(struct outlet *outlet, sion_int64 bytes)
{
    int status = outlet->copy->filled > 0 ? empty(outlet) : TOOL_RUN;

    return status == TOOL_RUN ? pass(outlet, bytes) : status;
}

static int move_run(struct outlet *outlet, sion_int64 chunk, sion_int64 pos, sion_int64 *run)
{
    const struct input *input = outlet->copy->input;
    int is_hole, status = input_run(input, outlet->task, chunk, pos, run, &is_hole);

    if (status != TOOL_RUN)
        return status;
    if (is_hole && *run >= HOLE_LEAST && outlet->builder)
        return leave_hole(outlet, *run);
    *run = (sion_int64)copy_portion(outlet->copy, *run);
    status = input_read(input, outlet->task, chunk, pos, copy_next(outlet->copy), (size_t)*run);
    return status == TOOL_RUN ? take(outlet, (size_t)*run) : status;
}

static int move_chunk(struct outlet *outlet, sion_int64 chunk)
{
    sion_int64 used = input_used(outlet->copy->input, outlet->task, chunk), pos, run;
    int status = TOOL_RUN;

    progress_step(&outlet->copy->progress, 0);
    for (pos = 0; pos < used && status == TOOL_RUN; pos += run) {
        run = used - pos;
        status = move_run(outlet, chunk, pos, &run);
    }
    return status;
}

static int move_chunks(const struct settings *settings, struct outlet *outlet)
{
    const struct input *input = outlet->copy->input;
    sion_int64 count = input_count(input, outlet->task), chunk;
    int status = TOOL_RUN;

    if (settings->verbose)
        tool_line(stdout, DETAIL_LABEL, "", "copy now %lld blocks on rank=%d ", count,
                  outlet->task);
    for (chunk = 0; chunk < count && status == TOOL_RUN; chunk++) {
        if (settings->verbose) {
            progress_clear(&outlet->copy->progress);
            tool_line(stdout, DETAIL_LABEL, "", "   copy now block #%lld with %lld bytes ", chunk,
                      input_used(input, outlet->task, chunk));
        }
        status = move_chunk(outlet, chunk);
    }
    return status;
}

static int move_value(struct records *records, struct outlet *outlet)
{
    sion_int64 done = 0;
    int status = TOOL_RUN;

    while (done < records->length && status == TOOL_RUN) {
        size_t bytes = copy_portion(outlet->copy, records->length - done);

        status = records_read(records, records->offset + done, copy_next(outlet->copy), bytes);
        if (status == TOOL_RUN)
            status = take(outlet, bytes);
        done += (sion_int64)bytes;
    }
    return status;
}

/* Headers of records come in the file's byte order and leave in the host's. */
static int move_record(struct records *records, struct outlet *outlet)
{
    struct copy *copy = outlet->copy;
    int status = COPY_PIECE - copy->filled < SCION_RECORD_HEADER ? empty(outlet) : TOOL_RUN;

    scion_record_encode(records->key, (uint64_t)records->length, (unsigned char *)copy_next(copy));
    copy->filled += SCION_RECORD_HEADER;
    return status == TOOL_RUN ? move_value(records, outlet) : status;
}

static int move_records(const struct settings *settings, struct outlet *outlet)
{
    struct records records;
    int status;

    if (outlet->builder->used[outlet->task] == 0)
        return TOOL_RUN; /* it is damaged, or there are none */
    records_start(&records, outlet->copy->input, outlet->task, NULL);
    while ((status = records_next(&records)) == TOOL_RUN) {
        if (settings->verbose) {
            progress_clear(&outlet->copy->progress);
            tool_line(stdout, DETAIL_LABEL + 3, "", "copy now key[%12lld] with %lld bytes ",
                      (long long)records.key, records.length);
        }
        status = move_record(&records, outlet);
        if (status != TOOL_RUN)
            return status;
    }
    return status == TOOL_DONE ? TOOL_RUN : status;
}

static int move_task(const struct settings *settings, struct outlet *outlet)
{
    struct copy *copy = outlet->copy;
    int status =
        is_keyval(copy->input) ? move_records(settings, outlet) : move_chunks(settings, outlet);

    return status == TOOL_RUN && copy->filled > 0 ? empty(outlet) : status;
}

/* Those of the other processes' tasks, from `task` on, and the end of the line. */
static void end_marks(const struct settings *settings, struct copy *copy, int task)
{
    if (settings->verbose || !team_leads(settings->team))
        return;
    for (; task < copy->input->ntasks; task++)
        mark_task(settings, copy, task);
    putchar('\n');
}

/* A copy of all tasks has ended well so far, this process's before `end`. */
static int end_copy(const struct settings *settings, struct copy *copy, int end)
{
    int status = team_end_work(settings->team, &copy->progress);

    if (status == TOOL_RUN)
        end_marks(settings, copy, end);
    return status;
}

int move_tasks(const struct settings *settings, const struct input *input, struct builder *builder)
{
    struct copy copy;
    struct outlet outlet = {.team = settings->team, .builder = builder, .copy = &copy};
    int begin, end, status = builder_share(builder, &begin, &end);

    if (status == TOOL_RUN)
        status = copy_start(&copy, input, input->total, 0);
    if (status != TOOL_RUN)
        return status;
    for (outlet.task = begin; outlet.task < end && status == TOOL_RUN; outlet.task++) {
        outlet.pos = 0;
        mark_task(settings, &copy, outlet.task);
        status = move_task(settings, &outlet);
    }
    if (status == TOOL_RUN)
        status = end_copy(settings, &copy, end);
    copy_end(&copy);
    return status;
}

/* ---- compression ---- */

static int compress_task(const struct settings *settings, struct outlet *outlet, sion_int64 *stored)
{
    int status = spool_begin(outlet->spool);

    if (status == TOOL_RUN) {
        mark_task(settings, outlet->copy, outlet->task);
        status = move_task(settings, outlet);
    }
    return status == TOOL_RUN ? spool_end(outlet->spool, stored) : status;
}

/* Those that this process has, from used[] plain bytes to as many as are stored. */
static int compress_own(const struct settings *settings, const struct input *input,
                        struct pressed *pressed, sion_int64 *used)
{
    struct copy copy;
    struct outlet outlet = {.team = settings->team, .spool = &pressed->spool, .copy = &copy};
    int end = pressed->first[settings->team->rank + 1],
        status = copy_start(&copy, input, input->total, 0);

    if (status != TOOL_RUN)
        return status;
    for (outlet.task = pressed->first[settings->team->rank];
         outlet.task < end && status == TOOL_RUN; outlet.task++)
        status = compress_task(settings, &outlet, &used[outlet.task]);
    if (status == TOOL_RUN)
        status = end_copy(settings, &copy, end);
    copy_end(&copy);
    return status;
}

int compress_tasks(const struct settings *settings, const struct input *input,
                   struct pressed *pressed, sion_int64 *used)
{
    struct team *team = settings->team;
    int begin, end, status = team_share(team, used, input->ntasks, &begin, &end);

    pressed->first = scion_array((size_t)team->size + 1, sizeof *pressed->first);
    if (!pressed->first)
        tool_error("out of memory for %d processes", team->size);
    if (status == TOOL_RUN)
        status = pressed->first &&
                         scion_share_by_bytes(used, input->ntasks, team->size, pressed->first) == 0
                     ? spool_open(&pressed->spool, settings->outfile, &settings->zip)
                     : TOOL_FAILED;
    status = team_agree(team, status);
    if (status == TOOL_RUN)
        status = team_agree(team, compress_own(settings, input, pressed, used));
    return status == TOOL_RUN ? team_collect(team, used, pressed->first) : status;
}

static int move_pressed(struct pressed *pressed, struct builder *builder, int task, char *buffer)
{
    sion_int64 left = builder->used[task], pos = 0;
    int status = TOOL_RUN;

    for (; left > 0 && status == TOOL_RUN; pos += COPY_PIECE, left -= COPY_PIECE) {
        size_t bytes = left < COPY_PIECE ? (size_t)left : COPY_PIECE;

        status = spool_take(&pressed->spool, buffer, bytes);
        if (status == TOOL_RUN)
            status = builder_write(builder, task, pos, buffer, bytes);
    }
    return status;
}

int move_all_pressed(const struct settings *settings, struct pressed *pressed,
                     struct builder *builder)
{
    int rank = settings->team->rank, task, status = TOOL_RUN;
    char *buffer = malloc(COPY_PIECE);

    if (!buffer) {
        tool_error("out of memory");
        return TOOL_FAILED;
    }
    for (task = pressed->first[rank]; task < pressed->first[rank + 1] && status == TOOL_RUN; task++)
        status = move_pressed(pressed, builder, task, buffer);
    free(buffer);
    return status;
}

void free_pressed(struct pressed *pressed)
{
    if (pressed->first)
        spool_close(&pressed->spool);
    free(pressed->first);
}
