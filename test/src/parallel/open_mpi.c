/* Opens, closes and new starts: arguments and results. */
#include "open_mpi.h"

static void a_reading_open_returns_the_values_of_the_file(void)
{
    int files, file, sid;

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
        file = mpi_rank / (mpi_size / files);
        if (file > 0)
            snprintf(expected, sizeof expected, "%s.%06d", NAME, file < files ? file : files - 1);
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
    /* The value of the first task counts. */
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

/* Communicators whose rank 0 is not their lowest rank: the first task of file 0 is not rank 0. */
static void oddly_ordered_communicators_get_a_correct_mapping(void)
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
            /* File 0 belongs to the communicator whose leader has the lower rank: size - 2. */
            CHECK_INT(mapping[2 * i], i % 2 == (mpi_size - 2) % 2 ? 0 : 1);
            CHECK_INT(sion_seek(sid, i, 0, 0), 1);
            CHECK_INT(sion_fread(&value, sizeof value, 1, sid), 1);
            CHECK_INT(value, i);
        }
        CHECK_INT(sion_close(sid), 1);
    }
}

/* Each rank writes a number of values and chunks that depends on the rank, and reads them. */
static void write_and_read_in_order(const char *mode, MPI_Comm local, int anew)
{
    int sid, value, i;
    size_t n;

    usual(mode);
    call.nfiles = -1;
    call.local = local;
    call.chunksize = 4 * (mpi_rank + 1);
    sid = do_open();
    CHECK_INT(call.nfiles, 1);
    if (anew)
        CHECK_INT(sion_parreinit_mpi(sid, 4 * (mpi_rank + 2)), 1);
    for (i = 0; i < 20 * mpi_size; i++) {
        value = 1000 * mpi_rank + i;
        n = i < 20 * (mpi_rank + 1);
        CHECK_INT(sion_coll_fwrite(&value, sizeof value, n, sid), n);
    }
    CHECK_INT(sion_parclose_mpi(sid), 1);
    usual("br");
    sid = do_open();
    for (i = 0; i < 20 * (mpi_rank + 1); i++) {
        sion_feof(sid);
        CHECK_INT(sion_fread(&value, sizeof value, 1, sid), 1);
        CHECK_INT(value, 1000 * mpi_rank + i);
    }
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

/* Places in one file follow the local communicator, and every rank reads its own data again. */
static void one_file_is_in_the_order_of_its_communicator(void)
{
    MPI_Comm reversed;
    char name[] = NAME;
    int sid, value = -1, i, ntasks, nfiles, *ranks = NULL;

    MPI_Comm_split(MPI_COMM_WORLD, 0, -mpi_rank, &reversed);
    write_and_read_in_order("bw,collective,collsize=2", reversed, 0);
    write_and_read_in_order("bw,collective,collsize=2", reversed, 1);
    write_and_read_in_order("bw", reversed, 0);
    write_and_read_in_order("bw", reversed, 1);
    MPI_Comm_free(&reversed);
    if (mpi_rank > 0)
        return;
    sid = sion_open(name, "br", &ntasks, &nfiles, NULL, NULL, &ranks, NULL);
    for (i = 0; i < mpi_size; i++) {
        CHECK_INT(ranks[i], mpi_size - 1 - i);
        CHECK_INT(sion_seek(sid, i, 0, 0), 1);
        CHECK_INT(sion_fread(&value, sizeof value, 1, sid), 1);
        CHECK_INT(value, 1000 * ranks[i]);
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

/* A new start changes all files of a set, or none. */
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
    /* An open that is refused changes nothing either. */
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
static void the_requested_rank_prints(void)
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

static void sids_begin_after_the_interface(void)
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
    RUN_MPI(sids_begin_after_the_interface);
    RUN_MPI(a_reading_open_returns_the_values_of_the_file);
    RUN_MPI(block_sizes_of_0_or_less_are_automatic);
    RUN_MPI(a_communicator_for_each_task_gives_a_file_for_each);
    RUN_MPI(oddly_ordered_communicators_get_a_correct_mapping);
    RUN_MPI(one_file_is_in_the_order_of_its_communicator);
    RUN_MPI(the_first_tasks_name_counts);
    RUN_MPI(a_new_start_discards_what_was_written);
    RUN_MPI(a_new_start_that_is_refused_for_one_file_changes_none);
    RUN_MPI(the_requested_rank_prints);
    RUN_MPI(the_deprecated_opens_fill_the_name);
    return mpi_end();
}
