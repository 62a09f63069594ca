/* The FILE* that applications get, used in the way of applications. */
#include "check.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "base/error.h"
#include "vfs/app_file.h"
#include "vfs/fault.h"
#include "scratch.h"

enum { BYTES = 4000, BUFFER = 256, FIRST = 1000, BEHIND = 3000 };

static unsigned char payload[BYTES];
static struct scion_file *file;
static struct scion_app_file *app;

static struct scion_file *open_file(const char *name, enum scion_open_how how)
{
    struct scion_file *opened = NULL;

    CHECK_INT(scion_file_open(scratch_path(name), how, 0666, &opened), 0);
    return opened;
}

/* What the stream does when it enters a chunk. */
static void seek(sion_int64 offset, sion_int64 first, sion_int64 behind)
{
    CHECK_INT(scion_app_file_seek(app, offset), 0);
    scion_app_file_set_bounds(app, first, behind, offset);
}

/* A new file with a FILE* that may write in [FIRST, BEHIND) and is at FIRST. */
static FILE *begin_writing(void)
{
    file = open_file("w", SCION_OPEN_CREATE);
    CHECK_INT(scion_file_truncate(file, 0), 0);
    CHECK_INT(scion_app_file_open(file, 1, BUFFER, &app), 0);
    seek(FIRST, FIRST, BEHIND);
    return app->stream;
}

/* A file with the payload, and a FILE* at FIRST. */
static FILE *begin_reading(void)
{
    scratch_write(scratch_path("r"), payload, BYTES);
    file = open_file("r", SCION_OPEN_READ);
    CHECK_INT(scion_app_file_open(file, 0, BUFFER, &app), 0);
    seek(FIRST, FIRST, BEHIND);
    return app->stream;
}

/* Close both. Returns the position that the FILE* had. */
static sion_int64 end(int expected)
{
    sion_int64 offset = -1;

    CHECK_INT(scion_app_file_close(app, &offset), expected);
    CHECK_INT(scion_file_close(file), 0);
    scion_fault_disarm();
    return offset;
}

static sion_int64 tell(void)
{
    sion_int64 offset = -1;

    CHECK_INT(scion_app_file_tell(app, &offset), 0);
    return offset;
}

/* Check that the file has `bytes` bytes of payload from FIRST on, and ends there. */
static void compare_written(size_t bytes)
{
    unsigned char got[BYTES];

    CHECK_INT(scratch_size(scratch_path("w")), (long long)(FIRST + bytes));
    scratch_read(scratch_path("w"), got, sizeof got);
    CHECK(memcmp(got + FIRST, payload, bytes) == 0);
}

static void application_and_library_write_in_turn(void)
{
    FILE *fp = begin_writing();

    CHECK_INT(fwrite(payload, 1, 100, fp), 100);
    CHECK_INT(tell(), FIRST + 100);
    CHECK_INT(ftello(fp), FIRST + 100);
    CHECK_INT(scion_app_file_write(app, payload + 100, 700), 0);
    CHECK_INT(putc(payload[800], fp), payload[800]);
    CHECK_INT(tell(), FIRST + 801);
    CHECK_INT(scion_app_file_flush(app), 0);
    CHECK_INT(scratch_size(scratch_path("w")), FIRST + 801);
    CHECK_INT(end(0), FIRST + 801);
    compare_written(801);
}

static void application_and_library_read_in_turn(void)
{
    FILE *fp = begin_reading();
    unsigned char bytes[1000];

    CHECK_INT(fread(bytes, 1, 10, fp), 10);
    CHECK_INT(scion_app_file_read(app, bytes + 10, 500), 0);
    CHECK_INT(getc(fp), payload[FIRST + 510]);
    CHECK(memcmp(bytes, payload + FIRST, 510) == 0);
    CHECK_INT(tell(), FIRST + 511);
    CHECK_INT(end(0), FIRST + 511);
}

static void the_application_may_seek(void)
{
    FILE *fp = begin_reading();
    fpos_t position;

    CHECK_INT(fseek(fp, 2000, SEEK_SET), 0);
    CHECK_INT(getc(fp), payload[2000]);
    CHECK_INT(fgetpos(fp, &position), 0);
    CHECK_INT(fseek(fp, 99, SEEK_CUR), 0);
    CHECK_INT(getc(fp), payload[2100]);
    CHECK_INT(fsetpos(fp, &position), 0);
    CHECK_INT(getc(fp), payload[2001]);
    CHECK_INT(fseek(fp, -1, SEEK_END), 0);
    CHECK_INT(getc(fp), payload[BYTES - 1]);
    CHECK_INT(getc(fp), EOF);
    CHECK(feof(fp));
    rewind(fp);
    CHECK_INT(tell(), 0);
    end(0);
}

static void seeking_out_of_range_fails_and_moves_nothing(void)
{
    FILE *fp = begin_reading();

    CHECK(fseek(fp, -1, SEEK_SET) != 0);
    CHECK(fseek(fp, -FIRST - 1, SEEK_CUR) != 0);
    CHECK(fseek(fp, -BYTES - 1, SEEK_END) != 0);
    CHECK_INT(tell(), FIRST);
    CHECK_INT(getc(fp), payload[FIRST]);
    end(0);
}

static void seeking_beyond_all_offsets_fails(void)
{
    FILE *fp = begin_reading();

    CHECK(fseeko(fp, LLONG_MAX, SEEK_CUR) != 0);
    CHECK(fseeko(fp, LLONG_MAX, SEEK_END) != 0);
    CHECK_INT(tell(), FIRST);
    end(0);
}

static void the_application_may_set_its_own_buffer(void)
{
    FILE *fp = begin_writing();
    char buffer[64];

    CHECK_INT(setvbuf(fp, buffer, _IOFBF, sizeof buffer), 0);
    CHECK_INT(fwrite(payload, 1, 300, fp), 300);
    CHECK_INT(setvbuf(fp, NULL, _IONBF, 0), 0);
    CHECK_INT(fwrite(payload + 300, 1, 10, fp), 10);
    CHECK_INT(fflush(fp), 0);
    CHECK_INT(scratch_size(scratch_path("w")), FIRST + 310);
    CHECK_INT(scion_app_file_set_buffer(app, 1000), 0);
    CHECK_INT(fwrite(payload + 310, 1, 90, fp), 90);
    CHECK_INT(scratch_size(scratch_path("w")), FIRST + 310);
    CHECK_INT(end(0), FIRST + 400);
    compare_written(400);
}

static void a_new_buffer_loses_nothing(void)
{
    static const size_t sizes[] = {1, 16, 10000, 300};
    FILE *fp = begin_writing();
    size_t i;

    for (i = 0; i < 4; i++) {
        CHECK_INT(fwrite(payload + i * 50, 1, 50, fp), 50);
        CHECK_INT(scion_app_file_set_buffer(app, sizes[i]), 0);
    }
    CHECK_INT(end(0), FIRST + 200);
    compare_written(200);
}

static void a_new_buffer_keeps_the_place_of_reading(void)
{
    FILE *fp = begin_reading();

    CHECK_INT(getc(fp), payload[FIRST]);
    CHECK_INT(scion_app_file_set_buffer(app, 10), 0);
    CHECK_INT(getc(fp), payload[FIRST + 1]);
    CHECK_INT(scion_app_file_set_buffer(app, 3000), 0);
    CHECK_INT(getc(fp), payload[FIRST + 2]);
    end(0);
}

static void an_fclose_of_a_writer_is_noticed(void)
{
    FILE *fp = begin_writing();

    CHECK_INT(fwrite(payload, 1, 123, fp), 123);
    CHECK(app->stream == fp);
    CHECK_INT(fclose(fp), 0);
    CHECK(app->stream == NULL);
    CHECK_INT(tell(), FIRST + 123);
    CHECK_INT(scion_app_file_flush(app), 0);
    CHECK_INT(end(0), FIRST + 123);
    compare_written(123);
}

static void an_fclose_by_the_reader_keeps_the_position(void)
{
    FILE *fp = begin_reading();

    CHECK_INT(getc(fp), payload[FIRST]);
    CHECK_INT(getc(fp), payload[FIRST + 1]);
    CHECK_INT(fclose(fp), 0);
    CHECK_INT(tell(), FIRST + 2);
    CHECK_INT(end(0), FIRST + 2);
}

static void closing_keeps_the_position_of_reading(void)
{
    FILE *fp = begin_reading();

    CHECK_INT(getc(fp), payload[FIRST]);
    CHECK_INT(end(0), FIRST + 1);
}

static void bytes_that_fit_are_kept_and_others_are_refused(void)
{
    FILE *fp = begin_writing();

    CHECK_INT(fwrite(payload, 1, 1900, fp), 1900);
    CHECK(fwrite(payload + 1900, 1, 200, fp) < 200 || fflush(fp) != 0);
    CHECK(ferror(fp));
    clearerr(fp);
    CHECK_INT(tell(), BEHIND);
    CHECK_INT(end(SION_ERR_SYSTEM), BEHIND); /* the rest is lost, so the close fails */
    compare_written(BEHIND - FIRST);
}

static void the_librarys_own_write_beyond_the_bounds_fails(void)
{
    begin_writing();
    CHECK_INT(scion_app_file_set_buffer(app, 1), 0);
    CHECK_INT(scion_app_file_write(app, payload, BEHIND - FIRST + 1), SION_ERR_NO_SPACE);
    CHECK_CONTAINS(scion_error_text(), "goes beyond the task's chunk");
    CHECK_INT(end(SION_ERR_SYSTEM), BEHIND);
    compare_written(BEHIND - FIRST);
}

static void writing_before_the_bounds_is_refused(void)
{
    FILE *fp = begin_writing();

    CHECK_INT(fseek(fp, FIRST - 1, SEEK_SET), 0);
    CHECK(fwrite(payload, 1, 10, fp) < 10 || fflush(fp) != 0);
    end(SION_ERR_SYSTEM);
    CHECK_INT(scratch_size(scratch_path("w")), 0);
}

static void a_seek_of_the_library_moves_the_bounds(void)
{
    FILE *fp = begin_writing();

    CHECK_INT(fwrite(payload, 1, 10, fp), 10);
    seek(100, 100, 110);
    CHECK_INT(scratch_size(scratch_path("w")), FIRST + 10);
    CHECK_INT(fwrite(payload, 1, 10, fp), 10);
    CHECK_INT(scion_app_file_flush(app), 0);
    CHECK_INT(scion_app_file_write(app, payload, 1), 0);
    CHECK_INT(scion_app_file_flush(app), SION_ERR_NO_SPACE);
    CHECK_INT(end(SION_ERR_SYSTEM), 110);
}

static void a_full_disk_is_reported_at_flush_and_at_close(void)
{
    FILE *fp;

    scion_fault_arm(1u << SCION_FAULT_PWRITE, 1, 1000, ENOSPC);
    fp = begin_writing();
    CHECK_INT(fwrite(payload, 1, 10, fp), 10);
    CHECK_INT(scion_app_file_flush(app), SION_ERR_SYSTEM);
    CHECK_CONTAINS(scion_error_text(), strerror(ENOSPC));
    CHECK_INT(fwrite(payload, 1, 10, fp), 10);
    CHECK_INT(end(SION_ERR_SYSTEM), FIRST);
}

static void a_read_error_differs_from_the_end_of_the_file(void)
{
    unsigned char bytes[BYTES];

    scion_fault_arm(0, 0, 0, 0);
    begin_reading();
    scion_fault_arm(1u << SCION_FAULT_PREAD, 1, 1, EIO);
    CHECK_INT(scion_app_file_read(app, bytes, 10), SION_ERR_SYSTEM);
    CHECK_CONTAINS(scion_error_text(), strerror(EIO));
    CHECK_INT(scion_app_file_read(app, bytes, 10), 0);
    CHECK(memcmp(bytes, payload + FIRST, 10) == 0);
    CHECK_INT(scion_app_file_read(app, bytes, BYTES), SION_ERR_DAMAGED);
    CHECK_CONTAINS(scion_error_text(), "cut off");
    end(0);
}

static void the_file_behind_the_stream_can_be_exchanged(void)
{
    FILE *fp = begin_reading();
    unsigned char other_bytes[BYTES];
    struct scion_file *other;

    check_fill(other_bytes, 2, 0, BYTES);
    scratch_write(scratch_path("other"), other_bytes, BYTES);
    other = open_file("other", SCION_OPEN_READ);
    CHECK_INT(getc(fp), payload[FIRST]);
    scion_app_file_retarget(app, other);
    seek(FIRST + 1, 0, BYTES);
    CHECK_INT(getc(fp), other_bytes[FIRST + 1]);
    CHECK_INT(end(0), FIRST + 2);
    CHECK_INT(scion_file_close(other), 0);
}

static void telling_costs_no_system_call(void)
{
    FILE *fp;
    int i;

    scion_fault_arm(0, 0, 0, 0);
    fp = begin_writing();
    scion_fault_arm(0, 0, 0, 0);
    for (i = 0; i < 1000; i++) {
        CHECK_INT(putc(i & 0x7f, fp), i & 0x7f);
        CHECK_INT(tell(), FIRST + i + 1);
    }
    /* Only a full buffer costs system calls; their number depends on the C library. */
    CHECK(scion_fault_count(SCION_FAULT_PWRITE) >= 1000 / BUFFER);
    CHECK(scion_fault_count_all() < 10 * (1000 / BUFFER + 1));
    end(0);
}

/* Bytes are in the buffer, and the application has queried the position. */
static FILE *begin_waiting(void)
{
    FILE *fp = begin_writing();

    CHECK(!scion_app_file_has_room(app, 1)); /* the descriptor may have been moved */
    CHECK_INT(fwrite(payload, 1, 100, fp), 100);
    CHECK(!scion_app_file_has_room(app, 1)); /* there was no query yet */
    CHECK_INT(tell(), FIRST + 100);
    return fp;
}

static void room_is_known_to_the_byte_while_bytes_wait(void)
{
    FILE *fp = begin_waiting();

#ifdef HAVE_FILE__FILENO
    CHECK(scion_app_file_has_room(app, BEHIND - FIRST - 100));
    CHECK(!scion_app_file_has_room(app, BEHIND - FIRST - 99));
    CHECK_INT(putc(1, fp), 1);
    CHECK(scion_app_file_has_room(app, BEHIND - FIRST - 101));
#endif
    CHECK(!scion_app_file_has_room(app, BEHIND - FIRST - 100));
    CHECK_INT(fflush(fp), 0);
    CHECK(!scion_app_file_has_room(app, 1));
    end(0);
}

static void room_is_not_known_in_other_bounds(void)
{
    begin_waiting();
    scion_app_file_set_bounds(app, FIRST, FIRST + 120, FIRST);
    CHECK(!scion_app_file_has_room(app, 21));
    end(0);
}

static void room_is_not_known_before_the_bounds(void)
{
    FILE *fp = begin_writing();

    CHECK_INT(fseeko(fp, FIRST - 50, SEEK_SET), 0);
    CHECK_INT(fwrite(payload, 1, 100, fp), 100);
    CHECK_INT(tell(), FIRST + 50);
    CHECK(!scion_app_file_has_room(app, 1));
    end(SION_ERR_NO_SPACE);
}

static void room_is_not_known_after_the_descriptor_was_moved(void)
{
    FILE *fp = begin_waiting();

    CHECK(lseek(app->fd, BEHIND - 10, SEEK_SET) == BEHIND - 10);
    ftello(fp);
    CHECK(!scion_app_file_has_room(app, 1000));
    end(SION_ERR_NO_SPACE);
}

static void room_is_not_known_after_fclose_or_a_loss(void)
{
    FILE *fp = begin_waiting();

    CHECK_INT(fclose(fp), 0);
    CHECK(!scion_app_file_has_room(app, 1));
    CHECK_INT(end(0), FIRST + 100);
    scion_fault_arm(1u << SCION_FAULT_PWRITE, 1, 1000, ENOSPC);
    fp = begin_waiting();
    CHECK(fflush(fp) != 0);
    CHECK(!scion_app_file_has_room(app, 1));
    end(SION_ERR_SYSTEM);
}

int main(void)
{
    scratch_begin();
    check_fill(payload, 1, 0, sizeof payload);
    RUN(application_and_library_write_in_turn);
    RUN(application_and_library_read_in_turn);
    RUN(the_application_may_seek);
    RUN(seeking_out_of_range_fails_and_moves_nothing);
    RUN(seeking_beyond_all_offsets_fails);
    RUN(the_application_may_set_its_own_buffer);
    RUN(a_new_buffer_loses_nothing);
    RUN(a_new_buffer_keeps_the_place_of_reading);
    RUN(an_fclose_of_a_writer_is_noticed);
    RUN(an_fclose_by_the_reader_keeps_the_position);
    RUN(closing_keeps_the_position_of_reading);
    RUN(bytes_that_fit_are_kept_and_others_are_refused);
    RUN(the_librarys_own_write_beyond_the_bounds_fails);
    RUN(writing_before_the_bounds_is_refused);
    RUN(a_seek_of_the_library_moves_the_bounds);
    RUN(a_full_disk_is_reported_at_flush_and_at_close);
    RUN(a_read_error_differs_from_the_end_of_the_file);
    RUN(the_file_behind_the_stream_can_be_exchanged);
    RUN(telling_costs_no_system_call);
    RUN(room_is_known_to_the_byte_while_bytes_wait);
    RUN(room_is_not_known_in_other_bounds);
    RUN(room_is_not_known_before_the_bounds);
    RUN(room_is_not_known_after_the_descriptor_was_moved);
    RUN(room_is_not_known_after_fclose_or_a_loss);
    scratch_end();
    return check_done();
}
