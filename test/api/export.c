/* The FILE* and the descriptor that the application gets. */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

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

/* Wherever a program leaves its FILE*, the data that were written stay, and the close reports the
   position. */
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
            CHECK_INT(sion_fwrite("abc", 1, 3, sid), 0);
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

/* The container once more, as a program opens it for its second FILE*. */
static FILE *open_second(int sid, const char *mode)
{
    FILE *second = fopen(name, mode);

    CHECK(second && fseek(second, (long)sion_get_position(sid), SEEK_SET) == 0);
    CHECK_INT(sion_set_second_fp(sid, second), 1);
    CHECK(sion_get_fp(sid) == second);
    return second;
}

/* No file may grow beyond this many bytes: writes fail as on a full disk. */
static void limit_files(rlim_t bytes)
{
    struct rlimit limit;

    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    CHECK_INT(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* The system's own refusal, behind stdio's back: 40 of the 100 bytes find room. */
static void a_file_that_is_full_is_reported(void)
{
    int how;

    for (how = 0; how < 6; how++) {
        FILE *fp = NULL;
        int sid = create("bw", how < 2 ? &fp : NULL), i;
        sion_int64 start = sion_get_position(sid);

        support_catch();
        if (how >= 2)
            fp = open_second(sid, "r+b");
        limit_files((rlim_t)start + 40);
        check_fill(data, 0, 0, 100);
        for (i = 0; i < 10; i++)
            CHECK_INT(how % 2 ? fwrite(data + 10 * i, 1, 10, fp)
                              : sion_fwrite(data + 10 * i, 1, 10, sid),
                      10);
        if (how < 4) {
            CHECK_INT(sion_flush(sid), 0);
            CHECK_INT(support_errors, 1);
            limit_files(RLIM_INFINITY);
        }
        CHECK_INT(sion_close(sid), 0);
        limit_files(RLIM_INFINITY);
        sid = open_to_read("br", NULL);
        CHECK_INT(sion_bytes_avail_in_block(sid), 40);
        CHECK_INT(sion_fread(data, 1, 40, sid), 40);
        CHECK_INT(check_compare(data, 0, 0, 40), -1);
        CHECK_INT(sion_close(sid), 1);
    }
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

static void posix_hands_out_a_descriptor_instead(void)
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

/* Two tasks with chunks of 4096 bytes; 9 bytes of task 1. */
static int create_neighbours(void)
{
    int n = 2, nfiles = 1, ranks[2] = {0, 1}, *r = ranks, sid;
    sion_int64 sizes[2] = {4096, 4096}, *s = sizes;
    sion_int32 fs = 4096;

    sid = sion_open(name, "bw", &n, &nfiles, &s, &fs, &r, NULL);
    CHECK_INT(sion_seek(sid, 1, 0, 0), 1);
    CHECK_INT(sion_fwrite("neighbour", 1, 9, sid), 9);
    CHECK_INT(sion_seek(sid, 0, 0, 0), 1);
    return sid;
}

/* Task 0 has records of 3000 bytes, one in each chunk; task 1 has what it had. */
static void check_neighbours(int records)
{
    int sid = open_to_read("br", NULL), i;

    for (i = 0; i < records; i++) {
        CHECK_INT(sion_feof(sid), 0);
        CHECK_INT(sion_bytes_avail_in_block(sid), 3000);
        CHECK_INT(sion_fread(data, 1, 3000, sid), 3000);
        CHECK_INT(check_compare(data, 0, 3000 * i, 3000), -1);
    }
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(sion_seek(sid, 1, 0, 0), 1);
    CHECK_INT(sion_bytes_avail_in_block(sid), 9);
    CHECK_INT(sion_fread(data, 1, 9, sid), 9);
    CHECK(memcmp(data, "neighbour", 9) == 0);
    CHECK_INT(sion_close(sid), 1);
}

/* Written by the library or by the application, ended by an unset or by the close. */
static void a_second_file_writes_the_tasks_data(void)
{
    int how, i;

    for (how = 0; how < 4; how++) {
        int sid = create_neighbours();
        FILE *second = open_second(sid, "r+b");

        for (i = 0; i < 3; i++) {
            check_fill(data, 0, 3000 * i, 3000);
            if (how % 2)
                CHECK_INT(sion_ensure_free_space(sid, 3000), 1);
            CHECK_INT(how % 2 ? fwrite(data, 1, 3000, second) : sion_fwrite(data, 1, 3000, sid),
                      3000);
            CHECK_INT(sion_get_bytes_written(sid), 3000 * (i + 1));
            CHECK_INT(ftell(second), sion_get_position(sid));
        }
        CHECK_INT(sion_flush(sid), 1);
        if (how < 2) {
            CHECK_INT(sion_unset_second_fp(sid), 1);
            CHECK_INT(fclose(second), 0);
        }
        CHECK_INT(sion_close(sid), 1);
        check_neighbours(3);
    }
}

static void a_second_file_reads_exactly_the_data(void)
{
    int sid = open_to_read("br", NULL), rounds = 0;
    FILE *second = open_second(sid, "rb");
    long total = 0;

    while (!sion_feof(sid) && rounds++ < 100) {
        size_t left = (size_t)sion_bytes_avail_in_chunk(sid), part = left < 700 ? left : 700;

        CHECK_INT(rounds % 2 ? fread(data, 1, part, second) : sion_fread(data, 1, part, sid), part);
        CHECK_INT(check_compare(data, 0, total, part), -1);
        total += (long)part;
        CHECK_INT(sion_get_bytes_read(sid), total);
    }
    CHECK_INT(total, 9000);
    CHECK_INT(sion_seek(sid, 1, 0, 0), 1);
    CHECK_INT(fread(data, 1, 9, second), 9);
    CHECK(memcmp(data, "neighbour", 9) == 0);
    CHECK_INT(sion_unset_second_fp(sid), 1);
    CHECK_INT(fclose(second), 0);
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(sion_close(sid), 1);
}

/* By its descriptor, which the FILE* does not see. */
static void a_second_file_before_the_chunk_is_not_read(void)
{
    int sid = open_to_read("br", NULL);
    FILE *second = open_second(sid, "rb");

    support_catch();
    CHECK_INT(lseek(fileno(second), 0, SEEK_SET), 0);
    sion_feof(sid);
    CHECK_INT(support_errors, 1);
    CHECK_CONTAINS(support_message, "before the task's chunk");
    CHECK_INT(sion_seek(sid, 0, 0, 0), 1);
    CHECK_INT(sion_unset_second_fp(sid), 1);
    CHECK_INT(fclose(second), 0);
    CHECK_INT(sion_close(sid), 1);
}

static void a_second_file_of_elsewhere_is_refused(void)
{
    FILE *second = fopen("second", "w+b");
    int sid = create("bw", NULL);
    char text[8] = "";

    support_catch();
    CHECK_INT(sion_fwrite("abc", 1, 3, sid), 3);
    CHECK_INT(sion_set_second_fp(sid, second), 1);
    CHECK_INT(sion_ensure_free_space(sid, 3), 0);
    CHECK_INT(sion_fwrite("xyz", 1, 3, sid), 0);
    CHECK_INT(support_errors, 2);
    CHECK_INT(sion_set_second_fp(sid, stdout), 1);
    CHECK_INT(support_warnings, 1);
    CHECK_INT(sion_unset_second_fp(sid), 1);
    CHECK_INT(sion_unset_second_fp(sid), 1);
    CHECK_INT(support_warnings, 2);
    CHECK_INT(sion_fwrite("def", 1, 3, sid), 3);
    CHECK_INT(sion_get_bytes_written(sid), 6);
    CHECK_INT(sion_set_second_fp(sid, second), 1);
    CHECK_INT(sion_close(sid), 1);
    sid = open_to_read("br", NULL);
    CHECK_INT(sion_fread(text, 1, 6, sid), 6);
    CHECK_STR(text, "abcdef");
    second = fopen("second", "rb");
    CHECK_INT(sion_set_second_fp(sid, second), 1);
    CHECK_INT(sion_fread(text, 1, 3, sid), 0);
    CHECK_INT(sion_close(sid), 1);
    sid = open_to_read("br,posix", NULL);
    CHECK_INT(sion_set_second_fp(sid, stdout), 0);
    CHECK_INT(sion_close(sid), 1);
}

static void a_second_file_stays_in_its_physical_file(void)
{
    char path[512];
    FILE *second;
    int n, nfiles, sid, task, refused = 0;

    snprintf(path, sizeof path, "%s", support_golden("mpi/m10_lcomm.sion"));
    sid = sion_open(path, "br", &n, &nfiles, NULL, NULL, NULL, NULL);
    second = fopen(path, "rb");
    support_catch();
    CHECK_INT(sion_seek(sid, 0, 0, 0), 1);
    CHECK(second && fseek(second, (long)sion_get_position(sid), SEEK_SET) == 0);
    CHECK_INT(sion_set_second_fp(sid, second), 1);
    for (task = 0; task < n; task++)
        refused += !sion_seek(sid, task, 0, 0);
    CHECK(refused > 0 && refused < n);
    CHECK_INT(support_errors, refused);
    CHECK_INT(sion_close(sid), 1);
}

/* As in programs that compress: another library writes through a duplicate of the descriptor. */
static void the_descriptor_of_the_file_counts(void)
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

/* Nothing can stop a program that writes past the end of the chunk there; but it gets an error. */
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
    RUN(a_file_left_outside_of_the_chunk_harms_nothing);
    RUN(a_buffer_that_cannot_be_had_harms_nothing);
    RUN(a_file_that_is_full_is_reported);
    RUN(setvbuf_and_the_optimized_buffer_keep_the_data);
    RUN(posix_hands_out_a_descriptor_instead);
    RUN(reading_through_file_and_descriptor);
    RUN(a_file_before_the_chunk_is_not_read);
    RUN(one_file_serves_all_files_of_a_set);
    RUN(a_second_file_writes_the_tasks_data);
    RUN(a_second_file_reads_exactly_the_data);
    RUN(a_second_file_before_the_chunk_is_not_read);
    RUN(a_second_file_of_elsewhere_is_refused);
    RUN(a_second_file_stays_in_its_physical_file);
    RUN(the_descriptor_of_the_file_counts);
    RUN(the_descriptor_of_the_file_reads);
    RUN(a_descriptor_that_leaves_the_chunk_is_reported);
    support_leave_folder();
    return check_done();
}
