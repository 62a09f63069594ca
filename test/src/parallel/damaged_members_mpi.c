/*
 * A record of members with good CRCs, in which two members have the same bytes: the open has the
 * same result on all ranks, the members of that group get the failure when they read, all others
 * read.
 */
#include "damaged_mpi.h"

#include "base/crc32c.h"

enum { RECORD = 50, RECORDS = 4 };

static unsigned char own[RECORD * RECORDS], found[RECORD * RECORDS];

static void check_read(int sid)
{
    CHECK_INT(sion_fread(found, 1, sizeof found, sid), sizeof found);
    CHECK(memcmp(own, found, sizeof own) == 0);
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(support_errors, 0);
}

/* Groups of two. */
static void write_merged(void)
{
    int sid, i;

    check_fill(own, mpi_rank, 0, sizeof own);
    usual("bw,collective,cmerge,collsize=2");
    call.chunksize = sizeof own;
    sid = do_open();
    CHECK(sid >= 0);
    for (i = 0; i < RECORDS; i++)
        CHECK_INT(sion_coll_fwrite_mpi(own + (size_t)i * RECORD, 1, RECORD, sid), RECORD);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

/* In the record of members, one piece of the last rank begins a byte later; its CRCs are good. */
static void overlap_last(void)
{
    enum { HEAD = 32, AT_WORDS = 16, AT_CRC = 24, AT_SELF = 28 };
    static unsigned char bytes[1 << 16];
    FILE *file = fopen(NAME, "r+");
    size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0, at = size;
    int64_t words = 0, offset;
    uint32_t crc;

    while (at > 0 && memcmp(bytes + --at, "SIONMBR1", 8) != 0)
        ;
    CHECK(at > 0);
    memcpy(&words, bytes + at + AT_WORDS, sizeof words);
    CHECK(at + HEAD + 8 * (size_t)words == size);
    memcpy(&offset, bytes + size - HEAD, sizeof offset); /* of the last run, the only one */
    offset++;
    memcpy(bytes + size - HEAD, &offset, sizeof offset);
    crc = scion_crc32c(0, bytes + at + HEAD, 8 * (size_t)words);
    memcpy(bytes + at + AT_CRC, &crc, sizeof crc);
    crc = scion_crc32c(0, bytes + at, AT_SELF);
    memcpy(bytes + at + AT_SELF, &crc, sizeof crc);
    rewind(file);
    CHECK_INT(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void damage_merged(void)
{
    write_merged();
    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi_rank == 0)
        overlap_last();
    MPI_Barrier(MPI_COMM_WORLD);
}

static int is_of_last_group(int rank)
{
    return rank / 2 == (mpi_size - 1) / 2;
}

static void check_group_locked(int sid)
{
    support_catch();
    CHECK_INT(sion_fread(found, 1, 1, sid), 0);
    CHECK_INT(support_errors, 1);
    CHECK_CONTAINS(support_message, "the record of members: pieces of the stream of task");
}

static void pieces_that_overlap_lock_out_their_group(void)
{
    int sid;

    damage_merged();
    open_to_read("br,cmerge", &sid);
    if (is_of_last_group(mpi_rank))
        check_group_locked(sid);
    else
        check_read(sid);
    support_catch();
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void collective_reads_fail_in_that_group_alone(void)
{
    int sid, i, rc, is_locked = is_of_last_group(mpi_rank);

    damage_merged();
    open_to_read("br,collective,cmerge,collsize=2", &sid);
    for (i = 0; i < RECORDS; i++) {
        rc = (int)sion_coll_fread_mpi(found + (size_t)i * RECORD, 1, RECORD, sid);
        CHECK_INT(rc > 0 ? rc : 0, is_locked ? 0 : RECORD);
    }
    CHECK(is_locked || memcmp(own, found, sizeof own) == 0);
    CHECK_INT(support_errors > 0, is_locked);
    support_catch();
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void mapped_reads_fail_for_that_group_alone(void)
{
    int nfiles = 1, n = -1, *ranks = NULL, sid, i, locked = 0;
    sion_int32 fsblksize;

    damage_merged();
    support_catch();
    sid = sion_paropen_mapped_mpi(NAME, "br,cmerge", &nfiles, MPI_COMM_WORLD, &n, &ranks, NULL,
                                  NULL, NULL, &fsblksize, NULL);
    CHECK(sid >= 0);
    CHECK_INT(sum(support_warnings), 1);
    for (i = 0; sid >= 0 && i < n; i++) {
        support_catch();
        if (sion_seek(sid, ranks[i], 0, 0) == 1) {
            check_fill(own, ranks[i], 0, sizeof own);
            check_read(sid);
        } else {
            CHECK(is_of_last_group(ranks[i]));
            check_group_locked(sid);
            locked++;
        }
    }
    CHECK_INT(sum(locked), mpi_size == 1 ? 1 : 2);
    CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
    free(ranks);
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    RUN_MPI(pieces_that_overlap_lock_out_their_group);
    RUN_MPI(collective_reads_fail_in_that_group_alone);
    RUN_MPI(mapped_reads_fail_for_that_group_alone);
    return mpi_end();
}
