/* sion_dup of containers that one process has opened. */
#include "sion.h"

#include "support.h"

enum { TASKS = 3 };

static char name[] = "d.sion";

/* Each task writes three records of 40 bytes, in chunks of 50. */
static void write_records(void)
{
    int n = TASKS, nfiles = 1, ranks[TASKS] = {0, 1, 2}, *r = ranks, sid, task, i;
    sion_int64 sizes[TASKS] = {50, 50, 50}, *s = sizes;
    sion_int32 fs = 50;
    unsigned char data[40];

    sid = sion_open(name, "bw", &n, &nfiles, &s, &fs, &r, NULL);
    for (task = 0; task < TASKS; task++) {
        CHECK_INT(sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
        for (i = 0; i < 3; i++) {
            check_fill(data, task, 40 * i, 40);
            CHECK_INT(sion_fwrite(data, 1, 40, sid), 40);
        }
    }
    CHECK_INT(sion_close(sid), 1);
}

/* Each task has the keys 10 and 20 + task, with two and one records. */
static void write_keys(void)
{
    int n = TASKS, nfiles = 1, ranks[TASKS] = {0, 1, 2}, *r = ranks, sid, task;
    sion_int64 sizes[TASKS] = {50, 50, 50}, *s = sizes;
    sion_int32 fs = 50;

    sid = sion_open(name, "bw,keyval=inline", &n, &nfiles, &s, &fs, &r, NULL);
    for (task = 0; task < TASKS; task++) {
        CHECK_INT(sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
        CHECK_INT(sion_fwrite_key("abc", 10, 1, 3, sid), 3);
        CHECK_INT(sion_fwrite_key("hello", 20 + (uint64_t)task, 1, 5, sid), 5);
        CHECK_INT(sion_fwrite_key("def", 10, 1, 3, sid), 3);
    }
    CHECK_INT(sion_close(sid), 1);
}

static int open_all(const char *mode)
{
    int n, nfiles;

    return sion_open(name, mode, &n, &nfiles, NULL, NULL, NULL, NULL);
}

static void check_next(int sid, int task, int record)
{
    unsigned char data[40];

    CHECK_INT(sion_fread(data, 1, 40, sid), 40);
    CHECK_INT(check_compare(data, task, 40 * record, 40), -1);
}

static void check_all_tasks(const char *mode)
{
    int sid = open_all(mode), copy;

    check_next(sid, 0, 0);
    CHECK_INT(sion_seek(sid, 2, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    check_next(sid, 2, 0);
    check_next(sid, 2, 1);
    copy = sion_dup(sid, SION_DUP_ALL, -1, 0);
    CHECK(copy >= 0 && copy != sid);
    check_next(sid, 2, 2);
    CHECK_INT(sion_dedup(sid), 0);
    CHECK_INT(sion_close(sid), 1);
    CHECK_INT(sion_is_serial_opened(copy), 1);
    check_next(copy, 2, 2);
    CHECK_INT(sion_feof(copy), 1);
    CHECK_INT(sion_seek(copy, 0, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    check_next(copy, 0, 1);
    CHECK_INT(sion_seek(copy, 1, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    check_next(copy, 1, 0);
    CHECK_INT(sion_dedup(copy), 1);
}

static void all_tasks_continue_at_their_positions(void)
{
    support_catch();
    write_records();
    check_all_tasks("br");
    check_all_tasks("br,posix");
}

static void one_task_can_be_duplicated(void)
{
    int sid, copy;

    support_catch();
    write_records();
    sid = open_all("br");
    CHECK_INT(sion_seek(sid, 1, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    check_next(sid, 1, 0);
    CHECK_INT(sion_seek(sid, 0, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    CHECK_INT(sion_dup(sid, SION_DUP_RANK, -1, 0), -1);
    CHECK_INT(sion_dup(sid, SION_DUP_RANK, TASKS, 0), -1);
    CHECK_INT(support_errors, 2);
    copy = sion_dup(sid, SION_DUP_RANK, 1, 0);
    CHECK_INT(sion_close(sid), 1);
    check_next(copy, 1, 1);
    CHECK_INT(sion_seek(copy, 0, 0, 0), 0);
    CHECK_INT(sion_dedup(copy), 1);
}

static void the_rank_does_not_matter_if_one_rank_was_opened(void)
{
    int rank = 2, sid, copy;

    write_records();
    sid = sion_open_rank(name, "br", NULL, NULL, &rank, NULL);
    check_next(sid, 2, 0);
    copy = sion_dup(sid, SION_DUP_RANK, -1, 0);
    check_next(copy, 2, 1);
    CHECK_INT(sion_dedup(copy), 1);
    copy = sion_dup(sid, SION_DUP_ALL, 7, 0);
    CHECK_INT(sion_close(sid), 1);
    check_next(copy, 2, 1);
    CHECK_INT(sion_dedup(copy), 1);
}

static void a_rank_of_a_set_is_found_in_its_file(void)
{
    char set[512];
    unsigned char data[100];
    int n, nfiles, sid, copy;

    snprintf(set, sizeof set, "%s", support_golden("mpi/m10_lcomm.sion"));
    sid = sion_open(set, "br", &n, &nfiles, NULL, NULL, NULL, NULL);
    copy = sion_dup(sid, SION_DUP_RANK, 4, 0);
    CHECK_INT(sion_fread(data, 1, 100, copy), 100);
    CHECK_INT(check_compare(data, 4, 0, 100), -1);
    CHECK_INT(sion_dedup(copy), 1);
    copy = sion_dup(sid, SION_DUP_ALL, 0, 0);
    CHECK_INT(sion_close(sid), 1);
    CHECK_INT(sion_seek(copy, 5, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    CHECK_INT(sion_fread(data, 1, 100, copy), 100);
    CHECK_INT(check_compare(data, 5, 0, 100), -1);
    CHECK_INT(sion_dedup(copy), 1);
}

/* The sum of the keys, at most two, that a duplicate lists before it has scanned anything. */
static uint64_t known_keys(int sid)
{
    uint64_t key, sum = 0;

    while (sion_key_list_iterator_next(sid, &key))
        sum += key;
    return sum;
}

static void check_known(int sid, int mode, int rank, uint64_t key, uint64_t expected)
{
    int copy = sion_dup(sid, mode, rank, key);

    CHECK(copy >= 0);
    CHECK_INT(known_keys(copy), expected);
    CHECK_INT(sion_dedup(copy), 1);
}

static void duplicates_know_the_keys_that_were_scanned(void)
{
    sion_key_stat_t stat;
    int rank = 1, sid, copy;
    char text[4] = "";

    write_keys();
    sid = open_all("br");
    CHECK_INT(sion_seek(sid, 1, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    check_known(sid, SION_DUP_ALL, 0, 0, 0);
    CHECK_INT(sion_key_full_scan(sid), 1);
    CHECK_INT(sion_fread_key(text, 10, 1, 3, sid), 3);
    check_known(sid, SION_DUP_ALL, 0, 0, 31);
    check_known(sid, SION_DUP_RANK, 1, 0, 31);
    check_known(sid, SION_DUP_RANK, 0, 0, 0);
    check_known(sid, SION_DUP_RANK_KEY, 1, 21, 21);
    copy = sion_dup(sid, SION_DUP_RANK_KEY, 1, 10);
    CHECK_INT(sion_close(sid), 1);
    CHECK_INT(sion_key_get_stat(copy, 10, &stat), 1);
    CHECK(stat.num_blocks == 2 && stat.total_size == 6);
    CHECK_INT(sion_key_get_stat(copy, 21, &stat), 0);
    CHECK_INT(sion_seek_key(copy, 10, 1, 0), 1);
    CHECK_INT(sion_fread_key(text, 10, 1, 3, copy), 3);
    CHECK_STR(text, "def");
    CHECK_INT(sion_dedup(copy), 1);
    sid = sion_open_rank(name, "br", NULL, NULL, &rank, NULL);
    CHECK_INT(sion_key_full_scan(sid), 1);
    check_known(sid, SION_DUP_RANK, -1, 0, 31);
    check_known(sid, SION_DUP_RANK_KEY, -1, 10, 10);
    CHECK_INT(sion_close(sid), 1);
}

/* A duplicate opens the file again by its name, which may have become the name of another file. */
static void another_container_of_that_name_is_refused(void)
{
    int n = 1, nfiles = 1, rank = 0, *r = &rank, sid, writer;
    sion_int64 size = 50, *s = &size;
    sion_int32 fs = 50;

    support_catch();
    write_records();
    sid = open_all("br");
    CHECK_INT(sion_seek(sid, 0, 2, 0), 1);
    CHECK_INT(unlink(name), 0);
    writer = sion_open(name, "bw", &n, &nfiles, &s, &fs, &r, NULL);
    CHECK_INT(sion_close(writer), 1);
    CHECK_INT(sion_dup(sid, SION_DUP_ALL, 0, 0), -1);
    CHECK_CONTAINS(support_message, "another container");
    CHECK_INT(sion_dup(sid, SION_DUP_RANK, 0, 0), -1);
    CHECK_INT(sion_dup(sid, SION_DUP_RANK, 1, 0), -1);
    CHECK_INT(support_errors, 3);
    CHECK_INT(sion_close(sid), 1);
}

static void only_readers_have_duplicates(void)
{
    int n = 1, nfiles = 1, rank = 0, *r = &rank, sid;
    sion_int64 size = 50, *s = &size;
    sion_int32 fs = 50;

    support_catch();
    sid = sion_open(name, "bw", &n, &nfiles, &s, &fs, &r, NULL);
    CHECK_INT(sion_dup(sid, SION_DUP_ALL, 0, 0), -1);
    CHECK_CONTAINS(support_message, "the container is open for writing");
    CHECK_INT(sion_close(sid), 1);
    sid = open_all("br");
    CHECK_INT(sion_dup(sid, 5, 0, 0), -1);
    CHECK_CONTAINS(support_message, "SION_DUP_RANK_KEY, not 5");
    CHECK_INT(sion_dup(sid, SION_DUP_RANK_KEY, 0, 0), -1);
    CHECK_INT(support_errors, 3);
    CHECK_INT(sion_close(sid), 1);
}

int main(void)
{
    support_enter_folder();
    RUN(all_tasks_continue_at_their_positions);
    RUN(one_task_can_be_duplicated);
    RUN(the_rank_does_not_matter_if_one_rank_was_opened);
    RUN(a_rank_of_a_set_is_found_in_its_file);
    RUN(duplicates_know_the_keys_that_were_scanned);
    RUN(another_container_of_that_name_is_refused);
    RUN(only_readers_have_duplicates);
    support_leave_folder();
    return check_done();
}
