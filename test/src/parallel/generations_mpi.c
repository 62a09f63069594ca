/* Containers that keep their last generations, by MPI. */
#include <unistd.h>

#include "mpi_check.h"
#include "sion_checksum.h"

#define NAME "generations.sion"

enum { MOST = 64, ROOM = 20000 };

/* Of this rank: bytes of each generation; what is not published. */
static sion_int64 model[MOST], at, pending;
static int newest, oldest, keep;

struct way {
    const char *words;
    int nfiles;
};

static void check_message(const char *reason)
{
    if (mpi_rank == 0)
        CHECK(strstr(support_message, reason));
    support_catch();
}

static int open_as(const struct way *way, const char *mode)
{
    sion_int64 chunksize = 300 + 200 * mpi_rank;
    sion_int32 fsblksize = 512;
    int nfiles = way->nfiles, rank = mpi_rank;
    MPI_Comm local = MPI_COMM_WORLD;

    return sion_paropen_mpi(NAME, mode, &nfiles, MPI_COMM_WORLD, &local, &chunksize, &fsblksize,
                            &rank, NULL, NULL);
}

/* The same number on all ranks. */
static int random_below(int limit)
{
    int number = (int)check_below((size_t)limit);

    MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return number;
}

static void write_some(const struct way *way, int sid)
{
    static unsigned char data[2000];
    size_t bytes = random_below(4) == 0 || check_below(3) == 0 ? 0 : check_below(290);

    check_fill(data, mpi_rank, at, bytes);
    if (strstr(way->words, "collective"))
        CHECK_INT(sion_coll_fwrite_mpi(data, 1, bytes, sid), bytes);
    else
        CHECK_INT(sion_fwrite(data, 1, bytes, sid), bytes);
    at += (sion_int64)bytes;
    pending += (sion_int64)bytes;
}

static void settle(int before, int is_close)
{
    int has = pending > 0, is_new;

    MPI_Allreduce(&has, &is_new, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (!is_new && before == 0 && !is_close)
        return;
    if (is_new)
        model[++newest] = pending;
    pending = 0;
    while (newest - oldest + 1 > keep || (oldest < before && oldest < newest + !is_new))
        oldest++;
}

static sion_int64 start_of(int generation)
{
    sion_int64 start = 0;
    int g;

    for (g = 1; g < generation; g++)
        start += model[g];
    return start;
}

static void check_stream(int sid, int first, int last)
{
    static unsigned char data[ROOM];
    sion_int64 bytes = sion_stream_read(sid, data, sizeof data);

    CHECK_INT(bytes, start_of(last + 1) - start_of(first));
    CHECK_INT(check_compare(data, mpi_rank, start_of(first), bytes > 0 ? (size_t)bytes : 0), -1);
}

static void check_range(const struct way *way, const char *mode, int first, int last)
{
    sion_int64 chunksize;
    sion_int32 fsblksize;
    int sid = open_as(way, mode), rank = mpi_rank;

    CHECK(sid >= 0);
    if (sid < 0)
        return;
    check_stream(sid, first, last);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = sion_open_rank(NAME, mode, &chunksize, &fsblksize, &rank, NULL);
    CHECK(sid >= 0);
    check_stream(sid, first, last);
    CHECK_INT(sion_close(sid), 1);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void check_readers(const struct way *way)
{
    const char *sums = strstr(way->words, "checksum") ? ",checksum" : "";
    char mode[80];
    int g;

    snprintf(mode, sizeof mode, "rb%s,generation=all", sums);
    check_range(way, mode, oldest, newest);
    if (newest < oldest)
        return;
    snprintf(mode, sizeof mode, "rb%s", sums);
    check_range(way, mode, newest, newest);
    for (g = oldest; g <= newest; g++) {
        snprintf(mode, sizeof mode, "rb%s,generation=%d", sums, g < newest ? g - newest : g);
        check_range(way, mode, g, g);
    }
    snprintf(mode, sizeof mode, "rb,generation=%d", newest + 1);
    support_catch();
    CHECK_INT(open_as(way, mode), -1);
    check_message("has no generation");
    support_catch();
}

static void begin(void)
{
    memset(model, 0, sizeof model);
    at = pending = newest = 0;
    oldest = 1;
    if (mpi_rank == 0)
        unlink(NAME);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void run(const struct way *way)
{
    char mode[80];
    int round, step, before, sid;

    begin();
    for (round = 0; round < 3; round++) {
        keep = 1 + random_below(3);
        snprintf(mode, sizeof mode, "%s%s,keep=%d", round == 0 ? "wb" : "ab", way->words, keep);
        sid = open_as(way, mode);
        CHECK(sid >= 0);
        for (step = random_below(5); step > 0; step--) {
            write_some(way, sid);
            write_some(way, sid);
            before = random_below(4) == 0 ? newest : 0;
            if (before > 0)
                CHECK_INT(sion_forget(sid, before), 1);
            CHECK_INT(sion_parpublish_mpi(sid), 1);
            settle(before, 0);
            check_readers(way);
        }
        write_some(way, sid);
        CHECK_INT(sion_parclose_mpi(sid), 1);
        settle(0, 1);
        check_readers(way);
    }
}

static void all_ways(void)
{
    static const struct way ways[] = {
        {"", 1}, {"", 2}, {",checksum", 1}, {",checksum", 2}, {",collective,collsize=2", 1}};
    size_t i;
    int n;

    for (i = 0; i < sizeof ways / sizeof *ways; i++) {
        for (n = 0; n < 2; n++) {
            struct way way = ways[i];

            way.nfiles = way.nfiles < mpi_size ? way.nfiles : mpi_size;
            run(&way);
        }
    }
}

static void different_numbers_are_refused(void)
{
    const struct way way = {"", 1};
    int sid;

    begin();
    keep = 3;
    sid = open_as(&way, "wb,keep=3");
    write_some(&way, sid);
    CHECK_INT(sion_parpublish_mpi(sid), 1);
    settle(0, 0);
    if (mpi_size > 1) {
        CHECK_INT(sion_forget(sid, 1 + mpi_rank), 1);
        support_catch();
        CHECK_INT(sion_parpublish_mpi(sid), 0);
        check_message("different numbers");
        support_catch();
    }
    write_some(&way, sid);
    CHECK_INT(sion_parpublish_mpi(sid), 1);
    settle(0, 0);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    check_readers(&way);
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    check_seed(77);
    sion_checksum_use(sion_crc32);
    RUN_MPI(all_ways);
    RUN_MPI(different_numbers_are_refused);
    return mpi_end();
}
