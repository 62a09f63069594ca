/* Writes to a stream: placement, failures of the system, and costs. */
#include "check.h"

#include <errno.h>
#include <limits.h>

#include "fixture.h"

static void a_record_is_never_split(void)
{
    fixture_write_one(100, 16);
    CHECK_INT(fixture_append(60), 1);
    CHECK_INT(fixture_append(41), 1);
    CHECK_INT(fixture_append(59), 1);
    CHECK_INT(fixture_append(1), 1);
    CHECK_INT(fixture_present()->chunks, 3);
    CHECK_INT(fixture_append(99), 1);
    CHECK_INT(fixture_present()->chunks, 3);
    fixture_close_and_compare();
}

static void a_record_larger_than_a_chunk_is_refused(void)
{
    fixture_write_one(100, 16);
    CHECK_INT(fixture_append(10), 1);
    CHECK_INT(scion_stream_write(&fixture.stream, fixture.record, 101), SION_ERR_NO_SPACE);
    CHECK_INT(fixture_total(), 10);
    CHECK_INT(fixture_append(90), 1);
    CHECK_INT(fixture_append(100), 1);
    fixture_close_and_compare();
}

static void a_chunk_of_no_bytes_takes_none(void)
{
    fixture_write_one(0, 16);
    CHECK_INT(fixture_append(1), SION_ERR_NO_SPACE);
    CHECK_INT(fixture_append(0), 1);
    CHECK_INT(scion_stream_ensure_free_space(&fixture.stream, 0), 0);
    fixture_close_and_compare();
}

static void no_bytes_are_written_without_effect(void)
{
    fixture_write_one(10, 16);
    CHECK_INT(scion_stream_write(&fixture.stream, "", 0), 1);
    CHECK_INT(fixture_append(10), 1);
    CHECK_INT(scion_stream_write(&fixture.stream, "", 0), 1);
    fixture_close_and_compare();
}

static void ensured_space_begins_the_next_chunk(void)
{
    fixture_write_one(100, 0);
    CHECK_INT(fixture_append(10), 1);
    CHECK_INT(scion_stream_ensure_free_space(&fixture.stream, 90), 0);
    CHECK_INT(fixture_present()->lengths.count, 1);
    CHECK_INT(scion_stream_ensure_free_space(&fixture.stream, 101), SION_ERR_NO_SPACE);
    CHECK_INT(scion_stream_ensure_free_space(&fixture.stream, -5), 0);
    CHECK_INT(scion_stream_ensure_free_space(&fixture.stream, LLONG_MIN), 0);
    CHECK_INT(fixture_present()->lengths.count, 1);
    CHECK_INT(scion_stream_ensure_free_space(&fixture.stream, 91), 0);
    CHECK_INT(model_ensure(91), 1);
    CHECK_INT(fixture_pos(), 0);
    CHECK_INT(fixture_total(), 10);
    fixture_close_and_compare();
}

static void a_key_value_stream_fills_every_chunk(void)
{
    struct fixture_task *task = fixture_present();

    fixture_write_one(100, 16);
    fixture.stream.fill_chunks = 1;
    CHECK_INT(scion_stream_write(&fixture.stream, fixture_record(250), 250), 1);
    task->chunks = 3;
    task->used[0] = task->used[1] = 100;
    task->used[2] = 50;
    CHECK_INT(scion_stream_ensure_free_space(&fixture.stream, 51), SION_ERR_NO_SPACE);
    CHECK_INT(scion_stream_ensure_free_space(&fixture.stream, 50), 0);
    fixture_close_and_compare();
}

static void a_chunk_beyond_the_largest_offset_is_refused(void)
{
    fixture_write_one(50, 16);
    fixture_leave();
    fixture_present()->place.globalskip = LLONG_MAX - 50;
    fixture_enter(0);
    CHECK_INT(fixture_append(40), 1);
    CHECK_INT(scion_stream_write(&fixture.stream, fixture.record, 50), SION_ERR_NO_SPACE);
    CHECK_CONTAINS(scion_error_text(), "largest offset");
    CHECK_INT(fixture_total(), 40);
    CHECK_INT(fixture_append(10), 1);
    CHECK_INT(fixture_total(), 50);
    fixture_present()->place.globalskip = 50;
    fixture_close_and_compare();
}

static void a_restart_begins_at_chunk_0(void)
{
    struct fixture_task *task = fixture_present();

    fixture_write_one(20, 16);
    CHECK_INT(fixture_append(20), 1);
    CHECK_INT(fixture_append(15), 1);
    CHECK_INT(scion_stream_flush(&fixture.stream), 0);
    CHECK_INT(scion_file_truncate(fixture.file, 0), 0);
    task->place = (struct scion_place){.start = 500, .globalskip = 30, .chunksize = 30};
    CHECK_INT(scion_stream_restart(&fixture.stream, &task->place), 0);
    task->chunks = 1;
    task->total = task->used[0] = task->used[1] = 0;
    CHECK_INT(fixture_append(30), 1);
    CHECK_INT(fixture_append(1), 1);
    fixture_close_and_compare();
}

/* ---- failures of the system ---- */

enum { RECORDS = 40, CHUNK = 128, PAGES = 100 };

/* Sizes around those of the buffer and of the chunk; with a unit of PAGES, of several pages. */
static size_t record_size(int i, size_t unit)
{
    static const size_t sizes[] = {1, 5, 16, 17, 3, 40, 15, 2, 100, 7};

    return unit * sizes[i % 10];
}

/*
 * The kth pwrite and the following ones fail, `times` in total. A record that fails is not in the
 * stream, and is written again.
 */
static void write_with_faults(long k, long times, size_t unit, size_t buffer_size, size_t limit)
{
    int i, failures = 0;

    scion_fault_limit_transfers(limit * unit);
    scion_fault_arm(0, 0, 0, 0);
    fixture_write_one((sion_int64)(CHUNK * unit), buffer_size * unit);
    scion_fault_arm(1u << SCION_FAULT_PWRITE, k, times, ENOSPC);
    for (i = 0; i < RECORDS && failures < 1000; i++) {
        size_t bytes = record_size(i, unit);
        int rc = fixture_append(bytes);

        CHECK_INT(fixture_total(), fixture_present()->total);
        if (rc == 1)
            continue;
        CHECK_INT(rc, SION_ERR_SYSTEM);
        CHECK_CONTAINS(scion_error_text(), strerror(ENOSPC));
        failures++;
        i--;
    }
    while (scion_stream_flush(&fixture.stream) != 0 && failures < 1000)
        failures++;
    CHECK_INT(failures, scion_fault_hits());
    scion_fault_disarm();
    fixture_close_and_compare();
}

static void a_failed_record_is_not_in_the_stream_and_can_be_repeated(void)
{
    static const size_t buffers[] = {0, 16, 64}, limits[] = {0, 3};
    size_t unit;
    long k;
    int b, l;

    for (b = 0; b < 3; b++) {
        for (l = 0; l < 2; l++) {
            for (k = 1; k < 60 && check_failed_here == 0; k++) {
                for (unit = 1; unit <= PAGES; unit += PAGES - 1) {
                    write_with_faults(k, 1, unit, buffers[b], limits[l]);
                    write_with_faults(k, 3, unit, buffers[b], limits[l]);
                }
            }
        }
    }
}

/* From the kth pwrite on, the disk is full until the stream is closed. */
static void close_on_a_full_disk(long k, size_t unit, size_t buffer_size, size_t limit)
{
    static unsigned char found[FIXTURE_RECORD], expected[FIXTURE_RECORD];
    const struct fixture_task *task = fixture_present();
    const size_t chunk = CHUNK * unit;
    sion_int64 before = 0, durable = 0;
    int i, rc, failed = 0, b;

    memset(found, 0, sizeof found);
    scion_fault_limit_transfers(limit * unit);
    scion_fault_arm(0, 0, 0, 0);
    fixture_write_one((sion_int64)chunk, buffer_size * unit);
    scion_fault_arm(1u << SCION_FAULT_PWRITE, k, LONG_MAX, ENOSPC);
    for (i = 0; i < RECORDS && !failed; i++)
        failed = fixture_append(record_size(i, unit)) != 1;
    rc = scion_stream_close(&fixture.stream);
    CHECK(rc == 0 || (rc == SION_ERR_SYSTEM && scion_fault_hits() > 0));
    for (b = 0; b < task->lengths.count; b++) {
        sion_int64 bytes = scion_lengths_used(&task->lengths, b);

        CHECK(bytes <= task->used[b]);
        check_fill(expected + 100 + chunk * (size_t)b, 0, (long)before, (size_t)bytes);
        before += task->used[b];
        durable += bytes;
    }
    CHECK(rc != 0 || durable == task->total);
    scratch_read(scratch_path("s"), found, sizeof found);
    for (b = 0; b < task->lengths.count; b++)
        CHECK(memcmp(found + 100 + chunk * (size_t)b, expected + 100 + chunk * (size_t)b,
                     (size_t)scion_lengths_used(&task->lengths, b)) == 0);
    scion_fault_disarm();
    fixture_free();
}

static void lengths_count_only_written_bytes(void)
{
    static const size_t buffers[] = {0, 16, 64, 4096}, limits[] = {0, 7};
    long k;
    int b, l;

    for (b = 0; b < 4; b++) {
        for (l = 0; l < 2; l++) {
            for (k = 1; k < 40 && check_failed_here == 0; k++) {
                close_on_a_full_disk(k, 1, buffers[b], limits[l]);
                close_on_a_full_disk(k, PAGES, buffers[b], limits[l]);
            }
        }
    }
}

static void after_a_failed_leave_the_task_stays_selected(void)
{
    struct scion_mark mark;

    scion_fault_arm(0, 0, 0, 0);
    fixture_write_one(100, 64);
    CHECK_INT(fixture_append(50), 1);
    scion_fault_arm(1u << SCION_FAULT_PWRITE, 1, 1, EIO);
    CHECK_INT(scion_stream_leave(&fixture.stream, &mark), SION_ERR_SYSTEM);
    CHECK_INT(fixture_total(), 50);
    CHECK_INT(fixture_append(50), 1);
    scion_fault_disarm();
    fixture_close_and_compare();
}

/* The record goes through the FILE*, and the disk is full for one call. */
static void fail_through_the_file(long k)
{
    sion_int64 total = -1, durable = 0;
    FILE *fp;
    int i, rc = 1, b;

    scion_fault_arm(0, 0, 0, 0);
    fixture_write_one(128, 16);
    CHECK_INT(scion_stream_export(&fixture.stream, &fp), 0);
    scion_fault_arm(1u << SCION_FAULT_PWRITE, k, LONG_MAX, ENOSPC);
    for (i = 0; i < RECORDS && rc == 1; i++)
        rc = fixture_append(record_size(i, 1));
    if (rc != 1 && scion_stream_total(&fixture.stream, &total) == 0)
        CHECK(total <= fixture_present()->total);
    rc = scion_stream_close(&fixture.stream);
    CHECK(scion_fault_hits() == 0 || rc != 0);
    for (b = 0; b < fixture_present()->lengths.count; b++)
        durable += scion_lengths_used(&fixture_present()->lengths, b);
    CHECK(durable <= fixture_present()->total);
    scion_fault_disarm();
    fixture_free();
}

static void a_full_disk_behind_the_file_fails_the_close(void)
{
    long k;

    for (k = 1; k < 40 && check_failed_here == 0; k++)
        fail_through_the_file(k);
}

/* The kth pwrite of a record that spans three chunks fails. */
static void fail_in_split_record(long k, size_t buffer_size)
{
    struct fixture_task *task = fixture_present();

    scion_fault_arm(0, 0, 0, 0);
    fixture_write_one(100, buffer_size);
    fixture.stream.fill_chunks = 1;
    CHECK_INT(fixture_append(40), 1);
    scion_fault_arm(1u << SCION_FAULT_PWRITE, k, 1, ENOSPC);
    CHECK_INT(scion_stream_write(&fixture.stream, fixture_record(250), 250), SION_ERR_SYSTEM);
    CHECK_INT(scion_fault_hits(), 1);
    CHECK_INT(fixture_total(), 40);
    CHECK_INT(task->lengths.count, 1);
    CHECK_INT(scion_stream_write(&fixture.stream, fixture_record(250), 250), 1);
    scion_fault_disarm();
    task->chunks = 3;
    task->used[0] = task->used[1] = 100;
    task->used[2] = 90;
    fixture_close_and_compare();
}

static void a_failed_split_record_is_not_in_the_stream(void)
{
    static const size_t buffers[] = {0, 16, 64, 90};
    int b;
    long k;

    for (b = 0; b < 4; b++) {
        for (k = 1; k <= 2; k++)
            fail_in_split_record(k, buffers[b]);
    }
}

/* ---- costs ---- */

static void small_records_cost_one_pwrite_for_each_buffer(void)
{
    enum { SMALL = 100000, BUFFER = 65536 };
    int i, bad = 0;

    scion_fault_arm(0, 0, 0, 0);
    fixture_write_one(1 << 20, BUFFER);
    scion_fault_arm(0, 0, 0, 0);
    for (i = 0; i < SMALL; i++)
        bad += fixture_append(8) != 1;
    CHECK_INT(bad, 0);
    CHECK_INT(scion_fault_count(SCION_FAULT_PWRITE), 8 * SMALL / BUFFER);
    CHECK_INT(scion_stream_flush(&fixture.stream), 0);
    CHECK_INT(scion_fault_count(SCION_FAULT_PWRITE), 8 * SMALL / BUFFER + 1);
    CHECK_INT(scion_fault_count_all(), scion_fault_count(SCION_FAULT_PWRITE));
    scion_fault_disarm();
    fixture_close_and_compare();
}

static void a_record_of_a_buffer_or_more_is_one_pwrite(void)
{
    static const size_t sizes[] = {4096, 4097, 5000, 100000};
    int i;

    scion_fault_arm(0, 0, 0, 0);
    fixture_write_one(1 << 20, 4096);
    for (i = 0; i < 4; i++) {
        scion_fault_arm(0, 0, 0, 0);
        CHECK_INT(fixture_append(sizes[i]), 1);
        CHECK_INT(scion_fault_count(SCION_FAULT_PWRITE), 1);
        CHECK_INT(scion_fault_count_all(), 1);
    }
    scion_fault_disarm();
    fixture_close_and_compare();
}

enum { UNIT = 64 << 10, PAGE = 4096 };

/* The chunk begins at byte 100 of the file. A record of `bytes`, without a flush, is one write. */
static void check_large(size_t bytes, sion_int64 file_size)
{
    sion_int64 pos = fixture_pos();

    scion_fault_arm(0, 0, 0, 0);
    CHECK_INT(fixture_append(bytes), 1);
    CHECK_INT(scion_fault_count(SCION_FAULT_PWRITE), 1);
    CHECK_INT(scratch_size(scratch_path("s")), file_size);
    CHECK_INT(fixture_pos(), pos + (sion_int64)bytes);
}

static void a_write_of_a_large_record_ends_at_a_unit(void)
{
    enum { SMALL = 128, ROOM = 5 * UNIT };

    scion_fault_arm(0, 0, 0, 0);
    fixture_write_one(ROOM, UNIT);
    check_large(UNIT, UNIT);
    check_large(UNIT, 2 * UNIT);
    CHECK_INT(fixture_append(SMALL), 1);
    check_large(UNIT + PAGE, 3 * UNIT);
    /* up to the end of the chunk: nothing stays in the buffer */
    check_large((size_t)(ROOM - fixture_pos()), 100 + ROOM);
    CHECK_INT(scion_stream_flush(&fixture.stream), 0);
    CHECK_INT(scion_fault_count(SCION_FAULT_PWRITE), 1);
    scion_fault_disarm();
    fixture_close_and_compare();
}

/* The size of the file after each write of small records into a chunk of 10 units. */
static void check_ends(size_t buffer, size_t record, const sion_int64 *ends, int count)
{
    int i;

    scion_fault_arm(0, 0, 0, 0);
    fixture_write_one(10 * UNIT, buffer);
    for (i = 0; i < count; i++) {
        scion_fault_arm(0, 0, 0, 0);
        while (scion_fault_count(SCION_FAULT_PWRITE) == 0)
            CHECK_INT(fixture_append(record), 1);
        CHECK_INT(scratch_size(scratch_path("s")), ends[i]);
    }
    scion_fault_disarm();
    fixture_close_and_compare();
}

static void a_write_of_small_records_ends_at_a_unit(void)
{
    check_ends(UNIT, 1000, (sion_int64[]){UNIT, 2 * UNIT, 3 * UNIT}, 3);
    check_ends(UNIT, UNIT - 1, (sion_int64[]){UNIT, 2 * UNIT, 3 * UNIT}, 3);
    check_ends(3 * UNIT, 1000, (sion_int64[]){3 * UNIT, 6 * UNIT}, 2);
    check_ends(4 * PAGE, 10, (sion_int64[]){4 * PAGE, 8 * PAGE}, 2);
    /* less than a page: the record that does not fit goes along */
    check_ends(1000, 10, (sion_int64[]){1110, 2120}, 2);
    /* no multiple of a unit: the window ends before the buffer does */
    check_ends(UNIT + 1000, 10, (sion_int64[]){UNIT, 2 * UNIT}, 2);
}

/* One call writes what waits and the record up to the unit; only what is behind that is copied. */
static void a_record_that_crosses_a_unit_is_written_from_where_it_is(void)
{
    enum { RECORD = 47008, N = 20 };
    int i;

    scion_fault_arm(0, 0, 0, 0);
    fixture_write_one(100 * UNIT, UNIT);
    scion_fault_arm(0, 0, 0, 0);
    for (i = 1; i <= N; i++) {
        sion_int64 end = 100 + i * RECORD;

        CHECK_INT(fixture_append(RECORD), 1);
        CHECK_INT(scion_fault_count(SCION_FAULT_PWRITE), end / UNIT);
        if (end > UNIT)
            CHECK_INT(fixture.stream.window.cursor - fixture.stream.buffer, end % UNIT);
    }
    scion_fault_disarm();
    fixture_close_and_compare();
}

/* Less is copied to reach a good end, because any page is one. */
static void a_write_into_memory_ends_at_a_page(void)
{
    enum { RECORD = 47008, N = 20 };
    int i;

    fixture.in_memory = 1;
    fixture_write_one(100 * UNIT, UNIT);
    CHECK_INT(fixture_append(UNIT), 1);
    CHECK_INT(scratch_size(scratch_path("s")), UNIT);
    for (i = 1; i <= N; i++) {
        sion_int64 end = 100 + UNIT + i * RECORD;

        CHECK_INT(fixture_append(RECORD), 1);
        if (scratch_size(scratch_path("s")) > end - RECORD)
            CHECK_INT(scratch_size(scratch_path("s")), end / PAGE * PAGE);
    }
    CHECK(scratch_size(scratch_path("s")) > 10 * UNIT);
    fixture.in_memory = 0;
    fixture_close_and_compare();
}

/* Where there is such a folder. */
static void files_in_memory_are_known(void)
{
    static const char name[] = "/dev/shm/scion-test-memory";
    struct scion_file *file;

    CHECK_INT(scion_file_is_in_memory(NULL), 0);
    if (scion_file_open(name, SCION_OPEN_CREATE, 0600, &file) != 0)
        return;
    CHECK_INT(scion_file_is_in_memory(file), 1);
    CHECK_INT(scion_file_close(file), 0);
    remove(name);
    CHECK_INT(scion_file_open("/proc/self/status", SCION_OPEN_READ, 0, &file), 0);
    CHECK_INT(scion_file_is_in_memory(file), 0);
    CHECK_INT(scion_file_close(file), 0);
}

/* The rest of a record may reach beyond the unit at which a window ends. */
static void a_record_almost_as_large_as_an_odd_buffer_is_whole(void)
{
    enum { BUFFER = UNIT + UNIT / 2 };
    int i;

    fixture_write_one(10 * UNIT, BUFFER);
    for (i = 0; i < 5; i++) {
        CHECK_INT(fixture_append(1000), 1);
        CHECK_INT(fixture_append(BUFFER - 1), 1);
        CHECK(fixture.stream.window.cursor <= fixture.stream.window.limit);
    }
    fixture_close_and_compare();
}

static void queries_cost_no_system_call(void)
{
    scion_fault_arm(0, 0, 0, 0);
    fixture_write_one(1000, 64);
    CHECK_INT(fixture_append(10), 1);
    scion_fault_arm(0, 0, 0, 0);
    CHECK_INT(fixture_total(), 10);
    CHECK_INT(fixture_pos(), 10);
    CHECK_INT(scion_stream_ensure_free_space(&fixture.stream, 100), 0);
    CHECK_INT(scion_fault_count_all(), 0);
    scion_fault_disarm();
    fixture_close_and_compare();
}

static void an_unused_stream_allocates_no_buffer(void)
{
    fixture_write_one(1000, 1 << 20);
    CHECK(fixture.stream.buffer == NULL);
    fixture_close_and_compare();
}

int main(void)
{
    scratch_begin();
    RUN(a_record_is_never_split);
    RUN(a_record_larger_than_a_chunk_is_refused);
    RUN(a_chunk_of_no_bytes_takes_none);
    RUN(no_bytes_are_written_without_effect);
    RUN(ensured_space_begins_the_next_chunk);
    RUN(a_key_value_stream_fills_every_chunk);
    RUN(a_chunk_beyond_the_largest_offset_is_refused);
    RUN(a_restart_begins_at_chunk_0);
    RUN(a_failed_record_is_not_in_the_stream_and_can_be_repeated);
    RUN(lengths_count_only_written_bytes);
    RUN(after_a_failed_leave_the_task_stays_selected);
    RUN(a_full_disk_behind_the_file_fails_the_close);
    RUN(a_failed_split_record_is_not_in_the_stream);
    RUN(small_records_cost_one_pwrite_for_each_buffer);
    RUN(a_record_of_a_buffer_or_more_is_one_pwrite);
    RUN(a_write_of_a_large_record_ends_at_a_unit);
    RUN(a_write_into_memory_ends_at_a_page);
    RUN(files_in_memory_are_known);
    RUN(a_write_of_small_records_ends_at_a_unit);
    RUN(a_record_that_crosses_a_unit_is_written_from_where_it_is);
    RUN(a_record_almost_as_large_as_an_odd_buffer_is_whole);
    RUN(queries_cost_no_system_call);
    RUN(an_unused_stream_allocates_no_buffer);
    scratch_end();
    return check_done();
}
