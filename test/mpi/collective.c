/*
 * Collective reads and writes: the sample containers byte by byte, any sizes in any order, records
 * that do not fit, the ends of streams, merging, and what switches it on.
 */
#include "mpi_check.h"

#define NAME "c.sion"

enum { MOST = 3 << 20 };

static unsigned char data[MOST];

static struct {
    int nfiles, fsblksize;
    long long chunksize;
    FILE *fp;
} call;

static int do_open(const char *mode, long long chunksize)
{
    MPI_Comm world = MPI_COMM_WORLD;
    sion_int64 size = chunksize;
    sion_int32 fsblksize = call.fsblksize;
    int globalrank, sid;

    sid = sion_paropen_mpi(NAME, mode, &call.nfiles, MPI_COMM_WORLD, &world, &size, &fsblksize,
                           &globalrank, &call.fp, NULL);
    call.chunksize = size;
    CHECK(sid >= 0);
    return sid;
}

static void usual(int fsblksize)
{
    call.nfiles = 1;
    call.fsblksize = fsblksize;
    unsetenv("SION_COLLSIZE");
    unsetenv("SION_COLLNUM");
}

/* Write bytes of this rank's stream from `first` on. */
static size_t put(int sid, long first, size_t bytes)
{
    check_fill(data, mpi_rank, first, bytes);
    return sion_coll_fwrite(data, 1, bytes, sid);
}

/* Read what must be bytes of `rank`'s stream from `first` on: as many as were read. */
static size_t get(int sid, int rank, long first, size_t bytes)
{
    size_t done;

    memset(data, 0xee, bytes);
    done = sion_coll_fread_mpi(data, 1, bytes, sid);
    CHECK(done == 0 || check_compare(data, rank, first, done) == -1);
    return done;
}

/* ---- sample containers ---- */

static const struct recipe {
    const char *name, *mode;
    int ranks;
    int chunks[8];
    int writes[8][2];
} recipes[] = {
    {"m02_coll2.sion",
     "bw,collective,collsize=2",
     8,
     {100, 200, 600, 512, 513, 1024, 100, 700},
     {{10, 20}, {200, 200}, {600, 500}, {1, 2}, {500, 20}, {1000, 24}, {1, 1}, {0, 700}}},
    {"m03_cmerge.sion",
     "bw,collective,collectivemerge,collsize=4",
     8,
     {100, 200, 600, 512, 513, 1024, 100, 700},
     {{10, 20}, {200, 100}, {600, 500}, {1, 2}, {500, 20}, {1000, 24}, {1, 1}, {0, 700}}},
    {"m03b_cmergeonly.sion",
     "bw,cmerge,collsize=2",
     4,
     {100, 200, 600, 512},
     {{10, 20}, {200, 100}, {600, 500}, {1, 2}}},
    {"m11_collheur.sion",
     "bw,collective",
     6,
     {100, 200, 600, 512, 513, 1024},
     {{10, 20}, {200, 200}, {600, 500}, {1, 2}, {500, 20}, {1000, 24}}},
};

static const struct recipe *recipe;

static int open_sample(const char *name, const char *mode, long long chunksize, FILE **fp)
{
    MPI_Comm world = MPI_COMM_WORLD;
    sion_int64 size = chunksize;
    sion_int32 fsblksize = 512;
    int globalrank, nfiles = 1;

    return sion_paropen_mpi(name, mode, &nfiles, MPI_COMM_WORLD, &world, &size, &fsblksize,
                            &globalrank, fp, NULL);
}

static void write_sample(const char *mode, FILE **fp)
{
    const int *writes = recipe->writes[mpi_rank];
    int sid = open_sample(recipe->name, mode, recipe->chunks[mpi_rank], fp);
    char sample[80];

    CHECK_INT(put(sid, 0, (size_t)writes[0]), writes[0]);
    CHECK_INT(put(sid, writes[0], (size_t)writes[1]), writes[1]);
    if (!strstr(mode, "collectivemerge"))
        CHECK_INT(sion_get_bytes_written(sid), writes[0] + writes[1]);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    snprintf(sample, sizeof sample, "mpi/%s", recipe->name);
    if (mpi_rank == 0)
        CHECK(support_same_files(recipe->name, support_golden(sample)));
}

/* As many calls on every rank, until the last one is at its end. */
static long read_sample(const char *mode)
{
    int sid = open_sample(recipe->name, mode, 0, NULL), busy = 1;
    long total = 0;

    while (busy) {
        int at_end = sion_feof(sid);
        size_t left = at_end ? 0 : (size_t)sion_bytes_avail_in_block(sid);

        CHECK_INT(get(sid, mpi_rank, total, left), left);
        total += (long)left;
        CHECK_INT(sion_get_bytes_read(sid), total);
        busy = !at_end;
        MPI_Allreduce(MPI_IN_PLACE, &busy, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    CHECK_INT(sion_parclose_mpi(sid), 1);
    return total;
}

static void sample_container(void)
{
    static const char *const readers[] = {"br", "br,collective",
                                          "br,collective,collsize=3,collread",
                                          "br,collective,collsize=8,posix,collread"};
    char mode[80];
    FILE *fp = NULL;
    size_t i;

    write_sample(recipe->mode, NULL);
    write_sample(recipe->mode, &fp);
    CHECK(fp != NULL);
    snprintf(mode, sizeof mode, "%s,posix", recipe->mode);
    write_sample(mode, NULL);
    for (i = 0; i < 4 && !strstr(recipe->mode, "collectivemerge"); i++)
        CHECK_INT(read_sample(readers[i]),
                  recipe->writes[mpi_rank][0] + recipe->writes[mpi_rank][1]);
}

/* ---- sequences ---- */

/* times records of `bytes` bytes, nothing on every third call of odd ranks; then all of it again.
 */
static void write_and_read(const char *writer, const char *reader, int times, int bytes)
{
    int sid = do_open(writer, 1000), i;
    long total = 0;

    for (i = 0; i < times; i++) {
        int mine = mpi_rank % 2 && i % 3 == 1 ? 0 : bytes;

        CHECK_INT(put(sid, total, (size_t)mine), mine);
        total += mine;
    }
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = do_open(reader, 0);
    total = 0;
    for (i = 0; i < times; i++) {
        int mine = mpi_rank % 2 && i % 3 == 1 ? 0 : bytes;

        CHECK_INT(get(sid, mpi_rank, total, (size_t)mine), mine);
        total += mine;
    }
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(get(sid, mpi_rank, total, 1), 0);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void records_go_to_the_next_chunk_where_they_must(void)
{
    static const int sequences[][2] = {{3, 1000}, {6, 500}, {6, 750}, {20, 33}};
    static const char *const modes[] = {"", ",collective", ",collective,collsize=4"};
    char writer[60], reader[60];
    int i, w, r;

    for (i = 0; i < 4; i++) {
        for (w = 0; w < 3; w++) {
            for (r = (i + w) % 2; r < 3; r += 2) {
                usual(2500);
                snprintf(writer, sizeof writer, "bw%s", modes[w]);
                snprintf(reader, sizeof reader, "br%s,%s", modes[r],
                         (w + r) % 2 ? "collread" : "ansi");
                write_and_read(writer, reader, sequences[i][0], sequences[i][1]);
            }
        }
    }
    CHECK_INT(support_errors + support_warnings, 0);
}

/* Unless the mode asks for it, a read needs nobody else: each rank makes as many as it likes. */
static void reads_wait_for_nobody(void)
{
    int sid, i;

    usual(512);
    sid = do_open("bw,collective,collsize=8", 1000);
    for (i = 0; i < 5; i++)
        CHECK_INT(put(sid, 100 * i, 100), 100);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = do_open("br,collective,collsize=8", 0);
    for (i = 0; i <= mpi_rank % 5; i++)
        CHECK_INT(get(sid, mpi_rank, 100 * i, 100), 100);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

/* Larger than any message, in both directions, over sets of files as well. */
static void large_records_arrive_whole(void)
{
    size_t bytes = (size_t)(MOST - 1000 * mpi_rank);
    int sid;

    for (call.nfiles = 0, usual(4096); call.nfiles <= 2 && call.nfiles <= mpi_size; call.nfiles++) {
        sid = do_open("bw,collective,collsize=8", MOST);
        CHECK_INT(put(sid, 0, 10), 10);
        CHECK_INT(put(sid, 10, bytes - 10), bytes - 10);
        CHECK_INT(put(sid, 0, bytes), bytes);
        CHECK_INT(sion_parclose_mpi(sid), 1);
        sid = do_open("br,collective,collsize=8,collread", 0);
        CHECK_INT(get(sid, mpi_rank, 0, bytes), bytes);
        CHECK_INT(get(sid, mpi_rank, 0, bytes), bytes);
        CHECK_INT(sion_parclose_mpi(sid), 1);
    }
}

/* ---- records that do not fit, and ends ---- */

static void a_record_that_does_not_fit_fails_alone(void)
{
    int victim, sid;

    for (victim = 0; victim < mpi_size; victim++) {
        usual(512);
        sid = do_open("bw,collective,collsize=8", 1000);
        CHECK_INT(put(sid, 0, 300), 300);
        support_catch();
        CHECK_INT(put(sid, 300, mpi_rank == victim ? 9000 : 400), mpi_rank == victim ? 0 : 400);
        CHECK_INT(support_errors, mpi_rank == victim);
        CHECK_INT(sion_coll_fwrite(NULL, 1, mpi_rank == victim, sid), 0);
        CHECK_INT(sion_coll_fwrite(data, mpi_rank == victim ? (size_t)-1 : 0, 2, sid), 0);
        CHECK_INT(support_errors, mpi_rank == victim ? 3 : 0);
        CHECK_INT(sion_get_bytes_written(sid), mpi_rank == victim ? 300 : 700);
        CHECK_INT(put(sid, mpi_rank == victim ? 300 : 700, 90), 90);
        CHECK_INT(sion_parclose_mpi(sid), 1);
        sid = do_open("br", 0);
        CHECK_INT(get(sid, mpi_rank, 0, 300), 300);
        if (mpi_rank != victim)
            CHECK_INT(get(sid, mpi_rank, 300, 400), 400);
        CHECK_INT(get(sid, mpi_rank, mpi_rank == victim ? 300 : 700, 90), 90);
        CHECK_INT(sion_feof(sid), 1);
        CHECK_INT(sion_parclose_mpi(sid), 1);
    }
}

static void ends_and_short_rests_concern_one_task(void)
{
    int victim, sid, mine;

    for (victim = 0; victim < mpi_size; victim++) {
        usual(512);
        mine = mpi_rank == victim;
        sid = do_open("bw,collective", 1000);
        CHECK_INT(put(sid, 0, mine ? 100 : 300), mine ? 100 : 300);
        CHECK_INT(sion_parclose_mpi(sid), 1);
        sid = do_open("br,collective,collsize=8,collread", 0);
        support_catch();
        CHECK_INT(get(sid, mpi_rank, 0, mine ? 0 : 50), mine ? 0 : 50);
        CHECK_INT(get(sid, mpi_rank, mine ? 0 : 50, 50), 50);
        CHECK_INT(sion_get_bytes_read(sid), mine ? 50 : 100);
        CHECK_INT(get(sid, mpi_rank, mine ? 50 : 100, 60), mine ? 0 : 60);
        CHECK_INT(support_errors, mine);
        CHECK_INT(get(sid, mpi_rank, mine ? 50 : 160, 50), 50);
        CHECK_INT(get(sid, mpi_rank, mine ? 100 : 210, 90), mine ? 0 : 90);
        CHECK_INT(support_errors, mine);
        CHECK_INT(sion_feof(sid), 1);
        CHECK_INT(sion_parclose_mpi(sid), 1);
    }
}

static void individual_calls_may_come_in_between(void)
{
    int sid, with_file;

    for (with_file = 0; with_file < 2; with_file++) {
        usual(512);
        sid = do_open(with_file ? "bw,collective" : "bw,collective,posix", 1000);
        CHECK_INT(put(sid, 0, 100), 100);
        check_fill(data, mpi_rank, 100, 50);
        CHECK_INT(sion_fwrite(data, 1, 20, sid), 20);
        if (with_file)
            CHECK_INT(fwrite(data + 20, 1, 30, call.fp), 30);
        else
            CHECK_INT(sion_fwrite(data + 20, 1, 30, sid), 30);
        CHECK_INT(put(sid, 150, 100), 100);
        CHECK_INT(sion_get_bytes_written(sid), 250);
        CHECK_INT(sion_parclose_mpi(sid), 1);
        sid = do_open(with_file ? "br,collective,collread" : "br,collective,posix,collread", 0);
        CHECK_INT(get(sid, mpi_rank, 0, 30), 30);
        CHECK_INT(sion_fread(data, 1, 100, sid), 100);
        CHECK_INT(check_compare(data, mpi_rank, 30, 100), -1);
        CHECK_INT(get(sid, mpi_rank, 130, 120), 120);
        CHECK_INT(sion_feof(sid), 1);
        CHECK_INT(sion_parclose_mpi(sid), 1);
    }
}

/* ---- merging ---- */

/* Byte i of what the collector has for `ranks` ranks with `bytes` bytes each. */
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

static void merged_records_lie_behind_each_other(void)
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

/* Pieces of a block size at most, each of which fits into a chunk or goes to the next one. */
static void merged_pieces_follow_the_rule_of_chunks(void)
{
    int sid, i;
    long total;

    usual(512);
    /* Five records leave room for a first piece, but not for a whole record. */
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

/* ---- merged records read by those who wrote them ---- */

enum { STEPS = 6 };

static size_t merged_most; /* all records fit into the collector's chunk */

/* Record `step` of a rank: the same of all, of some only, many sizes, nothing, several blocks. */
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

/* If the data do not suffice for all of a group, nobody gets any, and nothing has moved. */
static void a_short_read_is_short_for_the_whole_group(void)
{
    int sid, last = mpi_rank == mpi_size - 1;

    usual(512);
    sid = do_open("bw,collective,cmerge,collsize=8", 1000);
    CHECK_INT(put(sid, 0, 300), 300);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = do_open("br,collective,cmerge,collsize=8", 0);
    CHECK_INT(get(sid, mpi_rank, 0, last ? 301 : 300), 0);
    CHECK_INT(support_errors, 1); /* a part of a record is there, which is no end of the data */
    CHECK_INT(sion_feof(sid), 0);
    CHECK_INT(get(sid, mpi_rank, 0, 300), 300);
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(get(sid, mpi_rank, 0, last ? 1 : 0), 0);
    CHECK_INT(support_errors, 1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

/* Nobody knows what it would have taken, so the others get nothing either. */
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

static void groups_that_have_not_written_the_file_are_refused(void)
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

/* Other sizes than those that were written may be asked for, and nobody at all may have written. */
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

/* A file whose tasks are in the other order than the ranks: its groups follow the file. */
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

/* ---- what switches it on ---- */

/* Chunk sizes of 100 with blocks of 512: what is stored tells the mode and the groups. */
static long long stored_size(const char *mode)
{
    int sid = do_open(mode, 100);

    CHECK_INT(put(sid, 0, 50), 50);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = do_open("br", 0);
    CHECK_INT(get(sid, mpi_rank, 0, 50), 50);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    return call.chunksize;
}

/* Pairs of ranks on nodes of their own. */
static void groups_of_nodes(void)
{
    char node[20];
    int nfiles;

    snprintf(node, sizeof node, "node %d", mpi_rank / 2);
    setenv("SION_NODE", node, 1);
    for (nfiles = 1; nfiles <= (mpi_size + 1) / 2; nfiles++) {
        usual(512);
        call.nfiles = nfiles;
        if (mpi_size % nfiles == 0 && mpi_size / nfiles % 2 == 0)
            CHECK_INT(stored_size("bw,collective,collmsa"), mpi_rank % 2 ? 412 : 100);
    }
    unsetenv("SION_NODE");
}

static void words_and_environment_switch_it_on(void)
{
    long long last = (100LL * mpi_size + 511) / 512 * 512 - 100 * (mpi_size - 1);
    long long together = mpi_rank == mpi_size - 1 ? last : 100;
    int nobody = mpi_size > 1 && mpi_rank == 0;

    if (mpi_size > 5) {
        SKIP("the chunks do not fit into a block");
        return;
    }
    usual(512);
    CHECK_INT(stored_size("bw"), 512);
    CHECK_INT(stored_size("bw,collsize=4"), 512);
    CHECK_INT(stored_size("bw,collective"), together);
    CHECK_INT(stored_size("bw,collective,collsize=1"), together);
    CHECK_INT(stored_size("bw,collective,collmsa,collsize=1"), 512);
    CHECK_INT(stored_size("bw,collmsa"), together);
    setenv("SION_COLLSIZE", nobody ? "-1" : "0", 1); /* rank 0's counts */
    CHECK_INT(stored_size("bw"), mpi_size > 1 ? together : 512);
    setenv("SION_COLLSIZE", mpi_rank ? "5" : "0", 1);
    CHECK_INT(stored_size("bw,collective"), 512);
    unsetenv("SION_COLLSIZE");
    setenv("SION_COLLNUM", "1", 1);
    CHECK_INT(stored_size("bw"), together);
    setenv("SION_COLLNUM", "0", 1);
    CHECK_INT(stored_size("bw,collective"), 512);
    setenv("SION_COLLSIZE", "4", 1);
    CHECK_INT(stored_size("bw"), together);
    usual(512);
}

static void zero_sizes_are_one_group(void)
{
    int sid;

    usual(512);
    sid = do_open("bw,collective", 0);
    support_catch();
    CHECK_INT(put(sid, 0, 0), 0);
    CHECK_INT(support_errors, 0);
    CHECK_INT(put(sid, 0, 1), 0);
    CHECK_INT(support_errors, 1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void key_value_containers_have_no_collective_records(void)
{
    int sid;

    usual(512);
    sid = do_open("bw,collective,keyval", 100);
    support_catch();
    CHECK_INT(put(sid, 0, 10), 0);
    CHECK_INT(support_errors, 1);
    CHECK_INT(sion_fwrite_key("0123456789", 3, 1, 10, sid), 10);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = do_open("br,collective", 0);
    CHECK_INT(sion_fread_key(data, 3, 1, 10, sid), 10);
    CHECK(memcmp(data, "0123456789", 10) == 0);
    support_catch();
    CHECK_INT(sion_coll_fread(data, 1, 10, sid), 0);
    CHECK_INT(support_errors, 1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void the_wrong_access_is_refused(void)
{
    int sid;

    usual(512);
    sid = do_open("bw,collective", 100);
    support_catch();
    CHECK_INT(sion_coll_fread(data, 1, 10, sid), 0);
    CHECK_INT(support_errors, 1);
    CHECK_INT(put(sid, 0, 10), 10);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    CHECK(sion_coll_fwrite_mpi(data, 1, 1, sid) == (size_t)-1);
    CHECK(sion_coll_fread_mpi(data, 1, 1, sid) == (size_t)-1);
}

static void a_new_start_forms_new_groups(void)
{
    int sid;

    usual(100);
    setenv("SION_COLLSIZE", "4", 1);
    sid = do_open("bw", 2000);
    CHECK_INT(put(sid, 7, 1500), 1500);
    CHECK_INT(sion_parreinit_mpi(sid, 90), 1);
    CHECK_INT(put(sid, 0, 80), 80);
    CHECK_INT(put(sid, 80, 70), 70);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = do_open("br", 0);
    CHECK(call.chunksize < 200);
    CHECK_INT(get(sid, mpi_rank, 0, 80), 80);
    CHECK_INT(get(sid, mpi_rank, 80, 70), 70);
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    usual(512);
}

static void nothing_is_left_of_many_cycles(void)
{
    int descriptors = support_descriptors(), cycles = mpi_size <= 2 ? 2000 : 60, sid, i;

    for (i = 0; i < cycles; i++) {
        usual(512);
        sid = do_open(i % 2 ? "bw,collective,collsize=8" : "bw,collective,cmerge", 100);
        CHECK_INT(put(sid, 0, 100), 100);
        CHECK_INT(sion_parclose_mpi(sid), 1);
        sid = do_open("br,collective", 0);
        CHECK_INT(sion_parclose_mpi(sid), 1);
    }
    CHECK_INT(support_descriptors(), descriptors);
}

int main(int argc, char **argv)
{
    size_t i;

    mpi_begin(&argc, &argv);
    for (i = 0; i < sizeof recipes / sizeof recipes[0]; i++) {
        recipe = &recipes[i];
        if (recipe->ranks == mpi_size)
            mpi_run_test(recipe->name, sample_container);
    }
    if (argc > 1 && strcmp(argv[1], "samples") == 0)
        return mpi_end();
    RUN_MPI(records_go_to_the_next_chunk_where_they_must);
    RUN_MPI(reads_wait_for_nobody);
    RUN_MPI(large_records_arrive_whole);
    RUN_MPI(a_record_that_does_not_fit_fails_alone);
    RUN_MPI(ends_and_short_rests_concern_one_task);
    RUN_MPI(individual_calls_may_come_in_between);
    RUN_MPI(merged_records_lie_behind_each_other);
    RUN_MPI(merged_pieces_follow_the_rule_of_chunks);
    RUN_MPI(senders_of_a_merge_may_write_for_themselves);
    RUN_MPI(merged_records_are_read_back_by_their_writers);
    RUN_MPI(header_and_data_of_a_checkpoint);
    RUN_MPI(a_short_read_is_short_for_the_whole_group);
    RUN_MPI(a_wrong_argument_stops_the_whole_group);
    RUN_MPI(groups_that_have_not_written_the_file_are_refused);
    RUN_MPI(empty_files_and_single_readers);
    RUN_MPI(merged_records_of_another_order);
    RUN_MPI(groups_of_nodes);
    RUN_MPI(words_and_environment_switch_it_on);
    RUN_MPI(zero_sizes_are_one_group);
    RUN_MPI(key_value_containers_have_no_collective_records);
    RUN_MPI(the_wrong_access_is_refused);
    RUN_MPI(a_new_start_forms_new_groups);
    RUN_MPI(nothing_is_left_of_many_cycles);
    return mpi_end();
}
