/*
 * Random merged containers: records of any sizes, groups, files, and what tasks write by themselves
 * in between; each task's own bytes are read back in any sizes, from any positions, by as many
 * processes as there are, and by one.
 */
#include "mpi_check.h"

#include "sion_checksum.h"

#define NAME "m.sion"

enum { MOST = 5000, RECORDS = 12, STREAM = 2 * RECORDS * MOST };

static struct {
    int nfiles, fsblksize, chunksize;
    char writer[100];
    long total; /* bytes of this rank */
    long totals[64];
} sample;

static unsigned char data[STREAM];

static int open_any(const char *mode, int want_fp)
{
    MPI_Comm world = MPI_COMM_WORLD;
    sion_int64 chunksize = sample.chunksize;
    sion_int32 fsblksize = sample.fsblksize;
    FILE *fp;
    int nfiles = sample.nfiles, globalrank;
    int sid = sion_paropen_mpi(NAME, mode, &nfiles, MPI_COMM_WORLD, &world, &chunksize, &fsblksize,
                               &globalrank, want_fp ? &fp : NULL, NULL);

    CHECK(sid >= 0);
    if (sid < 0)
        printf("# %s: %s\n", mode, sion_error_text());
    return sid;
}

/* What differs between ranks comes from a sequence of its own. */
static size_t own_below(uint64_t *own, size_t limit)
{
    uint64_t common = check_random_state;
    size_t number;

    check_random_state = *own;
    number = check_below(limit);
    *own = check_random_state;
    check_random_state = common;
    return number;
}

/* Any function of the bytes will do. */
static uint32_t add_up(uint32_t sum, const void *bytes, size_t size)
{
    const unsigned char *next = bytes;

    while (size-- > 0)
        sum = sum * 31 + *next++ + 1;
    return sum;
}

/* Choose a case that all ranks know. */
static void random_case(uint64_t *own)
{
    static const char *const words[] = {"", "", ",posix", ",recover", ",posix,recover",
                                        ",checksum"};
    int collsize = (int)check_below((size_t)mpi_size + 2);
    char size[40] = "";

    if (collsize > 0)
        snprintf(size, sizeof size, ",collsize=%d", collsize);
    sample.nfiles = check_below(2) ? 1 : 1 + (int)check_below((size_t)mpi_size);
    sample.fsblksize = check_below(2) ? 512 : 1 + (int)check_below(2000);
    snprintf(sample.writer, sizeof sample.writer, "bw,collective,cmerge%s%s%s", size,
             words[check_below(6)], check_below(4) ? "" : ",collmsa");
    *own = check_random_state * 31 + (uint64_t)mpi_rank * 7919 + 1;
    sample.chunksize = 1 + (int)own_below(own, MOST);
}

static size_t random_size(uint64_t *own, int is_regular)
{
    size_t kind = own_below(own, 10);

    if (is_regular)
        return (size_t)sample.chunksize / 4;
    return kind == 0 ? 0 : kind == 1 ? MOST : own_below(own, (size_t)sample.chunksize + 1);
}

static long write_own(int sid, uint64_t *own)
{
    size_t size = own_below(own, (size_t)sample.chunksize + 1), done;

    check_fill(data, mpi_rank, sample.total, size);
    done = sion_fwrite(data, 1, size, sid);
    CHECK(done == size || done == 0);
    return (long)done;
}

static void write_random(uint64_t *own)
{
    int want_fp = check_below(4) == 0, alone = check_below(2) == 0, regular = check_below(3) == 0;
    int records = (int)check_below(RECORDS + 1), sid = open_any(sample.writer, want_fp), i;

    sample.total = 0;
    for (i = 0; i < records; i++) {
        size_t size = random_size(own, regular), done;

        if (alone && own_below(own, 3) == 0)
            sample.total += write_own(sid, own);
        check_fill(data, mpi_rank, sample.total, size);
        done = sion_coll_fwrite(data, 1, size, sid);
        CHECK(done == size || done == 0);
        sample.total += (long)done;
    }
    if (alone && own_below(own, 2))
        sample.total += write_own(sid, own);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    MPI_Allgather(&sample.total, 1, MPI_LONG, sample.totals, 1, MPI_LONG, MPI_COMM_WORLD);
}

/* Read from `at` on, in random pieces, and check that it is this rank's stream to its end. */
static void read_rest(int sid, int rank, long at, int together, uint64_t *own)
{
    long total = sample.totals[rank];

    while (at < total) {
        size_t size = own_below(own, 3) ? 1 + own_below(own, MOST) : 1 + own_below(own, 40), done;

        CHECK_INT(sion_feof(sid), 0);
        CHECK_INT(sion_bytes_avail_in_block(sid), total - at);
        size = (long)size < total - at ? size : (size_t)(total - at);
        memset(data, 0xee, size + 1);
        done = together ? sion_coll_fread(data, 1, size, sid) : sion_fread(data, 1, size, sid);
        CHECK_INT(done, size);
        if (done != size)
            return;
        CHECK_INT(check_compare(data, rank, at, size), -1);
        CHECK(data[size] == 0xee);
        at += (long)size;
    }
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(together ? sion_coll_fread(data, 1, 1, sid) : sion_fread(data, 1, 1, sid), 0);
}

static void read_together(const char *mode, uint64_t *own)
{
    int sid = open_any(mode, (int)check_below(2)), copy;
    long at;

    if (sid < 0)
        return;
    read_rest(sid, mpi_rank, 0, 1, own);
    at = (long)own_below(own, (size_t)sample.total + 1);
    CHECK_INT(sion_seek(sid, SION_CURRENT_RANK, SION_ABSOLUTE_POS, at), 1);
    copy = sion_dup(sid, SION_DUP_ALL, 0, 0);
    CHECK(copy >= 0);
    read_rest(sid, mpi_rank, at, (int)own_below(own, 2), own);
    read_rest(copy, mpi_rank, at, 0, own);
    CHECK_INT(sion_dedup(copy), 1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

/* Each process reads some tasks, whichever: also none, and one that others read, too. */
static void read_mapped(uint64_t *own)
{
    int n = (int)own_below(own, (size_t)mpi_size + 1), nfiles = 1, sid, i, ranks[64], *list = ranks;
    sion_int32 fsblksize = 0;

    for (i = 0; i < n; i++)
        ranks[i] = (mpi_rank + 3 * i) % mpi_size;
    sid = sion_paropen_mapped_mpi(NAME, "br,cmerge", &nfiles, MPI_COMM_WORLD, &n, &list, NULL, NULL,
                                  NULL, &fsblksize, NULL);
    CHECK(sid >= 0);
    for (i = 0; i < n && sid >= 0; i++) {
        int rank = ranks[own_below(own, (size_t)n)];
        long at = (long)own_below(own, (size_t)sample.totals[rank] + 1);

        CHECK_INT(sion_seek(sid, rank, SION_ABSOLUTE_POS, at), 1);
        read_rest(sid, rank, at, 0, own);
    }
    CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
}

static void read_serially(uint64_t *own)
{
    int ntasks, nfiles, sid = sion_open(NAME, "br,cmerge", &ntasks, &nfiles, NULL, NULL, NULL, NULL),
                        i;

    CHECK(sid >= 0);
    CHECK_INT(ntasks, mpi_size);
    for (i = 0; i < 2 * mpi_size; i++) {
        int rank = (int)own_below(own, (size_t)mpi_size);
        long at = (long)own_below(own, (size_t)sample.totals[rank] + 1);

        CHECK_INT(sion_seek(sid, rank, SION_ABSOLUTE_POS, at), 1);
        read_rest(sid, rank, at, 0, own);
    }
    CHECK_INT(sion_close(sid), 1);
}

static void read_one_rank(uint64_t *own)
{
    int rank = (int)own_below(own, (size_t)mpi_size), sid, copy;
    sion_int64 chunksize;

    sid = sion_open_rank(NAME, "br,cmerge", &chunksize, NULL, &rank, NULL);
    CHECK(sid >= 0);
    copy = sion_dup(sid, SION_DUP_ALL, 0, 0);
    CHECK(copy >= 0);
    read_rest(sid, rank, 0, 0, own);
    read_rest(copy, rank, 0, 0, own);
    CHECK_INT(sion_dedup(copy), 1);
    CHECK_INT(sion_close(sid), 1);
}

static void members_are_read_back(void)
{
    const char *cases = getenv("CHECK_CASES");
    int rounds = cases ? atoi(cases) : mpi_size > 4 ? 8 : 40, round;
    uint64_t own;

    check_seed(20261125 + (uint64_t)mpi_size);
    for (round = 0; round < rounds; round++) {
        char reader[60] = "br,collective,cmerge";

        if (mpi_rank == 0)
            printf("# seed %llu\n", (unsigned long long)check_random_state);
        random_case(&own);
        if (check_below(2))
            snprintf(reader, sizeof reader, "br,collective,cmerge,collsize=%d%s",
                     1 + (int)check_below((size_t)mpi_size), check_below(2) ? ",collread" : "");
        write_random(&own);
        support_errors = 0;
        read_together(strstr(sample.writer, "checksum") ? "br,cmerge,checksum" : reader, &own);
        read_mapped(&own);
        read_one_rank(&own);
        read_serially(&own);
        CHECK_INT(support_errors, 0);
        if (check_failed_here)
            printf("# rank %d of %d: %s, %d files, blocks of %d\n", mpi_rank, mpi_size,
                   sample.writer, sample.nfiles, sample.fsblksize);
        MPI_Allreduce(MPI_IN_PLACE, &check_failed_here, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        if (check_failed_here)
            return;
    }
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    sion_checksum_use(add_up);
    RUN_MPI(members_are_read_back);
    return mpi_end();
}
