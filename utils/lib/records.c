#include "lib/records.h"

#include <stdlib.h>
#include <string.h>

#include "format/record.h"
#include "lib/tool.h"

enum { HOLE_MOST = 1 << 16 };

void records_start(struct records *records, const struct input *input, int task,
                   struct progress *progress)
{
    records->progress = progress;
    records->input = input;
    records->task = task;
    records->end = input_bytes(input, task);
    records->next = 0;
    records->filled = 0;
    records->chunk = records->before = 0;
}

/* The chunk that has a byte of the stream, which must be there, and the byte's place in it. Those
   of older tables, and of other generations, have no bytes. */
static sion_int64 find_chunk(struct records *records, sion_int64 offset, sion_int64 *room)
{
    sion_int64 used;

    if (offset < records->before)
        records->chunk = records->before = 0;
    while (used = input_used(records->input, records->task, records->chunk),
           offset - records->before >= used) {
        records->before += used;
        records->chunk++;
    }
    *room = used - (offset - records->before);
    return offset - records->before;
}

static int read_stream(struct records *records, sion_int64 offset, unsigned char *to, size_t bytes)
{
    int status = TOOL_RUN;

    while (bytes > 0 && status == TOOL_RUN) {
        sion_int64 room, pos = find_chunk(records, offset, &room);
        size_t part = (sion_int64)bytes < room ? bytes : (size_t)room;

        status = input_read(records->input, records->task, records->chunk, pos, to, part);
        offset += (sion_int64)part;
        to += part;
        bytes -= part;
    }
    return status;
}

/* How many bytes at offset have been read ahead. */
static size_t ready(const struct records *records, sion_int64 offset)
{
    sion_int64 into = offset - records->first;

    return into >= 0 && into < (sion_int64)records->filled ? records->filled - (size_t)into : 0;
}

static int read_ahead(struct records *records, sion_int64 offset)
{
    sion_int64 left = records->end - offset;
    size_t bytes = left < (sion_int64)sizeof records->ahead ? (size_t)left : sizeof records->ahead;
    int status = read_stream(records, offset, records->ahead, bytes);

    records->first = offset;
    records->filled = status == TOOL_RUN ? bytes : 0;
    return status;
}

int records_read(struct records *records, sion_int64 offset, void *to, size_t bytes)
{
    int status = TOOL_RUN;

    if (bytes > ready(records, offset)) {
        if (bytes > sizeof records->ahead / 2)
            return read_stream(records, offset, to, bytes);
        status = read_ahead(records, offset);
    }
    if (status == TOOL_RUN)
        memcpy(to, records->ahead + (offset - records->first), bytes);
    return status;
}

static int damaged(const struct records *records, uint64_t length, sion_int64 left)
{
    tool_error("%s: key-value record at byte %lld of task %d says %llu byte%s, %lld %s left",
               records->input->name, records->next, records->task, (unsigned long long)length,
               length == 1 ? "" : "s", left, left == 1 ? "is" : "are");
    return TOOL_FAILED;
}

/* A hole is read as records of key 0 without bytes, as many as have room. */
static int check_hole(struct records *records)
{
    sion_int64 run = HOLE_MOST + 1, room, pos = find_chunk(records, records->next, &room);
    int is_hole, status;

    status = input_run(records->input, records->task, records->chunk, pos, &run, &is_hole);
    if (status != TOOL_RUN || !is_hole || run <= HOLE_MOST || tool_is_forced())
        return status;
    tool_error("%s: key-value records from byte %lld of task %d on are a hole: use --force to take "
               "them for records",
               records->input->name, records->next, records->task);
    return TOOL_FAILED;
}

int records_next(struct records *records)
{
    unsigned char header[SCION_RECORD_HEADER];
    sion_int64 left = records->end - records->next;
    uint64_t length;
    int status;

    if (left == 0)
        return TOOL_DONE;
    if (left < SCION_RECORD_HEADER)
        return damaged(records, SCION_RECORD_HEADER, left);
    status = records_read(records, records->next, header, sizeof header);
    if (status != TOOL_RUN)
        return status;
    scion_record_decode(header, records->input->head->swapped, &records->key, &length);
    if (records->key == 0 && length == 0 && check_hole(records) != TOOL_RUN)
        return TOOL_FAILED;
    left -= SCION_RECORD_HEADER;
    if (length > (uint64_t)left)
        return damaged(records, length, left);
    records->offset = records->next + SCION_RECORD_HEADER;
    records->length = (sion_int64)length;
    if (records->progress)
        progress_step(records->progress, records->offset + records->length - records->next);
    records->next = records->offset + records->length;
    return TOOL_RUN;
}

int records_leave_out(const struct input *input, int task)
{
    struct records *records;
    int status;

    if (input_leaves_out(input, task))
        return 1;
    records = malloc(sizeof *records);
    if (!records) {
        tool_error("out of memory for the records of task %d", task);
        tool_note_left_out();
        return 1;
    }
    records_start(records, input, task, NULL);
    while ((status = records_next(records)) == TOOL_RUN)
        ;
    free(records);
    if (status != TOOL_DONE)
        tool_note_left_out();
    return status != TOOL_DONE;
}
