/* The file check, which prints nothing and returns the same on all ranks; and transactions. */
#include <fcntl.h>

#include "mpi_check.h"

#include "sion_debug.h"

#define NAME "c.sion"

/* It is in no public header; see src/api/io_comm.h. */
int sion_get_IO_comm_mpi(MPI_Comm *comm);

static int nfiles_wanted;

static int create(void)
{
    MPI_Comm world = MPI_COMM_WORLD;
    sion_int64 chunksize = 100;
    sion_int32 fsblksize = 100;
    int nfiles = nfiles_wanted, globalrank;

    return sion_paropen_mpi(NAME, "bw", &nfiles, MPI_COMM_WORLD, &world, &chunksize, &fsblksize,
                            &globalrank, NULL, NULL);
}

static void write_set(int nfiles)
{
    int sid;

    nfiles_wanted = nfiles;
    sid = create();
    CHECK_INT(sion_fwrite("abcdefgh", 1, 8, sid), 8);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

/* Check that all ranks return the same result, and that nothing is printed. */
static int check_with(const char *name, const char *mode)
{
    sion_file_check_par_args_mpi *args =
        sion_file_check_par_args_init_mpi(mode, MPI_COMM_WORLD, 1, MPI_COMM_WORLD);
    char fname[64];
    int result;

    snprintf(fname, sizeof fname, "%s", name);
    support_catch();
    result = sion_file_check_par_cb_mpi(fname, args);
    CHECK_SAME(result);
    CHECK_INT(support_errors, 0);
    CHECK_INT(support_warnings, 0);
    CHECK_INT(sion_file_check_par_args_free_mpi(args), 1);
    return result;
}

static void by_rank_0(void (*change)(void))
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi_rank == 0)
        change();
    MPI_Barrier(MPI_COMM_WORLD);
}

static const char *last_file(void)
{
    return mpi_size > 1 ? NAME ".000001" : NAME;
}

static void hide_last(void)
{
    CHECK_INT(rename(last_file(), "hidden"), 0);
}

static void show_last(void)
{
    CHECK_INT(rename("hidden", last_file()), 0);
}

static void cut_last(void)
{
    CHECK_INT(truncate(last_file(), 100), 0);
}

static void scribble(void)
{
    support_store(NAME, "this is not a container", 23);
}

static void a_complete_set_can_be_opened(void)
{
    int before, nfiles;

    for (nfiles = 1; nfiles <= 2 && nfiles <= mpi_size; nfiles++) {
        write_set(nfiles);
        before = support_descriptors();
        CHECK_INT(check_with(NAME, "br"), 1);
        CHECK_INT(check_with(NAME, "br,posix"), 1);
        CHECK_INT(support_descriptors(), before);
    }
}

static void a_missing_file_is_noticed_by_all(void)
{
    write_set(mpi_size > 1 ? 2 : 1);
    by_rank_0(hide_last);
    CHECK_INT(check_with(NAME, "br"), 0);
    CHECK_CONTAINS(sion_error_text(), last_file());
    by_rank_0(show_last);
    CHECK_INT(check_with(NAME, "br"), 1);
    CHECK_INT(check_with("nothing.sion", "br"), 0);
}

static void a_damaged_file_is_noticed_by_all(void)
{
    write_set(mpi_size > 1 ? 2 : 1);
    by_rank_0(cut_last);
    CHECK_INT(check_with(NAME, "br"), 0);
    write_set(1);
    by_rank_0(scribble);
    CHECK_INT(check_with(NAME, "br"), 0);
}

static void a_check_never_writes(void)
{
    write_set(1);
    CHECK_INT(check_with(NAME, "bw"), 0);
    CHECK_CONTAINS(sion_error_text(), "would write");
    CHECK_INT(check_with(NAME, mpi_rank == 0 ? "br" : "bw"), mpi_size == 1);
    CHECK_INT(check_with(NAME, "br"), 1);
    CHECK_INT(check_with("new.sion", "bw"), 0);
    CHECK(access("new.sion", F_OK) != 0);
}

static void wrong_arguments_return_no(void)
{
    char name[] = NAME;

    CHECK_INT(sion_file_check_par_cb_mpi(name, NULL), 0);
    CHECK_INT(sion_file_check_par_args_free_mpi(NULL), 1);
    CHECK_INT(check_with("", "br"), 0);
    CHECK_INT(check_with(NAME, "posix"), 0);
}

/* Without a handler, messages go to stderr, which is a file here. */
static void a_check_prints_nothing(void)
{
    char name[] = "nothing.sion";
    int copy, file;
    sion_file_check_par_args_mpi *args =
        sion_file_check_par_args_init_mpi("br,unknownword", MPI_COMM_WORLD, 1, MPI_COMM_WORLD);
    struct stat status;

    sion_error_set_handler(NULL, NULL);
    snprintf(name, sizeof name, "text%04d", mpi_rank);
    copy = dup(2);
    file = open(name, O_CREAT | O_RDWR | O_TRUNC, 0600);
    dup2(file, 2);
    strcpy(name, "nothing.sion");
    CHECK_INT(sion_file_check_par_cb_mpi(name, args), 0);
    dup2(copy, 2);
    CHECK_INT(fstat(file, &status), 0);
    CHECK_INT(status.st_size, 0);
    close(copy);
    close(file);
    sion_file_check_par_args_free_mpi(args);
}

static void messages_are_printed_again_after_a_check(void)
{
    MPI_Comm world = MPI_COMM_WORLD;
    int nfiles;

    CHECK_INT(check_with("nothing.sion", "br"), 0);
    CHECK_INT(sion_paropen_mpi("nothing.sion", "br", &nfiles, MPI_COMM_WORLD, &world, NULL, NULL,
                               NULL, NULL, NULL),
              -1);
    CHECK_INT(support_errors, mpi_rank == 0);
}

/* ---- transactions ---- */

/* Counters on rank 0: tasks inside, and events so far. */
static int *counters;
static MPI_Win window;

static int add(int counter, int n)
{
    int before;

    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Fetch_and_op(&n, &before, MPI_INT, 0, counter, MPI_SUM, window);
    MPI_Win_unlock(0, window);
    return before;
}

/* One transaction of all tasks. Returns the most tasks that this one has seen inside, with itself.
 * */
static int take_turn(int sid, int *entered, int *left)
{
    int i, most, seen;

    CHECK_INT(sion_startof_transaction_mpi(sid), 1);
    most = add(0, 1) + 1;
    *entered = add(1, 1);
    for (i = 0; i < 2; i++) {
        seen = add(0, 0);
        most = seen > most ? seen : most;
    }
    *left = add(1, 1);
    add(0, -1);
    CHECK_INT(sion_endof_transaction_mpi(sid), 1);
    MPI_Barrier(MPI_COMM_WORLD);
    return most;
}

/* Task t enters after task t - group has left; files have equal shares of the tasks. */
static void check_order(int sid, int group, int nfiles)
{
    int mine[2], all[2 * 64], share = mpi_size / nfiles, t;
    int most = take_turn(sid, &mine[0], &mine[1]);

    CHECK(most <= group * nfiles);
    MPI_Allgather(mine, 2, MPI_INT, all, 2, MPI_INT, MPI_COMM_WORLD);
    for (t = group; t < mpi_size; t++) {
        if (nfiles == 1 || t % share >= group)
            CHECK(all[2 * (t - group) + 1] < all[2 * t]);
    }
}

static void run_transactions(int group, int nfiles)
{
    char text[16];
    int sid, i;

    snprintf(text, sizeof text, "%d", group);
    setenv("SION_SERBLOCKSIZE", text, 1);
    nfiles_wanted = nfiles;
    sid = create();
    CHECK(sid >= 0);
    for (i = 0; i < 2; i++)
        check_order(sid, group, nfiles);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    unsetenv("SION_SERBLOCKSIZE");
}

static void tasks_take_turns(void)
{
    int group;

    for (group = 1; group <= mpi_size; group += 1 + mpi_size / 8)
        run_transactions(group, 1);
    if (mpi_size == 4)
        run_transactions(1, 2);
}

static void by_default_up_to_16_enter_at_once(void)
{
    int sid;

    nfiles_wanted = 1;
    sid = create();
    if (mpi_size > 16) {
        check_order(sid, 8, 1);
        CHECK_INT(sion_parclose_mpi(sid), 1);
        return;
    }
    CHECK_INT(sion_startof_transaction_mpi(sid), 1);
    MPI_Barrier(MPI_COMM_WORLD); /* hangs if a task cannot enter */
    CHECK_INT(sion_startof_transaction_mpi(sid), 1);
    CHECK_INT(sion_endof_transaction_mpi(sid), 1);
    CHECK_INT(sion_endof_transaction_mpi(sid), 1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

/* Only rank 0 has the variable, and its value counts on all ranks. */
static void the_first_task_decides(void)
{
    int sid;

    if (mpi_rank == 0)
        setenv("SION_SERBLOCKSIZE", "1", 1);
    nfiles_wanted = 1;
    sid = create();
    check_order(sid, 1, 1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    unsetenv("SION_SERBLOCKSIZE");
}

/* A receive of the application for any message gets none of the library's. */
static void messages_are_private(void)
{
    MPI_Request request;
    int word = 0, arrived;

    MPI_Irecv(&word, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    run_transactions(1, 1);
    MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
    CHECK_INT(arrived, 0);
    if (!arrived) {
        MPI_Cancel(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void transactions_need_a_parallel_sid(void)
{
    char name[32];
    int n = 1, nfiles = 1, rank = 0, *ranks = &rank, sid;
    sion_int64 size = 100, *sizes = &size;
    sion_int32 fsblksize = 100;

    CHECK_INT(sion_startof_transaction_mpi(77), 0);
    CHECK_INT(sion_endof_transaction_mpi(-1), 0);
    CHECK_INT(support_errors, 2);
    snprintf(name, sizeof name, "serial%d", mpi_rank);
    sid = sion_open(name, "bw", &n, &nfiles, &sizes, &fsblksize, &ranks, NULL);
    CHECK_INT(sion_startof_transaction_mpi(sid), 0);
    CHECK_INT(sion_endof_transaction_mpi(sid), 0);
    CHECK_INT(sion_close(sid), 1);
}

static void the_communicator_for_io_has_all_tasks(void)
{
    MPI_Comm comm;
    int result;

    CHECK_INT(sion_get_IO_comm_mpi(&comm), 1);
    MPI_Comm_compare(comm, MPI_COMM_WORLD, &result);
    CHECK_INT(result, MPI_CONGRUENT);
    MPI_Comm_free(&comm);
}

/* The rank is added to the name of the environment, each rank has a trace of its own. */
static void a_trace_of_the_environment_has_the_rank(void)
{
    char path[32], line[64];
    size_t size = 0;
    unsigned char *trace;

    setenv("SION_DEBUG", "trace", 1);
    _sion_debug_init();
    write_set(1);
    sion_debug_off();
    unsetenv("SION_DEBUG");
    snprintf(path, sizeof path, "trace.%05d", mpi_rank);
    trace = support_load(path, &size);
    CHECK(trace != NULL);
    if (trace) {
        trace[size] = '\0';
        snprintf(line, sizeof line, "mode 'bw', rank %d of %d", mpi_rank, mpi_size);
        CHECK_CONTAINS((char *)trace, line);
        CHECK_CONTAINS((char *)trace, "sion_parclose_mpi: returns 1");
    }
    free(trace);
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &counters,
                     &window);
    counters[0] = counters[1] = 0;
    RUN_MPI(a_complete_set_can_be_opened);
    RUN_MPI(a_missing_file_is_noticed_by_all);
    RUN_MPI(a_damaged_file_is_noticed_by_all);
    RUN_MPI(a_check_never_writes);
    RUN_MPI(wrong_arguments_return_no);
    RUN_MPI(a_check_prints_nothing);
    RUN_MPI(messages_are_printed_again_after_a_check);
    RUN_MPI(tasks_take_turns);
    RUN_MPI(by_default_up_to_16_enter_at_once);
    RUN_MPI(the_first_task_decides);
    RUN_MPI(messages_are_private);
    RUN_MPI(transactions_need_a_parallel_sid);
    RUN_MPI(the_communicator_for_io_has_all_tasks);
    RUN_MPI(a_trace_of_the_environment_has_the_rank);
    MPI_Win_free(&window);
    return mpi_end();
}
