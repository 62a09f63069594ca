/*
 * Merged collective writes: where the collector puts the records of its group, and how each task
 * reads its own records again.
 */
#include "collective.h"

/* Check what the collector has stored for `ranks` ranks with `bytes` bytes each. */
static void check_merged(int sid, int ranks, size_t bytes)
{
    int rank;

    for (rank = 0; rank < ranks; rank++) {
        size_t done = 0;

        while (done < bytes && !sion_feof(sid)) {
            size_t left = (size_t)sion_bytes_avail_in_block(sid);

            left = left < bytes - done ? left : bytes - done;
            CHECK_INT(sion_fread(data + done, 1, left, sid), left);
            done += left;
        }
        CHECK_INT(done, bytes);
        CHECK_INT(check_compare(data, rank, 0, bytes), -1);
    }
    CHECK_INT(sion_feof(sid), 1);
}

static void merged_records_follow_each_other(void)
{
    static const size_t sizes[] = {1, 800, 5000, 700000};
    size_t i;
    int sid;

    for (i = 0; i < 4; i++) {
        usual(512);
        sid = do_open("bw,collective,cmerge,collsize=8", (long long)sizes[i]);
        check_fill(data, mpi_rank, 0, sizes[i]);
        CHECK_INT(sion_coll_fwrite_mpi(data, sizes[i], 1, sid), 1);
        CHECK_INT(sion_get_bytes_written(sid), mpi_rank == 0 ? (long long)sizes[i] * mpi_size : 0);
        CHECK_INT(sion_parclose_mpi(sid), 1);
        sid = do_open("br", 0);
        CHECK_INT(call.chunksize, mpi_rank == 0 ? ((long long)sizes[i] * mpi_size + 511) / 512 * 512
                                                : ((long long)sizes[i] + 511) / 512 * 512);
        if (mpi_rank == 0)
            check_merged(sid, mpi_size, sizes[i]);
        CHECK_INT(sion_feof(sid), 1);
        CHECK_INT(sion_parclose_mpi(sid), 1);
    }
}

/* Pieces of at most a block; each fits into the chunk or goes to the next one. */
static void merged_pieces_follow_the_rule_of_chunks(void)
{
    int sid, i;
    long total;

    usual(512);
    /* After five records there is room for a first piece, but not for a whole record. */
    total = 7 * 512;
    sid = do_open("bw,collective,cmerge,collsize=8", total / mpi_size);
    for (i = 0; i < 4; i++)
        CHECK_INT(put(sid, 0, 600), 600);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = do_open("br", 0);
    if (mpi_rank == 0) {
        long pos = 0, chunk = 0, used[64] = {0};
        int rank;

        for (i = 0; i < 4; i++) {
            for (rank = 0; rank < mpi_size; rank++) {
                long pieces[2] = {rank == 0 ? 600 : 512, rank == 0 ? 0 : 88};
                int k;

                for (k = 0; k < 2; k++) {
                    if (pos + pieces[k] > total) {
                        chunk++;
                        pos = 0;
                    }
                    pos += pieces[k];
                    used[chunk] = pos;
                }
            }
        }
        for (i = 0; i <= chunk; i++) {
            CHECK_INT(sion_bytes_avail_in_block(sid), used[i]);
            CHECK_INT(sion_fread(data, 1, (size_t)used[i], sid), used[i]);
            CHECK_INT(sion_feof(sid), i == chunk);
        }
    }
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void senders_of_a_merge_may_write_for_themselves(void)
{
    int sid;

    usual(512);
    sid = do_open("bw,collective,cmerge,collsize=8", 100);
    CHECK_INT(put(sid, 0, 60), 60);
    check_fill(data, mpi_rank, 60, 30);
    CHECK_INT(sion_fwrite(data, 1, 30, sid), 30);
    CHECK_INT(sion_get_bytes_written(sid), mpi_rank == 0 ? 60 * mpi_size + 30 : 30);
    CHECK_INT(put(sid, 90, 10), 10);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = do_open("br,collective", 0);
    CHECK_INT(sion_bytes_avail_in_block(sid), mpi_rank == 0 ? 70 * mpi_size + 30 : 30);
    CHECK_INT(get(sid, mpi_rank, mpi_rank == 0 ? 0 : 60, 30), 30);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

/* ---- the writers read their records ---- */

enum { STEPS = 6 };

static size_t merged_most; /* all records fit into the collector's chunk */

/* Size of a rank's record in a step: equal on all ranks, only on some, different, 0, several
 * blocks. */
static size_t merged_size(int rank, int step)
{
    static const size_t sizes[STEPS] = {64, 0, 1, 700, 100, 5000};
    size_t size = step == 1 && rank % 2 ? 33 : sizes[(step + (step > 1 ? rank : 0)) % STEPS];

    return size < merged_most ? size : merged_most;
}

static void write_merged(const char *mode, long long chunksize)
{
    int sid = do_open(mode, chunksize), step;
    long first = 0;

    for (step = 0; step < STEPS; step++) {
        size_t bytes = merged_size(mpi_rank, step);

        CHECK_INT(put(sid, first, bytes), bytes);
        first += (long)bytes;
    }
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void read_merged(const char *mode)
{
    int sid = do_open(mode, 0), step;
    long first = 0;

    for (step = 0; step < STEPS; step++) {
        size_t bytes = merged_size(mpi_rank, step);

        CHECK(step > 1 || sion_feof(sid) == 0);
        CHECK_INT(get(sid, mpi_rank, first, bytes), bytes);
        first += (long)bytes;
    }
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(get(sid, mpi_rank, first, 1), 0);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    CHECK_INT(support_errors, 0);
}

static void merged_records_are_read_back_by_their_writers(void)
{
    static const char *const words[] = {
        "",         ",collsize=1",        ",collsize=2", ",collsize=3", ",collsize=8",
        ",collmsa", ",collmsa,collsize=2"};
    static const long long sizes[] = {100, 3000, 8192};
    char writer[60], reader[60];
    size_t i, k;

    for (i = 0; i < sizeof words / sizeof words[0]; i++) {
        for (k = 0; k < 3; k++) {
            usual(512);
            merged_most = (size_t)sizes[k];
            snprintf(writer, sizeof writer, "bw,collective,cmerge%s", words[i]);
            snprintf(reader, sizeof reader, "br,collective,cmerge%s", words[i]);
            write_merged(writer, sizes[k] + (k == 1 ? 1000 * (mpi_rank % 3) : 0));
            read_merged(reader);
        }
    }
    usual(512);
    setenv("SION_COLLSIZE", "2", 1);
    write_merged("bw,cmerge", 6000);
    read_merged("br,cmerge");
    unsetenv("SION_COLLSIZE");
}

/* A header and data, by two groups of four ranks. */
static void header_and_data_of_a_checkpoint(void)
{
    unsigned char header[16] = "checkpoint";
    double numbers[2000], back[2000];
    int sid, i;

    usual(4096);
    for (i = 0; i < 2000; i++)
        numbers[i] = mpi_rank + i / 3.0;
    sid = do_open("bw,collective,cmerge,collsize=2", sizeof header + sizeof numbers);
    CHECK_INT(sion_coll_fwrite(header, 1, sizeof header, sid), sizeof header);
    CHECK_INT(sion_coll_fwrite(numbers, sizeof(double), 2000, sid), 2000);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = do_open("br,collective,cmerge,collsize=2", 0);
    memset(header, 0, sizeof header);
    CHECK_INT(sion_coll_fread(header, 1, sizeof header, sid), sizeof header);
    CHECK_STR((char *)header, "checkpoint");
    CHECK_INT(sion_coll_fread(back, sizeof(double), 2000, sid), 2000);
    CHECK(memcmp(back, numbers, sizeof back) == 0);
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

/* If there are too few data for the whole group, no task gets any, and no position moves. */
static void a_short_read_is_short_for_the_whole_group(void)
{
    int sid, last = mpi_rank == mpi_size - 1;

    usual(512);
    sid = do_open("bw,collective,cmerge,collsize=8", 1000);
    CHECK_INT(put(sid, 0, 300), 300);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = do_open("br,collective,cmerge,collsize=8", 0);
    CHECK_INT(get(sid, mpi_rank, 0, last ? 301 : 300), 0);
    CHECK_INT(support_errors, 1); /* a part of a record is not the end of the data */
    CHECK_INT(sion_feof(sid), 0);
    CHECK_INT(get(sid, mpi_rank, 0, 300), 300);
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(get(sid, mpi_rank, 0, last ? 1 : 0), 0);
    CHECK_INT(support_errors, 1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

/* No task knows how much it would have read, so the others get nothing either. */
static void a_wrong_argument_stops_the_whole_group(void)
{
    int sid;

    if (mpi_size == 1) {
        SKIP("needs a group");
        return;
    }
    usual(512);
    sid = do_open("bw,collective,cmerge,collsize=8", 1000);
    CHECK_INT(put(sid, 0, 300), 300);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = do_open("br,collective,cmerge,collsize=8", 0);
    CHECK_INT(sion_coll_fread(mpi_rank == 1 ? NULL : data, 1, 300, sid), 0);
    CHECK_CONTAINS(support_message, mpi_rank == 1 ? "data is NULL" : "cannot take part");
    CHECK_INT(get(sid, mpi_rank, 0, 300), 300);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void is_refused(const char *mode, const char *reason)
{
    MPI_Comm world = MPI_COMM_WORLD;
    sion_int64 size = 0;
    sion_int32 fsblksize = 0;
    int nfiles = 1, globalrank, sid;

    sid = sion_paropen_mpi(NAME, mode, &nfiles, MPI_COMM_WORLD, &world, &size, &fsblksize,
                           &globalrank, NULL, NULL);
    CHECK_INT(sid, -1);
    CHECK_CONTAINS(sion_error_text(), reason);
}

static void groups_other_than_the_writers_are_refused(void)
{
    if (mpi_size < 4) {
        SKIP("needs four ranks");
        return;
    }
    usual(512);
    write_merged("bw,collective,cmerge,collsize=2", 6000);
    is_refused("br,collective,cmerge,collsize=8", "has data of its own");
    write_merged("bw,collective,cmerge,collsize=8", 6000);
    is_refused("br,collective,cmerge,collsize=2", "collects, and has no data");
    write_merged("bw,collective,collsize=8", 6000);
    is_refused("br,collective,cmerge,collsize=8", "has data of its own");
    support_errors = 0;
    read_merged("br,collective,collsize=8");
}

/* Tasks may read other sizes than they wrote, and there may be no data at all. */
static void empty_files_and_single_readers(void)
{
    int sid;

    usual(512);
    sid = do_open("bw,collective,cmerge,collsize=8", 1000);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = do_open("br,collective,cmerge,collsize=8", 0);
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(get(sid, mpi_rank, 0, 10), 0);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = do_open("bw,collective,cmerge,collsize=8", 1000);
    CHECK_INT(put(sid, 0, mpi_rank == 0 ? 400 : 0), mpi_rank == 0 ? 400 : 0);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = do_open("br,collective,cmerge,collsize=8", 0);
    CHECK_INT(get(sid, 0, 0, mpi_rank == 0 ? 100 : 0), mpi_rank == 0 ? 100 : 0);
    CHECK_INT(sion_feof(sid), 0);
    CHECK_INT(get(sid, 0, mpi_rank == mpi_size - 1 ? 100 : 0, mpi_rank == mpi_size - 1 ? 300 : 0),
              mpi_rank == mpi_size - 1 ? 300 : 0);
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

/* A file has its tasks in the reverse order of the ranks: groups follow the order in the file. */
static void merged_records_of_another_order(void)
{
    MPI_Comm turned;
    int sid, way, nfiles;

    usual(512);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -mpi_rank, &turned);
    for (way = 0; way < 2; way++) {
        sion_int64 size = 6000;
        sion_int32 fsblksize = 512;
        int globalrank;
        size_t bytes = 500 + (size_t)mpi_rank;

        nfiles = -1;
        sid = sion_paropen_mpi(
            NAME, way ? "br,collective,cmerge,collsize=2" : "bw,collective,cmerge,collsize=2",
            &nfiles, MPI_COMM_WORLD, &turned, &size, &fsblksize, &globalrank, NULL, NULL);
        CHECK(sid >= 0);
        CHECK_INT(way ? get(sid, mpi_rank, 0, bytes) : put(sid, 0, bytes), bytes);
        CHECK_INT(sion_parclose_mpi(sid), 1);
    }
    MPI_Comm_free(&turned);
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    RUN_MPI(merged_records_follow_each_other);
    RUN_MPI(merged_pieces_follow_the_rule_of_chunks);
    RUN_MPI(senders_of_a_merge_may_write_for_themselves);
    RUN_MPI(merged_records_are_read_back_by_their_writers);
    RUN_MPI(header_and_data_of_a_checkpoint);
    RUN_MPI(a_short_read_is_short_for_the_whole_group);
    RUN_MPI(a_wrong_argument_stops_the_whole_group);
    RUN_MPI(groups_other_than_the_writers_are_refused);
    RUN_MPI(empty_files_and_single_readers);
    RUN_MPI(merged_records_of_another_order);
    return mpi_end();
}
