/* A second FILE*, which the application opens itself and gives to the library. */
#include <unistd.h>

#include "export.h"

/* Two tasks with chunks of 4096 bytes; task 1 has 9 bytes. */
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

/* Task 0 has records of 3000 bytes, one in each chunk; task 1 still has its 9 bytes. */
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

/* The library or the application writes, and an unset or the close ends it. */
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

/* The test moves the descriptor, which the FILE* does not see. */
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

static void a_second_file_elsewhere_is_refused(void)
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

int main(void)
{
    support_enter_folder();
    RUN(a_second_file_writes_the_tasks_data);
    RUN(a_second_file_reads_exactly_the_data);
    RUN(a_second_file_before_the_chunk_is_not_read);
    RUN(a_second_file_elsewhere_is_refused);
    RUN(a_second_file_stays_in_its_physical_file);
    support_leave_folder();
    return check_done();
}
