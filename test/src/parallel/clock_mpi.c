/* Containers that are published when the time has come (mode word publish), by MPI. */
#include <unistd.h>

#include "comm/comm.h"
#include "mpi_check.h"

#define NAME "clock.sion"

enum { BYTES = 150, CALLS = 6 };

static int reductions;

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    reductions++;
    return PMPI_Allreduce(from, to, count, type, op, comm);
}

static int open_with(const char *mode, int nfiles)
{
    sion_int64 chunksize = 400;
    sion_int32 fsblksize = 512;
    int rank = mpi_rank;
    MPI_Comm local = MPI_COMM_WORLD;

    return sion_paropen_mpi(NAME, mode, &nfiles, MPI_COMM_WORLD, &local, &chunksize, &fsblksize,
                            &rank, NULL, NULL);
}

/* What others see: bytes of each rank's task, and that they are right. */
static void check_seen(sion_int64 bytes)
{
    unsigned char data[CALLS * BYTES * 4];
    sion_int64 chunksize;
    sion_int32 fsblksize;
    int rank = mpi_rank, sid;

    MPI_Barrier(MPI_COMM_WORLD);
    sid = sion_open_rank(NAME, "rb,generation=all", &chunksize, &fsblksize, &rank, NULL);
    CHECK(sid >= 0);
    CHECK_INT(sion_stream_read(sid, data, sizeof data), bytes);
    CHECK_INT(check_compare(data, mpi_rank, 0, (size_t)bytes), -1);
    CHECK_INT(sion_close(sid), 1);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Record number i of a rank. */
static size_t write_record(int sid, int i)
{
    unsigned char data[BYTES];

    check_fill(data, mpi_rank, (long)i * BYTES, BYTES);
    return sion_coll_fwrite(data, 1, BYTES, sid);
}

static void write_and_look(const char *mode, int nfiles)
{
    int sid = open_with(mode, nfiles), i;

    CHECK_SAME(sid >= 0);
    for (i = 0; i < CALLS && sid >= 0; i++) {
        CHECK_INT(write_record(sid, i), BYTES);
        check_seen((i + 1) * BYTES);
    }
    CHECK_INT(sion_parclose_mpi(sid), 1);
    check_seen(CALLS * BYTES);
    CHECK_INT(support_errors, 0);
}

static void each_call_publishes_after_no_time(void)
{
    write_and_look("w,publish=0", 1);
    write_and_look("w,publish=0,collective", 1);
    write_and_look("w,publish=0,collective,collsize=2,sync=close", 1);
    write_and_look("w,publish=0,collective", mpi_size);
    write_and_look("w,publish=0,keep=100", 1);
}

static void many_tasks_publish_likewise(void)
{
    scion_large_from = 1;
    each_call_publishes_after_no_time();
    scion_large_from = 1 << 19;
}

static void write_unseen(const char *mode)
{
    sion_int64 chunksize;
    sion_int32 fsblksize;
    int rank = mpi_rank, sid, i;

    sid = open_with(mode, 1);
    CHECK_SAME(sid >= 0);
    for (i = 0; i < CALLS && sid >= 0; i++)
        CHECK_INT(write_record(sid, i), BYTES);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_INT(sion_open_rank(NAME, "rb", &chunksize, &fsblksize, &rank, NULL), -1);
    support_catch();
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    check_seen(CALLS * BYTES);
}

static void nothing_is_published_before_the_time(void)
{
    write_unseen("w,publish=1000000");
    write_unseen("w,publish=1000000,collective");
}

/* In some calls only: as long as the clock stands nearly still, after twice as many each time. */
static void calls_meet_seldom(void)
{
    int sid = open_with("w,publish=1000000", 1), i, before = reductions;

    for (i = 0; i < 1000; i++)
        CHECK_INT(sion_coll_fwrite("x", 1, 1, sid), 1);
    CHECK(reductions - before >= 5);
    CHECK(reductions - before <= 12);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void transactions_publish(void)
{
    unsigned char data[BYTES];
    int sid = open_with("w,publish=0", 1), i;

    for (i = 0; i < CALLS; i++) {
        CHECK_INT(sion_startof_transaction_mpi(sid), 1);
        check_fill(data, mpi_rank, (long)i * BYTES, BYTES);
        CHECK_INT(sion_fwrite(data, 1, BYTES, sid), BYTES);
        CHECK_INT(sion_endof_transaction_mpi(sid), 1);
        if (mpi_rank == 0)
            CHECK_INT(sion_endof_transaction_mpi(sid), 1); /* counts for nothing */
        check_seen((i + 1) * BYTES);
    }
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

/* A rank stops at a failure of its own, and closes while the others go on. */
static void a_rank_may_stop(const char *mode)
{
    int last = mpi_rank == mpi_size - 1, sid = open_with(mode, 1), i;

    CHECK_INT(write_record(sid, 0), BYTES);
    for (i = 1; i < CALLS; i++) {
        if (last && i == 2) {
            CHECK_INT(sion_coll_fwrite(NULL, 1, 1, sid), 0);
            break;
        }
        CHECK_INT(write_record(sid, i), BYTES);
    }
    CHECK_INT(sion_parclose_mpi(sid), 1);
    support_catch();
    check_seen((last ? 2 : CALLS) * BYTES);
}

static void ranks_may_stop(void)
{
    a_rank_may_stop("w,publish=0");
    a_rank_may_stop("w,publish=0,collective");
    a_rank_may_stop("w,publish=1000000,collective");
}

/* Calls are counted anew after one that all ranks make. */
static void other_calls_come_between(void)
{
    int sid = open_with("w,publish=0,collective", 1);

    CHECK_INT(write_record(sid, 0), BYTES);
    if (mpi_rank == 0)
        write_record(sid, 1);
    CHECK_INT(sion_parpublish_mpi(sid), 1);
    if (mpi_rank != 0)
        CHECK_INT(write_record(sid, 1), BYTES);
    CHECK_INT(sion_parpublish_mpi(sid), 1);
    CHECK_INT(write_record(sid, 2), BYTES);
    check_seen(3 * BYTES);
    CHECK_INT(sion_parclose_mpi(sid), 1);

    sid = open_with("w,publish=1000000,collective", 1);
    CHECK_INT(write_record(sid, 0), BYTES);
    CHECK_INT(sion_parreinit_mpi(sid, 500), 1);
    CHECK_INT(write_record(sid, 0), BYTES);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    check_seen(BYTES);
}

static void rank_0_decides(void)
{
    if (mpi_rank == 0)
        setenv("SION_PUBLISH", "0", 1);
    else
        setenv("SION_PUBLISH", "1000000", 1);
    write_and_look("w,collective", 1);
    write_and_look("w", 1);
    if (mpi_rank == 0)
        unsetenv("SION_PUBLISH");
    write_unseen("w,publish=none");
    if (mpi_rank == 0)
        setenv("SION_PUBLISH", "0", 1);
    write_unseen("w,atomic=none,recover"); /* cannot be published */
    unsetenv("SION_PUBLISH");
    CHECK_INT(support_errors, 0);
}

static void what_cannot_be_says_why(void)
{
    static const char *const modes[] = {"w,publish=0,atomic", "w,publish=0,recover", "w,publish=-1",
                                        "w,publish", "r,publish=0"};
    static const char *const reasons[] = {
        "is published (publish) has no 'atomic'", "is published (publish) has no 'recover'",
        "takes a number of seconds", "takes a number of seconds", "publish is for writing"};
    size_t i;

    for (i = 0; i < sizeof modes / sizeof *modes; i++) {
        CHECK_INT(open_with(modes[i], 1), -1);
        if (mpi_rank == 0)
            CHECK_CONTAINS(support_message, reasons[i]);
        support_catch();
    }
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    RUN_MPI(each_call_publishes_after_no_time);
    RUN_MPI(many_tasks_publish_likewise);
    RUN_MPI(nothing_is_published_before_the_time);
    RUN_MPI(calls_meet_seldom);
    RUN_MPI(transactions_publish);
    RUN_MPI(ranks_may_stop);
    RUN_MPI(other_calls_come_between);
    RUN_MPI(rank_0_decides);
    RUN_MPI(what_cannot_be_says_why);
    return mpi_end();
}
