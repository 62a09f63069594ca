/* Reads the model's container through a sid of any kind in random ways. */
#ifndef TEST_MODEL_READ_H
#define TEST_MODEL_READ_H

#include "write.h"

enum { MODEL_STEPS = 30, MODEL_TOGETHER = 6 };

/* A sid that reads, and the position of each of its tasks. */
struct model_reader {
    struct model_worker *worker;
    int sid, several, present;
    struct model_cursor {
        const struct model_task *task;
        int chunk;
        sion_int64 pos;
    } cursor[2 * MODEL_TASKS];
    int n;
};

static inline size_t model_pick(struct model_reader *reader, sion_int64 limit)
{
    return limit > 0 ? model_below(&reader->worker->random, (size_t)limit) : 0;
}

static inline struct model_cursor *model_at(struct model_reader *reader)
{
    return &reader->cursor[reader->present];
}

static inline sion_int64 model_left(const struct model_cursor *cursor)
{
    return cursor->task->used[cursor->chunk] - cursor->pos;
}

/* Bytes of the stream before the cursor. */
static inline size_t model_before(const struct model_cursor *cursor)
{
    size_t before = (size_t)cursor->pos;
    int b;

    for (b = 0; b < cursor->chunk; b++)
        before += (size_t)cursor->task->used[b];
    return before;
}

/* Move from the end of a chunk to the next one with data. 0: there is none, so nothing moves. */
static inline int model_go_on(struct model_cursor *cursor)
{
    int b;

    if (model_left(cursor) > 0)
        return 1;
    for (b = cursor->chunk + 1; b < cursor->task->chunks; b++) {
        if (cursor->task->used[b] > 0) {
            cursor->chunk = b;
            cursor->pos = 0;
            return 1;
        }
    }
    return 0;
}

static inline void model_check_cursor(struct model_reader *reader)
{
    const struct model_cursor *cursor = model_at(reader);

    EXPECT_INT(sion_bytes_avail_in_chunk(reader->sid), model_left(cursor));
    EXPECT_INT(sion_get_bytes_read(reader->sid), model_before(cursor));
    EXPECT_INT(sion_get_position(reader->sid),
               model_offset(cursor->task, cursor->chunk, cursor->pos));
}

/* The number by which sion_seek selects one of the reader's tasks. */
static inline int model_number(struct model_reader *reader, const struct model_task *task)
{
    const int own[] = {SION_CURRENT_RANK, model_seek_number(task), task->place};

    return reader->several ? model_seek_number(task) : own[model_pick(reader, 3)];
}

/* ---- steps ---- */

/* A serial reader continues in the next chunk with data, unless it has one task and does not name
 * it. */
static inline int model_resumes(const struct model_reader *reader, int number)
{
    return sion_is_serial_opened(reader->sid) == 1 &&
           sion_get_keyval_mode(reader->sid) != SION_KEYVAL_INLINE &&
           (reader->several || number != SION_CURRENT_RANK);
}

static inline void model_select(struct model_reader *reader, int index)
{
    int number = model_number(reader, reader->cursor[index].task);

    EXPECT_INT(sion_seek(reader->sid, number, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    if (model_resumes(reader, number))
        model_go_on(&reader->cursor[index]);
    reader->present = index;
    model_check_cursor(reader);
}

static inline void model_expect_data(const struct model_cursor *cursor, const unsigned char *data,
                                     size_t bytes)
{
    if (bytes > 0)
        EXPECT_INT(memcmp(data, cursor->task->bytes + model_before(cursor), bytes), 0);
}

typedef size_t model_transfer(void *data, size_t size, size_t items, int sid);

/* Read all of `bytes` bytes or none; at the end of a chunk, from the next one. */
static inline void model_read_bytes(struct model_reader *reader, size_t bytes, model_transfer *read)
{
    struct model_cursor *cursor = model_at(reader), old = *cursor;
    unsigned char *data = malloc(bytes + 1);
    size_t expected = bytes;

    data[bytes] = 0xee;
    if (bytes > 0 && (!model_go_on(cursor) || model_left(cursor) < (sion_int64)bytes)) {
        expected = 0;
        *cursor = old;
    }
    EXPECT_INT(read(data, 1, bytes, reader->sid), expected);
    EXPECT_INT(data[bytes], 0xee);
    model_expect_data(cursor, data, expected);
    cursor->pos += (sion_int64)expected;
    free(data);
}

/* All that is left, more than that, or a part. */
static inline size_t model_some(struct model_reader *reader)
{
    struct model_cursor next = *model_at(reader);
    sion_int64 left;

    model_go_on(&next);
    left = model_left(&next);
    switch (model_pick(reader, 6)) {
    case 0:
        return (size_t)left + 1 + model_pick(reader, 50);
    case 1:
        return (size_t)left;
    default:
        return model_pick(reader, left + 1);
    }
}

/* Read across chunks, to the end of the stream. */
static inline void model_read_stream(struct model_reader *reader)
{
    struct model_cursor *cursor = model_at(reader);
    size_t left = cursor->task->total - model_before(cursor), done = 0;
    size_t bytes = model_pick(reader, 4) ? model_pick(reader, (sion_int64)left + 1) : left + 20;
    unsigned char *data = malloc(bytes + 1);

    EXPECT_INT(sion_stream_read(reader->sid, data, (sion_int64)bytes), bytes < left ? bytes : left);
    while (done < bytes && model_go_on(cursor)) {
        size_t part =
            (size_t)model_left(cursor) < bytes - done ? (size_t)model_left(cursor) : bytes - done;

        model_expect_data(cursor, data + done, part);
        cursor->pos += (sion_int64)part;
        done += part;
    }
    model_check_cursor(reader);
    free(data);
}

/* Skip to a byte of the stream, which may be the end of a chunk or the start of the next one. */
static inline void model_skip(struct model_reader *reader)
{
    struct model_cursor *cursor = model_at(reader);
    size_t before = model_before(cursor), left = cursor->task->total - before;
    size_t bytes = model_pick(reader, (sion_int64)left + 5), expected = bytes < left ? bytes : left;

    EXPECT_INT(sion_stream_skip(reader->sid, (sion_int64)bytes), expected);
    EXPECT_INT(sion_get_current_location(reader->sid, &cursor->chunk, &cursor->pos, NULL, NULL), 1);
    EXPECT_INT(model_before(cursor), before + expected);
    EXPECT_TRUE(cursor->pos >= 0 && model_left(cursor) >= 0);
    EXPECT_INT(sion_stream_tell(reader->sid), before + expected);
    EXPECT_INT(sion_stream_size(reader->sid), cursor->task->total);
}

/* The application itself reads within the chunk: through fp or, if that is NULL, fd. */
static inline void model_read_chunk(struct model_reader *reader, FILE *fp, int fd)
{
    struct model_cursor *cursor = model_at(reader);
    size_t bytes = model_pick(reader, model_left(cursor) + 1);
    unsigned char *data = malloc(bytes + 1);

    if (fp)
        EXPECT_INT(fread(data, 1, bytes, fp), bytes);
    else
        EXPECT_INT(read(fd, data, bytes), bytes);
    model_expect_data(cursor, data, bytes);
    cursor->pos += (sion_int64)bytes;
    free(data);
}

static inline void model_ask_for_the_end(struct model_reader *reader)
{
    struct model_cursor *cursor = model_at(reader);
    int more = model_go_on(cursor);

    EXPECT_INT(sion_feof(reader->sid), !more);
    model_check_cursor(reader);
}

/* The application and the library read through a second FILE*, also in the next chunks. */
static inline void model_read_second(struct model_reader *reader)
{
    FILE *second = model_set_second(reader->sid, model_at(reader)->task, "rb");
    int i;

    for (i = 0; i < 4; i++) {
        switch (model_pick(reader, 3)) {
        case 0:
            model_read_chunk(reader, second, -1);
            break;
        case 1:
            model_read_bytes(reader, model_some(reader), sion_fread);
            break;
        default:
            model_ask_for_the_end(reader);
        }
        model_check_cursor(reader);
    }
    model_unset_second(reader->sid, second);
    model_check_cursor(reader);
}

static inline void model_read_file(struct model_reader *reader)
{
    FILE *fp = sion_get_fp(reader->sid);

    if (!fp) {
        model_read_chunk(reader, NULL, sion_get_fd(reader->sid));
        return;
    }
    switch (model_pick(reader, MODEL_BYS)) {
    case MODEL_BY_FILE:
        model_read_chunk(reader, fp, -1);
        break;
    case MODEL_BY_DESCRIPTOR:
        EXPECT_INT(fflush(fp), 0);
        model_read_chunk(reader, NULL, fileno(fp));
        break;
    default:
        model_read_second(reader);
    }
}

static inline void model_seek_in_chunk(struct model_reader *reader)
{
    int index = (int)model_pick(reader, reader->n), chunk;
    struct model_cursor *cursor = &reader->cursor[index];
    sion_int64 pos;

    chunk = (int)model_pick(reader, cursor->task->chunks);
    pos = (sion_int64)model_pick(reader, cursor->task->used[chunk] + 1);
    EXPECT_INT(sion_seek(reader->sid, model_number(reader, cursor->task), chunk, pos), 1);
    cursor->chunk = chunk;
    cursor->pos = pos;
    reader->present = index;
    model_check_cursor(reader);
}

/* Seek in the stream. Counted from the start, a position is the first byte of a chunk, not the end
   of another. */
static inline void model_seek_in_stream(struct model_reader *reader)
{
    struct model_cursor *cursor = model_at(reader);
    size_t total = cursor->task->total, offset = model_pick(reader, (sion_int64)total + 1);
    int from_end = (int)model_pick(reader, 2);

    EXPECT_INT(sion_seek(reader->sid, SION_CURRENT_RANK,
                         from_end ? SION_END_POS : SION_ABSOLUTE_POS,
                         (sion_int64)offset - (from_end ? (sion_int64)total : 0)),
               1);
    EXPECT_INT(sion_get_current_location(reader->sid, &cursor->chunk, &cursor->pos, NULL, NULL), 1);
    EXPECT_INT(model_before(cursor), offset);
    EXPECT_TRUE(cursor->pos >= 0 && model_left(cursor) >= 0);
    model_check_cursor(reader);
}

static inline void model_step(struct model_reader *reader)
{
    switch (model_pick(reader, 12)) {
    case 0:
    case 1:
        model_select(reader, (int)model_pick(reader, reader->n));
        break;
    case 2:
        model_ask_for_the_end(reader);
        break;
    case 3:
        model_seek_in_chunk(reader);
        break;
    case 4:
        model_seek_in_stream(reader);
        break;
    case 5:
        model_read_file(reader);
        break;
    case 6:
        model_check_cursor(reader);
        break;
    case 7:
        model_read_stream(reader);
        break;
    case 8:
        model_skip(reader);
        break;
    default:
        model_read_bytes(reader, model_some(reader), sion_fread);
    }
}

/* ---- whole containers ---- */

/* The usual loop, from the start of every task. */
static inline void model_read_all(struct model_reader *reader)
{
    int i;

    for (i = 0; i < reader->n; i++) {
        struct model_cursor *cursor = &reader->cursor[i];

        EXPECT_INT(sion_seek(reader->sid, model_number(reader, cursor->task), 0, 0), 1);
        reader->present = i;
        cursor->chunk = 0;
        cursor->pos = 0;
        while (!sion_feof(reader->sid) && model_go_on(cursor) && model_left(cursor) > 0)
            model_read_bytes(reader, (size_t)model_left(cursor), sion_fread);
        EXPECT_INT(model_before(cursor), cursor->task->total);
        EXPECT_INT(sion_feof(reader->sid), 1);
    }
}

/*
 * Read task after task in rounds: each reads the rest of the chunk to which it returns. The last
 * round finds nothing.
 */
static inline void model_read_in_turns(struct model_reader *reader)
{
    int found = 1, i;

    for (i = 0; i < reader->n; i++) {
        EXPECT_INT(sion_seek(reader->sid, model_seek_number(reader->cursor[i].task), 0, 0), 1);
        reader->cursor[i].chunk = 0;
        reader->cursor[i].pos = 0;
    }
    while (found) {
        for (found = 0, i = 0; i < reader->n; i++) {
            sion_int64 left;

            model_select(reader, i);
            left = model_left(&reader->cursor[i]);
            if (left > 0)
                model_read_bytes(reader, (size_t)left, sion_fread);
            found |= left > 0;
        }
    }
    for (i = 0; i < reader->n; i++)
        EXPECT_INT(model_before(&reader->cursor[i]), reader->cursor[i].task->total);
}

/* If there is one task, any rank will do. */
static inline int model_duplicated_rank(struct model_reader *reader)
{
    return reader->several ? model_seek_number(model_at(reader)->task) : -1;
}

/* A duplicate begins at the position of the original, and neither moves the other. */
static inline int model_duplicate(struct model_reader *reader, struct model_reader *copy)
{
    int one = (int)model_pick(reader, 2);

    *copy = *reader;
    copy->sid =
        sion_dup(reader->sid, one ? SION_DUP_RANK : SION_DUP_ALL, model_duplicated_rank(reader), 0);
    if (one) {
        copy->cursor[0] = *model_at(reader);
        copy->n = 1;
        copy->present = 0;
    }
    return EXPECT_TRUE(copy->sid >= 0);
}

static inline void model_read_steps(struct model_reader *reader)
{
    int i;

    for (i = 0; i < MODEL_STEPS; i++)
        model_step(reader);
}

static inline void model_read_duplicate(struct model_reader *reader)
{
    struct model_reader copy;

    if (!model_duplicate(reader, &copy))
        return;
    model_check_cursor(&copy);
    model_read_steps(&copy);
    model_check_cursor(reader);
    model_read_all(&copy);
    EXPECT_INT(sion_dedup(copy.sid), 1);
    model_check_cursor(reader);
}

static inline void model_read_part(struct model_reader *reader, size_t from, size_t bytes)
{
    const struct model_task *task = model_at(reader)->task;
    unsigned char *data = malloc(bytes + 1);

    EXPECT_INT(sion_coll_fread(data, 1, bytes, reader->sid), bytes);
    EXPECT_INT(check_compare(data, task->rank, (long)from, bytes), -1);
    EXPECT_INT(sion_get_bytes_read(reader->sid), from + bytes);
    free(data);
}

/* Read each record in two parts. Chunks of copies end elsewhere, but not within a record. */
static inline void model_read_copies(struct model_reader *reader)
{
    const struct model_task *task = model_at(reader)->task;
    int r;

    for (r = 0; r < MODEL_ROUNDS; r++) {
        const struct model_record *record = &task->records[r];
        size_t bytes = record->accepted ? record->bytes : 0;
        size_t part = model_pick(reader, (sion_int64)bytes + 1);

        model_read_part(reader, record->first, part);
        model_read_part(reader, record->first + part, bytes - part);
    }
    EXPECT_INT(sion_feof(reader->sid), 1);
}

/* What a member of a merged container has written, in one piece. */
static inline size_t model_member_bytes(const struct model_task *task)
{
    size_t bytes = 0;
    int r;

    for (r = 0; r < MODEL_ROUNDS; r++)
        bytes += task->records[r].accepted ? task->records[r].bytes : 0;
    return bytes;
}

static inline void model_read_member_part(struct model_reader *reader, size_t at, size_t bytes)
{
    unsigned char *data = malloc(bytes + 1);
    size_t total = model_member_bytes(model_at(reader)->task);
    size_t expected = bytes <= total - at ? bytes : 0;

    data[bytes] = 0xee;
    EXPECT_INT(sion_coll_fread(data, 1, bytes, reader->sid), expected);
    EXPECT_INT(data[bytes], 0xee);
    EXPECT_INT(check_compare(data, model_at(reader)->task->rank, (long)at, expected), -1);
    free(data);
}

/* Each task reads its own bytes, in any sizes, also more than there are. */
static inline void model_read_merged(struct model_reader *reader)
{
    size_t total = model_member_bytes(model_at(reader)->task), at = 0;

    while (at < total) {
        size_t bytes = 1 + model_pick(reader, (sion_int64)(total - at) + 3);

        EXPECT_INT(sion_feof(reader->sid), 0);
        EXPECT_INT(sion_bytes_avail_in_chunk(reader->sid), total - at);
        model_read_member_part(reader, at, bytes);
        at += bytes <= total - at ? bytes : 0;
    }
    EXPECT_INT(sion_feof(reader->sid), 1);
    model_read_member_part(reader, at, 1);
}

/* All tasks make the same number of calls: any sizes, and then the rest of each chunk. */
static inline void model_read_together(struct model_reader *reader)
{
    struct model_cursor *cursor = model_at(reader);
    int rounds = 1, t, i;

    for (t = 0; t < model.ntasks; t++)
        rounds = model.task[t].chunks > rounds ? model.task[t].chunks : rounds;
    for (i = 0; i < MODEL_TOGETHER; i++)
        model_read_bytes(reader, model_some(reader), sion_coll_fread);
    for (i = 0; i < rounds; i++) {
        model_go_on(cursor);
        model_read_bytes(reader, (size_t)model_left(cursor), sion_coll_fread);
    }
    EXPECT_INT(model_before(cursor), cursor->task->total);
    EXPECT_INT(sion_feof(reader->sid), 1);
}

#endif
