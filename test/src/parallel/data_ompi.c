/* The hybrid interface. Arguments: number of threads of each rank; the last one is for all further
   ranks. */
#include "mpi_check.h"

#include "team_omp.h"

#define NAME "c.sion"

static int threads, tasks, first_task; /* of this rank, of all, of this rank's thread 0 */

/* number of threads of each rank */
static int *threads_of;

struct call {
    const char *name, *mode;
    int nfiles, globalrank;
    MPI_Comm local;
    sion_int64 chunksize;
    sion_int32 fsblksize;
};

static struct call usual(const char *mode, int nfiles)
{
    return (struct call){NAME, mode, nfiles, -9, MPI_COMM_WORLD, 100, 16};
}

static int do_open(struct call *call)
{
    return sion_paropen_ompi(call->name, call->mode, &call->nfiles, MPI_COMM_WORLD, &call->local,
                             &call->chunksize, &call->fsblksize, &call->globalrank, NULL, NULL);
}

static int my_task(void)
{
    return first_task + omp_get_thread_num();
}

/* 100, 50 and 100 bytes. */
static void write_stream(int sid, long task)
{
    unsigned char data[250];

    check_fill(data, task, 0, 250);
    EXPECT(sion_fwrite(data, 1, 100, sid) == 100);
    EXPECT(sion_fwrite(data + 100, 1, 50, sid) == 50);
    EXPECT(sion_fwrite(data + 150, 1, 100, sid) == 100);
}

static void read_stream(int sid, long task)
{
    unsigned char data[250];
    long total = 0;

    while (!sion_feof(sid) && total < 250) {
        size_t left = (size_t)sion_bytes_avail_in_block(sid);

        EXPECT(sion_fread(data, 1, left, sid) == left);
        EXPECT(check_compare(data, task, total, left) == -1);
        total += (long)left;
    }
    EXPECT(total == 250 && sion_feof(sid));
}

static const char *mode = "bw";

static void write_container(int nfiles, MPI_Comm local, int expected_files)
{
#pragma omp parallel num_threads(threads)
    {
        struct call call = usual(mode, nfiles);
        int sid;

        call.local = local;
        sid = do_open(&call);
        EXPECT(sid >= 0 && call.globalrank == my_task() && call.nfiles == expected_files);
        write_stream(sid, my_task());
        EXPECT(sion_parclose_ompi(sid) == 1);
    }
    team_done();
}

static void read_container(int expected_files)
{
#pragma omp parallel num_threads(threads)
    {
        struct call call = usual("br", -7);
        int sid = do_open(&call);

        EXPECT(sid >= 0 && call.globalrank == my_task() && call.nfiles == expected_files);
        EXPECT(call.chunksize == 112 && call.fsblksize == 16);
        read_stream(sid, my_task());
        EXPECT(sion_parclose_ompi(sid) == 1);
    }
    team_done();
}

/* Read every task's stream with the serial interface, and check its file. file_of: [rank], or NULL.
 * */
static void read_serially(int nfiles, const int *file_of)
{
    int n, files, sid, size, rank, task = 0, thread;
    sion_int32 *mapping;

    if (mpi_rank != 0)
        return;
    sid = sion_open(NAME, "br", &n, &files, NULL, NULL, NULL, NULL);
    CHECK(sid >= 0 && n == tasks && files == nfiles);
    CHECK_INT(sion_get_mapping(sid, &size, &mapping, &files), 1);
    CHECK_INT(size, nfiles > 1 ? tasks : -1);
    for (rank = 0; rank < mpi_size; rank++) {
        for (thread = 0; thread < threads_of[rank]; thread++, task++) {
            CHECK_INT(sion_seek(sid, task, 0, 0), 1);
            read_stream(sid, task);
            if (nfiles > 1 && file_of)
                CHECK_INT(mapping[2 * task], file_of[rank]);
        }
    }
    CHECK_INT(sion_close(sid), 1);
    team_done();
}

static void one_file_is_written_and_read(void)
{
    write_container(1, MPI_COMM_WORLD, 1);
    read_container(1);
    read_serially(1, NULL);
    write_container(-1, MPI_COMM_NULL, 1);
    read_serially(1, NULL);
}

/* Ranks are divided among the files; threads of a rank stay together. */
static void files_divide_the_ranks(void)
{
    int nfiles, rank, file_of[16];

    for (nfiles = 2; nfiles <= mpi_size; nfiles++) {
        for (rank = 0; rank < mpi_size; rank++) {
            int file = rank / (mpi_size / nfiles);

            file_of[rank] = file < nfiles ? file : nfiles - 1;
        }
        write_container(nfiles, MPI_COMM_WORLD, nfiles);
        read_container(nfiles);
        read_serially(nfiles, file_of);
    }
}

/* For opens that ask for one file. Threads of a rank stay together. */
static void the_mode_may_say_the_number_of_files(void)
{
    mode = "bw,files=writers";
    write_container(1, MPI_COMM_WORLD, mpi_size);
    read_container(mpi_size);
    mode = "bw,files=2";
    write_container(1, MPI_COMM_WORLD, mpi_size > 1 ? 2 : 1);
    mode = "bw,files=node";
    write_container(1, MPI_COMM_WORLD, 1);
    mode = "bw";
}

/* A local communicator may have its ranks in another order than the global one. */
static void files_follow_local_communicators(void)
{
    int rank, file_of[16];
    MPI_Comm local;

    for (rank = 0; rank < mpi_size; rank++)
        file_of[rank] = rank % 2;
    MPI_Comm_split(MPI_COMM_WORLD, mpi_rank % 2, mpi_rank, &local);
    write_container(0, local, mpi_size > 1 ? 2 : 1);
    read_container(mpi_size > 1 ? 2 : 1);
    read_serially(mpi_size > 1 ? 2 : 1, file_of);
    MPI_Comm_free(&local);
    write_container(-1, MPI_COMM_SELF, mpi_size);
    read_serially(mpi_size, NULL);
    MPI_Comm_split(MPI_COMM_WORLD, mpi_rank % 2, -mpi_rank, &local);
    write_container(-1, local, mpi_size > 1 ? 2 : 1);
    read_container(mpi_size > 1 ? 2 : 1);
    read_serially(mpi_size > 1 ? 2 : 1, NULL);
    MPI_Comm_free(&local);
}

/* All threads of all ranks fail, and the message is printed once. */
static void check_failures(int failed, const char *part)
{
    int printed = support_errors;

    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &printed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK_INT(failed, tasks);
    CHECK_INT(printed, 1);
    if (mpi_rank == 0)
        CHECK_CONTAINS(support_message, part);
    support_catch();
    team_done();
}

static void more_files_than_ranks_are_refused(void)
{
    int failed = 0;

    unlink(NAME);
    MPI_Barrier(MPI_COMM_WORLD);
#pragma omp parallel num_threads(threads) reduction(+ : failed)
    {
        struct call call = usual("bw", mpi_size + 1);

        failed = do_open(&call) == -1;
        EXPECT(call.globalrank == -9);
    }
    check_failures(failed, "cannot be bigger than the number of processes");
    CHECK(access(NAME, F_OK) != 0);
}

static void a_bad_argument_of_one_task_fails_on_all(void)
{
    static const struct {
        const char *mode, *part;
        sion_int64 chunksize;
    } bad[] = {{"rw", "unknown file mode", 10}, {"bw", "chunk size is -1", -1}};
    size_t i;
    int who, failed;

    for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        for (who = 0; who < tasks; who++) {
            failed = 0;
#pragma omp parallel num_threads(threads) reduction(+ : failed)
            {
                struct call call = usual(my_task() == who ? bad[i].mode : "bw", 1);

                call.chunksize = my_task() == who ? bad[i].chunksize : 10;
                failed = do_open(&call) == -1;
                EXPECT(strstr(sion_error_text(), bad[i].part) != NULL);
            }
            check_failures(failed, bad[i].part);
        }
    }
}

static void opens_that_fail_do_so_on_all_tasks(void)
{
    static const char *const names[] = {"no/such/folder", "not-there"};
    int descriptors = support_descriptors(), failed, i;

    for (i = 0; i < 3; i++) {
        failed = 0;
#pragma omp parallel num_threads(threads) reduction(+ : failed)
        {
            struct call call = usual(i == 1 ? "bw" : "br", i == 1 ? mpi_size : 1);

            call.name = names[i == 2];
            failed = do_open(&call) == -1;
        }
        check_failures(failed, names[i == 2]);
    }
    CHECK_INT(support_descriptors(), descriptors);
}

/* Of four processes, two ask for another number of files than the others. */
static void different_numbers_of_files_are_refused(void)
{
    int failed = 0;

    if (mpi_size != 4) {
        SKIP("needs four ranks");
        return;
    }
#pragma omp parallel num_threads(threads) reduction(+ : failed)
    {
        struct call call = usual("bw", mpi_rank < 2 ? 2 : 3);

        failed = do_open(&call) == -1;
    }
    check_failures(failed, "asks for 3 files, rank 0 for 2");
}

/* One rank's team has another size at the close; then all teams close with their former size. */
static void another_team_size_at_the_close_is_refused_everywhere(void)
{
    int sids[16], who, failed, usual_tasks = tasks;

#pragma omp parallel num_threads(threads)
    {
        struct call call = usual("bw", 1);

        sids[omp_get_thread_num()] = do_open(&call);
    }
    for (who = 0; who < mpi_size; who++) {
        int now = threads + (mpi_rank == who);

        failed = 0;
        tasks = usual_tasks + 1;
#pragma omp parallel num_threads(now) reduction(+ : failed)
        {
            failed = sion_parclose_ompi(sids[omp_get_thread_num() % threads]) == 0;
            EXPECT(strstr(sion_error_text(), "invalid number of OpenMP threads") != NULL);
        }
        check_failures(failed, "invalid number of OpenMP threads");
    }
    tasks = usual_tasks;
    if (tasks > mpi_size) {
        failed = 0;
#pragma omp parallel num_threads(threads) reduction(+ : failed)
        failed = sion_parclose_ompi(sids[0]) == -1;
        check_failures(failed, "one for each task");
    }
#pragma omp parallel num_threads(threads)
    EXPECT(sion_parclose_ompi(sids[omp_get_thread_num()]) == 1);
    team_done();
}

static void sids_of_another_interface_are_refused(void)
{
    struct call call = usual("bw", 1);
    MPI_Comm world = MPI_COMM_WORLD;
    char name[24];
    int sid = sion_paropen_mpi(NAME, "bw", &call.nfiles, world, &world, &call.chunksize,
                               &call.fsblksize, &call.globalrank, NULL, NULL);

    CHECK_INT(sion_parclose_ompi(sid), -1);
    CHECK_CONTAINS(support_message, "opened by MPI, not by MPI and OpenMP");
    CHECK_INT(sion_parclose_omp(sid), -1);
    CHECK_CONTAINS(support_message, "opened by MPI, not by OpenMP");
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = do_open(&call);
    CHECK_INT(sion_parclose_mpi(sid), -1);
    CHECK_INT(sion_parreinit_mpi(sid, 10), -1);
    CHECK_INT(sion_parclose_omp(sid), -1);
    CHECK_CONTAINS(support_message, "opened by MPI and OpenMP, not by OpenMP");
    CHECK_INT(sion_parclose_ompi(sid), 1);
    CHECK_INT(sion_parclose_ompi(sid), -1);
    snprintf(name, sizeof name, "omp%d.sion", mpi_rank);
    sid = sion_paropen_omp(name, "bw", &call.chunksize, &call.fsblksize, &call.globalrank, NULL,
                           NULL);
    CHECK(sid >= 0);
    CHECK_INT(sion_parclose_mpi(sid), -1);
    CHECK_INT(sion_parclose_ompi(sid), -1);
    CHECK_INT(sion_parclose_omp(sid), 1);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void several_containers_are_open_at_once(void)
{
#pragma omp parallel num_threads(threads)
    {
        static const char *const names[] = {"a.sion", NAME};
        int sids[2], i;

        for (i = 0; i < 2; i++) {
            struct call call = usual("bw", i == 0 ? mpi_size : 1);

            call.name = names[i];
            sids[i] = do_open(&call);
        }
        write_stream(sids[0], my_task() + 5);
        write_stream(sids[1], my_task());
        EXPECT(sion_parclose_ompi(sids[0]) == 1);
        EXPECT(sion_parclose_ompi(sids[1]) == 1);
    }
    team_done();
    read_container(1);
}

static void many_cycles_leave_nothing_behind(void)
{
    int descriptors = support_descriptors(), cycles = tasks == 2 ? 2500 : 50, i;

    for (i = 0; i < cycles; i++) {
#pragma omp parallel num_threads(threads)
        {
            struct call call = usual("bw,posix", mpi_size);
            int sid = do_open(&call);

            EXPECT(sid >= 0 && sid < 64);
            EXPECT(sion_parclose_ompi(sid) == 1);
        }
    }
    CHECK_INT(support_descriptors(), descriptors);
    team_done();
}

/* Read all data of a thread in a sample file. */
static long read_sample(int sid)
{
    unsigned char data[2000];
    long total = 0;

    while (!sion_feof(sid)) {
        size_t left = (size_t)sion_bytes_avail_in_block(sid);

        EXPECT(sion_coll_fread(data, 1, left, sid) == left);
        EXPECT(check_compare(data, my_task(), total, left) == -1);
        total += (long)left;
    }
    return total;
}

/*
 * 8 threads read a set of 2, 2 and 4 tasks that 8 MPI ranks have written, whether or not the data
 * of a rank's threads are in one file.
 */
static void any_threads_read_a_set_of_another_program(void)
{
    static const long bytes[] = {30, 200, 1100, 6, 1033, 1000, 1, 0};
    char path[512];

    if (tasks != 8) {
        SKIP("needs eight tasks");
        return;
    }
    snprintf(path, sizeof path, "%s", support_golden("mpi/m01_multi.sion"));
#pragma omp parallel num_threads(threads)
    {
        struct call call = usual("br", 1);
        char *name = NULL;
        int sid, task = my_task();

        call.name = path;
        sid = sion_paropen_ompi(call.name, call.mode, &call.nfiles, MPI_COMM_WORLD, &call.local,
                                &call.chunksize, &call.fsblksize, &call.globalrank, NULL, &name);
        EXPECT(sid >= 0 && call.nfiles == 3);
        EXPECT(name && (task < 2) == (strcmp(name, path) == 0));
        EXPECT(sion_get_filenumber(sid) == (task < 4 ? task / 2 : 2));
        EXPECT(read_sample(sid) == bytes[task]);
        EXPECT(sion_parclose_ompi(sid) == 1);
        free(name);
    }
    team_done();
}

/* A damaged pair locks out its rank, of a set whose files are read by any threads. */
static void a_damaged_pair_locks_out_one_thread(void)
{
    static const long bytes[] = {30, 200, 1100, 6, 1033, 1000, 1, 0};
    enum { LOCKED = 4 };
    char path[512];

    if (tasks != 8) {
        SKIP("needs eight tasks");
        return;
    }
    snprintf(path, sizeof path, "%s", support_golden("invalid/i45_multi_badmap.sion"));
    support_catch();
#pragma omp parallel num_threads(threads)
    {
        struct call call = usual("br", 1);
        int sid, task = my_task();
        char byte;

        call.name = path;
        sid = do_open(&call);
        EXPECT(sid >= 0 && call.nfiles == 3);
        if (task == LOCKED)
            EXPECT(sion_fread(&byte, 1, 1, sid) == 0 && sion_bytes_avail_in_block(sid) == -1 &&
                   strstr(sion_error_text(), "rank 4 is not where the mapping says"));
        else
            EXPECT(read_sample(sid) == bytes[task]);
        EXPECT(sion_parclose_ompi(sid) == 1);
    }
    support_catch();
    team_done();
}

/* Threads in different files cannot share a collector, so they cannot read merged records. */
static void threads_in_different_files_cannot_read_merged_records(void)
{
    char path[512];

    if (tasks != 8 || mpi_size > 2) {
        SKIP("needs eight tasks, and threads of each rank in different files");
        return;
    }
    snprintf(path, sizeof path, "%s", support_golden("mpi/m01_multi.sion"));
    support_catch();
#pragma omp parallel num_threads(threads)
    {
        struct call call = usual("br,collective,cmerge,collsize=2", 1);

        EXPECT(sion_paropen_ompi(path, call.mode, &call.nfiles, MPI_COMM_WORLD, &call.local,
                                 &call.chunksize, &call.fsblksize, &call.globalrank, NULL,
                                 NULL) == -1);
        EXPECT(sion_error_code() == SION_ERR_MISMATCH);
    }
    team_done();
    if (mpi_rank == 0)
        CHECK_CONTAINS(support_message, "cannot read what was merged in these");
}

/* If a file of such a set is missing, all threads of all ranks fail. */
static void a_missing_file_of_such_a_set_fails_on_all(void)
{
    int opened = 0;

    if (tasks != 8) {
        SKIP("needs eight tasks");
        return;
    }
    if (mpi_rank == 0) {
        support_copy(support_golden("mpi/m01_multi.sion"), "o.sion");
        support_copy(support_golden("mpi/m01_multi.sion.000002"), "o.sion.000002");
    }
    MPI_Barrier(MPI_COMM_WORLD);
#pragma omp parallel num_threads(threads) reduction(+ : opened)
    {
        struct call call = usual("br", 1);

        call.name = "o.sion";
        opened = do_open(&call) >= 0;
        EXPECT(strstr(sion_error_text(), "o.sion.000001") != NULL);
    }
    CHECK_INT(opened, 0);
    CHECK(mpi_rank > 0 || support_errors == 1);
    support_catch();
    team_done();
}

static void count_threads(int argc, char **argv)
{
    int which = mpi_rank + 1 < argc ? mpi_rank + 1 : argc - 1;

    threads = argc > 1 ? atoi(argv[which]) : 1;
    threads_of = malloc((size_t)mpi_size * sizeof *threads_of);
    MPI_Allgather(&threads, 1, MPI_INT, threads_of, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Exscan(&threads, &first_task, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (mpi_rank == 0)
        first_task = 0;
    MPI_Allreduce(&threads, &tasks, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int status;

    omp_set_dynamic(0);
    mpi_begin(&argc, &argv);
    count_threads(argc, argv);
    RUN_MPI(one_file_is_written_and_read);
    RUN_MPI(files_divide_the_ranks);
    RUN_MPI(the_mode_may_say_the_number_of_files);
    RUN_MPI(files_follow_local_communicators);
    RUN_MPI(more_files_than_ranks_are_refused);
    RUN_MPI(different_numbers_of_files_are_refused);
    RUN_MPI(a_bad_argument_of_one_task_fails_on_all);
    RUN_MPI(opens_that_fail_do_so_on_all_tasks);
    RUN_MPI(another_team_size_at_the_close_is_refused_everywhere);
    RUN_MPI(sids_of_another_interface_are_refused);
    RUN_MPI(several_containers_are_open_at_once);
    RUN_MPI(any_threads_read_a_set_of_another_program);
    RUN_MPI(a_damaged_pair_locks_out_one_thread);
    RUN_MPI(threads_in_different_files_cannot_read_merged_records);
    RUN_MPI(a_missing_file_of_such_a_set_fails_on_all);
    RUN_MPI(many_cycles_leave_nothing_behind);
    status = mpi_end();
    free(threads_of);
    return status;
}
