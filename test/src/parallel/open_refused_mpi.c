/* Opens that are refused or fail on all ranks alike. */
#include "open_mpi.h"

/* Each rank in turn passes a wrong argument. */
static void bad_arguments_on_one_rank_fail_on_all(void)
{
    static char long_name[1100];
    int bad;

    memset(long_name, 'x', 1017);
    for (bad = 0; bad < mpi_size; bad++) {
        int is_bad = mpi_rank == bad;
        char who[32] = "";

        if (mpi_size > 1)
            snprintf(who, sizeof who, "rank %d: ", bad);
        usual("bw");
        call.mode = is_bad ? "rw" : "bw";
        check_failure(do_open(), who);
        usual("bw");
        call.mode = is_bad ? "bw,br" : "bw";
        check_failure(do_open(), who);
        usual("bw");
        call.mode = is_bad ? "bw,keyval=hash" : "bw";
        check_failure(do_open(), "SION_KEYVAL_HASH");
        usual("bw");
        call.mode = is_bad ? "bw,buddy,cmerge" : "bw";
        check_failure(do_open(), "buddy");
        usual("bw");
        call.name = is_bad ? "" : NAME;
        check_failure(do_open(), "no file name");
        usual("bw");
        call.name = is_bad ? long_name : NAME;
        check_failure(do_open(), "too long");
        usual("bw");
        call.name = is_bad ? NULL : NAME;
        check_failure(do_open(), "no file name");
        usual("bw");
        call.chunksize = is_bad ? -1 : 10;
        check_failure(do_open(), "chunk size is -1");
        usual("bw");
        call.nfiles_at = is_bad ? NULL : &call.nfiles;
        check_failure(do_open(), "numFiles is NULL");
        usual("bw");
        call.local_at = is_bad ? NULL : &call.local;
        check_failure(do_open(), "lComm is NULL");
        usual("bw");
        call.chunksize_at = is_bad ? NULL : &call.chunksize;
        check_failure(do_open(), "is NULL");
        usual("bw");
        call.fsblksize_at = is_bad ? NULL : &call.fsblksize;
        check_failure(do_open(), "is NULL");
        usual("bw");
        call.globalrank_at = is_bad ? NULL : &call.globalrank;
        check_failure(do_open(), "is NULL");
        CHECK(access(NAME, F_OK) != 0);
    }
}

static void arguments_that_must_be_equal_are_compared(void)
{
    if (mpi_size == 1) {
        SKIP("needs several ranks");
        return;
    }
    usual("bw");
    call.nfiles = mpi_rank == 1 ? 2 : 1;
    check_failure(do_open(), "rank 1 asks for 2 files, rank 0 for 1");
    usual("bw");
    call.mode = mpi_rank == 1 ? "br" : "bw";
    check_failure(do_open(), "rank 1 opens for reading");
    usual("br");
    call.mode = mpi_rank == 1 ? "bw" : "br";
    check_failure(do_open(), "rank 1 opens for writing");
}

static void more_files_than_ranks_are_refused(void)
{
    usual("bw");
    call.nfiles = mpi_size + 1;
    check_failure(do_open(), "cannot be bigger than the number of tasks");
    CHECK(access(NAME, F_OK) != 0);
}

static void a_local_communicator_must_be_part_of_a_partition(void)
{
    MPI_Comm self = MPI_COMM_SELF;

    if (mpi_size < 2) {
        SKIP("needs several ranks");
        return;
    }
    usual("bw");
    call.nfiles = -1;
    call.local = mpi_rank == 0 ? self : MPI_COMM_WORLD;
    check_failure(do_open(), mpi_size == 1 ? "" : "");
    usual("bw");
    call.nfiles = -1;
    call.local = mpi_rank == 1 ? MPI_COMM_NULL : MPI_COMM_WORLD;
    check_failure(do_open(), "files");
}

static void files_that_cannot_be_created_fail_on_all(void)
{
    usual("bw");
    call.name = "nowhere/c.sion";
    check_failure(do_open(), "cannot open nowhere/c.sion for writing: No such file");
    usual("bw");
    call.name = "nowhere/c.sion";
    call.nfiles = mpi_size;
    check_failure(do_open(), "nowhere/c.sion");
    if (mpi_rank == 0)
        mkdir("x.sion.000001", 0777);
    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi_size > 1) {
        usual("bw");
        call.name = "x.sion";
        call.nfiles = 2;
        check_failure(do_open(), "x.sion.000001");
        CHECK(access("x.sion", F_OK) != 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi_rank == 0)
        rmdir("x.sion.000001");
}

static void a_folder_without_permission_fails_on_all(void)
{
    uid_t user = geteuid();

    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi_rank == 0)
        mkdir("closed", 0555);
    MPI_Barrier(MPI_COMM_WORLD);
    if (user == 0 && seteuid(65534) != 0) {
        SKIP("cannot become another user");
        return;
    }
    usual("bw");
    call.name = "closed/c.sion";
    check_failure(do_open(), "Permission denied");
    if (user == 0 && seteuid(0) != 0)
        MPI_Abort(MPI_COMM_WORLD, 99);
    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi_rank == 0)
        rmdir("closed");
}

static void missing_and_damaged_files_fail_on_all(void)
{
    static const char *const damaged[] = {
        "i01_empty",          "i03_badmagic", "i12_unclosed_zero", "i14_ntasks_huge",
        "i20_maxchunks_more", "i24_fsblk0",   "i46_multi_mapsize"};
    size_t i;

    usual("br");
    call.name = "missing";
    check_failure(do_open(), "cannot open missing for reading: No such file");
    for (i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
        char path[512];

        snprintf(path, sizeof path, "%s", support_golden("invalid/"));
        strcat(strcat(path, damaged[i]), ".sion");
        usual("br");
        call.name = path;
        check_failure(do_open(), damaged[i]);
    }
}

static void a_missing_file_of_a_set_fails_on_all(void)
{
    if (mpi_size < 3) {
        SKIP("needs 3 ranks");
        return;
    }
    write_something(3);
    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi_rank == 0)
        unlink(NAME ".000001");
    MPI_Barrier(MPI_COMM_WORLD);
    usual("br");
    check_failure(do_open(), NAME ".000001");
    /* A file of another set replaces it. */
    if (mpi_rank == 0)
        support_copy(NAME ".000002", NAME ".000001");
    MPI_Barrier(MPI_COMM_WORLD);
    usual("br");
    check_failure(do_open(), "says it is file 2 of 3, not file 1 of 3");
}

/* The container has one task more, or fewer, than there are ranks. */
static void a_wrong_number_of_ranks_fails_on_all(void)
{
    MPI_Comm fewer;
    int in = mpi_rank < mpi_size - 1, nfiles, sid, files;

    if (mpi_size < 3) {
        SKIP("needs 3 ranks");
        return;
    }
    MPI_Comm_split(MPI_COMM_WORLD, in, mpi_rank, &fewer);
    for (files = 1; files <= 2; files++) {
        usual("bw");
        nfiles = files;
        if (in) {
            sid = sion_paropen_mpi(NAME, "bw", &nfiles, fewer, &fewer, &call.chunksize,
                                   &call.fsblksize, &call.globalrank, NULL, NULL);
            CHECK(sid >= 0 && sion_parclose_mpi(sid) == 1);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        usual("br");
        check_failure(do_open(), files == 1 ? "less than the" : "Incorrect sum of ntasks of files");
    }
    /* Fewer ranks than tasks can read a single file, but not a set. */
    write_something(1);
    nfiles = 0;
    if (in) {
        sid = sion_paropen_mpi(NAME, "br", &nfiles, fewer, &fewer, NULL, NULL, NULL, NULL, NULL);
        CHECK(sid >= 0);
        CHECK_INT(sion_bytes_avail_in_block(sid), 8);
        CHECK_INT(sion_parclose_mpi(sid), 1);
    }
    write_something(2);
    if (in)
        CHECK_INT(
            sion_paropen_mpi(NAME, "br", &nfiles, fewer, &fewer, NULL, NULL, NULL, NULL, NULL), -1);
    MPI_Comm_free(&fewer);
    support_catch();
}

static void only_parallel_sids_can_be_closed_in_parallel(void)
{
    int sid, n, nfiles, serial;
    char name[] = NAME;

    CHECK_INT(sion_parclose_mpi(-1), -1);
    CHECK_INT(sion_parclose_mpi(0), -1); /* the number of the interface itself */
    CHECK_INT(sion_parclose_mpi(4711), -1);
    CHECK_INT(support_errors, 3);
    write_something(1);
    usual("br");
    sid = do_open();
    CHECK_INT(sion_close(sid), 0);
    serial = sion_open(name, "br", &n, &nfiles, NULL, NULL, NULL, NULL);
    CHECK_INT(sion_parclose_mpi(serial), -1);
    CHECK_INT(sion_parreinit_mpi(serial, 10), -1);
    CHECK_INT(sion_close(serial), 1);
    CHECK_INT(sion_parreinit_mpi(sid, 10), 0);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    CHECK_INT(sion_parclose_mpi(sid), -1);
    CHECK_INT(sion_parreinit_mpi(sid, 10), -1);
}

static void no_communicator_is_an_error(void)
{
    usual("bw");
    CHECK_INT(sion_paropen_mpi(NAME, "bw", &call.nfiles, MPI_COMM_NULL, &call.local,
                               &call.chunksize, &call.fsblksize, &call.globalrank, NULL, NULL),
              -1);
    CHECK_INT(support_errors, 1);
}

/* The collectives of an intercommunicator have another meaning, and its groups could mean two
 * files. */
static void a_communicator_between_two_groups_is_an_error(void)
{
    int is_low = mpi_rank < mpi_size / 2;
    MPI_Comm half, between;

    if (mpi_size < 2) {
        SKIP("needs 2 ranks");
        return;
    }
    MPI_Comm_split(MPI_COMM_WORLD, is_low, mpi_rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_low ? mpi_size / 2 : 0, 1, &between);
    usual("bw");
    CHECK_INT(sion_paropen_mpi(NAME, "bw", &call.nfiles, between, &call.local, &call.chunksize,
                               &call.fsblksize, &call.globalrank, NULL, NULL),
              -1);
    CHECK_INT(support_errors, 1);
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
}

static int open_files(const char *mode, int nfiles)
{
    usual(mode);
    call.nfiles = nfiles;
    return do_open();
}

static void check_content(void)
{
    char data[16] = "";
    int sid = open_files("br", 1);

    CHECK(sid >= 0);
    CHECK_INT(sion_fread(data, 1, 8, sid), 8);
    CHECK(memcmp(data, "abcdefgh", 8) == 0);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

/* A second writer changes no file of a set, and all ranks learn who writes. */
static void a_container_that_is_written_is_refused_on_all(void)
{
    char who[64];
    long process = getpid();
    int nfiles, sid;

    MPI_Bcast(&process, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    snprintf(who, sizeof who, NAME " is being written by process %ld on ", process);
    for (nfiles = 1; nfiles <= mpi_size && nfiles <= 3; nfiles++) {
        sid = open_files("bw", nfiles);
        CHECK(sid >= 0);
        CHECK_INT(sion_fwrite("abcd", 1, 4, sid), 4);
        CHECK_INT(sion_flush(sid), 1);
        check_failure(open_files("bw", nfiles), who);
        check_failure(open_files("bw,collective", 1), who);
        CHECK_INT(sion_fwrite("efgh", 1, 4, sid), 4);
        CHECK_INT(sion_parclose_mpi(sid), 1);
        check_content();
    }
}

static void a_new_start_keeps_the_lock(void)
{
    int sid = open_files("bw", mpi_size > 1 ? 2 : 1);

    CHECK(sid >= 0);
    CHECK_INT(sion_parreinit_mpi(sid, 200), 1);
    check_failure(open_files("bw", 1), "is being written by process");
    CHECK_INT(sion_fwrite("abcdefgh", 1, 8, sid), 8);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    check_content();
    sid = open_files("bw,lock=no", 1);
    CHECK(sid >= 0);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void sets_by_communicators_are_locked(void)
{
    MPI_Comm half;
    int is_low = mpi_rank < mpi_size / 2, sid;

    if (mpi_size < 2) {
        SKIP("needs several ranks");
        return;
    }
    MPI_Comm_split(MPI_COMM_WORLD, is_low, mpi_rank, &half);
    usual("bw");
    call.local = half;
    call.nfiles = -1;
    sid = do_open();
    CHECK(sid >= 0);
    call.globalrank = -9;
    check_failure(do_open(), "is being written by process");
    CHECK_INT(sion_parclose_mpi(sid), 1);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    RUN_MPI(bad_arguments_on_one_rank_fail_on_all);
    RUN_MPI(arguments_that_must_be_equal_are_compared);
    RUN_MPI(more_files_than_ranks_are_refused);
    RUN_MPI(a_local_communicator_must_be_part_of_a_partition);
    RUN_MPI(files_that_cannot_be_created_fail_on_all);
    RUN_MPI(a_folder_without_permission_fails_on_all);
    RUN_MPI(missing_and_damaged_files_fail_on_all);
    RUN_MPI(a_missing_file_of_a_set_fails_on_all);
    RUN_MPI(a_wrong_number_of_ranks_fails_on_all);
    RUN_MPI(only_parallel_sids_can_be_closed_in_parallel);
    RUN_MPI(no_communicator_is_an_error);
    RUN_MPI(a_communicator_between_two_groups_is_an_error);
    RUN_MPI(a_container_that_is_written_is_refused_on_all);
    RUN_MPI(a_new_start_keeps_the_lock);
    RUN_MPI(sets_by_communicators_are_locked);
    return mpi_end();
}
