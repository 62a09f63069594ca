/*
 * Each system call of a collective write or read on one rank fails in turn: no task hangs, nothing
 * leaks, only the affected tasks get a failure, and data that were reported as written can be read.
 */
#include <errno.h>

#include "mpi_check.h"
#include "vfs/fault.h"

#define NAME "c.sion"

enum { RECORDS = 4, BIG = 300000 };

static const size_t sizes[RECORDS] = {60, BIG, 0, 700};
static unsigned char data[BIG];

/* 1: this record of the last write was accepted. */
static int accepted[RECORDS];

static int open_with(const char *mode)
{
    MPI_Comm world = MPI_COMM_WORLD;
    sion_int64 chunksize = BIG + 100;
    sion_int32 fsblksize = strstr(mode, "cmerge") ? 40000 : 512; /* pieces of merged records */
    int globalrank, nfiles = 1;

    return sion_paropen_mpi(NAME, mode, &nfiles, MPI_COMM_WORLD, &world, &chunksize, &fsblksize,
                            &globalrank, NULL, NULL);
}

/* Returns 1 if open and close succeeded. */
static int write_container(const char *mode)
{
    int sid = open_with(mode), i;

    CHECK_SAME(sid < 0);
    if (sid < 0)
        return 0;
    for (i = 0; i < RECORDS; i++) {
        size_t done;

        check_fill(data, mpi_rank, i * 1000, sizes[i]);
        done = sion_coll_fwrite(data, 1, sizes[i], sid);
        CHECK(done == 0 || done == sizes[i]);
        accepted[i] = done == sizes[i];
    }
    return sion_parclose_mpi(sid) == 1;
}

/* A container that was closed holds exactly the accepted records of each task. */
static void check_records(const char *mode)
{
    int sid = open_with(mode), i;

    CHECK(sid >= 0);
    for (i = 0; sid >= 0 && i < RECORDS; i++) {
        if (!accepted[i] || sizes[i] == 0)
            continue;
        CHECK_INT(sion_fread(data, 1, sizes[i], sid), sizes[i]);
        CHECK_INT(check_compare(data, mpi_rank, i * 1000, sizes[i]), -1);
    }
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void check_container(void)
{
    check_records("br");
}

/* In merged containers, the collector's stream has each accepted record whole, in rank order. */
static void check_merged(void)
{
    int all[RECORDS * 8], sid, i, rank;

    MPI_Allgather(accepted, RECORDS, MPI_INT, all, RECORDS, MPI_INT, MPI_COMM_WORLD);
    sid = open_with("br");
    for (i = 0; mpi_rank == 0 && i < RECORDS; i++) {
        for (rank = 0; rank < mpi_size; rank++) {
            size_t done = 0;

            while (all[rank * RECORDS + i] && done < sizes[i] && !sion_feof(sid)) {
                size_t left = (size_t)sion_bytes_avail_in_block(sid);

                left = left < sizes[i] - done ? left : sizes[i] - done;
                CHECK_INT(sion_fread(data + done, 1, left, sid), left);
                done += left;
            }
            CHECK_INT(done, all[rank * RECORDS + i] ? sizes[i] : 0);
            CHECK_INT(check_compare(data, rank, i * 1000, done), -1);
        }
    }
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    check_records("br,cmerge");
}

static int read_container(const char *mode)
{
    int sid = open_with(mode), i;

    CHECK_SAME(sid < 0);
    if (sid < 0)
        return 0;
    for (i = 0; i < RECORDS; i++) {
        size_t done = sion_coll_fread(data, 1, sizes[i], sid);

        CHECK(done == 0 || done == sizes[i]);
        if (done == 0 && sizes[i] > 0) /* the position is where it was */
            done = sion_coll_fread(data, 1, sizes[i], sid);
        else
            sion_coll_fread(data, 1, 0, sid);
        CHECK_INT(done, sizes[i]);
        CHECK_INT(check_compare(data, mpi_rank, i * 1000, done), -1);
    }
    CHECK_INT(sion_feof(sid), 1);
    return sion_parclose_mpi(sid) == 1;
}

/* Let the nth call on rank `victim` fail. Returns 1 if there was an nth call. */
static int fail_nth(int (*run)(const char *), void (*check)(void), const char *mode, int victim,
                    long n)
{
    unsigned all = (1 << SCION_FAULT_CALLS) - 1 - (1 << SCION_FAULT_UNLINK);
    int descriptors = support_descriptors(), done, hit;

    support_catch();
    scion_fault_arm(all, mpi_rank == victim ? n : 0, 1, EIO);
    done = run(mode);
    hit = scion_fault_hits() > 0;
    scion_fault_disarm();
    MPI_Bcast(&hit, 1, MPI_INT, victim, MPI_COMM_WORLD);
    CHECK_INT(support_descriptors(), descriptors);
    CHECK_SAME(done);
    if (!hit)
        CHECK_INT(done, 1);
    if (done && check)
        check();
    return hit;
}

static void fail_everywhere(int (*run)(const char *), void (*check)(void), const char *mode)
{
    int victim;

    for (victim = 0; victim < mpi_size; victim++) {
        long n = 1;

        while (fail_nth(run, check, mode, victim, n) && n < 500)
            n++;
        CHECK(n > 1 && n < 500);
    }
}

static void every_call_of_writing_may_fail(void)
{
    fail_everywhere(write_container, check_container, "bw,collective,collsize=8");
    fail_everywhere(write_container, check_container, "bw,collective,collsize=2,posix");
    fail_everywhere(write_container, check_container, "bw,collective,collsize=8,recover");
}

static void every_call_of_merging_may_fail(void)
{
    fail_everywhere(write_container, check_merged, "bw,collective,cmerge,collsize=8,posix");
    fail_everywhere(write_container, check_merged, "bw,collective,cmerge,collsize=8,recover");
}

static void every_call_of_reading_may_fail(void)
{
    CHECK_INT(write_container("bw,collective"), 1);
    fail_everywhere(read_container, NULL, "br,collective,collsize=8,collread");
    fail_everywhere(read_container, NULL, "br,collective,collsize=8,posix,collread");
}

/*
 * The collector's disk is full. With commit records every call waits for its collector, so the
 * tasks that lose the record learn the reason at once, and can write it again.
 */
static void senders_learn_the_reason(void)
{
    int sid, i;

    scion_fault_arm(0, 0, 0, 0);
    sid = open_with("bw,collective,collsize=8,recover");
    check_fill(data, mpi_rank, 0, 500);
    CHECK_INT(sion_coll_fwrite(data, 1, 100, sid), 100);
    support_catch();
    scion_fault_arm(1 << SCION_FAULT_PWRITE, mpi_rank == 0, 1000, ENOSPC);
    for (i = 0; i < 2; i++) {
        CHECK_INT(sion_coll_fwrite(data + 100, 1, i ? BIG : 100, sid), 0);
        CHECK_CONTAINS(support_message, "No space left");
        CHECK_CONTAINS(support_message, NAME);
        if (mpi_rank > 0)
            CHECK_CONTAINS(support_message, "its collector, task 0");
    }
    CHECK_INT(support_errors, 2);
    scion_fault_arm(0, 0, 0, 0);
    CHECK_INT(sion_get_bytes_written(sid), 100);
    CHECK_INT(sion_coll_fwrite(data + 100, 1, 400, sid), 400);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    scion_fault_disarm();
    sid = open_with("br");
    CHECK_INT(sion_fread(data, 1, 500, sid), 500);
    CHECK_INT(check_compare(data, mpi_rank, 0, 500), -1);
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    RUN_MPI(every_call_of_writing_may_fail);
    RUN_MPI(every_call_of_merging_may_fail);
    RUN_MPI(every_call_of_reading_may_fail);
    if (mpi_size > 1)
        RUN_MPI(senders_learn_the_reason);
    return mpi_end();
}
