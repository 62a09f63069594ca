/*
 * Merged collective writes: where the collector puts the records of its group, and how each task
 * reads its own records again.
 */
#include "collective_mpi.h"

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

/* Each task has a stream of its own: a read that asks for too much is one of that task only. */
static void a_short_read_is_short_for_its_task(void)
{
    int sid, last = mpi_rank == mpi_size - 1;

    usual(512);
    sid = do_open("bw,collective,cmerge,collsize=8", 1000);
    CHECK_INT(put(sid, 0, 300), 300);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = do_open("br,collective,cmerge,collsize=8", 0);
    CHECK_INT(get(sid, mpi_rank, 0, last ? 301 : 300), last ? 0 : 300);
    CHECK_INT(support_errors, last); /* a part of a record is not the end of the data */
    CHECK_INT(sion_feof(sid), !last);
    CHECK_INT(get(sid, mpi_rank, 0, last ? 300 : 0), last ? 300 : 0);
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(get(sid, mpi_rank, 0, last ? 1 : 0), 0);
    CHECK_INT(support_errors, last);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void a_wrong_argument_is_that_of_its_task(void)
{
    int sid;

    usual(512);
    sid = do_open("bw,collective,cmerge,collsize=8", 1000);
    CHECK_INT(put(sid, 0, 300), 300);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = do_open("br,collective,cmerge,collsize=8", 0);
    CHECK_INT(sion_coll_fread(mpi_rank == 1 ? NULL : data, 1, 300, sid), mpi_rank == 1 ? 0 : 300);
    CHECK_INT(support_errors, mpi_rank == 1);
    CHECK_INT(get(sid, mpi_rank, 0, mpi_rank == 1 ? 300 : 0), mpi_rank == 1 ? 300 : 0);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

/* A restart reads a header in other pieces than it was written. */
static void reads_need_not_have_the_sizes_of_the_writes(void)
{
    unsigned char header[16], part[8];
    int sid, i;

    usual(4096);
    for (i = 0; i < 16; i++)
        header[i] = (unsigned char)(16 * mpi_rank + i);
    sid = do_open("bw,collective,collsize=2,collectivemerge", 16 + 8000);
    CHECK_INT(sion_coll_fwrite(header, 1, 16, sid), 16);
    CHECK_INT(put(sid, 16, 8000), 8000);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = do_open("br,collective,collsize=2,collectivemerge", 0);
    for (i = 0; i < 2; i++) {
        CHECK_INT(sion_coll_fread(part, 1, 8, sid), 8);
        CHECK(memcmp(part, header + 8 * i, 8) == 0);
    }
    CHECK_INT(get(sid, mpi_rank, 16, 8000), 8000);
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void any_groups_may_read(void)
{
    usual(512);
    write_merged("bw,collective,cmerge,collsize=2", 6000);
    read_merged("br,collective,cmerge,collsize=8");
    read_merged("br,cmerge");
    write_merged("bw,collective,cmerge,collsize=8", 6000);
    read_merged("br,collective,cmerge,collsize=2,collread");
    write_merged("bw,collective,collsize=8", 6000);
    read_merged("br,collective,collsize=8");
}

static void empty_files_and_single_writers(void)
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
    CHECK_INT(get(sid, 0, 0, mpi_rank == 0 ? 400 : 10), mpi_rank == 0 ? 400 : 0);
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    CHECK_INT(support_errors, 0);
}

/* ---- who does not read by members, or cannot ---- */

static void whoever_reads_them_as_they_are_is_warned(void)
{
    int sid;

    if (mpi_size == 1) {
        SKIP("one task reads its own bytes in any case");
        return;
    }
    usual(512);
    write_merged("bw,collective,cmerge,collsize=8", 6000);
    support_warnings = 0;
    sid = do_open("br", 0);
    CHECK_INT(support_warnings, mpi_rank == 0);
    if (mpi_rank == 0)
        CHECK_CONTAINS(support_message, "was written merged");
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = do_open("br,collective", 0);
    CHECK_INT(support_warnings, 2 * (mpi_rank == 0));
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = do_open("br,cmerge", 0);
    CHECK_INT(support_warnings, 2 * (mpi_rank == 0));
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

/* Where the record begins: behind everything that SIONlib knows. */
static size_t find_record(const unsigned char *bytes, size_t size)
{
    size_t at;

    for (at = size - 8; at > 0 && memcmp(bytes + at, "SIONMBR1", 8) != 0; at--)
        ;
    CHECK(at > 0);
    return at;
}

/* As SIONlib would have written it (change < 0), or with a byte that is not right. */
static void change_record(long change)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi_rank == 0) {
        size_t size = 0;
        unsigned char *bytes = support_load(NAME, &size);
        size_t at = find_record(bytes, size);

        if (change >= 0)
            bytes[at + (size_t)change] ^= 1;
        support_store(NAME, bytes, change < 0 ? at : size);
        free(bytes);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The tasks of a group alone have their own bytes in any case. */
static void without_a_record_only_single_members_are_read(void)
{
    int sid, first = mpi_rank % 2 == 0, alone = mpi_rank == mpi_size - 1 && first;

    usual(512);
    sid = do_open("bw,collective,cmerge,collsize=2", 512);
    CHECK_INT(put(sid, 0, 100), 100);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    change_record(-1);
    sid = do_open("br,collective,cmerge,collsize=2", 0);
    support_errors = 0;
    CHECK_INT(get(sid, mpi_rank, 0, 100), alone ? 100 : 0);
    CHECK_INT(support_errors, !alone);
    if (!alone)
        CHECK_CONTAINS(support_message, "has no record of its members");
    sion_feof(sid);
    CHECK_INT(support_errors, alone ? 0 : 2);
    CHECK_INT(sion_fread(data, 1, 100, sid), first && !alone ? 100 : 0);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    write_merged("bw,collective,cmerge,collsize=1", 6000);
    change_record(-1);
    support_errors = 0;
    read_merged("br,collective,cmerge,collsize=1");
    sid = do_open("bw,collective,cmerge,collsize=8", 1000);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    change_record(-1);
    support_errors = 0;
    sid = do_open("br,collective,cmerge,collsize=8", 0);
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(get(sid, mpi_rank, 0, 10), 0);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    CHECK_INT(support_errors, 0);
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

static void a_damaged_record_is_refused_on_all_ranks(void)
{
    static const long places[] = {9, 12, 20, 24, 30, 32, 45};
    size_t i;

    usual(512);
    for (i = 0; i < sizeof places / sizeof places[0]; i++) {
        int sid;

        write_merged("bw,collective,cmerge,collsize=8", 6000);
        change_record(places[i]);
        is_refused("br,collective,cmerge,collsize=8", "record of members");
        sid = do_open("br", 0);
        CHECK_INT(sion_parclose_mpi(sid), 1);
    }
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
    RUN_MPI(a_short_read_is_short_for_its_task);
    RUN_MPI(a_wrong_argument_is_that_of_its_task);
    RUN_MPI(reads_need_not_have_the_sizes_of_the_writes);
    RUN_MPI(any_groups_may_read);
    RUN_MPI(empty_files_and_single_writers);
    RUN_MPI(whoever_reads_them_as_they_are_is_warned);
    RUN_MPI(without_a_record_only_single_members_are_read);
    RUN_MPI(a_damaged_record_is_refused_on_all_ranks);
    RUN_MPI(merged_records_of_another_order);
    return mpi_end();
}
