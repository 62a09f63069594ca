/*
 * Damaged numbers of one rank's task: the open has the same result on all ranks, that rank gets the
 * failure when it reads, and all others read as before.
 */
#include "open.h"

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

static int sum(int value)
{
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return value;
}

static void check_locked(int sid)
{
    support_catch();
    CHECK_INT(sion_fread(found, 1, 1, sid), 0);
    CHECK_INT(support_errors, 1);
    CHECK_CONTAINS(support_message, "says 7350 bytes used of");
    CHECK_CONTAINS(support_message, "sionrecover --in-place");
    CHECK_INT(sion_bytes_avail_in_block(sid), -1);
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

static void open_to_read(const char *mode, int *sid)
{
    support_catch();
    usual(mode);
    *sid = do_open();
    CHECK(*sid >= 0);
    CHECK_INT(support_errors, 0);
    CHECK_INT(sum(support_warnings), 1);
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
    }
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    RUN_MPI(the_rank_of_a_damaged_task_fails_when_it_reads);
    RUN_MPI(collective_reads_fail_on_that_rank_alone);
    RUN_MPI(mapped_reads_fail_for_that_task_alone);
    return mpi_end();
}
