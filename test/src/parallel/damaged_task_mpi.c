/*
 * Damaged numbers of one rank's task, or a damaged pair of the mapping: the open has the same
 * result on all ranks, that rank gets the failure when it reads, and all others read as before.
 */
#include "damaged_mpi.h"

#include <limits.h>

#include "damage.h"

enum { RECORD = 50, RECORDS = 4 };

static unsigned char own[RECORD * RECORDS], found[RECORD * RECORDS];

/* Several chunks each, or a chunk for everything. */
static void write_container(int nfiles, sion_int64 chunksize)
{
    int sid, i;

    check_fill(own, mpi_rank, 0, sizeof own);
    usual("bw");
    call.nfiles = nfiles;
    call.chunksize = chunksize;
    sid = do_open();
    CHECK(sid >= 0);
    for (i = 0; i < RECORDS; i++)
        CHECK_INT(sion_fwrite(own + (size_t)i * RECORD, 1, RECORD, sid), RECORD);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

/* Chunk 0 of the last rank's task, which is the last one of the last file. */
static void damage_last(int nfiles)
{
    char path[64];
    int32_t ntasks = 0;

    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi_rank == 0) {
        snprintf(path, sizeof path, nfiles > 1 ? "%s.%06d" : "%s", NAME, nfiles - 1);
        CHECK(damage_move(path, "r", DAMAGE_NTASKS, &ntasks, sizeof ntasks));
        CHECK(damage_write(path, damage_used_at(path, ntasks - 1, 0), 7350));
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static int is_last(void)
{
    return mpi_rank == mpi_size - 1;
}

static void check_locked_by(int sid, const char *what)
{
    support_catch();
    CHECK_INT(sion_fread(found, 1, 1, sid), 0);
    CHECK_INT(support_errors, 1);
    CHECK_CONTAINS(support_message, what);
    CHECK_CONTAINS(support_message, "nothing is read of this task");
    CHECK_INT(sion_bytes_avail_in_block(sid), -1);
}

static void check_locked(int sid)
{
    check_locked_by(sid, "says 7350 bytes used of");
    CHECK_CONTAINS(support_message, "sionrecover --in-place");
}

static void check_read(int sid)
{
    int i;

    for (i = 0; i < RECORDS; i++)
        CHECK_INT(sion_fread(found + (size_t)i * RECORD, 1, RECORD, sid), RECORD);
    CHECK(memcmp(own, found, sizeof own) == 0);
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(support_errors, 0);
}

static void the_rank_of_a_damaged_task_fails_when_it_reads(void)
{
    int nfiles, sid, several;

    for (nfiles = 1; nfiles <= 2 && nfiles <= mpi_size; nfiles++) {
        for (several = 0; several < 2; several++) {
            write_container(nfiles, several ? RECORD : sizeof own);
            damage_last(nfiles);
            open_to_read("br", &sid);
            if (is_last())
                check_locked(sid);
            else
                check_read(sid);
            CHECK_INT(sion_parclose_mpi(sid), 1);
        }
    }
}

/* Its collector reads for the others, too, and goes on. */
static void collective_reads_fail_on_that_rank_alone(void)
{
    int sid, i, rc;

    write_container(1, RECORD);
    damage_last(1);
    open_to_read("br,collective,collsize=2", &sid);
    for (i = 0; i < RECORDS; i++) {
        rc = (int)sion_coll_fread_mpi(found + (size_t)i * RECORD, 1, RECORD, sid);
        CHECK_INT(rc > 0 ? rc : 0, is_last() ? 0 : RECORD);
    }
    CHECK(is_last() || memcmp(own, found, sizeof own) == 0);
    CHECK_INT(support_errors > 0, is_last());
    support_catch();
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

/* Any process may have any tasks; each finds only the damaged one locked. */
static void mapped_reads_fail_for_that_task_alone(void)
{
    int nfiles = 1, n = -3, *ranks = NULL, sid, i, files, locked = 0, all = 0;
    sion_int32 fsblksize;

    for (files = 1; files <= 2 && files <= mpi_size; files++) {
        write_container(files, RECORD);
        damage_last(files);
        n = -1;
        ranks = NULL;
        support_catch();
        sid = sion_paropen_mapped_mpi(NAME, "br", &nfiles, MPI_COMM_WORLD, &n, &ranks, NULL, NULL,
                                      NULL, &fsblksize, NULL);
        CHECK(sid >= 0);
        CHECK_INT(sum(support_warnings), 1);
        for (locked = i = 0; sid >= 0 && i < n; i++) {
            support_catch();
            if (sion_seek(sid, ranks[i], 0, 0) == 1) {
                check_fill(own, ranks[i], 0, sizeof own);
                check_read(sid);
            } else {
                CHECK_INT(ranks[i], mpi_size - 1);
                check_locked(sid);
                locked++;
            }
        }
        all = sum(n);
        CHECK_INT(all, mpi_size);
        CHECK_INT(sum(locked), 1);
        CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
        free(ranks);
    }
}

/* ---- a pair of the mapping ---- */

#define NOT_THERE "is not where the mapping says, or has another number there"

enum { FILES = 2 };

/* Rank 0 changes a pair of file 0. */
static void set_pair(int rank, int file, int lrank)
{
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(mpi_rank > 0 || damage_set_pair(NAME, rank, file, lrank));
    MPI_Barrier(MPI_COMM_WORLD);
}

/* That no task names, that another rank has, of a file that is not there, not a number. */
static const int bad_pairs[][2] = {{0, 9}, {1, 0}, {0, 0}, {FILES, 0}, {-1, -1}, {1, INT_MIN}};

enum { BAD_PAIRS = sizeof bad_pairs / sizeof bad_pairs[0] };

static int is_own(int rank, const int *pair)
{
    int first = mpi_size - mpi_size / FILES; /* of file 1 */

    return pair[0] == (rank >= first) && pair[1] == (rank >= first ? rank - first : rank);
}

static void open_pairs(const char *mode, int *sid)
{
    int warned;

    support_catch();
    usual(mode);
    *sid = do_open();
    CHECK(*sid >= 0);
    CHECK_INT(support_errors, 0);
    warned = sum(support_warnings);
    CHECK(warned >= 1 && warned <= 2);
}

/* It says so of its pair when it reads; whoever the rank is, the others are read. */
static void the_rank_of_a_damaged_pair_fails_when_it_reads(void)
{
    int rank, i, sid, several;

    for (several = 0; several < 2 && mpi_size > 1; several++) {
        for (i = 0; i < BAD_PAIRS; i++) {
            rank = (i + several) % mpi_size;
            write_container(FILES, several ? RECORD : sizeof own);
            if (is_own(rank, bad_pairs[i]))
                continue;
            set_pair(rank, bad_pairs[i][0], bad_pairs[i][1]);
            open_pairs("br", &sid);
            if (mpi_rank == rank)
                check_locked_by(sid, NOT_THERE);
            else
                check_read(sid);
            CHECK_INT(sion_parclose_mpi(sid), 1);
        }
    }
}

static void all_pairs_may_be_damaged(void)
{
    int sid, i;

    if (mpi_size < 2)
        return;
    write_container(FILES, RECORD);
    for (i = 0; i < mpi_size; i++)
        set_pair(i, 7, i);
    support_catch();
    open_pairs("br", &sid);
    check_locked_by(sid, NOT_THERE);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void collective_reads_of_damaged_pairs_fail_on_that_rank_alone(void)
{
    int sid, i, k, rc, rank = 0;

    for (k = 0; k < BAD_PAIRS && mpi_size > 1; k++, rank = (rank + 1) % mpi_size) {
        write_container(FILES, RECORD);
        if (is_own(rank, bad_pairs[k]))
            continue;
        set_pair(rank, bad_pairs[k][0], bad_pairs[k][1]);
        open_pairs("br,collective,collsize=2", &sid);
        for (i = 0; i < RECORDS; i++) {
            rc = (int)sion_coll_fread_mpi(found + (size_t)i * RECORD, 1, RECORD, sid);
            CHECK_INT(rc > 0 ? rc : 0, mpi_rank == rank ? 0 : RECORD);
        }
        CHECK(mpi_rank == rank || memcmp(own, found, sizeof own) == 0);
        support_catch();
        CHECK_INT(sion_parclose_mpi(sid), 1);
    }
}

/* Which tasks were merged together follows from the places of all. */
static void merged_streams_of_damaged_pairs_are_refused(void)
{
    if (mpi_size < 2)
        return;
    write_container(FILES, RECORD);
    set_pair(mpi_size - 1, FILES, 0);
    support_catch();
    usual("br,cmerge,collsize=2");
    check_failure(do_open(), NOT_THERE ": merged streams cannot be read together");
}

static int mapped_open(int n, int *ranks)
{
    int nfiles = FILES;
    sion_int32 fsblksize;

    support_catch();
    return sion_paropen_mapped_mpi(NAME, "br", &nfiles, MPI_COMM_WORLD, &n, &ranks, NULL, NULL,
                                   NULL, &fsblksize, NULL);
}

/* Each process reads the tasks of its neighbour. */
static void mapped_reads_of_damaged_pairs_fail_for_that_task_alone(void)
{
    int i, bad, sid, rank = (mpi_rank + 1) % mpi_size;

    for (i = 0; i < BAD_PAIRS && mpi_size > 1; i++) {
        bad = i % mpi_size;
        write_container(FILES, RECORD);
        if (is_own(bad, bad_pairs[i]))
            continue;
        set_pair(bad, bad_pairs[i][0], bad_pairs[i][1]);
        sid = mapped_open(1, &rank);
        CHECK(sid >= 0);
        CHECK_INT(sum(support_warnings), 1);
        support_catch();
        CHECK_INT(sion_seek(sid, rank, 0, 0), rank != bad);
        check_fill(own, rank, 0, sizeof own);
        support_catch();
        if (rank == bad)
            check_locked_by(sid, NOT_THERE);
        else
            check_read(sid);
        CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
    }
}

static void a_mapping_that_has_lost_tasks_is_not_shared_out(void)
{
    int32_t size = mpi_size - 1;
    int nfiles = FILES, n = -1, *ranks = NULL, sid;
    sion_int32 fsblksize;

    if (mpi_size < 3)
        return;
    write_container(FILES, RECORD);
    CHECK(mpi_rank > 0 || damage_set_mapping_size(NAME, size));
    MPI_Barrier(MPI_COMM_WORLD);
    support_catch();
    sid = sion_paropen_mapped_mpi(NAME, "br", &nfiles, MPI_COMM_WORLD, &n, &ranks, NULL, NULL, NULL,
                                  &fsblksize, NULL);
    call.globalrank = -9;
    check_failure(sid, "and none of them is task");
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    RUN_MPI(the_rank_of_a_damaged_task_fails_when_it_reads);
    RUN_MPI(collective_reads_fail_on_that_rank_alone);
    RUN_MPI(mapped_reads_fail_for_that_task_alone);
    RUN_MPI(the_rank_of_a_damaged_pair_fails_when_it_reads);
    RUN_MPI(all_pairs_may_be_damaged);
    RUN_MPI(collective_reads_of_damaged_pairs_fail_on_that_rank_alone);
    RUN_MPI(merged_streams_of_damaged_pairs_are_refused);
    RUN_MPI(mapped_reads_of_damaged_pairs_fail_for_that_task_alone);
    RUN_MPI(a_mapping_that_has_lost_tasks_is_not_shared_out);
    return mpi_end();
}
