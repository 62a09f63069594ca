/*
 * Each system call of a write or a read on one rank fails in turn: every rank returns a failure
 * from the same call, no rank hangs, nothing leaks, and a container that was closed can be read.
 */
#include <errno.h>

#include "mpi_check.h"
#include "vfs/fault.h"

#define NAME "c.sion"

enum { BIG = 100000 };

static unsigned char data[BIG];

static int open_with(const char *mode, int nfiles)
{
    MPI_Comm world = MPI_COMM_WORLD;
    sion_int64 chunksize = 120000;
    sion_int32 fsblksize = 512;
    int globalrank;

    return sion_paropen_mpi(NAME, mode, &nfiles, MPI_COMM_WORLD, &world, &chunksize, &fsblksize,
                            &globalrank, NULL, NULL);
}

/* 0: no failure; else the step in which this rank got its own failure or that of the group. */
enum { OPEN_FAILED = 1, CLOSE_FAILED = 2 };

static int write_container(const char *mode, int nfiles)
{
    int sid = open_with(mode, nfiles);

    CHECK_SAME(sid < 0);
    if (sid < 0)
        return OPEN_FAILED;
    /* These calls fail only on their own task; the close reports the loss to all. */
    sion_fwrite(data, 1, 50, sid);
    sion_fwrite(data, 1, BIG, sid);
    sion_fwrite(data, 1, 70, sid);
    return sion_parclose_mpi(sid) == 1 ? 0 : CLOSE_FAILED;
}

static int read_container(const char *mode, int nfiles)
{
    int sid = open_with(mode, nfiles), bad;

    CHECK_SAME(sid < 0);
    if (sid < 0)
        return OPEN_FAILED;
    bad = sion_fread(data, 1, 50, sid) != 50 || sion_fread(data, 1, BIG, sid) != BIG;
    return sion_parclose_mpi(sid) != 1 || bad ? CLOSE_FAILED : 0;
}

/* Every process has two tasks, one after the other in the files. */
static int open_mapped(int writing, int nfiles)
{
    int n = 2, ranks[2], files[2], places[2], i;
    int *rank_list = ranks, *file_list = files, *place_list = places;
    sion_int64 chunks[2] = {120000, 120000}, *chunk_list = chunks;
    sion_int32 fsblksize = 512;

    for (i = 0; i < n; i++) {
        ranks[i] = 2 * mpi_rank + i;
        files[i] = ranks[i] % nfiles;
        places[i] = ranks[i] / nfiles;
    }
    return sion_paropen_mapped_mpi(NAME, writing ? "bw" : "br", &nfiles, MPI_COMM_WORLD, &n,
                                   &rank_list, &chunk_list, &file_list, &place_list, &fsblksize,
                                   NULL);
}

static int write_mapped(const char *mode, int nfiles)
{
    int sid = open_mapped(1, nfiles), i;

    (void)mode;
    CHECK_SAME(sid < 0);
    if (sid < 0)
        return OPEN_FAILED;
    for (i = 0; i < 4; i++) {
        sion_seek(sid, 2 * mpi_rank + i % 2, SION_CURRENT_BLK, SION_CURRENT_POS);
        sion_fwrite(data, 1, i < 2 ? 50 : BIG, sid);
    }
    return sion_parclose_mapped_mpi(sid) == 1 ? 0 : CLOSE_FAILED;
}

static int read_mapped(const char *mode, int nfiles)
{
    int sid = open_mapped(0, nfiles), bad = 0, i;

    (void)mode;
    CHECK_SAME(sid < 0);
    if (sid < 0)
        return OPEN_FAILED;
    for (i = 0; i < 2; i++) {
        bad |= sion_seek(sid, 2 * mpi_rank + i, SION_CURRENT_BLK, SION_CURRENT_POS) != 1;
        bad |= sion_fread(data, 1, 50, sid) != 50 || sion_fread(data, 1, BIG, sid) != BIG;
    }
    return sion_parclose_mapped_mpi(sid) != 1 || bad ? CLOSE_FAILED : 0;
}

/* Two groups, each of which holds a copy of the other's data. */
static int open_buddies(const char *mode)
{
    MPI_Comm half;
    sion_int64 chunksize = 120000;
    sion_int32 fsblksize = 512;
    int nfiles = -1, globalrank, sid;

    MPI_Comm_split(MPI_COMM_WORLD, mpi_rank % 2, mpi_rank, &half);
    sid = sion_paropen_mpi(NAME, mode, &nfiles, MPI_COMM_WORLD, &half, &chunksize, &fsblksize,
                           &globalrank, NULL, NULL);
    MPI_Comm_free(&half);
    return sid;
}

/* A record that is not in all copies counts in none. */
static int write_buddies(const char *mode, int nfiles)
{
    int sid = open_buddies(mode), i;
    sion_int64 total = 0;

    (void)nfiles;
    CHECK_SAME(sid < 0);
    if (sid < 0)
        return OPEN_FAILED;
    for (i = 0; i < 3; i++)
        total += (sion_int64)sion_coll_fwrite(data, 1, i == 1 ? BIG : 50, sid);
    CHECK_INT(sion_get_bytes_written(sid), total);
    return sion_parclose_mpi(sid) == 1 ? 0 : CLOSE_FAILED;
}

static int read_buddies(const char *mode, int nfiles)
{
    int sid = open_buddies(mode), bad;

    (void)nfiles;
    CHECK_SAME(sid < 0);
    if (sid < 0)
        return OPEN_FAILED;
    bad = sion_coll_fread(data, 1, 50, sid) != 50;
    bad |= sion_coll_fread(data, 1, BIG, sid) != (bad ? 0 : BIG);
    return sion_parclose_mpi(sid) != 1 || bad ? CLOSE_FAILED : 0;
}

/* Let the nth call on rank `victim` fail. Returns 1 if there was an nth call. */
static int fail_nth(int (*run)(const char *, int), const char *mode, int nfiles, int victim, long n)
{
    int descriptors = support_descriptors(), result, hit;
    unsigned all = (1 << SCION_FAULT_CALLS) - 1 - (1 << SCION_FAULT_UNLINK);

    support_catch();
    scion_fault_arm(all, mpi_rank == victim ? n : 0, 1, EIO);
    result = run(mode, nfiles);
    hit = scion_fault_hits() > 0;
    scion_fault_disarm();
    MPI_Bcast(&hit, 1, MPI_INT, victim, MPI_COMM_WORLD);
    CHECK_INT(support_descriptors(), descriptors);
    if (!hit)
        CHECK_INT(result, 0);
    return hit;
}

static void fail_everywhere(int (*run)(const char *, int), const char *mode, int nfiles)
{
    int victim;
    long calls = 0;

    for (victim = 0; victim < mpi_size; victim++) {
        long n = 1;

        while (fail_nth(run, mode, nfiles, victim, n) && n < 200)
            n++;
        CHECK(n < 200);
        calls += n - 1;
    }
    CHECK(calls > 4);
}

static void every_call_of_writing_one_file(void)
{
    fail_everywhere(write_container, "bw", 1);
    fail_everywhere(write_container, "bw,posix", 1);
}

static void every_call_of_writing_a_set(void)
{
    fail_everywhere(write_container, "bw", mpi_size > 1 ? 2 : 1);
}

static void every_call_of_reading(void)
{
    int nfiles;

    for (nfiles = 1; nfiles <= 2 && nfiles <= mpi_size; nfiles++) {
        CHECK_INT(write_container("bw", nfiles), 0);
        fail_everywhere(read_container, "br", nfiles);
        fail_everywhere(read_container, "br,posix", nfiles);
    }
}

static void every_call_of_mapped_containers(void)
{
    int nfiles;

    for (nfiles = 1; nfiles <= 2; nfiles++) {
        fail_everywhere(write_mapped, "", nfiles);
        CHECK_INT(write_mapped("", nfiles), 0);
        fail_everywhere(read_mapped, "", nfiles);
    }
}

static void every_call_of_buddy_checkpoints(void)
{
    if (mpi_size < 2) {
        SKIP("needs two groups");
        return;
    }
    fail_everywhere(write_buddies, "bw,buddy", 2);
    CHECK_INT(write_buddies("bw,buddy", 2), 0);
    fail_everywhere(read_buddies, "br,buddy", 2);
}

/* If a write of one task's data fails, all ranks report it, and the other tasks' data are complete.
 * */
static void the_other_tasks_data_survive(void)
{
    int victim = mpi_size - 1, sid;

    scion_fault_arm(0, 0, 0, 0);
    sid = open_with("bw", 1);
    check_fill(data, mpi_rank, 0, BIG);
    CHECK_INT(sion_fwrite(data, 1, 1000, sid), 1000);
    scion_fault_arm(1 << SCION_FAULT_PWRITE, mpi_rank == victim, 1000, ENOSPC);
    CHECK_INT(sion_fwrite(data + 1000, 1, BIG - 1000, sid), mpi_rank == victim ? 0 : BIG - 1000);
    CHECK_INT(sion_parclose_mpi(sid), -1);
    scion_fault_disarm();
    CHECK_CONTAINS(sion_error_text(), "No space left");
    if (mpi_size > 1)
        CHECK_CONTAINS(sion_error_text(), mpi_size == 4 ? "rank 3: " : "rank ");
    /* Rank 0 writes the metadata, so they are missing if it was the victim. */
    sid = open_with("br", 1);
    if (victim == 0) {
        CHECK_INT(sid, -1);
        return;
    }
    CHECK_INT(sion_bytes_avail_in_block(sid), mpi_rank == victim ? 0 : BIG);
    if (mpi_rank != victim) {
        memset(data, 0, BIG);
        CHECK_INT(sion_fread(data, 1, BIG, sid), BIG);
        CHECK_INT(check_compare(data, mpi_rank, 0, BIG), -1);
    }
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void a_new_start_that_fails_fails_on_all(void)
{
    int sid;

    scion_fault_arm(0, 0, 0, 0);
    sid = open_with("bw", 1);
    scion_fault_arm(1 << SCION_FAULT_FTRUNCATE, mpi_rank == 0, 1, EIO);
    CHECK_INT(sion_fwrite(data, 1, 10, sid), 10);
    CHECK_INT(sion_parreinit_mpi(sid, 500), 0);
    CHECK_CONTAINS(sion_error_text(), "cannot cut");
    scion_fault_disarm();
    CHECK_INT(sion_get_bytes_written(sid), 10);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = open_with("br", 1);
    CHECK_INT(sion_bytes_avail_in_block(sid), 10);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    RUN_MPI(every_call_of_writing_one_file);
    RUN_MPI(every_call_of_writing_a_set);
    RUN_MPI(every_call_of_reading);
    RUN_MPI(every_call_of_mapped_containers);
    RUN_MPI(every_call_of_buddy_checkpoints);
    RUN_MPI(the_other_tasks_data_survive);
    RUN_MPI(a_new_start_that_fails_fails_on_all);
    return mpi_end();
}
