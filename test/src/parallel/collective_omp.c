/* Collective reads and writes of OpenMP threads; the first thread does the I/O. */
#include "sion.h"

#include "collective_omp.h"

#define NAME "c.sion"

static sion_int64 stored; /* chunk size of thread 0 */

static int do_open(const char *mode, sion_int64 wanted)
{
    sion_int64 chunksize = wanted;
    sion_int32 fsblksize = 16;
    int globalrank = -1, sid;

    sid = sion_paropen_omp(NAME, mode, &chunksize, &fsblksize, &globalrank, NULL, NULL);
    EXPECT(sid >= 0);
    if (omp_get_thread_num() == 0)
        stored = chunksize;
    return sid;
}

typedef void use_function(int sid, int task);

static void in_team(int threads, const char *mode, sion_int64 chunksize, use_function *use)
{
#pragma omp parallel num_threads(threads)
    {
        int sid = do_open(mode, chunksize);

        use(sid, omp_get_thread_num());
        EXPECT(sion_parclose_omp(sid) == 1);
    }
    team_done();
}

static void records_of_any_size(void)
{
    static const char *const writers[] = {"bw", "bw,collective", "bw,collective,collsize=2,posix"};
    static const char *const readers[] = {"br", "br,collective,collread",
                                          "br,collective,collsize=1,posix"};
    int threads, w, r;

    for (threads = 1; threads <= 16; threads += threads < 4 ? 1 : 4) {
        for (w = 0; w < 3; w++) {
            in_team(threads, writers[w], CHUNK, write_collectively);
            for (r = 0; r < 3; r++)
                in_team(threads, readers[r], 0, read_collectively);
        }
    }
}

/* Only thread 0 can collect, so COLLNUM changes nothing. */
static void all_threads_are_one_group(void)
{
    setenv("SION_COLLNUM", "3", 1);
    in_team(4, "bw", CHUNK, write_collectively);
    in_team(4, "br", 0, read_collectively);
    CHECK_INT(stored, CHUNK);
    unsetenv("SION_COLLNUM");
    setenv("SION_COLLSIZE", "2", 1); /* fewer than there are threads */
    in_team(4, "br", 0, read_collectively);
    unsetenv("SION_COLLSIZE");
}

static void write_large(int sid, int task)
{
    move_large_record(sid, task, 1);
}

static void read_large(int sid, int task)
{
    move_large_record(sid, task, 0);
}

static void large_records(void)
{
    in_team(8, "bw,collective", LARGE, write_large);
    in_team(8, "br,collective,collread", 0, read_large);
}

static void merge_here(int sid, int task)
{
    write_merged(sid, task, task == 0);
}

static void read_here(int sid, int task)
{
    read_merged(sid, task, task == 0);
}

static void merged_records_fill_the_first_threads_chunks(void)
{
    in_team(4, "bw,collective,cmerge", 100, merge_here);
    in_team(4, "br", 0, read_here);
    CHECK_INT(stored, 400);
}

static void merged_records_are_read_back_by_their_writers(void)
{
    int threads;

    for (threads = 1; threads <= 9; threads += 2) {
        in_team(threads, "bw,collective,cmerge", 100, write_merged_records);
        in_team(threads, "br,collective,cmerge", 0, read_merged_records);
    }
}

static void two_thousand_cycles_leave_nothing_behind(void)
{
    int descriptors = support_descriptors(), i;

#pragma omp parallel num_threads(2) private(i)
    {
        for (i = 0; i < 1000; i++) {
            int sid = do_open(i % 2 ? "bw,collective" : "bw,collective,cmerge", 100);

            EXPECT(sion_coll_fwrite("abc", 1, 3, sid) == 3);
            EXPECT(sion_parclose_omp(sid) == 1);
        }
    }
    team_done();
    CHECK_INT(support_descriptors(), descriptors);
}

int main(void)
{
    omp_set_dynamic(0);
    support_enter_folder();
    support_catch();
    RUN(records_of_any_size);
    RUN(all_threads_are_one_group);
    RUN(large_records);
    RUN(merged_records_fill_the_first_threads_chunks);
    RUN(merged_records_are_read_back_by_their_writers);
    RUN(two_thousand_cycles_leave_nothing_behind);
    support_leave_folder();
    return check_done();
}
