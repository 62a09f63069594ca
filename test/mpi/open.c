/* Opens, closes and new starts: arguments, results, and errors that every rank must return. */
#include "mpi_check.h"

#define NAME "c.sion"

/* What a test passes to an open; set back by usual(). */
static struct {
    const char *name, *mode;
    int nfiles, *nfiles_at, globalrank, *globalrank_at;
    MPI_Comm local, *local_at;
    sion_int64 chunksize, *chunksize_at;
    sion_int32 fsblksize, *fsblksize_at;
} call;

static void usual(const char *mode)
{
    call.name = NAME;
    call.mode = mode;
    call.nfiles = 1;
    call.nfiles_at = &call.nfiles;
    call.globalrank = -9;
    call.globalrank_at = &call.globalrank;
    call.local = MPI_COMM_WORLD;
    call.local_at = &call.local;
    call.chunksize = 100 + mpi_rank;
    call.chunksize_at = &call.chunksize;
    call.fsblksize = 10;
    call.fsblksize_at = &call.fsblksize;
}

static int do_open(void)
{
    return sion_paropen_mpi(call.name, call.mode, call.nfiles_at, MPI_COMM_WORLD, call.local_at,
                            call.chunksize_at, call.fsblksize_at, call.globalrank_at, NULL, NULL);
}

/* All ranks fail, with the same reason, printed once. */
static void check_failure(int sid, const char *part)
{
    int printed = support_errors;

    CHECK_INT(sid, -1);
    CHECK_CONTAINS(sion_error_text(), part);
    MPI_Allreduce(MPI_IN_PLACE, &printed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK_INT(printed, 1);
    CHECK_INT(support_errors, mpi_rank == 0);
    CHECK_INT(call.globalrank, -9);
    support_catch();
}

static void write_something(int nfiles)
{
    int sid;

    usual("bw");
    call.nfiles = nfiles;
    sid = do_open();
    CHECK(sid >= 0);
    CHECK_INT(sion_fwrite("abcdefgh", 1, 8, sid), 8);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

/* The wrong argument is on one rank only, each in turn. */
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
        "i20_maxchunks_more", "i24_fsblk0",   "i45_multi_badmap",  "i46_multi_mapsize"};
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
    /* Another set's file in its place. */
    if (mpi_rank == 0)
        support_copy(NAME ".000002", NAME ".000001");
    MPI_Barrier(MPI_COMM_WORLD);
    usual("br");
    check_failure(do_open(), "says it is file 2 of 3, not file 1 of 3");
}

/* The container has one task more, or less, than there are ranks. */
static void wrong_numbers_of_ranks_fail_on_all(void)
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
    /* Fewer ranks than tasks: a single file serves them, a set does not. */
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

static void outputs_of_a_reading_open_are_those_of_the_file(void)
{
    int files, sid;

    for (files = 1; files <= mpi_size && files <= 4; files += 3) {
        char *name = NULL, expected[64] = NAME;
        FILE *fp = stderr;
        MPI_Comm none = MPI_COMM_NULL;

        write_something(files);
        usual("br");
        call.nfiles = 77;
        call.chunksize = call.fsblksize = call.globalrank = 77;
        sid = sion_paropen_mpi(NAME, "br", &call.nfiles, MPI_COMM_WORLD, &none, &call.chunksize,
                               &call.fsblksize, &call.globalrank, &fp, &name);
        CHECK_INT(call.nfiles, files);
        CHECK_INT(call.chunksize, (100 + mpi_rank + 9) / 10 * 10);
        CHECK_INT(call.fsblksize, 10);
        CHECK_INT(call.globalrank, mpi_rank);
        CHECK(fp && fp != stderr && ftell(fp) == sion_get_position(sid));
        if (mpi_size % 4 == 0 && mpi_rank * files / mpi_size > 0)
            snprintf(expected, sizeof expected, "%s.%06d", NAME, mpi_rank * files / mpi_size);
        CHECK_STR(name, expected);
        CHECK_INT(sion_get_number_of_files(sid), files);
        CHECK_INT(sion_is_serial_opened(sid), 0);
        free(name);
        CHECK_INT(sion_parclose_mpi(sid), 1);
    }
}

static void block_sizes_of_0_or_less_are_automatic(void)
{
    static const int asked[] = {0, -1, -2};
    struct stat status;
    int i, sid;

    for (i = 0; i < 3; i++) {
        usual("bw");
        call.fsblksize = asked[i];
        sid = do_open();
        stat(NAME, &status);
        CHECK_INT(call.fsblksize, status.st_blksize);
        CHECK_INT(sion_parclose_mpi(sid), 1);
    }
    /* The first task's value counts. */
    usual("bw");
    call.fsblksize = 64 + mpi_rank;
    sid = do_open();
    CHECK_INT(call.fsblksize, 64);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void a_communicator_for_each_task_gives_a_file_for_each(void)
{
    char name[64] = NAME, *got;
    int sid;

    usual("bw");
    call.nfiles = -1;
    call.local = MPI_COMM_SELF;
    sid = sion_paropen_mpi(NAME, "bw", &call.nfiles, MPI_COMM_WORLD, &call.local, &call.chunksize,
                           &call.fsblksize, &call.globalrank, NULL, &got);
    CHECK_INT(call.nfiles, mpi_size);
    if (mpi_rank > 0)
        snprintf(name, sizeof name, "%s.%06d", NAME, mpi_rank);
    CHECK_STR(got, name);
    free(got);
    CHECK_INT(sion_get_filenumber(sid), mpi_rank);
    CHECK_INT(sion_fwrite(&mpi_rank, sizeof mpi_rank, 1, sid), 1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    usual("bw");
    call.nfiles = 0;
    call.local = MPI_COMM_NULL;
    call.name = "one.sion";
    sid = do_open();
    CHECK_INT(call.nfiles, 1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

/* Communicators whose rank 0 is not their lowest: file 0's first task is not rank 0. */
static void oddly_ordered_communicators_get_a_right_mapping(void)
{
    MPI_Comm local;
    int sid, value = -1, i, ntasks, nfiles;
    sion_int32 *mapping;

    if (mpi_size < 4) {
        SKIP("needs 4 ranks");
        return;
    }
    MPI_Comm_split(MPI_COMM_WORLD, mpi_rank % 2, -mpi_rank, &local);
    usual("bw");
    call.nfiles = -1;
    call.local = local;
    sid = do_open();
    CHECK_INT(call.nfiles, 2);
    CHECK_INT(sion_fwrite(&mpi_rank, sizeof mpi_rank, 1, sid), 1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    MPI_Comm_free(&local);
    usual("br");
    sid = do_open();
    CHECK_INT(sion_fread(&value, sizeof value, 1, sid), 1);
    CHECK_INT(value, mpi_rank);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    if (mpi_rank == 0) {
        char name[] = NAME;

        sid = sion_open(name, "br", &ntasks, &nfiles, NULL, NULL, NULL, NULL);
        CHECK_INT(sion_get_mapping(sid, &ntasks, &mapping, &nfiles), 1);
        CHECK_INT(ntasks, mpi_size);
        for (i = 0; i < mpi_size; i++) {
            /* File 0 is that of the communicator led by the lower rank: size - 2. */
            CHECK_INT(mapping[2 * i], i % 2 == (mpi_size - 2) % 2 ? 0 : 1);
            CHECK_INT(sion_seek(sid, i, 0, 0), 1);
            CHECK_INT(sion_fread(&value, sizeof value, 1, sid), 1);
            CHECK_INT(value, i);
        }
        CHECK_INT(sion_close(sid), 1);
    }
}

/* One file whose places are those of the local communicator, and every rank has its own again. */
static void one_file_is_in_the_order_of_its_communicator(void)
{
    MPI_Comm reversed;
    char name[] = NAME;
    int sid, value = -1, i, ntasks, nfiles, *ranks = NULL;

    MPI_Comm_split(MPI_COMM_WORLD, 0, -mpi_rank, &reversed);
    usual("bw");
    call.nfiles = -1;
    call.local = reversed;
    sid = do_open();
    CHECK_INT(call.nfiles, 1);
    CHECK_INT(sion_fwrite(&mpi_rank, sizeof mpi_rank, 1, sid), 1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    MPI_Comm_free(&reversed);
    usual("br");
    sid = do_open();
    CHECK_INT(sion_fread(&value, sizeof value, 1, sid), 1);
    CHECK_INT(value, mpi_rank);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    if (mpi_rank > 0)
        return;
    sid = sion_open(name, "br", &ntasks, &nfiles, NULL, NULL, &ranks, NULL);
    for (i = 0; i < mpi_size; i++) {
        CHECK_INT(ranks[i], mpi_size - 1 - i);
        CHECK_INT(sion_seek(sid, i, 0, 0), 1);
        CHECK_INT(sion_fread(&value, sizeof value, 1, sid), 1);
        CHECK_INT(value, ranks[i]);
    }
    CHECK_INT(sion_close(sid), 1);
    free(ranks);
}

static void the_first_tasks_name_counts(void)
{
    char own[32], *got = NULL;
    int sid;

    snprintf(own, sizeof own, "name%d.sion", mpi_rank);
    usual("bw");
    sid = sion_paropen_mpi(own, "bw", &call.nfiles, MPI_COMM_WORLD, &call.local, &call.chunksize,
                           &call.fsblksize, &call.globalrank, NULL, &got);
    CHECK_STR(got, "name0.sion");
    CHECK_INT(sion_fwrite(own, 1, sizeof own, sid), sizeof own);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    free(got);
    CHECK_INT(access(own, F_OK) == 0, mpi_rank == 0);
    sid = sion_paropen_mpi(own, "br", &call.nfiles, MPI_COMM_WORLD, &call.local, NULL, NULL, NULL,
                           NULL, &got);
    CHECK_STR(got, "name0.sion");
    CHECK_INT(sion_bytes_avail_in_block(sid), sizeof own);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    free(got);
}

static void closing_what_is_not_open_in_parallel_is_refused(void)
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

static void a_new_start_discards_what_was_written(void)
{
    char data[400] = {0};
    int files, sid;

    for (files = 1; files <= 2 && files <= mpi_size; files++) {
        FILE *fp = NULL;

        usual("bw");
        call.fsblksize = 100;
        call.nfiles = files;
        sid =
            sion_paropen_mpi(NAME, "bw", &call.nfiles, MPI_COMM_WORLD, &call.local, &call.chunksize,
                             &call.fsblksize, &call.globalrank, mpi_rank == 0 ? &fp : NULL, NULL);
        CHECK_INT(sion_fwrite(data, 1, 90, sid), 90);
        CHECK_INT(sion_fwrite(data, 1, 90, sid), 90);
        CHECK_INT(sion_parreinit_mpi(sid, mpi_rank == mpi_size - 1 ? -5 : 330), 0);
        CHECK_INT(sion_get_bytes_written(sid), 180);
        CHECK_INT(sion_parreinit_mpi(sid, 330), 1);
        CHECK_INT(sion_get_bytes_written(sid), 0);
        memset(data, 'x', sizeof data);
        CHECK_INT(sion_fwrite(data, 1, 400, sid), 400); /* 330 is 400 when aligned */
        if (mpi_rank == 0)
            CHECK_INT(ftell(fp), sion_get_position(sid));
        CHECK_INT(sion_parclose_mpi(sid), 1);
        usual("br");
        sid = do_open();
        CHECK_INT(call.chunksize, 400);
        CHECK_INT(sion_bytes_avail_in_block(sid), 400);
        CHECK_INT(sion_fread(data, 1, 400, sid), 400);
        CHECK(data[0] == 'x' && data[399] == 'x');
        CHECK_INT(sion_feof(sid), 1);
        CHECK_INT(sion_parclose_mpi(sid), 1);
    }
}

/* A set is laid out anew as a whole, or not at all. */
static void a_new_start_that_is_refused_for_one_file_changes_none(void)
{
    int sid;

    usual("bw");
    call.nfiles = mpi_size;
    sid = do_open();
    CHECK_INT(sion_fwrite("12345678", 1, 8, sid), 8);
    CHECK_INT(sion_parreinit_mpi(sid, mpi_rank == mpi_size - 1 ? INT64_MAX : 50), 0);
    support_catch();
    CHECK_INT(sion_get_bytes_written(sid), 8);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    usual("br");
    sid = do_open();
    CHECK_INT(sion_bytes_avail_in_block(sid), 8);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    /* Nor does an open that is refused. */
    usual("bw");
    call.nfiles = 1;
    call.name = NAME;
    call.chunksize = mpi_rank == 0 ? INT64_MAX : 50;
    check_failure(do_open(), "more than a file can hold");
    usual("br");
    sid = do_open();
    CHECK_INT(sion_bytes_avail_in_block(sid), 8);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

/* SION_ERROR_MSG_RANK chooses who prints. */
static void the_rank_that_is_asked_for_prints(void)
{
    usual("br");
    call.name = "missing";
    setenv("SION_ERROR_MSG_RANK", "1", 1);
    CHECK_INT(do_open(), -1);
    CHECK_INT(support_errors, mpi_rank == (mpi_size > 1 ? 1 : 0));
    unsetenv("SION_ERROR_MSG_RANK");
}

static void the_deprecated_opens_fill_the_name(void)
{
    char name[] = NAME, got[SION_FILENAME_LENGTH] = "";
    int sid;

    usual("bw");
    sid = sion_paropen_multi_mpi(name, "bw", &call.nfiles, MPI_COMM_WORLD, &call.local,
                                 &call.chunksize, &call.fsblksize, &call.globalrank, NULL, got);
    CHECK_STR(got, NAME);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    usual("bw");
    call.nfiles = 5;
    sid = sion_paropen_comms_mpi(name, "bw", &call.nfiles, MPI_COMM_WORLD, MPI_COMM_SELF,
                                 &call.chunksize, &call.fsblksize, &call.globalrank, NULL, got);
    CHECK_INT(call.nfiles, mpi_size);
    CHECK_INT(strlen(got), mpi_rank == 0 ? 6 : 13);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void no_communicator_is_an_error(void)
{
    usual("bw");
    CHECK_INT(sion_paropen_mpi(NAME, "bw", &call.nfiles, MPI_COMM_NULL, &call.local,
                               &call.chunksize, &call.fsblksize, &call.globalrank, NULL, NULL),
              -1);
    CHECK_INT(support_errors, 1);
}

/* Its collectives mean something else, and its two groups have two files in mind. */
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

static void numbers_begin_behind_the_interface(void)
{
    int first, second;

    usual("bw");
    first = do_open();
    usual("bw");
    call.name = "second.sion";
    second = do_open();
    CHECK_INT(first, 1);
    CHECK_INT(second, 2);
    CHECK_INT(sion_parclose_mpi(second), 1);
    CHECK_INT(sion_parclose_mpi(first), 1);
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    RUN_MPI(bad_arguments_on_one_rank_fail_on_all);
    RUN_MPI(arguments_that_must_be_equal_are_compared);
    RUN_MPI(more_files_than_ranks_are_refused);
    RUN_MPI(numbers_begin_behind_the_interface);
    RUN_MPI(a_local_communicator_must_be_part_of_a_partition);
    RUN_MPI(files_that_cannot_be_created_fail_on_all);
    RUN_MPI(a_folder_without_permission_fails_on_all);
    RUN_MPI(missing_and_damaged_files_fail_on_all);
    RUN_MPI(a_missing_file_of_a_set_fails_on_all);
    RUN_MPI(wrong_numbers_of_ranks_fail_on_all);
    RUN_MPI(outputs_of_a_reading_open_are_those_of_the_file);
    RUN_MPI(block_sizes_of_0_or_less_are_automatic);
    RUN_MPI(a_communicator_for_each_task_gives_a_file_for_each);
    RUN_MPI(oddly_ordered_communicators_get_a_right_mapping);
    RUN_MPI(one_file_is_in_the_order_of_its_communicator);
    RUN_MPI(the_first_tasks_name_counts);
    RUN_MPI(closing_what_is_not_open_in_parallel_is_refused);
    RUN_MPI(a_new_start_discards_what_was_written);
    RUN_MPI(a_new_start_that_is_refused_for_one_file_changes_none);
    RUN_MPI(the_rank_that_is_asked_for_prints);
    RUN_MPI(the_deprecated_opens_fill_the_name);
    RUN_MPI(no_communicator_is_an_error);
    RUN_MPI(a_communicator_between_two_groups_is_an_error);
    return mpi_end();
}
