/*
 * Compressed streams that many tasks write: one file, sets, with checksums, with commit records;
 * each task reads its own, one process reads all, and fewer processes read what many have written.
 * What cannot be is refused on all tasks.
 */
#include "mpi_check.h"

#include "sion_checksum.h"

#define NAME "zip.sion"

enum { FSBLKSIZE = 1024, RECORDS = 6, LARGEST = 700000, CHUNK = 100000 };

static unsigned char data[LARGEST], found[LARGEST];

static size_t record_size(int rank, int i)
{
    return (size_t)(rank * 7919 + i * 104729) % LARGEST;
}

/* Half of it is noise. */
static void fill(int rank, int i, size_t bytes)
{
    check_fill(data, rank, i, bytes);
    memset(data + bytes / 4, 'a' + rank, bytes / 2);
}

static int create(const char *mode, int nfiles)
{
    MPI_Comm world = MPI_COMM_WORLD;
    sion_int64 chunksize = strstr(mode, "zstd") ? CHUNK : LARGEST;
    sion_int32 fsblksize = FSBLKSIZE;
    int rank;
    FILE *file = NULL;
    int sid;

    support_catch();
    sid = sion_paropen_mpi(NAME, mode, &nfiles, MPI_COMM_WORLD, &world, &chunksize, &fsblksize,
                           &rank, &file, NULL);
    CHECK(sid < 0 || !file || strstr(mode, "compress=none"));
    return sid;
}

static void put_records(int sid, int i, int end)
{
    for (; i < end; i++) {
        size_t bytes = record_size(mpi_rank, i);

        fill(mpi_rank, i, bytes);
        if (i % 2)
            CHECK_INT(sion_coll_fwrite(data, 1, bytes, sid), bytes);
        else
            CHECK_INT(sion_fwrite(data, 1, bytes, sid), bytes);
    }
}

static void write_container(const char *mode, int nfiles)
{
    int sid = create(mode, nfiles);

    CHECK(sid >= 0);
    put_records(sid, 0, RECORDS);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    CHECK_INT(support_errors, 0);
}

static void read_records(int sid, int rank, int together)
{
    int i;

    for (i = 0; i < RECORDS; i++) {
        size_t bytes = record_size(rank, i);

        fill(rank, i, bytes);
        if (together)
            CHECK_INT(sion_coll_fread(found, 1, bytes, sid), bytes);
        else
            CHECK_INT(sion_fread(found, 1, bytes, sid), bytes);
        CHECK(memcmp(found, data, bytes) == 0);
    }
    CHECK_INT(sion_feof(sid), 1);
}

static sion_int64 bytes_of(int rank)
{
    sion_int64 bytes = 0;
    int i;

    for (i = 0; i < RECORDS; i++)
        bytes += (sion_int64)record_size(rank, i);
    return bytes;
}

static void read_own(const char *mode, int together)
{
    MPI_Comm world = MPI_COMM_WORLD;
    sion_int64 chunksize;
    sion_int32 fsblksize;
    FILE *file = NULL;
    int nfiles, rank, sid;

    support_catch();
    sid = sion_paropen_mpi(NAME, mode, &nfiles, MPI_COMM_WORLD, &world, &chunksize, &fsblksize,
                           &rank, &file, NULL);
    CHECK(sid >= 0 && !file);
    CHECK_INT(sion_bytes_avail_in_block(sid), bytes_of(mpi_rank));
    read_records(sid, mpi_rank, together);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    CHECK_INT(support_errors, 0);
}

/* Each process reads every task whose number it has modulo the number of processes. */
static void read_mapped(int processes)
{
    int nfiles = 1, ranks[64], n = 0, i, sid;
    sion_int64 sizes[64];
    sion_int32 fsblksize;
    int *files = NULL, *lranks = NULL;
    sion_int64 *chunks = sizes;
    int *wanted = ranks;
    MPI_Comm some;

    MPI_Comm_split(MPI_COMM_WORLD, mpi_rank < processes, mpi_rank, &some);
    if (mpi_rank < processes) {
        for (i = mpi_rank; i < mpi_size; i += processes)
            ranks[n++] = i;
        support_catch();
        sid = sion_paropen_mapped_mpi(NAME, "rb", &nfiles, some, &n, &wanted, &chunks, &files,
                                      &lranks, &fsblksize, NULL);
        CHECK(sid >= 0);
        for (i = 0; i < n; i++) {
            CHECK_INT(sion_seek(sid, ranks[i], SION_ABSOLUTE_POS, 0), 1);
            read_records(sid, ranks[i], 0);
        }
        CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
        CHECK_INT(support_errors, 0);
        free(files);
        free(lranks);
    }
    MPI_Comm_free(&some);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void read_all_by_one(void)
{
    if (mpi_rank == 0) {
        int ntasks, nfiles, sid, t;

        support_catch();
        sid = sion_open(NAME, "rb", &ntasks, &nfiles, NULL, NULL, NULL, NULL);
        CHECK(sid >= 0);
        for (t = mpi_size - 1; t >= 0; t--) {
            CHECK_INT(sion_seek(sid, t, SION_ABSOLUTE_POS, 0), 1);
            read_records(sid, t, 0);
        }
        CHECK_INT(sion_close(sid), 1);
        CHECK_INT(support_errors, 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void read_in_all_ways(void)
{
    read_own("rb", 0);
    read_own("rb", 1);
    read_own("rb,collective", 1);
    read_own("rb,collread,collective,collsize=2", 1);
    read_mapped(1);
    read_mapped((mpi_size + 1) / 2);
    read_mapped(mpi_size);
    read_all_by_one();
}

static void one_file(void)
{
    write_container("wb,compress=zstd,compress_frame=65536", 1);
    read_in_all_ways();
}

static void sets(void)
{
    write_container("wb,compress=zstd,shuffle=2", mpi_size > 1 ? 2 : 1);
    read_in_all_ways();
}

static void with_commit_records(void)
{
    write_container("wb,compress=zstd,recover", 1);
    read_in_all_ways();
}

static void atomically(void)
{
    write_container("wb,compress=zstd,atomic", mpi_size > 1 ? 2 : 1);
    read_in_all_ways();
}

static void with_checksums(void)
{
#ifdef HAVE_CHECKSUM
    sion_checksum_use(sion_crc32);
    write_container("wb,compress=zstd,checksum", mpi_size > 1 ? 2 : 1);
    setenv("SION_CHECKSUM", "1", 1);
    read_in_all_ways();
    setenv("SION_CHECKSUM", "open", 1);
    read_own("rb,collective", 1);
    read_mapped(mpi_size);
    unsetenv("SION_CHECKSUM");
#else
    SKIP("no checksums");
#endif
}

/* On rank 0: a state has so many records of each task. */
static void check_state(int records)
{
    int ntasks, nfiles, sid, t, i;

    if (mpi_rank > 0)
        return;
    sid = sion_open(NAME, "rb", &ntasks, &nfiles, NULL, NULL, NULL, NULL);
    CHECK(sid >= 0);
    for (t = 0; t < mpi_size; t++) {
        CHECK_INT(sion_seek(sid, t, SION_ABSOLUTE_POS, 0), 1);
        for (i = 0; i < records; i++) {
            fill(t, i, record_size(t, i));
            CHECK_INT(sion_fread(found, 1, record_size(t, i), sid), record_size(t, i));
            CHECK(memcmp(found, data, record_size(t, i)) == 0);
        }
        CHECK_INT(sion_feof(sid), 1);
    }
    CHECK_INT(sion_close(sid), 1);
}

static void grow(const char *mode, int nfiles)
{
    int sid = create(mode, nfiles), i;

    CHECK(sid >= 0);
    for (i = 0; i < RECORDS - 1; i++) {
        put_records(sid, i, i + 1);
        CHECK_INT(sion_parpublish_mpi(sid), 1);
        check_state(i + 1);
    }
    put_records(sid, i, RECORDS);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    CHECK_INT(support_errors, 0);
    read_in_all_ways();
}

static void published(void)
{
    grow("wb,compress=zstd,compress_frame=65536", 1);
    grow("wb,compress=zstd", mpi_size > 1 ? 2 : 1);
}

static void write_on(int nfiles)
{
    int sid = create("wb,compress=zstd,compress_frame=30000,shuffle=2", nfiles);

    put_records(sid, 0, 2);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = create("ab", nfiles);
    CHECK(sid >= 0);
    put_records(sid, 2, 3);
    CHECK_INT(sion_parpublish_mpi(sid), 1);
    check_state(3);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = create("ab,compress=zstd:2", nfiles);
    CHECK(sid >= 0);
    put_records(sid, 3, RECORDS);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    CHECK_INT(support_errors, 0);
    read_in_all_ways();
}

static void written_on(void)
{
    write_on(1);
    write_on(mpi_size > 1 ? 2 : 1);
}

/* The stream of the last task is damaged: no task opens the container. */
static void damage_is_refused_by_all(void)
{
    static const char magic[] = "SIONZST1";
    static char file[4000000];
    size_t bytes, i, last = 0;

    write_container("wb,compress=zstd", 1);
    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi_rank == 0) {
        FILE *stream = fopen(NAME, "r+b");

        bytes = stream ? fread(file, 1, sizeof file, stream) : 0;
        for (i = 0; i + 8 < bytes; i++)
            last = memcmp(file + i, magic, 8) == 0 ? i : last;
        CHECK(last > 0 && fseek(stream, (long)last, SEEK_SET) == 0 && fputc('X', stream) == 'X' &&
              fclose(stream) == 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(create("ab", 1) < 0);
    CHECK(mpi_rank > 0 || strstr(support_message, "is damaged"));
    CHECK(mpi_rank > 0 || access(NAME, F_OK) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi_rank == 0)
        remove(NAME);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Some tasks write nothing. */
static void write_mapped(const char *mode, int first, int end)
{
    int nfiles = 1, ranks[2] = {2 * mpi_rank, 2 * mpi_rank + 1}, n = 2, i, sid;
    sion_int64 sizes[2] = {CHUNK, CHUNK}, *chunks = sizes;
    int filenrs[2] = {0, 0}, lranks[2] = {2 * mpi_rank, 2 * mpi_rank + 1}, *wanted = ranks,
        *files = filenrs, *places = lranks;
    sion_int32 fsblksize = FSBLKSIZE;

    support_catch();
    sid = sion_paropen_mapped_mpi(NAME, mode, &nfiles, MPI_COMM_WORLD, &n, &wanted, &chunks, &files,
                                  &places, &fsblksize, NULL);
    CHECK(sid >= 0);
    for (i = first; i < end; i++) {
        size_t bytes = record_size(mpi_rank, i);

        fill(mpi_rank, i, bytes);
        CHECK_INT(sion_seek(sid, 2 * mpi_rank + 1, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
        CHECK_INT(sion_fwrite(data, 1, bytes / 2, sid), bytes / 2);
        CHECK_INT(sion_fwrite(data + bytes / 2, 1, bytes - bytes / 2, sid), bytes - bytes / 2);
        CHECK_INT(sion_seek(sid, 2 * mpi_rank, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
        if (i == 1)
            CHECK_INT(sion_parpublish_mpi(sid), 1);
    }
    CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
    CHECK_INT(support_errors, 0);
}

static void check_mapped(void)
{
    int nfiles, sid;

    if (mpi_rank == 0) {
        int ntasks, t;

        sid = sion_open(NAME, "rb", &ntasks, &nfiles, NULL, NULL, NULL, NULL);
        CHECK_INT(ntasks, 2 * mpi_size);
        for (t = 0; t < mpi_size; t++) {
            CHECK_INT(sion_seek(sid, 2 * t, SION_ABSOLUTE_POS, 0), 1);
            CHECK_INT(sion_feof(sid), 1);
            CHECK_INT(sion_seek(sid, 2 * t + 1, SION_ABSOLUTE_POS, 0), 1);
            read_records(sid, t, 0);
        }
        CHECK_INT(sion_close(sid), 1);
        CHECK_INT(support_errors, 0);
    }
}

static void written_mapped(void)
{
    write_mapped("wb,compress=zstd", 0, RECORDS);
    check_mapped();
    write_mapped("wb,compress=zstd,shuffle=3", 0, 4);
    write_mapped("ab", 4, RECORDS);
    check_mapped();
}

static void refuse(const char *mode, const char *why)
{
    CHECK(create(mode, 1) < 0);
    if (mpi_rank == 0) {
        CHECK(strstr(support_message, why));
        CHECK(access(NAME, F_OK) != 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void what_is_refused(void)
{
    int sid;

    if (mpi_rank == 0)
        remove(NAME);
    MPI_Barrier(MPI_COMM_WORLD);
    refuse("wb,compress=zstd,keyval", "key-value records");
    refuse("wb,compress=zstd,collective,collsize=2", "collective calls");
    refuse("wb,compress=zstd,buddy", "buddy copies");
    refuse("wb,compress=bzip2", "it takes zstd");
    sid = create("wb,compress=zstd", 1);
    CHECK(sid >= 0);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

/* The streams are found all the same where only one process knows what the environment says. */
static void an_environment_of_one(void)
{
    if (mpi_rank == 0)
        setenv("SION_COMPRESS", "zstd", 1);
    write_container("wb", 1);
    unsetenv("SION_COMPRESS");
    read_own("rb", 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi_rank > 0)
        setenv("SION_COMPRESS", "zstd", 1);
    write_container("wb,compress=none", 1);
    unsetenv("SION_COMPRESS");
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    RUN_MPI(one_file);
    RUN_MPI(sets);
    RUN_MPI(with_commit_records);
    RUN_MPI(atomically);
    RUN_MPI(with_checksums);
    RUN_MPI(published);
    RUN_MPI(written_on);
    RUN_MPI(damage_is_refused_by_all);
    RUN_MPI(written_mapped);
    RUN_MPI(what_is_refused);
    RUN_MPI(an_environment_of_one);
    return mpi_end();
}
