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
    support_leave_folder();
    return check_done();
}
