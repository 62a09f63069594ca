/* Opening containers through the serial interface: arguments, names, sizes, permissions. */
#include "serial.h"

static void arguments_of_a_writing_open_are_checked(void)
{
    int n = 2, zero = 0, two = 2, nfiles = 1, ranks[2] = {0, 1}, *r = ranks, *no_ranks = NULL;
    sion_int64 sizes[2] = {10, 10}, negative[2] = {10, -1}, *s = sizes, *bad = negative,
               *none = NULL;
    sion_int32 fs = 10;
    char empty[] = "", long_name[1100];

    unlink(name);
    memset(long_name, 'x', sizeof long_name);
    long_name[1017] = '\0';
    support_catch();
    CHECK_INT(sion_open(name, "bw", &n, &nfiles, NULL, &fs, &r, NULL), -1);
    CHECK_INT(sion_open(name, "bw", &n, &nfiles, &none, &fs, &r, NULL), -1);
    CHECK_INT(sion_open(name, "bw", &n, &nfiles, &bad, &fs, &r, NULL), -1);
    CHECK_INT(sion_open(name, "bw", &n, &nfiles, &s, &fs, NULL, NULL), -1);
    CHECK_INT(sion_open(name, "bw", &n, &nfiles, &s, &fs, &no_ranks, NULL), -1);
    CHECK_INT(sion_open(name, "bw", &n, &nfiles, &s, NULL, &r, NULL), -1);
    CHECK_INT(sion_open(name, "bw", NULL, &nfiles, &s, &fs, &r, NULL), -1);
    CHECK_INT(sion_open(name, "bw", &zero, &nfiles, &s, &fs, &r, NULL), -1);
    CHECK_INT(sion_open(name, "bw", &n, &two, &s, &fs, &r, NULL), -1);
    CHECK_INT(sion_open(NULL, "bw", &n, &nfiles, &s, &fs, &r, NULL), -1);
    CHECK_INT(sion_open(empty, "bw", &n, &nfiles, &s, &fs, &r, NULL), -1);
    CHECK_INT(sion_open(long_name, "bw", &n, &nfiles, &s, &fs, &r, NULL), -1);
    CHECK_INT(sion_open(name, NULL, &n, &nfiles, &s, &fs, &r, NULL), -1);
    CHECK_INT(sion_open(name, "rb,wb", &n, &nfiles, &s, &fs, &r, NULL), -1);
    CHECK_INT(sion_open(name, "bw,keyval=meta", &n, &nfiles, &s, &fs, &r, NULL), -1);
    CHECK_INT(sion_open(name, "bw,keyval=hash", &n, &nfiles, &s, &fs, &r, NULL), -1);
    CHECK_INT(support_errors, 16);
    CHECK(access(name, F_OK) != 0);
}

static void names_may_have_1016_bytes(void)
{
    char longest[1100] = "";
    int n = 1, nfiles = 1, rank = 0, *r = &rank, sid;
    sion_int64 size = 10, *s = &size;
    sion_int32 fs = 10;

    while (strlen(longest) < 1016 - 8)
        strcat(longest, "./");
    while (strlen(longest) < 1016 - 6)
        strcat(longest, "/");
    strcat(longest, "c.sion");
    CHECK_INT(strlen(longest), 1016);
    sid = sion_open(longest, "bw", &n, &nfiles, &s, &fs, &r, NULL);
    CHECK(sid >= 0);
    CHECK_INT(sion_close(sid), 1);
}

static void files_that_cannot_be_opened_give_one_clear_line(void)
{
    char missing[] = "nowhere/c.sion", folder[] = ".";
    int n = 1, nfiles = 1, rank = 0, *r = &rank;
    sion_int64 size = 10, *s = &size;
    sion_int32 fs = 10;

    support_catch();
    CHECK_INT(sion_open(missing, "bw", &n, &nfiles, &s, &fs, &r, NULL), -1);
    CHECK_CONTAINS(support_message, "nowhere/c.sion");
    CHECK_CONTAINS(support_message, "No such file");
    CHECK_INT(sion_error_code(), SION_ERR_SYSTEM);
    CHECK_INT(sion_open(missing, "br", &n, &nfiles, NULL, &fs, NULL, NULL), -1);
    CHECK_CONTAINS(support_message, "for reading");
    CHECK_INT(sion_open(folder, "br", &n, &nfiles, NULL, &fs, NULL, NULL), -1);
    CHECK_CONTAINS(support_message, "directory");
    CHECK_INT(support_errors, 3);
}

static void arguments_keep_requested_sizes_and_stored_sizes_are_aligned(void)
{
    int n = 3, nfiles = 1, ranks[3] = {5, 6, 7}, *r = ranks, sid, *got_ranks = NULL;
    sion_int64 sizes[3] = {1, 1000, 0}, *s = sizes, *got = NULL;
    sion_int32 fs = 100;

    sid = sion_open(name, "bw", &n, &nfiles, &s, &fs, &r, NULL);
    CHECK(sid >= 0 && sizes[0] == 1 && sizes[1] == 1000 && sizes[2] == 0);
    CHECK_INT(sion_close(sid), 1);
    sid = sion_open(name, "br", &n, &nfiles, &got, &fs, &got_ranks, NULL);
    CHECK(sid >= 0 && got[0] == 100 && got[1] == 1000 && got[2] == 0);
    CHECK(got_ranks[0] == 5 && got_ranks[2] == 7);
    CHECK_INT(fs, 100);
    CHECK_INT(sion_close(sid), 1);
    free(got);
    free(got_ranks);
}

static void arrays_of_the_caller_are_filled(void)
{
    int n = 0, nfiles = 0, ranks[3] = {-1, -1, -1}, *r = ranks, sid;
    sion_int64 sizes[3] = {-1, -1, -1}, *s = sizes;

    sid = sion_open(name, "br", &n, &nfiles, &s, NULL, &r, NULL);
    CHECK(sid >= 0 && s == sizes && r == ranks && sizes[1] == 1000 && ranks[1] == 6);
    CHECK_INT(sion_close(sid), 1);
}

static void a_block_size_of_0_or_less_means_automatic(void)
{
    static const int asked[] = {0, -1, -2, -4096};
    const sion_int64 size = 10;
    struct stat status;
    int i;

    for (i = 0; i < 4; i++) {
        sion_int32 fs = asked[i];
        int sid = create("bw", 1, &size, &fs);

        CHECK(sid >= 0);
        CHECK_INT(sion_close(sid), 1);
        stat(name, &status);
        CHECK_INT(fs, status.st_blksize);
    }
}

static void writing_truncates_an_old_file_in_both_modes(void)
{
    static const char *const modes[] = {"bw", "bw,posix"};
    const sion_int64 size = 100;
    int i;

    for (i = 0; i < 2; i++) {
        static char garbage[20000];
        sion_int32 fs = 100;
        struct stat status;
        int sid;

        memset(garbage, 'x', sizeof garbage);
        support_store(name, garbage, sizeof garbage);
        sid = create(modes[i], 1, &size, &fs);
        CHECK_INT(sion_fwrite("abc", 1, 3, sid), 3);
        CHECK_INT(sion_close(sid), 1);
        stat(name, &status);
        CHECK_INT(status.st_size, 1200 + 100 + 16 + 4);
    }
}

static void permissions_are_0666_and_0664_less_the_umask(void)
{
    const sion_int64 size = 100;
    sion_int32 fs = 100;
    mode_t mask = umask(0);
    struct stat status;

    unlink(name);
    sion_close(create("bw", 1, &size, &fs));
    stat(name, &status);
    CHECK_INT(status.st_mode & 0777, 0666);
    unlink(name);
    sion_close(create("bw,posix", 1, &size, &fs));
    stat(name, &status);
    CHECK_INT(status.st_mode & 0777, 0664);
    umask(mask);
}

static void one_rank_is_checked_against_the_container(void)
{
    const sion_int64 sizes[3] = {10, 20, 30};
    sion_int32 fs = 10;
    sion_int64 chunk;
    int rank, ok = 2, sid = create("bw", 3, sizes, &fs);

    CHECK_INT(sion_close(sid), 1);
    support_catch();
    rank = 3;
    CHECK_INT(sion_open_rank(name, "br", &chunk, &fs, &rank, NULL), -1);
    rank = -1;
    CHECK_INT(sion_open_rank(name, "br", &chunk, &fs, &rank, NULL), -1);
    CHECK_INT(sion_open_rank(name, "bw", &chunk, &fs, &ok, NULL), -1);
    CHECK_INT(sion_open_rank(name, "br", &chunk, &fs, NULL, NULL), -1);
    CHECK_INT(support_errors, 4);
    sid = sion_open_rank(name, "br", &chunk, &fs, &ok, NULL);
    CHECK(sid >= 0 && chunk == 30 && ok == 2);
    CHECK_INT(sion_seek(sid, 1, 0, 0), 0);
    CHECK_INT(sion_seek(sid, 2, 0, 0), 1);
    CHECK_INT(support_errors, 5);
    CHECK_INT(sion_close(sid), 1);
}

/* The table has a length for the chunk behind the last one that task 1 says it has. */
static void a_number_of_chunks_that_is_too_small_is_noticed(void)
{
    const sion_int64 sizes[2] = {512, 512};
    const char data[276] = "";
    sion_int32 fs = 512;
    int rank, i, sid = create("bw", 2, sizes, &fs);
    sion_int64 start = 0, two = 2;
    FILE *file;

    for (i = 0; i < 6; i++) {
        CHECK_INT(sion_seek(sid, i / 3, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
        CHECK_INT(sion_ensure_free_space(sid, sizes[0]), 1);
        CHECK_INT(sion_fwrite(data, 1, sizeof data, sid), sizeof data);
    }
    CHECK_INT(sion_close(sid), 1);
    file = fopen(name, "r+b");
    CHECK(fseek(file, 1076 + 2 * 16 + 4, SEEK_SET) == 0 && fread(&start, 8, 1, file) == 1);
    CHECK(fseek(file, (long)start + 8, SEEK_SET) == 0 && fwrite(&two, 8, 1, file) == 1);
    fclose(file);
    support_catch();
    for (rank = 0; rank < 2; rank++) {
        sid = sion_open_rank(name, "br", NULL, NULL, &rank, NULL);
        CHECK_INT(support_warnings, rank);
        CHECK_INT(sion_close(sid), 1);
    }
    CHECK_CONTAINS(support_message,
                   "says that task 1 has 2 chunks, and that its chunk 2 has 276 bytes");
    CHECK_INT(sion_close(open_to_read("br")), 1);
    CHECK_INT(support_warnings, 2);
    CHECK_INT(support_errors, 0);
}

static void a_rank_of_a_set_does_not_need_the_other_files(void)
{
    char set[512];
    int inside = 1, outside = 4, n, nfiles, sid;

    snprintf(set, sizeof set, "%s", support_golden("invalid/i44_multi_missing.sion"));
    support_catch();
    CHECK_INT(sion_open(set, "br", &n, &nfiles, NULL, NULL, NULL, NULL), -1);
    CHECK_INT(sion_open_rank(set, "br", NULL, NULL, &outside, NULL), -1);
    CHECK_INT(support_errors, 2);
    sid = sion_open_rank(set, "br", NULL, NULL, &inside, NULL);
    CHECK(sid >= 0);
    CHECK_INT(sion_bytes_avail_in_block(sid), 200);
    CHECK_INT(sion_close(sid), 1);
}

int main(void)
{
    support_enter_folder();
    RUN(arguments_of_a_writing_open_are_checked);
    RUN(names_may_have_1016_bytes);
    RUN(files_that_cannot_be_opened_give_one_clear_line);
    RUN(arguments_keep_requested_sizes_and_stored_sizes_are_aligned);
    RUN(arrays_of_the_caller_are_filled);
    RUN(a_block_size_of_0_or_less_means_automatic);
    RUN(writing_truncates_an_old_file_in_both_modes);
    RUN(permissions_are_0666_and_0664_less_the_umask);
    RUN(one_rank_is_checked_against_the_container);
    RUN(a_number_of_chunks_that_is_too_small_is_noticed);
    RUN(a_rank_of_a_set_does_not_need_the_other_files);
    support_leave_folder();
    return check_done();
}
