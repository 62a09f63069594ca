/*
 * Compares streams with a model, over random sequences of all operations. Several tasks share one
 * file and one stream. CHECK_SEED repeats one case.
 */
#include "check.h"

#include "fixture.h"

enum { CASES = 300 };

static const size_t buffer_sizes[] = {0, 7, 16, 100, 4096, 5000, 65536, 100000};

static size_t random_buffer(void)
{
    return buffer_sizes[check_below(sizeof buffer_sizes / sizeof *buffer_sizes)];
}

static sion_int64 random_chunksize(void)
{
    switch (check_below(4)) {
    case 0:
        return (sion_int64)check_below(4);
    case 1:
        return 1 + (sion_int64)check_below(64);
    case 2:
        return 1 + (sion_int64)check_below(2000);
    default:
        return 1 + (sion_int64)check_below(20000);
    }
}

/* From 0 bytes to several buffers, up to a chunk, and sometimes too large. */
static size_t random_bytes(void)
{
    size_t chunk = (size_t)fixture_present()->place.chunksize;

    switch (check_below(5)) {
    case 0:
        return chunk + check_below(3);
    case 1:
        return check_below(chunk + 1);
    case 2:
        return check_below(3 * fixture.stream.buffer_size + 2);
    default:
        return check_below(20);
    }
}

/* Some of the bytes that still fit into the current chunk. */
static size_t random_part_of_the_room(void)
{
    const struct fixture_task *task = fixture_present();
    sion_int64 room = task->place.chunksize - task->used[task->chunks - 1];

    return check_below((size_t)room + 1);
}

/* ---- writing ---- */

static void write_a_record(void)
{
    size_t bytes = random_bytes();
    sion_int64 chunksize = fixture_present()->place.chunksize;
    int fits = bytes == 0 || (fixture.fill ? chunksize > 0 : (sion_int64)bytes <= chunksize);

    if (fixture.fill && chunksize > 0 && (sion_int64)bytes > 20 * chunksize)
        return; /* too many chunks for the model */

    CHECK_INT(fixture_append(bytes), fits ? 1 : SION_ERR_NO_SPACE);
}

/* Write across the ends of chunks. */
static void write_bytes(void)
{
    sion_int64 chunksize = fixture_present()->place.chunksize;
    size_t bytes = check_below(3 * (size_t)chunksize + 3), done = bytes + 1;
    int rc;

    if ((sion_int64)bytes > 20 * chunksize && chunksize > 0)
        return; /* too many chunks for the model */
    rc = scion_stream_write_bytes(&fixture.stream, fixture_record(bytes), bytes, &done);
    CHECK_INT(rc, chunksize > 0 || bytes == 0 ? 0 : SION_ERR_NO_SPACE);
    CHECK_INT(done, rc == 0 ? bytes : 0);
    model_append_split(done);
}

static void ensure_space(void)
{
    sion_int64 bytes = (sion_int64)random_bytes() - (sion_int64)check_below(10);
    int rc = scion_stream_ensure_free_space(&fixture.stream, bytes);

    CHECK_INT(rc, model_ensure(bytes) ? 0 : SION_ERR_NO_SPACE);
}

static void write_through_the_file(void)
{
    size_t bytes = random_part_of_the_room();
    FILE *fp = NULL;

    CHECK_INT(scion_stream_export(&fixture.stream, &fp), 0);
    if (!fp)
        return;
    CHECK_INT(fwrite(fixture_record(bytes), 1, bytes, fp), (long long)bytes);
    model_append(bytes);
    if (check_below(6) == 0)
        CHECK_INT(fclose(fp), 0);
    else if (check_below(6) == 0)
        CHECK_INT(fflush(fp), 0);
}

static void write_through_the_descriptor(void)
{
    size_t bytes = random_part_of_the_room();
    int fd = -1;

    CHECK_INT(scion_stream_export_descriptor(&fixture.stream, &fd), 0);
    CHECK_INT(write(fd, fixture_record(bytes), bytes), (long long)bytes);
    model_append(bytes);
}

static void change_the_buffer(void)
{
    CHECK_INT(scion_stream_set_buffer(&fixture.stream, random_buffer()), 0);
}

static void switch_tasks(void)
{
    fixture_leave();
    fixture_enter((int)check_below((size_t)fixture.ntasks));
}

static void compare_position(void)
{
    const struct fixture_task *task = fixture_present();

    CHECK_INT(fixture_total(), task->total);
    CHECK_INT(fixture_pos(), task->used[task->chunks - 1]);
    CHECK_INT(scion_lengths_used(&task->lengths, task->chunks - 1), task->used[task->chunks - 1]);
}

enum how { PLAIN, WITH_FILE, WITH_DESCRIPTOR };

static void write_something(enum how how)
{
    switch (check_below(20)) {
    case 0:
        ensure_space();
        break;
    case 1:
        CHECK_INT(scion_stream_flush(&fixture.stream), 0);
        break;
    case 2:
        compare_position();
        break;
    case 3:
        change_the_buffer();
        break;
    case 4:
    case 5:
        switch_tasks();
        break;
    case 6:
    case 7:
        if (how == WITH_FILE)
            write_through_the_file();
        else if (how == WITH_DESCRIPTOR)
            write_through_the_descriptor();
        break;
    case 8:
        if (how == WITH_FILE)
            CHECK_INT(scion_stream_take_back(&fixture.stream), 0);
        break;
    case 9:
    case 10:
        write_bytes();
        break;
    default:
        write_a_record();
    }
}

static void write_a_case(enum how how)
{
    sion_int64 chunksizes[FIXTURE_TASKS], extent = 0;
    int ntasks = 1 + (int)check_below(FIXTURE_TASKS), t, steps = (int)check_below(400);

    for (t = 0; t < ntasks; t++) {
        chunksizes[t] = random_chunksize();
        extent += chunksizes[t];
    }
    fixture_place(chunksizes, ntasks, (sion_int64)check_below(5000));
    fixture_write(random_buffer());
    fixture.fill = fixture.stream.fill_chunks = check_below(4) == 0;
    while (steps-- > 0 && check_failed_here == 0 &&
           fixture_present()->chunks < FIXTURE_CHUNKS - 100 &&
           extent * fixture_present()->chunks < 1 << 20)
        write_something(how);
    fixture_close_and_compare();
}

/* ---- reading ---- */

/* The position that the selected task's cursor must have. */
static struct {
    int chunk;
    sion_int64 pos;
} cursor[FIXTURE_TASKS];

static sion_int64 cursor_left(void)
{
    return fixture_present()->used[cursor[fixture.present].chunk] - cursor[fixture.present].pos;
}

static sion_int64 cursor_offset(void)
{
    sion_int64 offset = cursor[fixture.present].pos;
    int b;

    for (b = 0; b < cursor[fixture.present].chunk; b++)
        offset += fixture_present()->used[b];
    return offset;
}

/* The next chunk with data, or -1. */
static int cursor_next_chunk(void)
{
    int b;

    for (b = cursor[fixture.present].chunk + 1; b < fixture_present()->chunks; b++) {
        if (fixture_present()->used[b] > 0)
            return b;
    }
    return -1;
}

static void cursor_step(int chunk)
{
    cursor[fixture.present].chunk = chunk;
    cursor[fixture.present].pos = 0;
}

/* The result that a read of so many bytes must have. Moves the cursor to the chunk of the read. */
static int cursor_prepare(size_t bytes)
{
    int next = cursor_next_chunk();
    sion_int64 left = cursor_left();

    if (bytes == 0)
        return 1;
    if (left == 0 && next < 0)
        return 0;
    if (left == 0)
        left = fixture_present()->used[next];
    if ((sion_int64)bytes > left)
        return SION_ERR_NO_SPACE;
    if (cursor_left() == 0)
        cursor_step(next);
    return 1;
}

static void read_a_record(void)
{
    size_t bytes = check_below(3) ? random_bytes() : (size_t)cursor_left();
    int expected = cursor_prepare(bytes);

    CHECK_INT(fixture_expect(bytes, cursor_offset()), expected);
    if (expected == 1)
        cursor[fixture.present].pos += (sion_int64)bytes;
}

static void read_bytes(void)
{
    size_t left = (size_t)(fixture_present()->total - cursor_offset()), done;
    size_t bytes = check_below(4) ? check_below(left + 1) : left + 7;
    sion_int64 offset = cursor_offset();

    bytes = bytes < FIXTURE_RECORD ? bytes : FIXTURE_RECORD;
    CHECK_INT(scion_stream_read_bytes(&fixture.stream, fixture.record, bytes, &done), 0);
    CHECK_INT(done, bytes < left ? bytes : left);
    CHECK_INT(check_compare(fixture.record, fixture.present, (long)offset, done), -1);
    for (bytes = done; bytes > 0;) {
        sion_int64 part;

        if (cursor_left() == 0)
            cursor_step(cursor_next_chunk());
        part = cursor_left() < (sion_int64)bytes ? cursor_left() : (sion_int64)bytes;
        cursor[fixture.present].pos += part;
        bytes -= (size_t)part;
    }
}

static void ask_for_the_end(void)
{
    int at_end = -1, expected = 0;

    CHECK_INT(scion_stream_at_end(&fixture.stream, &at_end), 0);
    if (cursor_left() == 0) {
        int next = cursor_next_chunk();

        expected = next < 0;
        if (next >= 0)
            cursor_step(next);
    }
    CHECK_INT(at_end, expected);
}

static void seek_in_chunk(void)
{
    int chunk = (int)check_below((size_t)fixture_present()->chunks);
    sion_int64 pos;

    if (check_below(2))
        chunk = cursor[fixture.present].chunk;
    pos = (sion_int64)check_below((size_t)fixture_present()->used[chunk] + 1);
    CHECK_INT(scion_stream_seek(&fixture.stream, chunk, pos), 0);
    cursor[fixture.present].chunk = chunk;
    cursor[fixture.present].pos = pos;
}

static void seek_by_offset(void)
{
    struct fixture_task *task = fixture_present();
    sion_int64 offset = (sion_int64)check_below((size_t)task->total + 1), chunk, before;

    CHECK_INT(scion_lengths_find(&task->lengths, offset, (int)check_below(2), &chunk), 0);
    CHECK_INT(scion_lengths_before(&task->lengths, chunk, &before), 0);
    CHECK_INT(scion_stream_seek(&fixture.stream, chunk, offset - before), 0);
    cursor[fixture.present].chunk = (int)chunk;
    cursor[fixture.present].pos = offset - before;
    CHECK_INT(cursor_offset(), offset);
}

static void compare_cursor(void)
{
    sion_int64 left = -1;

    CHECK_INT(fixture_total(), cursor_offset());
    CHECK_INT(fixture_pos(), cursor[fixture.present].pos);
    CHECK_INT(scion_stream_available(&fixture.stream, &left), 0);
    CHECK_INT(left, cursor_left());
}

static void read_through_the_file(void)
{
    size_t bytes = check_below((size_t)cursor_left() + 1);
    FILE *fp = NULL;

    CHECK_INT(scion_stream_export(&fixture.stream, &fp), 0);
    if (!fp)
        return;
    CHECK_INT(fread(fixture.record, 1, bytes, fp), (long long)bytes);
    CHECK_INT(check_compare(fixture.record, fixture.present, (long)cursor_offset(), bytes), -1);
    cursor[fixture.present].pos += (sion_int64)bytes;
    if (check_below(6) == 0)
        CHECK_INT(fclose(fp), 0);
}

static void read_through_the_descriptor(void)
{
    size_t bytes = check_below((size_t)cursor_left() + 1);
    int fd = -1;

    CHECK_INT(scion_stream_export_descriptor(&fixture.stream, &fd), 0);
    CHECK_INT(read(fd, fixture.record, bytes), (long long)bytes);
    CHECK_INT(check_compare(fixture.record, fixture.present, (long)cursor_offset(), bytes), -1);
    cursor[fixture.present].pos += (sion_int64)bytes;
}

static void read_outside_of_the_stream(enum how how)
{
    if (how == WITH_FILE && check_below(5) == 0)
        CHECK_INT(scion_stream_take_back(&fixture.stream), 0);
    else if (how == WITH_FILE)
        read_through_the_file();
    else if (how == WITH_DESCRIPTOR)
        read_through_the_descriptor();
}

static void read_something(enum how how)
{
    switch (check_below(20)) {
    case 0:
        ask_for_the_end();
        break;
    case 1:
        seek_in_chunk();
        break;
    case 2:
        seek_by_offset();
        break;
    case 3:
        change_the_buffer();
        break;
    case 4:
        switch_tasks();
        break;
    case 5:
    case 6:
        read_outside_of_the_stream(how);
        break;
    case 7:
        compare_cursor();
        break;
    case 8:
    case 9:
        read_bytes();
        break;
    default:
        read_a_record();
    }
}

/* Read from start to end, with at_end and the bytes available in the chunk. */
static void read_everything(void)
{
    int t, at_end = 0;

    for (t = 0; t < fixture.ntasks; t++) {
        sion_int64 offset = 0, left = 0;

        fixture_leave();
        fixture_enter(t);
        CHECK_INT(scion_stream_seek(&fixture.stream, 0, 0), 0);
        while (scion_stream_at_end(&fixture.stream, &at_end) == 0 && !at_end &&
               check_failed_here == 0) {
            CHECK_INT(scion_stream_available(&fixture.stream, &left), 0);
            left = 1 + (sion_int64)check_below((size_t)left);
            CHECK_INT(fixture_expect((size_t)left, offset), 1);
            offset += left;
        }
        CHECK_INT(offset, fixture.task[t].total);
    }
}

static void read_a_case(enum how how)
{
    int steps = (int)check_below(400);

    memset(cursor, 0, sizeof cursor);
    fixture_read(random_buffer());
    while (steps-- > 0 && check_failed_here == 0)
        read_something(how);
    read_everything();
    fixture_end_reading();
}

static void run_case(uint64_t seed)
{
    check_random_state = seed;
    write_a_case((enum how)check_below(3));
    if (check_failed_here == 0)
        read_a_case((enum how)check_below(3));
    if (check_failed_here > 0)
        printf("# CHECK_SEED=%" PRIu64 " repeats this case\n", seed);
}

static void random_sequences_agree_with_the_model(void)
{
    uint64_t seed = check_random_state;
    int i;

    for (i = 0; i < CASES && check_failed_here == 0; i++)
        run_case(seed + (uint64_t)i);
}

static void one_sequence_agrees_with_the_model(void)
{
    run_case(check_random_state);
}

int main(void)
{
    scratch_begin();
    check_seed(20240501);
    if (getenv("CHECK_SEED"))
        RUN(one_sequence_agrees_with_the_model);
    else
        RUN(random_sequences_agree_with_the_model);
    scratch_end();
    return check_done();
}
