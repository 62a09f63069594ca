/* An application writes through the FILE* or the descriptor of a stream. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>

#include "fixture.h"

static void the_file_is_the_same_each_time(void)
{
    FILE *first, *second;

    fixture_write_one(100, 16);
    CHECK_INT(scion_stream_export(&fixture.stream, &first), 0);
    CHECK_INT(scion_stream_export(&fixture.stream, &second), 0);
    CHECK(first == second);
    CHECK_INT(scion_stream_take_back(&fixture.stream), 0);
    CHECK_INT(scion_stream_take_back(&fixture.stream), 0);
    fixture_close_and_compare();
}

static void buffered_data_are_written_before_the_file_is_given_out(void)
{
    FILE *fp;
    int fd;

    fixture_write_one(100, 64);
    CHECK_INT(fixture_append(10), 1);
    CHECK_INT(scion_stream_export(&fixture.stream, &fp), 0);
    CHECK_INT(fwrite(fixture_record(10), 1, 10, fp), 10);
    model_append(10);
    CHECK_INT(fixture_append(10), 1);
    CHECK_INT(scion_stream_take_back(&fixture.stream), 0);
    CHECK_INT(fixture_append(10), 1);
    CHECK_INT(scion_stream_export_descriptor(&fixture.stream, &fd), 0);
    CHECK_INT(write(fd, fixture_record(10), 10), 10);
    model_append(10);
    fixture_close_and_compare();
}

static void requesting_the_file_after_the_descriptor_does_not_crash(void)
{
    FILE *fp = NULL;
    int fd, rc;

    fixture_write_one(100, 64);
    CHECK_INT(scion_stream_export_descriptor(&fixture.stream, &fd), 0);
    rc = scion_stream_export(&fixture.stream, &fp);
    CHECK(rc != 0 || fp != NULL);
    CHECK_INT(fixture_append(10), 1);
    fixture_close_and_compare();
}

static void writes_outside_the_chunk_through_the_descriptor_are_noticed(void)
{
    sion_int64 pos;
    int fd;

    fixture_write_one(10, 0);
    CHECK_INT(scion_stream_export_descriptor(&fixture.stream, &fd), 0);
    CHECK_INT(write(fd, fixture.record, 11), 11);
    CHECK_INT(scion_stream_pos(&fixture.stream, &pos), SION_ERR_NO_SPACE);
    CHECK_CONTAINS(scion_error_text(), "outside of the task's chunk");
    CHECK_INT(scion_stream_close(&fixture.stream), SION_ERR_NO_SPACE);
    fixture_free();
}

static void a_chunk_that_cannot_be_reached_changes_nothing(void)
{
    int fd;

    scion_fault_arm(0, 0, 0, 0);
    fixture_write_one(10, 0);
    CHECK_INT(scion_stream_export_descriptor(&fixture.stream, &fd), 0);
    CHECK_INT(fixture_append(8), 1);
    scion_fault_arm(1u << SCION_FAULT_LSEEK, 2, 1, EOVERFLOW);
    CHECK_INT(scion_stream_ensure_free_space(&fixture.stream, 5), SION_ERR_SYSTEM);
    CHECK_INT(scion_fault_hits(), 1);
    CHECK_INT(fixture_total(), 8);
    CHECK_INT(fixture_append(2), 1);
    CHECK_INT(fixture_append(5), 1);
    scion_fault_disarm();
    fixture_close_and_compare();
}

/* Open the stream's file again, as an application does, at the stream's position. */
static FILE *open_second(void)
{
    FILE *second = fopen(scratch_path("s"), "r+b");

    CHECK_INT(scion_stream_flush(&fixture.stream), 0);
    CHECK_INT(fseek(second, (long)(fixture.stream.origin + fixture_pos()), SEEK_SET), 0);
    CHECK_INT(scion_stream_set_second(&fixture.stream, second), 0);
    return second;
}

static void a_second_file_writes_the_stream(void)
{
    FILE *second, *fp;

    fixture_write_one(100, 16);
    CHECK_INT(fixture_append(30), 1);
    second = open_second();
    CHECK_INT(scion_stream_export(&fixture.stream, &fp), 0);
    CHECK(fp == second);
    CHECK_INT(fixture_append(60), 1);
    CHECK_INT(fixture_append(60), 1); /* the next chunk */
    CHECK_INT(fixture_total(), 150);
    CHECK_INT(fwrite(fixture_record(10), 1, 10, second), 10);
    model_append(10);
    CHECK_INT(fixture_total(), 160);
    CHECK_INT(scion_stream_ensure_free_space(&fixture.stream, 40), 0);
    CHECK_INT(model_ensure(40), 1);
    CHECK_INT(fwrite(fixture_record(40), 1, 40, second), 40);
    model_append(40);
    CHECK_INT(scion_stream_unset_second(&fixture.stream), 0);
    CHECK_INT(fclose(second), 0);
    CHECK_INT(fixture_append(10), 1);
    open_second();
    CHECK_INT(fixture_append(20), 1);
    fixture_close_and_compare();
}

static void a_second_file_takes_over_from_the_first(void)
{
    FILE *first, *second;

    fixture_write_one(100, 16);
    CHECK_INT(scion_stream_export(&fixture.stream, &first), 0);
    CHECK_INT(fwrite(fixture_record(10), 1, 10, first), 10);
    model_append(10);
    second = open_second();
    CHECK_INT(fixture_append(95), 1);
    CHECK_INT(scion_stream_unset_second(&fixture.stream), 0);
    CHECK_INT(fclose(second), 0);
    CHECK_INT(fwrite(fixture_record(5), 1, 5, first), 5);
    model_append(5);
    fixture_close_and_compare();
}

static void a_second_file_outside_the_chunk_is_refused(void)
{
    FILE *second = fopen(scratch_path("second"), "wb");

    fixture_write_one(100, 16);
    CHECK_INT(fixture_append(10), 1);
    CHECK_INT(scion_stream_set_second(&fixture.stream, second), 0);
    CHECK_INT(scion_stream_ensure_free_space(&fixture.stream, 1), SION_ERR_NO_SPACE);
    CHECK_CONTAINS(scion_error_text(), "outside of the task's chunk");
    CHECK_INT(scion_stream_write(&fixture.stream, "abc", 3), SION_ERR_NO_SPACE);
    CHECK_INT(scion_stream_unset_second(&fixture.stream), 0);
    CHECK_INT(fclose(second), 0);
    CHECK_INT(scratch_size(scratch_path("second")), 0);
    CHECK_INT(fixture_append(90), 1);
    fixture_close_and_compare();
}

/* Nothing can prevent that, but the application gets an error, and the chunk keeps its end. */
static void a_second_file_that_leaves_the_chunk_is_reported(void)
{
    int closes;

    for (closes = 0; closes < 2; closes++) {
        FILE *second;

        fixture_write_one(100, 16);
        CHECK_INT(fixture_append(10), 1);
        second = open_second();
        CHECK_INT(fwrite(fixture_record(150), 1, 150, second), 150);
        CHECK_INT(scion_stream_ensure_free_space(&fixture.stream, 1), SION_ERR_NO_SPACE);
        if (!closes) {
            CHECK_INT(scion_stream_unset_second(&fixture.stream), SION_ERR_NO_SPACE);
            CHECK_INT(fclose(second), 0);
            CHECK_INT(fixture_total(), 100);
        }
        CHECK_INT(scion_stream_close(&fixture.stream), SION_ERR_NO_SPACE);
        CHECK_INT(scion_lengths_used(&fixture_present()->lengths, 0), 100);
        fixture_free();
    }
}

/* Data written through the descriptor of the FILE*, or a duplicate, also belong to the stream. */
static void the_descriptor_of_the_file_writes_the_stream(void)
{
    FILE *fp;
    int fd, copy;

    fixture_write_one(100, 64);
    CHECK_INT(fixture_append(10), 1);
    CHECK_INT(scion_stream_export(&fixture.stream, &fp), 0);
    fd = fileno(fp);
    if (fd < 0) {
        SKIP("a C library that hides the inside of a FILE");
        fixture_close_and_compare();
        return;
    }
    copy = dup(fd);
    CHECK(fd >= 0 && copy >= 0 && fd != scion_file_descriptor(fixture.file));
    CHECK_INT(lseek(fd, 0, SEEK_CUR), 110);
    CHECK_INT(fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
    CHECK_INT(write(fd, fixture_record(20), 20), 20);
    model_append(20);
    CHECK_INT(fixture_total(), 30);
    CHECK_INT(fixture_append(30), 1);
    CHECK_INT(fflush(fp), 0);
    CHECK_INT(write(copy, fixture_record(20), 20), 20);
    model_append(20);
    CHECK_INT(ftell(fp), 180);
    CHECK_INT(scion_stream_ensure_free_space(&fixture.stream, 21), 0);
    CHECK_INT(model_ensure(21), 1);
    CHECK_INT(lseek(fd, 0, SEEK_CUR), 200);
    CHECK_INT(write(copy, fixture_record(21), 21), 21);
    model_append(21);
    CHECK_INT(fwrite(fixture_record(9), 1, 9, fp), 9);
    model_append(9);
    CHECK_INT(fflush(fp), 0);
    CHECK_INT(write(copy, fixture_record(7), 7), 7);
    model_append(7);
    CHECK_INT(close(copy), 0);
    fixture_close_and_compare();
}

static void a_descriptor_that_leaves_the_chunk_is_noticed(void)
{
    sion_int64 total;
    FILE *fp;

    fixture_write_one(100, 64);
    CHECK_INT(fixture_append(10), 1);
    CHECK_INT(scion_stream_export(&fixture.stream, &fp), 0);
    if (fileno(fp) < 0) {
        SKIP("a C library that hides the inside of a FILE");
        fixture_close_and_compare();
        return;
    }
    CHECK_INT(write(fileno(fp), fixture_record(95), 95), 95);
    CHECK_INT(scion_stream_total(&fixture.stream, &total), SION_ERR_NO_SPACE);
    CHECK_CONTAINS(scion_error_text(), "outside of the task's chunk");
    CHECK_INT(scion_stream_ensure_free_space(&fixture.stream, 1), SION_ERR_NO_SPACE);
    CHECK_INT(scion_stream_flush(&fixture.stream), SION_ERR_NO_SPACE);
    CHECK_INT(scion_stream_close(&fixture.stream), SION_ERR_NO_SPACE);
    CHECK_INT(scion_lengths_used(&fixture_present()->lengths, 0), 100);
    fixture_free();
}

static void without_a_descriptor_the_stream_does_not_change(void)
{
    FILE *fp = NULL;

    scion_fault_arm(1u << SCION_FAULT_DUP, 1, 1, EMFILE);
    fixture_write_one(100, 64);
    CHECK_INT(fixture_append(10), 1);
    CHECK_INT(scion_stream_export(&fixture.stream, &fp), SION_ERR_SYSTEM);
    CHECK_CONTAINS(scion_error_text(), strerror(EMFILE));
    CHECK(fp == NULL);
    CHECK_INT(fixture_append(10), 1);
    CHECK_INT(scion_stream_export(&fixture.stream, &fp), 0);
    CHECK_INT(fixture_append(10), 1);
    scion_fault_disarm();
    fixture_close_and_compare();
}

static void large_records_bypass_the_buffer_of_the_file(void)
{
    FILE *fp;

    scion_fault_arm(0, 0, 0, 0);
    fixture_write_one(4000, 256);
    CHECK_INT(scion_stream_export(&fixture.stream, &fp), 0);
    CHECK_INT(fixture_append(10), 1);
    scion_fault_arm(0, 0, 0, 0);
    CHECK_INT(fixture_append(500), 1);
    CHECK_INT(scion_fault_count(SCION_FAULT_PWRITE), 2);
    CHECK_INT(fixture_append(256), 1);
    CHECK_INT(scion_fault_count(SCION_FAULT_PWRITE), 3);
    CHECK_INT(fwrite(fixture_record(100), 1, 100, fp), 100);
    model_append(100);
    CHECK_INT(fixture_append(5), 1);
    scion_fault_disarm();
    fixture_close_and_compare();
}

int main(void)
{
    scratch_begin();
    RUN(the_file_is_the_same_each_time);
    RUN(buffered_data_are_written_before_the_file_is_given_out);
    RUN(requesting_the_file_after_the_descriptor_does_not_crash);
    RUN(writes_outside_the_chunk_through_the_descriptor_are_noticed);
    RUN(a_chunk_that_cannot_be_reached_changes_nothing);
    RUN(a_second_file_writes_the_stream);
    RUN(a_second_file_takes_over_from_the_first);
    RUN(a_second_file_outside_the_chunk_is_refused);
    RUN(a_second_file_that_leaves_the_chunk_is_reported);
    RUN(the_descriptor_of_the_file_writes_the_stream);
    RUN(a_descriptor_that_leaves_the_chunk_is_noticed);
    RUN(without_a_descriptor_the_stream_does_not_change);
    RUN(large_records_bypass_the_buffer_of_the_file);
    scratch_end();
    return check_done();
}
