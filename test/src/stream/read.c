/* Reads from a stream: ends of chunks, failures of the system, and costs. */
#include "check.h"

#include <errno.h>

#include "fixture.h"

/* Three chunks of 100, 60 and 10 bytes. */
static const size_t three_chunks[] = {60, 40, 60, 50, 0};

static void begin(size_t buffer_size)
{
    fixture_read_records(100, three_chunks, buffer_size);
    CHECK_INT(fixture_present()->chunks, 3);
}

static void a_read_stays_in_one_chunk(void)
{
    begin(16);
    CHECK_INT(fixture_expect(101, 0), SION_ERR_NO_SPACE);
    CHECK_CONTAINS(scion_error_text(), "not enough bytes left in chunk");
    CHECK_INT(fixture_expect(90, 0), 1);
    CHECK_INT(fixture_expect(11, 90), SION_ERR_NO_SPACE);
    CHECK_INT(fixture_total(), 90);
    CHECK_INT(fixture_expect(10, 90), 1);
    CHECK_INT(fixture_expect(61, 100), SION_ERR_NO_SPACE);
    CHECK_INT(fixture_pos(), 100);
    CHECK_INT(fixture_expect(60, 100), 1);
    CHECK_INT(fixture_expect(50, 160), 1);
    CHECK_INT(fixture_expect(1, 210), 0);
    CHECK_INT(fixture_total(), 210);
    fixture_end_reading();
}

static void reading_no_bytes_moves_nothing(void)
{
    begin(16);
    CHECK_INT(fixture_expect(0, 0), 1);
    CHECK_INT(fixture_expect(100, 0), 1);
    CHECK_INT(fixture_expect(0, 100), 1);
    CHECK_INT(fixture_pos(), 100);
    fixture_end_reading();
}

static void an_empty_stream_is_at_its_end(void)
{
    static const size_t none[] = {0};
    int at_end = 0;

    fixture_read_records(100, none, 16);
    CHECK_INT(scion_stream_at_end(&fixture.stream, &at_end), 0);
    CHECK_INT(at_end, 1);
    CHECK_INT(fixture_expect(1, 0), 0);
    fixture_end_reading();
}

static void empty_chunks_are_skipped(void)
{
    struct fixture_task *task = fixture_present();
    int at_end = 1;

    begin(16);
    task->used[3] = 0;
    task->used[4] = 0;
    task->used[5] = 7;
    scion_lengths_free(&task->lengths);
    scion_lengths_view(&task->lengths, task->used, 1, 5);
    CHECK_INT(scion_stream_seek(&fixture.stream, 2, 50), 0);
    CHECK_INT(scion_stream_at_end(&fixture.stream, &at_end), 0);
    CHECK_INT(at_end, 1);
    CHECK_INT(fixture_expect(1, 210), 0);
    task->used[1] = 0;
    scion_lengths_free(&task->lengths);
    scion_lengths_view(&task->lengths, task->used, 1, 5);
    CHECK_INT(scion_stream_seek(&fixture.stream, 0, 100), 0);
    CHECK_INT(scion_stream_at_end(&fixture.stream, &at_end), 0);
    CHECK_INT(at_end, 0);
    CHECK_INT(fixture_total(), 100);
    CHECK_INT(fixture_expect(50, 160), 1);
    fixture_end_reading();
}

static void an_fclose_by_the_application_keeps_the_position(void)
{
    FILE *fp = NULL;

    begin(64);
    CHECK_INT(fixture_expect(10, 0), 1);
    CHECK_INT(scion_stream_export(&fixture.stream, &fp), 0);
    CHECK_INT(getc(fp), check_payload(0, 10));
    CHECK_INT(fclose(fp), 0);
    CHECK_INT(fixture_expect(9, 11), 1);
    CHECK_INT(scion_stream_export(&fixture.stream, &fp), 0);
    CHECK_INT(fclose(fp), 0);
    CHECK_INT(scion_stream_seek(&fixture.stream, 1, 3), 0);
    CHECK_INT(fixture_expect(9, 103), 1);
    fixture_end_reading();
}

static void a_new_buffer_size_is_used_after_the_file_is_taken_back(void)
{
    FILE *fp;

    begin(16);
    CHECK_INT(fixture_expect(3, 0), 1);
    CHECK_INT(scion_stream_export(&fixture.stream, &fp), 0);
    CHECK_INT(scion_stream_set_buffer(&fixture.stream, 4096), 0);
    CHECK_INT(scion_stream_take_back(&fixture.stream), 0);
    CHECK_INT(fixture_expect(97, 3), 1);
    CHECK_INT(fixture_expect(60, 100), 1);
    fixture_end_reading();
}

/* Read everything in records of 10 bytes; the kth pread fails once. */
static void read_with_fault(long k, size_t buffer_size, size_t limit, int exported)
{
    sion_int64 offset;
    int failures = 0;
    FILE *fp;

    begin(buffer_size);
    fixture_end_reading();
    scion_fault_limit_transfers(limit);
    scion_fault_arm(0, 0, 0, 0);
    fixture_read(buffer_size);
    if (exported)
        CHECK_INT(scion_stream_export(&fixture.stream, &fp), 0);
    scion_fault_arm(1u << SCION_FAULT_PREAD, k, 1, EIO);
    for (offset = 0; offset < 210 && failures < 100;) {
        int rc = fixture_expect(10, offset);

        failures += rc != 1;
        offset += rc == 1 ? 10 : 0;
        CHECK_INT(fixture_total(), offset);
        if (rc != 1)
            CHECK_INT(rc, SION_ERR_SYSTEM);
    }
    CHECK(failures <= scion_fault_hits());
    scion_fault_disarm();
    fixture_end_reading();
}

static void a_failed_read_moves_nothing_and_can_be_repeated(void)
{
    static const size_t buffers[] = {0, 16, 64}, limits[] = {0, 3};
    int b, l, exported;
    long k;

    for (b = 0; b < 3; b++) {
        for (l = 0; l < 2; l++) {
            for (exported = 0; exported < 2; exported++) {
                for (k = 1; k < 40 && check_failed_here == 0; k++)
                    read_with_fault(k, buffers[b], limits[l], exported);
            }
        }
    }
}

static void a_truncated_file_is_an_error_and_nothing_moves(void)
{
    static const size_t buffers[] = {0, 16, 4096};
    int b;

    for (b = 0; b < 3; b++) {
        begin(buffers[b]);
        CHECK_INT(fixture_expect(100, 0), 1);
        CHECK_INT(truncate(scratch_path("s"), 100 + 100 + 30), 0);
        CHECK_INT(fixture_expect(60, 100), SION_ERR_DAMAGED);
        CHECK_CONTAINS(scion_error_text(), "cut off");
        CHECK_CONTAINS(scion_error_text(), scratch_path("s"));
        CHECK_INT(fixture_pos(), 100);
        CHECK_INT(fixture_total(), 100);
        CHECK_INT(scion_stream_seek(&fixture.stream, 0, 5), 0);
        CHECK_INT(fixture_expect(95, 5), 1);
        fixture_end_reading();
    }
}

enum { SMALL = 20000 };

/* The number of preads for 160,000 bytes in records of eight, with a buffer of this size. */
static void begin_small(sion_int64 chunksize, size_t buffer_size)
{
    int i, bad = 0;

    fixture_write_one(chunksize, 65536);
    for (i = 0; i < SMALL; i++)
        bad += fixture_append(8) != 1;
    CHECK_INT(bad, 0);
    fixture_close_and_compare();
    scion_fault_arm(0, 0, 0, 0);
    fixture_read(buffer_size);
    scion_fault_arm(0, 0, 0, 0);
}

static void expect_small(int first, int count, int step)
{
    int i, bad = 0;

    for (i = 0; i < count; i++) {
        int record = first + i * step;

        if (step != 1)
            CHECK_INT(scion_stream_seek(&fixture.stream, 0, 8 * record), 0);
        bad += fixture_expect(8, 8 * record) != 1;
    }
    CHECK_INT(bad, 0);
}

static void end_small(void)
{
    scion_fault_disarm();
    fixture_end_reading();
}

static void small_records_cost_one_pread_for_each_buffer(void)
{
    begin_small(8 * SMALL, 4096);
    expect_small(0, SMALL, 1);
    CHECK_INT(scion_fault_count(SCION_FAULT_PREAD), (8 * SMALL + 4095) / 4096);
    CHECK_INT(scion_fault_count_all(), scion_fault_count(SCION_FAULT_PREAD));
    end_small();
}

/* 4, 8, 16, 32 and 64 KiB, which makes 124; then the rest. */
static void reading_ahead_grows_while_reads_follow_each_other(void)
{
    begin_small(8 * SMALL, 65536);
    expect_small(0, SMALL, 1);
    CHECK_INT(scion_fault_count(SCION_FAULT_PREAD), 6);
    CHECK_INT(scion_fault_bytes_read(), 8 * SMALL);
    end_small();
}

/* Five chunks of 32,000 bytes: 4, 8, 16 KiB and the rest of the first chunk, and one pread for each
 * other chunk. */
/* --- records that are not copied, in two chunks --- */

enum { LARGE = 47008, ROOM = 10 * LARGE, LARGES = 18 };

static void begin_large(void)
{
    static size_t sizes[LARGES + 1];
    int i;

    for (i = 0; i < LARGES; i++)
        sizes[i] = LARGE;
    fixture_read_records(ROOM, sizes, 65536);
    fixture_end_reading();
    scion_fault_arm(0, 0, 0, 0);
    fixture_read(65536);
}

/* Each byte is read once, and reads end at multiples of 64 KiB. */
static void large_records_are_read_past_the_buffer(void)
{
    sion_int64 end = 100;
    int i;

    begin_large();
    for (i = 0; i < LARGES; i++) {
        CHECK_INT(fixture_expect(LARGE, (sion_int64)i * LARGE), 1);
        end += LARGE;
        if (i > 0 && i < 8)
            CHECK_INT((end + (fixture.stream.window.limit - fixture.stream.window.cursor)) % 65536, 0);
    }
    CHECK_INT(fixture_expect(1, 0), 0);
    CHECK_INT(scion_fault_bytes_read(), LARGES * LARGE);
    CHECK(scion_fault_count(SCION_FAULT_PREAD) <= LARGES * LARGE / 65536 + 4);
    scion_fault_disarm();
    fixture_end_reading();
}

/* By a call of its own, to where it belongs. */
static void large_records_in_memory_are_read_alone(void)
{
    int i;

    fixture.in_memory = 1;
    begin_large();
    for (i = 0; i < LARGES; i++) {
        CHECK_INT(fixture_expect(LARGE, (sion_int64)i * LARGE), 1);
        CHECK_INT(scion_fault_count(SCION_FAULT_PREAD), i + 1);
        CHECK_INT(scion_fault_bytes_read(), (i + 1) * LARGE);
    }
    fixture.in_memory = 0;
    scion_fault_disarm();
    fixture_end_reading();
}

static void small_records_between_large_ones_are_buffered(void)
{
    sion_int64 at = 0;
    int i;

    begin_large();
    for (i = 0; i < 8; i++) {
        CHECK_INT(fixture_expect(8, at), 1);
        CHECK_INT(fixture_expect(LARGE, at + 8), 1);
        at += LARGE + 8;
    }
    CHECK(scion_fault_bytes_read() < ROOM + 1);
    CHECK(scion_fault_count(SCION_FAULT_PREAD) <= 18);
    scion_fault_disarm();
    fixture_end_reading();
}

/* The kth call fails once; the system moves at most `limit` bytes at a time. */
static void read_large_with_fault(long k, size_t limit)
{
    sion_int64 offset = 0;
    int failures = 0;

    begin_large();
    scion_fault_limit_transfers(limit);
    scion_fault_arm(1u << SCION_FAULT_PREAD, k, 1, EIO);
    while (offset < LARGES * LARGE && failures < 100) {
        int rc = fixture_expect(LARGE, offset);

        failures += rc != 1;
        offset += rc == 1 ? LARGE : 0;
        CHECK_INT(fixture_total(), offset);
        if (rc != 1)
            CHECK_INT(rc, SION_ERR_SYSTEM);
    }
    CHECK_INT(failures, scion_fault_hits());
    scion_fault_disarm();
    fixture_end_reading();
}

static void a_failed_read_of_a_large_record_moves_nothing(void)
{
    long k;

    for (k = 1; k < 20 && check_failed_here == 0; k++) {
        read_large_with_fault(k, 0);
        read_large_with_fault(k, 10000);
    }
}

static void going_to_the_next_chunk_is_not_a_jump(void)
{
    begin_small(32000, 65536);
    expect_small(0, SMALL, 1);
    CHECK_INT(scion_fault_count(SCION_FAULT_PREAD), 8);
    end_small();
}

static void a_jump_reads_little(void)
{
    begin_small(8 * SMALL, 65536);
    expect_small(SMALL - 513, 19, -1000);
    CHECK_INT(scion_fault_count(SCION_FAULT_PREAD), 19);
    CHECK_INT(scion_fault_bytes_read(), 19 * 4096);
    end_small();
}

/* A scan that skips less than it reads gets everything with large reads. */
static void small_gaps_are_read_and_skipped(void)
{
    begin_small(8 * SMALL, 65536);
    expect_small(0, SMALL / 20, 20);
    CHECK_INT(scion_fault_count(SCION_FAULT_PREAD), 6);
    end_small();
}

/* Two tasks alternate: each turn reads little. */
static void alternating_tasks_read_little(void)
{
    static const sion_int64 sizes[] = {80000, 80000};
    int i;

    fixture_place(sizes, 2, 100);
    fixture_write(65536);
    for (i = 0; i < 2; i++) {
        fixture_enter(i);
        CHECK_INT(fixture_append(80000), 1);
        fixture_leave();
    }
    fixture_close_and_compare();
    scion_fault_arm(0, 0, 0, 0);
    fixture_read(65536);
    scion_fault_arm(0, 0, 0, 0);
    for (i = 0; i < 20; i++) {
        fixture_enter(i % 2);
        CHECK_INT(fixture_expect(8, i / 2 * 8), 1);
        fixture_leave();
    }
    CHECK_INT(scion_fault_bytes_read(), 20 * 4096);
    end_small();
}

static void seeking_inside_the_buffer_costs_nothing(void)
{
    scion_fault_arm(0, 0, 0, 0);
    begin(4096);
    CHECK_INT(fixture_expect(10, 0), 1);
    scion_fault_arm(0, 0, 0, 0);
    CHECK_INT(scion_stream_seek(&fixture.stream, 0, 90), 0);
    CHECK_INT(fixture_expect(10, 90), 1);
    CHECK_INT(scion_stream_seek(&fixture.stream, 0, 0), 0);
    CHECK_INT(fixture_expect(10, 0), 1);
    CHECK_INT(scion_fault_count_all(), 0);
    scion_fault_disarm();
    fixture_end_reading();
}

int main(void)
{
    scratch_begin();
    RUN(a_read_stays_in_one_chunk);
    RUN(reading_no_bytes_moves_nothing);
    RUN(an_empty_stream_is_at_its_end);
    RUN(empty_chunks_are_skipped);
    RUN(an_fclose_by_the_application_keeps_the_position);
    RUN(a_new_buffer_size_is_used_after_the_file_is_taken_back);
    RUN(a_failed_read_moves_nothing_and_can_be_repeated);
    RUN(a_truncated_file_is_an_error_and_nothing_moves);
    RUN(small_records_cost_one_pread_for_each_buffer);
    RUN(reading_ahead_grows_while_reads_follow_each_other);
    RUN(going_to_the_next_chunk_is_not_a_jump);
    RUN(large_records_are_read_past_the_buffer);
    RUN(large_records_in_memory_are_read_alone);
    RUN(small_records_between_large_ones_are_buffered);
    RUN(a_failed_read_of_a_large_record_moves_nothing);
    RUN(a_jump_reads_little);
    RUN(small_gaps_are_read_and_skipped);
    RUN(alternating_tasks_read_little);
    RUN(seeking_inside_the_buffer_costs_nothing);
    scratch_end();
    return check_done();
}
