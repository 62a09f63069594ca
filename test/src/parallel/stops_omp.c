/* Close is the safe exit from any state of collective calls, also of OpenMP threads. */
#include "sion.h"

#include "stops_omp.h"

#define NAME "s.sion"

static int do_open(const char *mode)
{
    sion_int64 chunksize = CALLS * LARGEST;
    sion_int32 fsblksize = 512;
    int globalrank, sid;

    sid = sion_paropen_omp(NAME, mode, &chunksize, &fsblksize, &globalrank, NULL, NULL);
    EXPECT(sid >= 0);
    return sid;
}

static void write_all(const char *mode)
{
    const char *reader = now.mode;
    int refuses = now.refuses;

    now.mode = mode;
    now.refuses = 0;
#pragma omp parallel num_threads(now.tasks)
    {
        int sid = do_open(mode);

        EXPECT(move_until_failure(sid, omp_get_thread_num()) == CALLS);
        EXPECT(sion_parclose_omp(sid) == 1);
    }
    now.mode = reader;
    now.refuses = refuses;
}

static void stop(void)
{
    int closed[8], done[8], i, is_read = now.mode[1] == 'r';

    if (is_read)
        write_all(writer_of(now.mode));
    prepare_to_arm();
#pragma omp parallel num_threads(now.tasks)
    {
        int sid = do_open(now.mode), task = omp_get_thread_num();

#pragma omp barrier
#pragma omp master
        arm(1);
#pragma omp barrier
        done[task] = move_until_failure(sid, task);
        closed[task] = sion_parclose_omp(sid);
    }
    disarm();
    for (i = 1; i < now.tasks; i++)
        EXPECT(closed[i] == closed[0]);
    EXPECT(closed[0] == 1 || !now.refuses);
    if (is_read || strstr(now.mode, "cmerge") || closed[0] != 1)
        return;
#pragma omp parallel num_threads(now.tasks)
    {
        int sid = do_open("br");

        check_accepted(sid, omp_get_thread_num(), done[omp_get_thread_num()]);
        EXPECT(sion_parclose_omp(sid) == 1);
    }
}

static void tasks_whose_writes_fail_close_at_once(void)
{
    for (now.tasks = 2; now.tasks <= 4; now.tasks++)
        try_all(writers, sizeof writers / sizeof writers[0], stop);
    CHECK(now.hits > 0);
}

static void tasks_whose_reads_fail_close_at_once(void)
{
    for (now.tasks = 2; now.tasks <= 4; now.tasks++)
        try_all(readers, sizeof readers / sizeof readers[0], stop);
    CHECK(now.hits > 0);
}

int main(void)
{
    support_enter_folder();
    support_catch();
    RUN(tasks_whose_writes_fail_close_at_once);
    RUN(tasks_whose_reads_fail_close_at_once);
    support_leave_folder();
    return check_done();
}
