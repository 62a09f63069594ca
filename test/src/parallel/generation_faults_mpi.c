/*
 * Writers of containers with generations, by MPI, one of whose calls fails: readers see the state
 * before or the new one, all ranks say the same, and the next writer goes on.
 */
#include "generations_mpi.h"

#include <errno.h>

#include "vfs/fault.h"

enum { FIRST = 500, MORE = 190, MOST_CALLS = 200 };

/* How a writer ends, whether it forgets all before that, and whether its data are on their way. */
enum { CLOSES = 1, FORGETS = 2, HOLDS_DATA = 4, WAYS = 6 };

static size_t bytes_of_rank(int rank)
{
    return (size_t)(FIRST + MORE * rank);
}

static void write_generation(const struct way *way, int sid)
{
    unsigned char data[FIRST + 4 * MORE];
    size_t bytes = bytes_of_rank(mpi_rank);

    check_fill(data, mpi_rank, at, bytes);
    if (has_keys)
        CHECK_INT(sion_fwrite_key(data, 2, 1, bytes, sid), bytes);
    else if (strstr(way->words, "collective")) { /* each record fits into a chunk */
        CHECK_INT(sion_coll_fwrite_mpi(data, 1, bytes / 2, sid), bytes / 2);
        CHECK_INT(sion_coll_fwrite_mpi(data + bytes / 2, 1, bytes / 2, sid), bytes / 2);
    } else
        CHECK_INT(sion_stream_write(sid, data, (sion_int64)bytes), bytes);
    at += (sion_int64)bytes;
    pending += (sion_int64)bytes;
    pending_records++;
}

/* Four generations, of which two are left, and a fifth that is not published. */
static int write_five(const struct way *way, int how)
{
    char mode[80];
    int sid, g;

    scion_fault_arm(0, 0, 0, 0); /* files that are opened from now on can fail */
    begin();
    keep = 2;
    snprintf(mode, sizeof mode, "wb%s,keep=2,sync=close", way->words);
    sid = open_to_write(way, mode);
    for (g = 1; g <= 5; g++) {
        write_generation(way, sid);
        if (g < 5)
            CHECK_INT(sion_parpublish_mpi(sid), 1);
        if (g < 5)
            settle(0, 0);
    }
    if (!(how & HOLDS_DATA))
        CHECK_INT(sion_flush(sid), 1);
    return sid;
}

/* What there is after that: the fifth one, with the fourth if that was not to be forgotten, or the
   third and the fourth. */
static void find_what_is_left(int how)
{
    int there = 0, sid, ntasks, nfiles;
    sion_int32 fsblksize;

    if (mpi_rank == 0) {
        sid = sion_open(NAME, "rb,generation=5", &ntasks, &nfiles, NULL, &fsblksize, NULL, NULL);
        there = sid >= 0;
        if (there)
            CHECK_INT(sion_close(sid), 1);
        support_catch();
    }
    MPI_Bcast(&there, 1, MPI_INT, 0, MPI_COMM_WORLD);
    newest = there ? 5 : 4;
    oldest = there && (how & FORGETS) ? 5 : newest - 1;
    model[5] = model[4];
    records[5] = records[4];
    at = start_of(newest + 1);
    pending = pending_records = 0;
}

static int finish(const struct way *way, int sid, int how)
{
    return (how & CLOSES ? close_writer(way, sid) : sion_parpublish_mpi(sid)) == 1;
}

/* Errors of all ranks. */
static int errors(void)
{
    int all;

    MPI_Allreduce(&support_errors, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static void check_next_writer(const struct way *way)
{
    char mode[80];
    int sid;

    snprintf(mode, sizeof mode, "ab%s", way->words);
    sid = open_to_write(way, mode);
    CHECK(sid >= 0);
    write_generation(way, sid);
    CHECK_INT(close_writer(way, sid), 1);
    settle(0, 1);
    check_readers(way);
}

/* In call n of that rank. Whether one has. */
static int fail_once(const struct way *way, int how, int rank, long n)
{
    const unsigned calls = 1u << SCION_FAULT_PWRITE | 1u << SCION_FAULT_FSYNC |
                           1u << SCION_FAULT_PREAD | 1u << SCION_FAULT_FTRUNCATE |
                           1u << SCION_FAULT_FSTAT;
    int sid = write_five(way, how), is_done, is_hit, is_closed;

    if (how & FORGETS)
        CHECK_INT(sion_forget(sid, 5), 1);
    support_catch();
    if (mpi_rank == rank)
        scion_fault_arm(calls, n, 1, n % 2 ? ENOSPC : EIO);
    is_done = finish(way, sid, how);
    is_hit = scion_fault_hits() > 0;
    scion_fault_arm(0, 0, 0, 0);
    MPI_Bcast(&is_hit, 1, MPI_INT, rank, MPI_COMM_WORLD);
    CHECK_SAME(is_done);
    CHECK(is_done || is_hit);
    CHECK_INT(errors() > 0, !is_done);
    find_what_is_left(how);
    CHECK(!is_done || newest == 5);
    check_readers(way);
    if (!(how & CLOSES)) { /* it is open, and goes on */
        is_closed = close_writer(way, sid) == 1;
        CHECK_SAME(is_closed);
        CHECK(is_closed || !is_done);
        find_what_is_left(how);
        check_readers(way);
    }
    check_next_writer(way);
    support_catch();
    return is_hit;
}

static void fail_each(const struct way *way, int how, int rank)
{
    long n;

    for (n = 1; fail_once(way, how, rank, n); n++)
        CHECK(n < MOST_CALLS);
    CHECK(n > 4 || rank > 0);
    if (check_failed_here)
        printf("# '%s', %d files, how %d, rank %d, call %ld\n", way->words, way->nfiles, how, rank,
               n);
}

static void calls_fail(const struct way *way)
{
    int how, failed = 0;

    for (how = 0; how < WAYS && !failed; how++) {
        fail_each(way, how, 0);
        if (mpi_size > 1)
            fail_each(way, how, mpi_size - 1);
        MPI_Allreduce(&check_failed_here, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
}

static void one_file(void)
{
    static const struct way way = {SUMS, 1, 0};

    calls_fail(&way);
}

static void a_set(void)
{
    struct way way = {"", 2, 0};

    way.nfiles = mpi_size > 1 ? 2 : 1;
    calls_fail(&way);
    way.words = SUMS;
    calls_fail(&way);
}

static void a_mapped_writer(void)
{
    struct way way = {SUMS, 2, 1};

    way.nfiles = mpi_size > 1 ? 2 : 1;
    calls_fail(&way);
}

static void keys(void)
{
    static const struct way way = {",keyval=inline", 1, 0};

    has_keys = 1;
    calls_fail(&way);
    has_keys = 0;
}

static void collectors(void)
{
    static const struct way way = {",collective,collsize=2", 1, 0};

    calls_fail(&way);
}

static void compressed_streams(void)
{
    static const struct way way = {SUMS ",compress=zstd", 1, 0};

    scion_fault_arm(0, 0, 0, 0);
    if (can_compress())
        calls_fail(&way);
    else
        SKIP("there is no libzstd");
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
#ifdef HAVE_CHECKSUM
    sion_checksum_use(sion_crc32);
#endif
    RUN_MPI(one_file);
    RUN_MPI(a_set);
    RUN_MPI(a_mapped_writer);
    RUN_MPI(keys);
    RUN_MPI(collectors);
    RUN_MPI(compressed_streams);
    scion_fault_disarm();
    return mpi_end();
}
