/* sion_seek: tasks, chunks, offsets, and wrong arguments. */
#include "sion.h"

#include "support.h"

static char name[] = "c.sion";
static unsigned char data[4000];

/* Four tasks; 0 has one chunk of 991 bytes, 1 has two of 1191, 2 and 3 are empty. */
static void create_sample(void)
{
    int n = 4, nfiles = 1, ranks[4] = {0, 1, 2, 3}, *r = ranks, sid;
    sion_int64 sizes[4] = {1000, 1200, 1400, 1600}, *s = sizes;
    sion_int32 fs = 10;

    sid = sion_open(name, "bw", &n, &nfiles, &s, &fs, &r, NULL);
    check_fill(data, 0, 0, 991);
    CHECK_INT(sion_fwrite(data, 1, 991, sid), 991);
    CHECK_INT(sion_seek(sid, 1, 0, 0), 1);
    check_fill(data, 1, 0, 2382);
    CHECK_INT(sion_fwrite(data, 1, 1191, sid), 1191);
    CHECK_INT(sion_fwrite(data + 1191, 1, 1191, sid), 1191);
    CHECK_INT(sion_close(sid), 1);
}

static int open_sample(void)
{
    int n, nfiles;

    return sion_open(name, "br", &n, &nfiles, NULL, NULL, NULL, NULL);
}

static void check_place(int sid, int block, sion_int64 pos, sion_int64 available)
{
    sion_int64 got_pos;
    int got_block;

    sion_get_current_location(sid, &got_block, &got_pos, NULL, NULL);
    CHECK_INT(got_block, block);
    CHECK_INT(got_pos, pos);
    CHECK_INT(sion_bytes_avail_in_block(sid), available);
}

static void empty_tasks_are_at_their_end(void)
{
    int sid = open_sample(), task;

    for (task = 2; task < 4; task++) {
        CHECK_INT(sion_seek(sid, task, 0, 0), 1);
        CHECK_INT(sion_bytes_avail_in_block(sid), 0);
        CHECK_INT(sion_feof(sid), 1);
    }
    CHECK_INT(sion_close(sid), 1);
}

static void seeks_from_the_end(void)
{
    static const struct {
        int offset, block, pos, available;
    } table[] = {
        {0, 1, 1191, 0},     {-1, 1, 1190, 1},    {-1190, 1, 1, 1190}, {-1191, 1, 0, 1191},
        {-1192, 0, 1190, 1}, {-2381, 0, 1, 1190}, {-2382, 0, 0, 1191},
    };
    int sid = open_sample();
    size_t i;

    for (i = 0; i < sizeof table / sizeof table[0]; i++) {
        CHECK_INT(sion_seek(sid, 1, SION_END_POS, table[i].offset), 1);
        check_place(sid, table[i].block, table[i].pos, table[i].available);
    }
    support_catch();
    CHECK_INT(sion_seek(sid, 1, SION_END_POS, 1), 0);
    CHECK_INT(sion_seek(sid, 1, SION_END_POS, -2383), 0);
    CHECK_INT(support_errors, 2);
    check_place(sid, 0, 0, 1191);
    CHECK_INT(sion_close(sid), 1);
}

static void seeks_from_the_start(void)
{
    static const struct {
        int offset, block, pos;
    } table[] = {{0, 0, 0}, {1190, 0, 1190}, {1191, 0, 1191}, {1192, 1, 1}, {2382, 1, 1191}};
    int sid = open_sample();
    size_t i;

    for (i = 0; i < sizeof table / sizeof table[0]; i++) {
        CHECK_INT(sion_seek(sid, 1, SION_ABSOLUTE_POS, table[i].offset), 1);
        check_place(sid, table[i].block, table[i].pos, 1191 - table[i].pos);
        CHECK_INT(sion_get_bytes_read(sid), table[i].offset);
    }
    support_catch();
    CHECK_INT(sion_seek(sid, 1, SION_ABSOLUTE_POS, -1), 0);
    CHECK_INT(sion_seek(sid, 1, SION_ABSOLUTE_POS, 2383), 0);
    CHECK_INT(support_errors, 2);
    CHECK_INT(sion_close(sid), 1);
}

static void out_of_range_changes_nothing(void)
{
    int sid = open_sample();

    CHECK_INT(sion_seek(sid, 1, 1, 7), 1);
    support_catch();
    CHECK_INT(sion_seek(sid, -1, 0, 0), 0);
    CHECK_INT(sion_seek(sid, 4, 0, 0), 0);
    CHECK_INT(sion_seek(sid, 0, 1, 0), 0);
    CHECK_INT(sion_seek(sid, 0, -1, 0), 0);
    CHECK_INT(sion_seek(sid, 0, 0, 992), 0);
    CHECK_INT(sion_seek(sid, 0, 0, -1), 0);
    CHECK_INT(support_errors, 6);
    check_place(sid, 1, 7, 1184);
    CHECK_INT(sion_fread(data, 1, 5, sid), 5);
    CHECK_INT(check_compare(data, 1, 1198, 5), -1);
    CHECK_INT(sion_close(sid), 1);
}

static void every_task_keeps_its_position(void)
{
    int sid = open_sample();

    CHECK_INT(sion_fread(data, 1, 300, sid), 300);
    CHECK_INT(sion_seek(sid, 1, 1, 100), 1);
    CHECK_INT(sion_fread(data, 1, 50, sid), 50);
    CHECK_INT(sion_seek(sid, 0, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    check_place(sid, 0, 300, 691);
    CHECK_INT(sion_fread(data, 1, 691, sid), 691);
    CHECK_INT(check_compare(data, 0, 300, 691), -1);
    CHECK_INT(sion_seek(sid, 1, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    check_place(sid, 1, 150, 1041);
    /* A task that was left at its end stays there. */
    CHECK_INT(sion_seek(sid, 0, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(sion_seek(sid, SION_CURRENT_RANK, SION_CURRENT_BLK, 5), 1);
    check_place(sid, 0, 5, 986);
    CHECK_INT(sion_seek(sid, 1, 0, SION_CURRENT_POS), 1);
    check_place(sid, 0, 150, 1041);
    CHECK_INT(sion_close(sid), 1);
}

/* Two tasks with chunks of 10 bytes; each has three chunks with 8 bytes. */
static void create_turns(const char *mode)
{
    int n = 2, nfiles = 1, ranks[2] = {0, 1}, *r = ranks, sid, round, task;
    sion_int64 sizes[2] = {10, 10}, *s = sizes;
    sion_int32 fs = 10;

    sid = sion_open(name, mode, &n, &nfiles, &s, &fs, &r, NULL);
    for (round = 0; round < 3; round++) {
        for (task = 0; task < 2; task++) {
            check_fill(data, task, 8 * round, 8);
            CHECK_INT(sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
            CHECK_INT(sion_fwrite(data, 1, 8, sid), 8);
        }
    }
    CHECK_INT(sion_close(sid), 1);
}

static void loops_over_tasks_get_every_chunk(void)
{
    int sid, round, task;

    create_turns("bw");
    sid = open_sample();
    for (round = 0; round < 3; round++) {
        for (task = 0; task < 2; task++) {
            CHECK_INT(sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
            CHECK_INT(sion_bytes_avail_in_chunk(sid), 8);
            CHECK_INT(sion_fread(data, 1, 8, sid), 8);
            CHECK_INT(check_compare(data, task, 8 * round, 8), -1);
        }
    }
    /* A task at the end of its last chunk stays there. */
    for (task = 0; task < 2; task++) {
        CHECK_INT(sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
        check_place(sid, 2, 8, 0);
    }
    CHECK_INT(sion_close(sid), 1);
}

/* A set of three files, whose task 2 has two chunks and is in the second file. */
static void tasks_of_a_set_also_continue_in_their_next_chunk(void)
{
    char set[512];
    sion_int64 first, second;
    int n, nfiles, sid;

    snprintf(set, sizeof set, "%s", support_golden("mpi/m01_multi.sion"));
    sid = sion_open(set, "br", &n, &nfiles, NULL, NULL, NULL, NULL);
    CHECK_INT(sion_seek(sid, 2, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    first = sion_bytes_avail_in_chunk(sid);
    CHECK_INT(sion_fread(data, 1, (size_t)first, sid), first);
    CHECK_INT(sion_seek(sid, 5, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    CHECK_INT(sion_seek(sid, 2, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    check_place(sid, 1, 0, 500);
    second = sion_bytes_avail_in_chunk(sid);
    CHECK_INT(sion_fread(data, 1, (size_t)second, sid), second);
    CHECK_INT(check_compare(data, 2, first, (size_t)second), -1);
    CHECK_INT(sion_close(sid), 1);
}

static void the_selected_task_continues_in_its_next_chunk(void)
{
    unsigned char byte = 0;
    FILE *fp = NULL;
    int sid;

    create_turns("bw");
    sid = open_sample();
    CHECK_INT(sion_seek(sid, 1, 0, 8), 1);
    check_place(sid, 0, 8, 0);
    CHECK_INT(sion_seek_fp(sid, SION_CURRENT_RANK, SION_CURRENT_BLK, SION_CURRENT_POS, &fp), 1);
    check_place(sid, 1, 0, 8);
    CHECK_INT(fread(&byte, 1, 1, fp), 1);
    CHECK_INT(byte, check_payload(1, 8));
    CHECK_INT(sion_close(sid), 1);
}

static void a_seek_that_fails_still_returns_the_file(void)
{
    FILE *fp = NULL, *other = NULL;
    int sid;

    create_turns("bw");
    sid = open_sample();
    support_catch();
    CHECK_INT(sion_seek_fp(sid, 1, 3, 0, &fp), 0);
    CHECK_INT(support_errors, 1);
    CHECK_CONTAINS(support_message, "chunk number (3)");
    CHECK_INT(sion_seek_fp(sid, 0, 0, 0, &other), 1);
    CHECK(fp && fp == other);
    CHECK_INT(sion_close(sid), 1);
}

static void one_rank_keeps_its_position_unless_it_is_named(void)
{
    int rank = 1, sid;

    create_turns("bw");
    sid = sion_open_rank(name, "br", NULL, NULL, &rank, NULL);
    CHECK_INT(sion_fread(data, 1, 8, sid), 8);
    CHECK_INT(sion_seek(sid, SION_CURRENT_RANK, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    check_place(sid, 0, 8, 0);
    CHECK_INT(sion_seek(sid, 1, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    check_place(sid, 1, 0, 8);
    CHECK_INT(sion_close(sid), 1);
}

static void key_value_streams_do_not_move(void)
{
    int sid;

    create_turns("bw,keyval=inline");
    sid = open_sample();
    CHECK_INT(sion_seek(sid, 1, 0, 10), 1);
    CHECK_INT(sion_seek(sid, 1, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    check_place(sid, 0, 10, 0);
    CHECK_INT(sion_close(sid), 1);
    create_sample();
}

static void writing_continues_only_at_the_end(void)
{
    int n = 2, nfiles = 1, ranks[2] = {0, 1}, *r = ranks, sid;
    sion_int64 sizes[2] = {100, 100}, *s = sizes;
    sion_int32 fs = 100;

    sid = sion_open(name, "bw", &n, &nfiles, &s, &fs, &r, NULL);
    CHECK_INT(sion_fwrite(data, 1, 40, sid), 40);
    CHECK_INT(sion_fwrite(data, 1, 70, sid), 70);
    support_catch();
    CHECK_INT(sion_seek(sid, 0, 0, 0), 0);
    CHECK_INT(sion_seek(sid, 0, 1, 69), 0);
    CHECK_INT(sion_seek(sid, 1, 0, 1), 0);
    CHECK_INT(sion_seek(sid, 1, 1, 0), 0);
    CHECK_INT(sion_seek(sid, 2, 0, 0), 0);
    CHECK_INT(support_errors, 5);
    /* Refused seeks have not selected another task. */
    CHECK_INT(sion_get_bytes_written(sid), 110);
    CHECK_INT(sion_seek(sid, 0, 1, 70), 1);
    CHECK_INT(sion_seek(sid, 1, 0, 0), 1);
    CHECK_INT(sion_get_bytes_written(sid), 0);
    CHECK_INT(sion_seek(sid, 0, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    CHECK_INT(sion_fwrite(data, 1, 30, sid), 30);
    CHECK_INT(sion_get_bytes_written(sid), 140);
    CHECK_INT(sion_close(sid), 1);
}

static void positions_count_single_bytes(void)
{
    int n = 1, nfiles = 1, rank = 0, *r = &rank, sid, i;
    sion_int64 size = 100, *s = &size;
    sion_int32 fs = 100;

    sid = sion_open(name, "bw", &n, &nfiles, &s, &fs, &r, NULL);
    for (i = 1; i <= 3; i++) {
        CHECK_INT(sion_fwrite(data, 1, 1, sid), 1);
        CHECK_INT(sion_get_position(sid), 1200 + i);
    }
    CHECK_INT(sion_close(sid), 1);
    sid = open_sample();
    for (i = 1; i <= 3; i++) {
        CHECK_INT(sion_fread(data, 1, 1, sid), 1);
        CHECK_INT(sion_get_position(sid), 1200 + i);
        CHECK_INT(sion_get_bytes_read(sid), i);
    }
    CHECK_INT(sion_close(sid), 1);
}

int main(void)
{
    support_enter_folder();
    create_sample();
    RUN(empty_tasks_are_at_their_end);
    RUN(seeks_from_the_end);
    RUN(seeks_from_the_start);
    RUN(out_of_range_changes_nothing);
    RUN(every_task_keeps_its_position);
    RUN(loops_over_tasks_get_every_chunk);
    RUN(tasks_of_a_set_also_continue_in_their_next_chunk);
    RUN(the_selected_task_continues_in_its_next_chunk);
    RUN(a_seek_that_fails_still_returns_the_file);
    RUN(one_rank_keeps_its_position_unless_it_is_named);
    RUN(key_value_streams_do_not_move);
    RUN(writing_continues_only_at_the_end);
    RUN(positions_count_single_bytes);
    support_leave_folder();
    return check_done();
}
