/* Containers that grow, by OpenMP. */
#include "sion.h"

#include "support.h"

static char NAME[] = "grow.sion";

static int open_team(const char *mode)
{
    sion_int64 chunksize = 500;
    sion_int32 fsblksize = 512;
    int globalrank;

    return sion_paropen_omp(NAME, mode, &chunksize, &fsblksize, &globalrank, NULL, NULL);
}

static int publish_team(int sid)
{
    return sion_parpublish_omp(sid);
}

static int close_team(int sid)
{
    return sion_parclose_omp(sid);
}

#include "grow_omp.h"

static void meet(void)
{
}

static void teams_publish_and_append(void)
{
    int threads;

    support_catch();
    for (threads = 1; threads <= 5; threads += 2) {
        write_and_append(threads, 0, threads, 1, "", meet);
        write_and_append(threads, 0, threads, 1, ",keep=9", meet);
        write_and_append(threads, 0, threads, 1, ",collective", meet);
#ifdef HAVE_ZSTD
        write_and_append(threads, 0, threads, 1, ",compress=zstd,shuffle=2", meet);
#endif
    }
    CHECK_INT(support_errors, 0);
}

static void teams_publish_by_the_clock(void)
{
    int threads;

    for (threads = 1; threads <= 3; threads++) {
        support_catch();
        write_by_clock(threads, 0, threads, 1, meet);
        CHECK_INT(support_errors, 1);
    }
}

/* One process writes on, and the team that reads sees it. */
static void append_to_all(const char *mode, int ntasks)
{
    int nfiles = 1, ranks[3] = {0, 1, 2}, *pranks = ranks, sid, task;
    sion_int64 sizes[3] = {500, 500, 500}, *psizes = sizes;
    sion_int32 fsblksize = 512;

    sid = sion_open(NAME, mode, &ntasks, &nfiles, &psizes, &fsblksize, &pranks, NULL);
    CHECK(sid >= 0);
    for (task = 0; sid >= 0 && task < ntasks; task++) {
        CHECK_INT(sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
        CHECK_INT(sion_fwrite("123456789", 1, 5 + (size_t)task, sid), 5 + task);
    }
    CHECK_INT(sion_close(sid), 1);
}

static void teams_that_read_go_on(void)
{
    support_catch();
#pragma omp parallel num_threads(3)
    {
        int sid = open_team("w"), round;

        EXPECT(sion_fwrite("old", 1, 3, sid) == 3);
        EXPECT(close_team(sid) == 1);
        sid = open_team("r");
        for (round = 0; round < 3; round++) {
            sion_int64 new = 5 + omp_get_thread_num();
            char data[9];

#pragma omp barrier
#pragma omp master
            append_to_all("a", 3);
#pragma omp barrier
            EXPECT(sion_refresh(sid) == new);
            EXPECT(sion_stream_size(sid) == 3 + (round + 1) * new);
            EXPECT(round > 0 || sion_fread(data, 1, 3, sid) == 3);
            EXPECT(sion_fread(data, 1, (size_t) new, sid) ==
                   (size_t) new &&memcmp(data, "123456789", (size_t) new) == 0);
        }
        EXPECT(close_team(sid) == 1);
    }
    team_done();
    CHECK_INT(support_errors, 0);
}

/* The same of one generation, the newest, or of all that are left. */
static void go_on_with_generations(const char *mode, int is_all)
{
#pragma omp parallel num_threads(3)
    {
        int sid = open_team("w,keep=2"), round;
        sion_int64 new = 5 + omp_get_thread_num(), number, forgotten;
        char data[9];

        EXPECT(sion_fwrite("old", 1, 3, sid) == 3);
        EXPECT(close_team(sid) == 1);
        sid = open_team(mode);
        EXPECT(sion_fread(data, 1, 3, sid) == 3);
        for (round = 0; round < 3; round++) {
#pragma omp barrier
#pragma omp master
            append_to_all("a,keep=2", 3);
#pragma omp barrier
            EXPECT(sion_refresh(sid) == new);
            EXPECT(sion_fread(data, 1, (size_t) new, sid) ==
                   (size_t) new &&memcmp(data, "123456789", (size_t) new) == 0);
            number = forgotten = -1;
            EXPECT(sion_get_generation(sid, &number, &forgotten) == 1);
            EXPECT(number == (is_all ? 0 : round + 2));
            EXPECT(forgotten == (is_all && round > 0 ? 3 + (round - 1) * new : 0));
        }
        EXPECT(close_team(sid) == 1);
    }
    team_done();
}

static void teams_that_read_generations_go_on(void)
{
    support_catch();
    go_on_with_generations("r", 0);
    go_on_with_generations("r,generation=all", 1);
    CHECK_INT(support_errors + support_warnings, 0);
}

static void another_number_of_threads_is_refused(void)
{
    support_catch();
#pragma omp parallel num_threads(3)
    EXPECT(open_team("a") == -1);
    team_done();
    CHECK_CONTAINS(support_message, "has 5 tasks, and cannot be written on by 3");
}

int main(void)
{
    support_enter_folder();
    RUN(teams_publish_and_append);
    RUN(another_number_of_threads_is_refused);
    RUN(teams_publish_by_the_clock);
    RUN(teams_that_read_go_on);
    RUN(teams_that_read_generations_go_on);
    support_leave_folder();
    return check_done();
}
