/*
 * Many tasks write containers with checksums: each file has those of its tasks, all tasks return
 * the failure for a damaged byte of one task, and writing without checksums costs no additional
 * message.
 */
#include "comm/comm.h"
#include "mpi_check.h"

#include "sion_checksum.h"

#define NAME "sum.sion"

enum { FSBLKSIZE = 1024, RECORDS = 5, LARGEST = 700000 };

static unsigned char data[LARGEST];

static size_t record_size(int rank, int i)
{
    return (size_t)((rank * 7919 + i * 104729) % LARGEST);
}

struct config {
    const char *mode;
    int nfiles;
    int collective;
};

static int create(const struct config *config)
{
    MPI_Comm world = MPI_COMM_WORLD;
    sion_int64 chunksize = 2 * LARGEST;
    sion_int32 fsblksize = FSBLKSIZE;
    int nfiles = config->nfiles, rank;

    return sion_paropen_mpi(NAME, config->mode, &nfiles, MPI_COMM_WORLD, &world, &chunksize,
                            &fsblksize, &rank, NULL, NULL);
}

static void write_container(const struct config *config)
{
    int sid = create(config), i;

    CHECK(sid >= 0);
    for (i = 0; i < RECORDS; i++) {
        size_t bytes = record_size(mpi_rank, i);

        check_fill(data, mpi_rank, i, bytes);
        if (config->collective)
            CHECK_INT(sion_coll_fwrite(data, 1, bytes, sid), bytes);
        else
            CHECK_INT(sion_fwrite(data, 1, bytes, sid), bytes);
    }
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static int open_for_reading(const char *mode)
{
    MPI_Comm world = MPI_COMM_WORLD;
    sion_int64 chunksize;
    sion_int32 fsblksize;
    int nfiles, rank;

    support_catch();
    return sion_paropen_mpi(NAME, mode, &nfiles, MPI_COMM_WORLD, &world, &chunksize, &fsblksize,
                            &rank, NULL, NULL);
}

/* All ranks have the same result of the open; one at most has a task that cannot be read. */
static int have_no_locked(int locked)
{
    MPI_Allreduce(MPI_IN_PLACE, &locked, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(locked <= 1);
    return locked == 0;
}

enum { PART = 300000, TURNS = 20 /* more than any task needs */ };

/* Whether the selected task's data cannot be read to the end. All tasks call it equally often. */
static int has_bad_data(int sid, int together)
{
    int is_bad = 0, turn;

    for (turn = 0; turn < TURNS; turn++) {
        size_t now = !is_bad && sion_feof(sid) == 0 ? (size_t)sion_bytes_avail_in_block(sid) : 0;
        size_t got;

        now = now < PART ? now : PART;
        got = together ? sion_coll_fread(data, 1, now, sid) : sion_fread(data, 1, now, sid);
        is_bad |= got != now;
    }
    return is_bad;
}

static int is_accepted_by(const char *mode, int together)
{
    int sid = open_for_reading(mode), no_locked;

    CHECK_SAME(sid >= 0);
    no_locked = have_no_locked(sid >= 0 &&
                               (sion_bytes_avail_in_block(sid) < 0 || has_bad_data(sid, together)));
    if (sid >= 0)
        CHECK_INT(sion_parclose_mpi(sid), 1);
    return sid >= 0 && no_locked;
}

static int is_accepted(const char *mode)
{
    return is_accepted_by(mode, 0);
}

static void change_byte_at(const char *name, long offset)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi_rank == 0) {
        FILE *file = fopen(name, "r+b");
        int byte = file && fseek(file, offset, SEEK_SET) == 0 ? fgetc(file) : -1;

        CHECK(byte >= 0 && fseek(file, offset, SEEK_SET) == 0 && fputc(byte ^ 4, file) >= 0);
        CHECK(fclose(file) == 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Change a byte of task 0 in the last file. */
static void change_a_byte(int nfiles)
{
    char name[64] = NAME;
    int ntasks = mpi_size / nfiles + mpi_size % nfiles;
    long offset = (1088 + 16 * ntasks + FSBLKSIZE - 1) / FSBLKSIZE * FSBLKSIZE;

    if (nfiles > 1)
        snprintf(name, sizeof name, "%s.%06d", NAME, nfiles - 1);
    change_byte_at(name, offset + 5);
}

/* Every file of the set is also checked by itself. */
static void check_serially(const struct config *config)
{
    int ntasks, nfiles, sid;
    sion_int32 fsblksize;

    if (mpi_rank != 0)
        return;
    sid = sion_open(NAME, "rb,checksum", &ntasks, &nfiles, NULL, &fsblksize, NULL, NULL);
    CHECK(sid >= 0);
    CHECK_INT(ntasks, mpi_size);
    CHECK_INT(nfiles, config->nfiles);
    CHECK_INT(sion_close(sid), 1);
}

/* One of the ranks prints it. */
static void check_message(void)
{
    int messages = support_errors;

    MPI_Allreduce(MPI_IN_PLACE, &messages, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK_INT(messages, 1);
    if (support_errors > 0) {
        CHECK_CONTAINS(support_message, "piece 0 of chunk 0 of task 0 is damaged");
        CHECK_CONTAINS(support_message, NAME);
    }
}

static void check_config(const struct config *config)
{
    write_container(config);
    check_serially(config);
    CHECK(is_accepted("br,checksum"));
    change_a_byte(config->nfiles);
    CHECK(!is_accepted("br,checksum"));
    check_message();
    CHECK(!is_accepted("br,checksum=open"));
    CHECK(!is_accepted_by("br,checksum,collective,collsize=2", 1));
    check_message();
    CHECK(is_accepted("br"));
    change_a_byte(config->nfiles);
    CHECK(is_accepted("br,checksum"));
    CHECK(is_accepted("br,checksum=open"));
    CHECK(is_accepted_by("br,checksum,collective,collsize=2", 1));
}

static void one_file(void)
{
    check_config(&(struct config){"bw,checksum", 1, 0});
    check_config(&(struct config){"bw,posix,checksum", 1, 0});
}

static void several_files(void)
{
    if (mpi_size < 2) {
        SKIP("needs 2 ranks");
        return;
    }
    check_config(&(struct config){"bw,checksum", 2, 0});
}

/* Members would read the collector's damaged bytes, so nobody does. */
static void members_of_merged_streams_are_refused(void)
{
    write_container(&(struct config){"bw,checksum,collective,collsize=3,cmerge", 1, 1});
    CHECK(is_accepted("br,checksum,cmerge"));
    change_a_byte(1);
    CHECK_INT(open_for_reading("br,checksum,cmerge"), -1);
    check_message();
}

static void collective_writes(void)
{
    check_config(&(struct config){"bw,checksum,collective,collsize=2", 1, 1});
    check_config(&(struct config){"bw,checksum,collective,collsize=2", 1, 0});
    check_config(&(struct config){"bw,checksum,collective,collsize=3,cmerge", 1, 1});
}

static void a_new_start_discards_checksums(void)
{
    const struct config config = {"bw,checksum", 1, 0};
    int sid = create(&config);

    CHECK_INT(sion_fwrite(data, 1, 1000, sid), 1000);
    CHECK_INT(sion_parreinit_mpi(sid, 3 * LARGEST), 1);
    CHECK_INT(sion_fwrite(data, 1, 300 + (size_t)mpi_rank, sid), 300 + mpi_rank);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    CHECK(is_accepted("br,checksum"));
}

/* Task t of process t % size, in two files. */
static int open_mapped(const char *mode)
{
    enum { PER_RANK = 2 };
    static int ranks[PER_RANK], files[PER_RANK], places[PER_RANK];
    int *rank_list = ranks, *file_list = files, *place_list = places, n = PER_RANK, nfiles = 2, i;
    sion_int64 chunks[PER_RANK], *chunk_list = chunks;
    sion_int32 fsblksize = FSBLKSIZE;
    char name[] = NAME;

    for (i = 0; i < PER_RANK; i++) {
        ranks[i] = i * mpi_size + mpi_rank;
        files[i] = i;
        places[i] = mpi_rank;
        chunks[i] = LARGEST;
    }
    support_catch();
    return sion_paropen_mapped_mpi(name, mode, &nfiles, MPI_COMM_WORLD, &n, &rank_list, &chunk_list,
                                   &file_list, &place_list, &fsblksize, NULL);
}

static int mapped_is_accepted(void)
{
    int sid = open_mapped("br,checksum"), locked = 0, no_locked, i;

    CHECK_SAME(sid >= 0);
    for (i = 0; i < 2 && sid >= 0; i++)
        locked += sion_seek(sid, i * mpi_size + mpi_rank, 0, 0) != 1 || has_bad_data(sid, 0);
    no_locked = have_no_locked(locked);
    if (sid >= 0)
        CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
    return sid >= 0 && no_locked;
}

static void mapped_containers(void)
{
    int sid = open_mapped("bw,checksum"), i;
    long offset = (1088 + 16 * mpi_size + FSBLKSIZE - 1) / FSBLKSIZE * FSBLKSIZE;

    for (i = 0; i < 2; i++) {
        CHECK_INT(sion_seek(sid, i * mpi_size + mpi_rank, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
        CHECK_INT(sion_fwrite(data, 1, 100000, sid), 100000);
    }
    CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
    CHECK(mapped_is_accepted());
    change_byte_at(NAME ".000001", offset);
    CHECK(!mapped_is_accepted());
    check_message();
    change_byte_at(NAME ".000001", offset);
    CHECK(mapped_is_accepted());
}

/* If ranks pass different words, rank 0 decides. */
static void rank_0_decides(void)
{
    const struct config config = {mpi_rank == 0 ? "bw,checksum" : "bw", 1, 0};
    const struct config other = {mpi_rank == 0 ? "bw" : "bw,checksum", 1, 0};

    write_container(&config);
    change_a_byte(1);
    CHECK(!is_accepted(mpi_rank == 0 ? "br,checksum" : "br"));
    CHECK(is_accepted(mpi_rank == 0 ? "br" : "br,checksum"));
    write_container(&other);
    change_a_byte(1);
    CHECK(is_accepted("br,checksum"));
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    if (argc > 1)
        scion_large_from = 1; /* as if they were too many for rank 0 */
    sion_checksum_use(sion_crc32);
    RUN_MPI(one_file);
    RUN_MPI(several_files);
    RUN_MPI(collective_writes);
    RUN_MPI(members_of_merged_streams_are_refused);
    RUN_MPI(mapped_containers);
    RUN_MPI(a_new_start_discards_checksums);
    RUN_MPI(rank_0_decides);
    return mpi_end();
}
