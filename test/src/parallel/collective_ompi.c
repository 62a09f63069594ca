/*
 * Collective reads and writes of hybrid programs: collectors serve threads of their own process and
 * of others. Arguments: number of threads of each rank; the last one is for all further ranks.
 */
#include "mpi_check.h"

#include "collective_omp.h"

#define NAME "c.sion"

static int threads, tasks, first_task; /* of this rank, of all, of this rank's thread 0 */
static sion_int64 stored;              /* stored chunk size of this rank's thread 0 */
static int nfiles;

static int do_open(const char *mode, sion_int64 wanted)
{
    MPI_Comm world = MPI_COMM_WORLD;
    sion_int64 chunksize = wanted;
    sion_int32 fsblksize = 16;
    int globalrank = -1, n = nfiles, sid;

    sid = sion_paropen_ompi(NAME, mode, &n, MPI_COMM_WORLD, &world, &chunksize, &fsblksize,
                            &globalrank, NULL, NULL);
    EXPECT(sid >= 0 && globalrank == first_task + omp_get_thread_num());
    if (omp_get_thread_num() == 0)
        stored = chunksize;
    return sid;
}

typedef void use_function(int sid, int task);

static void in_teams(const char *mode, sion_int64 chunksize, use_function *use)
{
#pragma omp parallel num_threads(threads)
    {
        int sid = do_open(mode, chunksize);

        use(sid, first_task + omp_get_thread_num());
        EXPECT(sion_parclose_ompi(sid) == 1);
    }
    team_done();
}

static void records_of_any_size(void)
{
    static const char *const writers[] = {"bw,collective", "bw,collective,collsize=3",
                                          "bw,collective,collsize=100,posix"};
    static const char *const readers[] = {"br", "br,collective",
                                          "br,collective,collsize=5,collread",
                                          "br,collective,collsize=100,posix,collread"};
    int w, r;

    for (nfiles = 1; nfiles <= 2 && nfiles <= mpi_size; nfiles++) {
        for (w = 0; w < 3; w++) {
            in_teams(writers[w], CHUNK, write_collectively);
            for (r = 0; r < 4; r++)
                in_teams(readers[r], 0, read_collectively);
        }
    }
    nfiles = 1;
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
    in_teams("bw,collective,collsize=100", LARGE, write_large);
    in_teams("br,collective,collsize=100,collread", 0, read_large);
}

static void merge_here(int sid, int task)
{
    write_merged(sid, task, task == first_task);
}

static void read_here(int sid, int task)
{
    read_merged(sid, task, task == first_task);
}

static void merged_records_fill_the_first_threads_chunks(void)
{
    int is_four = threads == 4;

    MPI_Allreduce(MPI_IN_PLACE, &is_four, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!is_four) {
        SKIP("needs four threads on each rank");
        return;
    }
    setenv("SION_COLLSIZE", "4", 1);
    in_teams("bw,cmerge", 100, merge_here);
    unsetenv("SION_COLLSIZE");
    in_teams("br", 0, read_here);
    CHECK_INT(stored, 400);
}

static void merged_records_are_read_back_by_their_writers(void)
{
    static const char *const words[] = {"", ",collsize=100", ",collsize=3"};
    char mode[60];
    int i;

    for (i = 0; i < 3; i++) {
        snprintf(mode, sizeof mode, "bw,collective,cmerge%s", words[i]);
        in_teams(mode, 100, write_merged_records);
        snprintf(mode, sizeof mode, "br,collective,cmerge%s", words[i]);
        in_teams(mode, 0, read_merged_records);
    }
}

/* Records of threads in the collector's process arrive whole, others in pieces of 16 bytes. */
static void write_pieces(int sid, int task)
{
    unsigned char data[40];

    check_fill(data, task, 0, 40);
    EXPECT(sion_coll_fwrite(data, 1, 40, sid) == 40);
}

static void merged_records_of_other_processes_arrive_in_pieces(void)
{
    unsigned char data[40];
    int sid, task, first_chunk = 0, pos = 0, whole = threads, bytes;

    MPI_Bcast(&whole, 1, MPI_INT, 0, MPI_COMM_WORLD);
    in_teams("bw,collective,cmerge,collsize=100", 25, write_pieces);
    if (mpi_rank != 0)
        return;
    sid = sion_open_rank((char[]){NAME}, "br", NULL, NULL, &(int){0}, NULL);
    CHECK(sid >= 0);
    CHECK_INT(sion_get_bytes_read(sid), 0);
    /* The first chunk has as many pieces as fit, in the order of the tasks. */
    stored = (25 * tasks + 15) / 16 * 16;
    for (task = 0; task < tasks; task++) {
        for (bytes = 0; bytes < 40;) {
            int piece = task < whole ? 40 : 40 - bytes < 16 ? 40 - bytes : 16;

            if (first_chunk == 0 && pos + piece > stored)
                first_chunk = pos;
            pos += piece;
            bytes += piece;
        }
    }
    CHECK_INT(sion_bytes_avail_in_block(sid), first_chunk ? first_chunk : pos);
    for (task = 0; task < whole && first_chunk >= 40 * (task + 1); task++) {
        CHECK_INT(sion_fread(data, 1, 40, sid), 40);
        CHECK_INT(check_compare(data, task, 0, 40), -1);
    }
    CHECK_INT(sion_close(sid), 1);
}

static void count_threads(int argc, char **argv)
{
    int which = mpi_rank + 1 < argc ? mpi_rank + 1 : argc - 1;

    threads = argc > 1 ? atoi(argv[which]) : 1;
    MPI_Exscan(&threads, &first_task, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (mpi_rank == 0)
        first_task = 0;
    MPI_Allreduce(&threads, &tasks, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void write_three(int sid, int task)
{
    (void)task;
    EXPECT(sion_coll_fwrite("abc", 1, 3, sid) == 3);
}

static void many_cycles_leave_nothing_behind(void)
{
    int descriptors = support_descriptors(), i;

    for (i = 0; i < (tasks <= 4 && (mpi_size == 1 || tasks == mpi_size) ? 2000 : 30); i++)
        in_teams("bw,collective", 100, write_three);
    CHECK_INT(support_descriptors(), descriptors);
}

int main(int argc, char **argv)
{
    omp_set_dynamic(0);
    nfiles = 1;
    mpi_begin(&argc, &argv);
    count_threads(argc, argv);
    RUN_MPI(records_of_any_size);
    RUN_MPI(large_records);
    RUN_MPI(merged_records_fill_the_first_threads_chunks);
    RUN_MPI(merged_records_are_read_back_by_their_writers);
    RUN_MPI(merged_records_of_other_processes_arrive_in_pieces);
    RUN_MPI(many_cycles_leave_nothing_behind);
    return mpi_end();
}
