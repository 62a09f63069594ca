/* The FILE* and the descriptor that the library gives to the application. */
#include <fcntl.h>
#include <unistd.h>

#include "export.h"

/* Task 0 holds 100, 50 and 80 bytes in three chunks, task 1 holds 30. */
static void check_container(void)
{
    static const sion_int64 used[] = {100, 50, 80};
    int sid = open_to_read("br", NULL), chunks, i;
    sion_int64 *got;
    long total = 0;

    CHECK(sid >= 0);
    CHECK_INT(sion_get_current_location(sid, NULL, NULL, &chunks, &got), 1);
    CHECK_INT(chunks, 3);
    for (i = 0; i < chunks && i < 3; i++)
        CHECK_INT(got[i], used[i]);
    while (!sion_feof(sid)) {
        size_t left = (size_t)sion_bytes_avail_in_block(sid);

        CHECK_INT(sion_fread(data, 1, left, sid), left);
        CHECK_INT(check_compare(data, 0, total, left), -1);
        total += (long)left;
    }
    CHECK_INT(total, 230);
    CHECK_INT(sion_seek(sid, 1, 0, 0), 1);
    CHECK_INT(sion_fread(data, 1, 30, sid), 30);
    CHECK_INT(check_compare(data, 1, 0, 30), -1);
    CHECK_INT(sion_close(sid), 1);
}

static void direct_writes_and_library_writes_mix(void)
{
    FILE *fp = NULL, *same = NULL;
    int sid = create("bw", &fp);

    check_fill(data, 0, 0, 230);
    CHECK(fp != NULL && ftell(fp) == sion_get_position(sid));
    CHECK_INT(fwrite(data, 1, 60, fp), 60);
    CHECK_INT(sion_get_bytes_written(sid), 60);
    CHECK_INT(sion_fwrite(data + 60, 1, 30, sid), 30);
    CHECK_INT(sion_ensure_free_space(sid, 10), 1);
    CHECK_INT(fwrite(data + 90, 1, 10, fp), 10);
    CHECK_INT(sion_ensure_free_space(sid, 50), 1);
    CHECK_INT(sion_get_position(sid), ftell(fp));
    CHECK_INT(fwrite(data + 100, 1, 50, fp), 50);
    CHECK_INT(sion_seek_fp(sid, 1, SION_CURRENT_BLK, SION_CURRENT_POS, &same), 1);
    CHECK(same == fp && sion_get_fp(sid) == fp);
    check_fill(data + 300, 1, 0, 30);
    CHECK_INT(fwrite(data + 300, 1, 30, fp), 30);
    CHECK_INT(sion_seek(sid, 0, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    CHECK_INT(sion_fwrite(data + 150, 1, 80, sid), 80);
    CHECK_INT(sion_close(sid), 1);
    check_container();
}

static void the_application_may_close_the_file(void)
{
    FILE *fp = NULL;
    int sid = create("bw", &fp);

    check_fill(data, 0, 0, 230);
    CHECK_INT(fwrite(data, 1, 100, fp), 100);
    CHECK_INT(fclose(fp), 0);
    /* The stream continues at the position of the FILE*. */
    CHECK_INT(sion_get_bytes_written(sid), 100);
    CHECK_INT(sion_fwrite(data + 100, 1, 50, sid), 50);
    CHECK_INT(sion_ensure_free_space(sid, 80), 1);
    fp = sion_get_fp(sid);
    CHECK(fp && fwrite(data + 150, 1, 80, fp) == 80);
    CHECK_INT(sion_seek_fp(sid, 1, 0, 0, &fp), 1);
    check_fill(data, 1, 0, 30);
    CHECK_INT(fwrite(data, 1, 30, fp), 30);
    CHECK_INT(fclose(fp), 0);
    CHECK_INT(sion_close(sid), 1);
    check_container();
}

static void a_closed_file_may_be_announced(void)
{
    FILE *fp = NULL;
    int sid = create("bw", &fp);

    check_fill(data, 0, 0, 230);
    CHECK_INT(sion_fwrite(data, 1, 100, sid), 100);
    CHECK_INT(sion_fwrite(data + 100, 1, 50, sid), 50);
    CHECK_INT(sion_fwrite(data + 150, 1, 80, sid), 80);
    CHECK_INT(sion_seek(sid, 1, 0, 0), 1);
    check_fill(data, 1, 0, 30);
    CHECK_INT(fwrite(data, 1, 30, fp), 30);
    CHECK_INT(fclose(fp), 0);
    CHECK_INT(sion_set_fp_closed(sid), 1);
    CHECK_INT(sion_close(sid), 1);
    check_container();
}

/* A program that forgets sion_ensure_free_space must not destroy its neighbour's data. */
static void direct_writes_cannot_leave_the_chunk(void)
{
    FILE *fp = NULL;
    int sid = create("bw", &fp);

    support_catch();
    memset(data, 0xee, 300);
    CHECK_INT(sion_seek(sid, 1, 0, 0), 1);
    check_fill(data + 1000, 1, 0, 30);
    CHECK_INT(sion_fwrite(data + 1000, 1, 30, sid), 30);
    CHECK_INT(sion_seek(sid, 0, 0, 0), 1);
    CHECK(fwrite(data, 1, 300, fp) < 300 || fflush(fp) != 0);
    CHECK_INT(sion_close(sid), 0);
    CHECK(support_errors > 0);
    sid = open_to_read("br", NULL);
    CHECK_INT(sion_bytes_avail_in_block(sid), 100);
    CHECK_INT(sion_seek(sid, 1, 0, 0), 1);
    CHECK_INT(sion_fread(data, 1, 30, sid), 30);
    CHECK_INT(check_compare(data, 1, 0, 30), -1);
    CHECK_INT(sion_close(sid), 1);
}

/* Wherever a program leaves its FILE*, data that were written stay, and the close reports a wrong
   position. */
static void a_file_left_outside_the_chunk_harms_nothing(void)
{
    int how;

    for (how = 0; how < 6; how++) {
        FILE *fp = NULL;
        int sid = create("bw", &fp);

        support_catch();
        check_fill(data, 0, 0, 5);
        CHECK_INT(how % 2 ? (int)fwrite(data, 1, 5, fp) : (int)sion_fwrite(data, 1, 5, sid), 5);
        if (how < 2)
            rewind(fp);
        else if (how < 4)
            fseek(fp, 200, SEEK_CUR);
        else
            fseek(fp, 0, SEEK_END);
        if (how > 1)
            CHECK_INT(fclose(fp), 0);
        if (how == 2)
            CHECK_INT(sion_set_fp_closed(sid), 0);
        if (how == 3)
            CHECK_INT(sion_fwrite("abc", 1, 3, sid), 0);
        CHECK_INT(sion_close(sid), how < 4 ? 0 : 1);
        sid = open_to_read("br", NULL);
        CHECK_INT(sion_bytes_avail_in_block(sid), 5);
        CHECK_INT(sion_fread(data, 1, 5, sid), 5);
        CHECK_INT(check_compare(data, 0, 0, 5), -1);
        CHECK_INT(sion_close(sid), 1);
    }
}

static void a_buffer_that_cannot_be_allocated_harms_nothing(void)
{
    int sid;

    setenv("SION_BUFFERSIZE", "9000000000000000000", 1);
    sid = create("bw", NULL);
    CHECK_INT(sion_fwrite("abc", 1, 3, sid), 3);
    CHECK_INT(sion_close(sid), 1);
    unsetenv("SION_BUFFERSIZE");
    sid = open_to_read("br", NULL);
    CHECK_INT(sion_bytes_avail_in_block(sid), 3);
    CHECK_INT(sion_close(sid), 1);
}

/* The system itself refuses writes, which stdio learns late: 40 of the 100 bytes find room. */
static void a_full_file_is_reported(void)
{
    int how;

    for (how = 0; how < 6; how++) {
        FILE *fp = NULL;
        int sid = create("bw", how < 2 ? &fp : NULL), i;
        sion_int64 start = sion_get_position(sid);

        support_catch();
        if (how >= 2)
            fp = open_second(sid, "r+b");
        support_limit_files((rlim_t)start + 40);
        check_fill(data, 0, 0, 100);
        for (i = 0; i < 10; i++)
            CHECK_INT(how % 2 ? fwrite(data + 10 * i, 1, 10, fp)
                              : sion_fwrite(data + 10 * i, 1, 10, sid),
                      10);
        if (how < 4) {
            CHECK_INT(sion_flush(sid), 0);
            CHECK_INT(support_errors, 1);
            support_limit_files(RLIM_INFINITY);
        }
        CHECK_INT(sion_close(sid), 0);
        support_limit_files(RLIM_INFINITY);
        sid = open_to_read("br", NULL);
        CHECK_INT(sion_bytes_avail_in_block(sid), 40);
        CHECK_INT(sion_fread(data, 1, 40, sid), 40);
        CHECK_INT(check_compare(data, 0, 0, 40), -1);
        CHECK_INT(sion_close(sid), 1);
    }
}

static void setvbuf_and_the_optimized_buffer_lose_no_data(void)
{
    static char buffer[64];
    FILE *fp = NULL;
    int sid = create("bw", &fp);

    CHECK_INT(setvbuf(fp, buffer, _IOFBF, sizeof buffer), 0);
    check_fill(data, 0, 0, 230);
    CHECK_INT(sion_fwrite(data, 1, 40, sid), 40);
    CHECK_INT(sion_optimize_fp_buffer(sid), 1);
    CHECK_INT(fwrite(data + 40, 1, 60, fp), 60);
    CHECK_INT(sion_fwrite(data + 100, 1, 50, sid), 50);
    CHECK_INT(sion_fwrite(data + 150, 1, 80, sid), 80);
    CHECK_INT(sion_seek(sid, 1, 0, 0), 1);
    CHECK_INT(sion_optimize_fp_buffer(sid), 1);
    check_fill(data, 1, 0, 30);
    CHECK_INT(sion_fwrite(data, 1, 30, sid), 30);
    CHECK_INT(sion_close(sid), 1);
    check_container();
}

static void check_descriptor(const char *mode)
{
    FILE *fp = stderr;
    int sid = create(mode, &fp), fd;

    check_fill(data, 0, 0, 230);
    CHECK_INT(sion_fwrite(data, 1, 40, sid), 40);
    fd = sion_get_fd(sid);
    CHECK(fp == NULL && sion_get_fp(sid) == NULL && fd >= 0);
    CHECK_INT(write(fd, data + 40, 60), 60);
    CHECK_INT(sion_get_bytes_written(sid), 100);
    CHECK_INT(sion_fwrite(data + 100, 1, 50, sid), 50);
    CHECK_INT(sion_ensure_free_space(sid, 80), 1);
    CHECK_INT(lseek(fd, 0, SEEK_CUR), sion_get_position(sid));
    CHECK_INT(write(fd, data + 150, 80), 80);
    CHECK_INT(sion_seek(sid, 1, 0, 0), 1);
    check_fill(data, 1, 0, 30);
    CHECK_INT(write(fd, data, 30), 30);
    CHECK_INT(sion_flush(sid), 1);
    CHECK_INT(sion_close(sid), 1);
    check_container();
}

static void posix_mode_gives_a_descriptor_instead(void)
{
    int sid;

    check_descriptor("bw,posix");
    check_descriptor("bw,posix,buffered");
    sid = open_to_read("br", NULL);
    CHECK_INT(sion_get_fd(sid), -1);
    CHECK_INT(sion_close(sid), 1);
}

static void reading_through_file_and_descriptor(void)
{
    FILE *fp = NULL;
    int sid = open_to_read("br", &fp), fd;
    fpos_t place;

    CHECK_INT(fread(data, 1, 20, fp), 20);
    CHECK_INT(fgetpos(fp, &place), 0);
    CHECK_INT(sion_fread(data + 20, 1, 30, sid), 30);
    CHECK_INT(sion_bytes_avail_in_block(sid), 50);
    CHECK_INT(check_compare(data, 0, 0, 50), -1);
    CHECK_INT(fsetpos(fp, &place), 0);
    CHECK_INT(sion_get_bytes_read(sid), 20);
    CHECK_INT(sion_seek_fp(sid, 0, 1, 10, &fp), 1);
    CHECK_INT(fread(data, 1, 40, fp), 40);
    CHECK_INT(check_compare(data, 0, 110, 40), -1);
    CHECK_INT(sion_feof(sid), 0);
    CHECK_INT(fread(data, 1, 80, fp), 80);
    CHECK_INT(check_compare(data, 0, 150, 80), -1);
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(fclose(fp), 0);
    CHECK_INT(sion_seek(sid, 0, 0, 0), 1);
    CHECK_INT(sion_fread(data, 1, 100, sid), 100);
    CHECK_INT(sion_close(sid), 1);
    sid = open_to_read("br,posix", NULL);
    fd = sion_get_fd(sid);
    CHECK_INT(read(fd, data, 20), 20);
    CHECK_INT(sion_fread(data + 20, 1, 80, sid), 80);
    CHECK_INT(check_compare(data, 0, 0, 100), -1);
    CHECK_INT(sion_feof(sid), 0);
    CHECK_INT(read(fd, data, 50), 50);
    CHECK_INT(check_compare(data, 0, 100, 50), -1);
    CHECK_INT(sion_close(sid), 1);
}

static void a_file_before_the_chunk_is_not_read(void)
{
    FILE *fp = NULL;
    int sid = open_to_read("br", &fp);

    support_catch();
    rewind(fp);
    sion_feof(sid);
    CHECK_INT(support_errors, 1);
    CHECK_CONTAINS(support_message, "before the task's chunk");
    CHECK_INT(sion_close(sid), 1);
}

static void one_file_serves_all_files_of_a_set(void)
{
    char path[512];
    FILE *fp = NULL;
    int n, nfiles, sid, task;

    snprintf(path, sizeof path, "%s", support_golden("mpi/m10_lcomm.sion"));
    sid = sion_open(path, "br", &n, &nfiles, NULL, NULL, NULL, &fp);
    for (task = 5; task >= 0; task--) {
        CHECK_INT(sion_seek_fp(sid, task, 0, 0, &fp), 1);
        CHECK_INT(fread(data, 1, 100, fp), 100);
        CHECK_INT(check_compare(data, task, 0, 100), -1);
    }
    CHECK_INT(sion_close(sid), 1);
}

/* Programs that compress do so: another library writes through a duplicate of the descriptor. */
static void the_descriptor_of_the_file_writes(void)
{
    FILE *fp = NULL;
    int sid = create("bw", &fp), fd = fileno(fp), copy = dup(fd);

    check_fill(data, 0, 0, 230);
    CHECK(fd >= 0 && copy >= 0);
    CHECK_INT(fcntl(fd, F_GETFL) & (O_NONBLOCK | O_APPEND), 0);
    CHECK_INT(sion_fwrite(data, 1, 60, sid), 60);
    CHECK_INT(sion_flush(sid), 1);
    CHECK_INT(lseek(fd, 0, SEEK_CUR), sion_get_position(sid));
    CHECK_INT(write(copy, data + 60, 40), 40);
    CHECK_INT(sion_get_bytes_written(sid), 100);
    CHECK_INT(sion_ensure_free_space(sid, 50), 1);
    CHECK_INT(write(fd, data + 100, 50), 50);
    CHECK_INT(sion_ensure_free_space(sid, 80), 1);
    CHECK_INT(fwrite(data + 150, 1, 30, fp), 30);
    CHECK_INT(fflush(fp), 0);
    CHECK_INT(write(copy, data + 180, 50), 50);
    CHECK_INT(close(copy), 0);
    CHECK_INT(sion_seek_fp(sid, 1, 0, 0, &fp), 1);
    check_fill(data, 1, 0, 30);
    CHECK_INT(write(fileno(fp), data, 30), 30);
    CHECK_INT(fclose(fp), 0);
    CHECK_INT(sion_close(sid), 1);
    CHECK_INT(fcntl(fd, F_GETFL), -1);
    check_container();
}

static void the_descriptor_of_the_file_reads(void)
{
    FILE *fp = NULL;
    int sid = open_to_read("br", &fp), fd = fileno(fp);

    CHECK_INT(read(fd, data, 20), 20);
    CHECK_INT(fread(data + 20, 1, 20, fp), 20);
    CHECK_INT(sion_fread(data + 40, 1, 10, sid), 10);
    CHECK_INT(fflush(fp), 0);
    CHECK_INT(lseek(fd, 0, SEEK_CUR), sion_get_position(sid));
    CHECK_INT(read(fd, data + 50, 50), 50);
    CHECK_INT(check_compare(data, 0, 0, 100), -1);
    CHECK_INT(sion_feof(sid), 0);
    CHECK_INT(read(fd, data, 50), 50);
    CHECK_INT(check_compare(data, 0, 100, 50), -1);
    CHECK_INT(sion_seek(sid, 1, 0, 0), 1);
    CHECK_INT(read(fd, data, 30), 30);
    CHECK_INT(check_compare(data, 1, 0, 30), -1);
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(sion_close(sid), 1);
}

/* Nothing can stop a program from writing beyond the chunk through a descriptor, but it gets an
   error. */
static void a_descriptor_that_leaves_the_chunk_is_reported(void)
{
    int how;

    for (how = 0; how < 3; how++) {
        FILE *fp = NULL;
        int sid = create("bw", &fp);

        support_catch();
        check_fill(data, 0, 0, 120);
        CHECK_INT(write(fileno(fp), data, 120), 120);
        if (how == 0)
            CHECK_INT(sion_ensure_free_space(sid, 1), 0);
        if (how == 1)
            CHECK_INT(sion_flush(sid), 0);
        CHECK_INT(sion_close(sid), 0);
        CHECK(support_errors > 0);
        sid = open_to_read("br", NULL);
        CHECK_INT(sion_bytes_avail_in_block(sid), 100);
        CHECK_INT(sion_fread(data, 1, 100, sid), 100);
        CHECK_INT(check_compare(data, 0, 0, 100), -1);
        CHECK_INT(sion_close(sid), 1);
    }
}

int main(void)
{
    support_enter_folder();
    RUN(direct_writes_and_library_writes_mix);
    RUN(the_application_may_close_the_file);
    RUN(a_closed_file_may_be_announced);
    RUN(direct_writes_cannot_leave_the_chunk);
    RUN(a_file_left_outside_the_chunk_harms_nothing);
    RUN(a_buffer_that_cannot_be_allocated_harms_nothing);
    RUN(a_full_file_is_reported);
    RUN(setvbuf_and_the_optimized_buffer_lose_no_data);
    RUN(posix_mode_gives_a_descriptor_instead);
    RUN(reading_through_file_and_descriptor);
    RUN(a_file_before_the_chunk_is_not_read);
    RUN(one_file_serves_all_files_of_a_set);
    RUN(the_descriptor_of_the_file_writes);
    RUN(the_descriptor_of_the_file_reads);
    RUN(a_descriptor_that_leaves_the_chunk_is_reported);
    support_leave_folder();
    return check_done();
}
