/* Tasks read the data that they have written: records, positions, duplicates, exported files. */
#include "mpi_check.h"

#define NAME "c.sion"

static unsigned char data[70000];

static int open_with(const char *mode, int nfiles, sion_int64 chunksize, sion_int32 fsblksize,
                     FILE **fp)
{
    MPI_Comm world = MPI_COMM_WORLD;
    int globalrank;

    return sion_paropen_mpi(NAME, mode, &nfiles, MPI_COMM_WORLD, &world, &chunksize, &fsblksize,
                            &globalrank, fp, NULL);
}

static void fill(long first, size_t n)
{
    check_fill(data, mpi_rank, first, n);
}

static void blocks_of_100_50_100(void)
{
    static const size_t pieces[] = {100, 50, 100};
    static const char *const modes[] = {"bw", "bw,posix"};
    int m, sid, i;
    long total;
    FILE *fp = NULL;

    for (m = 0; m < 2; m++) {
        sid = open_with(modes[m], 1, 100, 10, m == 0 ? &fp : NULL);
        fill(0, 250);
        if (m == 0)
            CHECK_INT(fwrite(data, 1, 100, fp), 100);
        else
            CHECK_INT(sion_fwrite(data, 1, 100, sid), 100);
        CHECK_INT(sion_get_bytes_written(sid), 100);
        CHECK_INT(sion_ensure_free_space(sid, 1000), 0);
        CHECK_INT(sion_ensure_free_space(sid, 50), 1);
        CHECK_INT(sion_fwrite(data + 100, 1, 50, sid), 50);
        CHECK_INT(sion_get_bytes_written(sid), 150);
        CHECK_INT(sion_ensure_free_space(sid, 100), 1);
        CHECK_INT(sion_fwrite(data + 150, 1, 100, sid), 100);
        CHECK_INT(sion_get_bytes_written(sid), 250);
        CHECK_INT(sion_parclose_mpi(sid), 1);
        sid = open_with("br", 0, 0, 0, NULL);
        for (i = 0, total = 0; !sion_feof(sid); i++) {
            size_t left = (size_t)sion_bytes_avail_in_block(sid);

            CHECK_INT(left, i < 3 ? pieces[i] : 0);
            CHECK_INT(sion_fread(data, 1, left, sid), left);
            CHECK_INT(check_compare(data, mpi_rank, total, left), -1);
            total += (long)left;
        }
        CHECK_INT(i, 3);
        CHECK_INT(sion_parclose_mpi(sid), 1);
    }
}

static void positions_and_seeks(void)
{
    sion_int64 pos, *used;
    int sid = open_with("bw", 1, 1024, 512, NULL), block, chunks;

    fill(0, 1884);
    CHECK_INT(sion_fwrite(data, 1, 1000, sid), 1000);
    CHECK_INT(sion_fwrite(data + 1000, 1, 332, sid), 332);
    CHECK_INT(sion_get_bytes_written(sid), 1332);
    CHECK_INT(sion_fwrite(data + 1332, 1, 512, sid), 512);
    CHECK_INT(sion_fwrite(data + 1844, 1, 40, sid), 40);
    CHECK_INT(sion_get_bytes_written(sid), 1884);
    CHECK_INT(sion_get_current_location(sid, &block, &pos, &chunks, &used), 1);
    CHECK(block == 1 && pos == 884 && chunks == 2 && used[0] == 1000 && used[1] == 884);
    CHECK_INT(sion_seek(sid, SION_CURRENT_RANK, 0, 0), 0);
    CHECK_INT(sion_seek(sid, mpi_rank, 1, 884), 1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = open_with("br", 0, 0, 0, NULL);
    CHECK_INT(sion_get_current_location(sid, &block, &pos, &chunks, &used), 1);
    CHECK(block == 0 && pos == 0 && chunks == 2 && used[0] == 1000 && used[1] == 884);
    CHECK_INT(sion_fread(data, 1, 200, sid), 200);
    CHECK_INT(sion_get_bytes_read(sid), 200);
    CHECK_INT(sion_seek(sid, SION_CURRENT_RANK, 1, 40), 1);
    CHECK_INT(sion_fread(data, 1, 36, sid), 36);
    CHECK_INT(check_compare(data, mpi_rank, 1040, 36), -1);
    CHECK_INT(sion_get_bytes_read(sid), 1076);
    CHECK_INT(sion_seek(sid, SION_CURRENT_RANK, SION_ABSOLUTE_POS, 1050), 1);
    CHECK_INT(sion_fread(data, 1, 10, sid), 10);
    CHECK_INT(check_compare(data, mpi_rank, 1050, 10), -1);
    CHECK_INT(sion_get_bytes_read(sid), 1060);
    CHECK_INT(sion_seek(sid, mpi_rank + 1, 0, 0), 0);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

/* Random record sizes on every rank, several files, small and large chunks. */
static void random_records(int nfiles, sion_int64 chunksize, sion_int32 fsblksize, const char *mode)
{
    int sid = open_with(mode, nfiles, chunksize, fsblksize, NULL);
    size_t limit = (size_t)((chunksize + fsblksize - 1) / fsblksize * fsblksize);
    long total = 0, got = 0;
    int i;

    check_random_state += (uint64_t)mpi_rank;
    for (i = 0; i < 200 + 10 * mpi_rank; i++) {
        size_t n = check_below(check_below(8) ? 40 : limit) + 1;

        n = n > limit ? limit : n;
        fill(total, n);
        CHECK_INT(sion_fwrite(data, 1, n, sid), n);
        total += (long)n;
    }
    CHECK_INT(sion_get_bytes_written(sid), total);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = open_with(strstr(mode, "posix") ? "br,posix" : "br", 0, 0, 0, NULL);
    while (!sion_feof(sid)) {
        size_t left = (size_t)sion_bytes_avail_in_block(sid), n = check_below(left) + 1;

        if (sion_fread(data, 1, n, sid) != n || check_compare(data, mpi_rank, got, n) != -1)
            break;
        got += (long)n;
    }
    CHECK_INT(got, total);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void random_records_are_read_back(void)
{
    check_seed(20240607);
    random_records(1, 64, 16, "bw");
    random_records(1, 1, 1, "bw,posix");
    random_records(1, 65536, 4096, "bw");
    random_records(mpi_size, 300, 100, "bw");
    random_records((mpi_size + 1) / 2, 5000, 512, "bw,posix");
}

static void empty_streams_and_chunks_of_0_bytes(void)
{
    int sid = open_with("bw", 1, mpi_rank % 2 ? 0 : 100, 10, NULL);

    if (mpi_rank % 2)
        CHECK_INT(sion_fwrite("x", 1, 1, sid), 0);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = open_with("br", 0, 0, 0, NULL);
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(sion_bytes_avail_in_block(sid), 0);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void duplicates_have_positions_of_their_own(void)
{
    int sid = open_with("bw", 1, 100, 10, NULL), copy, serial;
    char name[] = NAME;

    fill(0, 250);
    CHECK_INT(sion_dup(sid, SION_DUP_ALL, 0, 0), -1);
    CHECK_INT(sion_fwrite(data, 1, 100, sid), 100);
    CHECK_INT(sion_fwrite(data + 100, 1, 100, sid), 100);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = open_with("br", 0, 0, 0, NULL);
    CHECK_INT(sion_fread(data, 1, 60, sid), 60);
    /* There is one task, so programs may pass any rank. */
    copy = sion_dup(sid, SION_DUP_RANK, -1, 0);
    CHECK(copy >= 0);
    CHECK_INT(sion_dup(sid, SION_DUP_RANK_KEY, mpi_rank, 5), -1);
    CHECK_INT(sion_fread(data, 1, 40, sid), 40);
    CHECK_INT(sion_get_bytes_read(copy), 60);
    CHECK_INT(sion_dedup(sid), 0);
    CHECK_INT(sion_parclose_mpi(copy), -1);
    CHECK_INT(sion_close(copy), 0);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    CHECK_INT(sion_fread(data, 1, 40, copy), 40);
    CHECK_INT(check_compare(data, mpi_rank, 60, 40), -1);
    CHECK_INT(sion_fread(data, 1, 100, copy), 100);
    CHECK_INT(check_compare(data, mpi_rank, 100, 100), -1);
    CHECK_INT(sion_feof(copy), 1);
    CHECK_INT(sion_dedup(copy), 1);
    CHECK_INT(sion_dedup(copy), -1);
    serial = sion_open_rank(name, "br", NULL, NULL, &mpi_rank, NULL);
    CHECK_INT(sion_dup(serial, SION_DUP_RANK_KEY, 0, 0), -1);
    CHECK_INT(sion_close(serial), 1);
}

static void a_set_is_read_serially(void)
{
    int nfiles = mpi_size > 2 ? 3 : mpi_size, n, files, sid, task;
    char name[] = NAME;
    FILE *fp;

    sid = open_with("bw", nfiles, 100, 10, NULL);
    fill(0, 90);
    CHECK_INT(sion_fwrite(data, 1, 90, sid), 90);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = sion_open(name, "br", &n, &files, NULL, NULL, NULL, NULL);
    CHECK(n == mpi_size && files == nfiles);
    for (task = 0; task < n; task++) {
        CHECK_INT(sion_seek_fp(sid, task, 0, 0, &fp), 1);
        CHECK_INT(fread(data, 1, 90, fp), 90);
        CHECK_INT(check_compare(data, task, 0, 90), -1);
    }
    CHECK_INT(sion_close(sid), 1);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void the_environment_sets_the_buffer(void)
{
    static const char *const sizes[] = {"-1", "1", "100", "1000000", "0", "junk"};
    int i, k, sid;

    for (i = 0; i < 6; i++) {
        setenv("SION_BUFFERSIZE", sizes[i], 1);
        sid = open_with("bw", 1, 1000, 10, NULL);
        for (k = 0; k < 10; k++) {
            fill(100L * k, 100);
            CHECK_INT(sion_fwrite(data, 1, 100, sid), 100);
            CHECK_INT(sion_get_bytes_written(sid), 100 * (k + 1));
        }
        CHECK_INT(sion_parclose_mpi(sid), 1);
        unsetenv("SION_BUFFERSIZE");
        sid = open_with("br", 0, 0, 0, NULL);
        CHECK_INT(sion_fread(data, 1, 1000, sid), 1000);
        CHECK_INT(check_compare(data, mpi_rank, 0, 1000), -1);
        CHECK_INT(sion_parclose_mpi(sid), 1);
    }
}

static void hints_are_accepted(void)
{
    int sid;

    setenv("SION_HINTS", "1", 1);
    setenv("SION_HINT_TYPE_LINUX", "1", 1);
    sid = open_with("bw,hints", 1, 100, 10, NULL);
    CHECK_INT(sion_using_hints(sid), 1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    unsetenv("SION_HINTS");
    unsetenv("SION_HINT_TYPE_LINUX");
    sid = open_with("br", 0, 0, 0, NULL);
    CHECK_INT(sion_using_hints(sid), 0);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void many_cycles_leak_nothing(void)
{
    int descriptors = support_descriptors(), cycles = mpi_size <= 2 ? 2000 : 100, i;
    int bad = 0, sid = -1;

    for (i = 0; i < cycles; i++) {
        sid = open_with("bw", i % 3 ? 1 : mpi_size, 10, 10, NULL);
        bad += sion_fwrite("x", 1, 1, sid) != 1 || sion_parclose_mpi(sid) != 1;
        sid = open_with("br", 0, 0, 0, NULL);
        bad += sion_parclose_mpi(sid) != 1;
    }
    CHECK_INT(bad, 0);
    CHECK(sid < 10);
    CHECK_INT(support_descriptors(), descriptors);
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    RUN_MPI(blocks_of_100_50_100);
    RUN_MPI(positions_and_seeks);
    RUN_MPI(random_records_are_read_back);
    RUN_MPI(empty_streams_and_chunks_of_0_bytes);
    RUN_MPI(duplicates_have_positions_of_their_own);
    RUN_MPI(a_set_is_read_serially);
    RUN_MPI(the_environment_sets_the_buffer);
    RUN_MPI(hints_are_accepted);
    RUN_MPI(many_cycles_leak_nothing);
    return mpi_end();
}
