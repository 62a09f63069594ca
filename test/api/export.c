/* The FILE* and the descriptor in the application's hands. */
#include "sion.h"

#include "support.h"

static char name[] = "c.sion";
static unsigned char data[4000];

static int create(const char *mode, FILE **fp)
{
    int n = 2, nfiles = 1, ranks[2] = {0, 1}, *r = ranks;
    sion_int64 sizes[2] = {100, 100}, *s = sizes;
    sion_int32 fs = 100;

    return sion_open(name, mode, &n, &nfiles, &s, &fs, &r, fp);
}

static int open_to_read(const char *mode, FILE **fp)
{
    int n, nfiles;

    return sion_open(name, mode, &n, &nfiles, NULL, NULL, NULL, fp);
}

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
    /* The stream goes on where the FILE* stood. */
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

/* Wherever a program leaves its FILE*: what was written stays, and the close says that it is odd.
 */
static void a_file_left_outside_of_the_chunk_harms_nothing(void)
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
            CHECK_INT(sion_fwrite("XXX", 1, 3, sid), 0);
        CHECK_INT(sion_close(sid), how < 4 ? 0 : 1);
        sid = open_to_read("br", NULL);
        CHECK_INT(sion_bytes_avail_in_block(sid), 5);
        CHECK_INT(sion_fread(data, 1, 5, sid), 5);
        CHECK_INT(check_compare(data, 0, 0, 5), -1);
        CHECK_INT(sion_close(sid), 1);
    }
}

static void a_buffer_that_cannot_be_had_harms_nothing(void)
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

static void a_second_file_that_is_full_is_reported(void)
{
    FILE *full = fopen("/dev/full", "w");
    int sid = create("bw", NULL);

    if (!full) {
        SKIP("no /dev/full");
        CHECK_INT(sion_close(sid), 1);
        return;
    }
    support_catch();
    CHECK_INT(sion_set_second_fp(sid, full), 1);
    CHECK_INT(sion_fwrite("hello", 1, 5, sid), 5);
    CHECK_INT(sion_flush(sid), 0);
    CHECK_INT(sion_fwrite("hello", 1, 5, sid), 5);
    CHECK_INT(sion_close(sid), 0);
}

static void setvbuf_and_the_optimized_buffer_keep_the_data(void)
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

static void posix_hands_out_a_descriptor_instead(void)
{
    FILE *fp = stderr;
    int sid = create("bw,posix", &fp), fd = sion_get_fd(sid);

    check_fill(data, 0, 0, 230);
    CHECK(fp == NULL && sion_get_fp(sid) == NULL && fd >= 0);
    CHECK_INT(write(fd, data, 100), 100);
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

static void a_second_file_takes_the_transfers(void)
{
    FILE *second = fopen("second", "w+b");
    int sid = create("bw", NULL);
    char text[8] = "";

    support_catch();
    CHECK_INT(sion_fwrite("abc", 1, 3, sid), 3);
    CHECK_INT(sion_set_second_fp(sid, second), 1);
    CHECK(sion_get_fp(sid) == second);
    CHECK_INT(sion_fwrite("xyz", 1, 3, sid), 3);
    CHECK_INT(sion_set_second_fp(sid, stdout), 1);
    CHECK_INT(support_warnings, 1);
    CHECK_INT(sion_unset_second_fp(sid), 1);
    CHECK_INT(sion_fwrite("def", 1, 3, sid), 3);
    CHECK_INT(sion_get_bytes_written(sid), 6);
    CHECK_INT(sion_set_second_fp(sid, second), 1);
    CHECK_INT(sion_close(sid), 1);
    sid = open_to_read("br", NULL);
    CHECK_INT(sion_fread(text, 1, 6, sid), 6);
    CHECK_STR(text, "abcdef");
    second = fopen("second", "rb");
    CHECK_INT(sion_set_second_fp(sid, second), 1);
    CHECK_INT(sion_fread(text, 1, 3, sid), 3);
    CHECK_STR(text, "xyzdef");
    CHECK_INT(sion_close(sid), 1);
    sid = open_to_read("br,posix", NULL);
    CHECK_INT(sion_set_second_fp(sid, stdout), 0);
    CHECK_INT(sion_close(sid), 1);
}

int main(void)
{
    support_enter_folder();
    RUN(direct_writes_and_library_writes_mix);
    RUN(the_application_may_close_the_file);
    RUN(a_closed_file_may_be_announced);
    RUN(direct_writes_cannot_leave_the_chunk);
    RUN(a_file_left_outside_of_the_chunk_harms_nothing);
    RUN(a_buffer_that_cannot_be_had_harms_nothing);
    RUN(a_second_file_that_is_full_is_reported);
    RUN(setvbuf_and_the_optimized_buffer_keep_the_data);
    RUN(posix_hands_out_a_descriptor_instead);
    RUN(reading_through_file_and_descriptor);
    RUN(one_file_serves_all_files_of_a_set);
    RUN(a_second_file_takes_the_transfers);
    support_leave_folder();
    return check_done();
}
