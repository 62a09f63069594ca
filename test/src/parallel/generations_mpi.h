/* Writers of containers with generations, by MPI, and what readers have to see. */
#ifndef TEST_GENERATIONS_MPI_H
#define TEST_GENERATIONS_MPI_H

#include <unistd.h>

#include "mpi_check.h"
#include "records.h"
#include "sion_checksum.h"

#define NAME "generations.sion"

#ifdef HAVE_CHECKSUM
#define SUMS ",checksum"
#else
#define SUMS ""
#endif

enum { MOST = 64, ROOM = 20000 };

/* Of this rank: bytes of each generation; what is not published. */
static sion_int64 model[MOST], at, pending;
static int newest, oldest, keep;

/* The same of keys: every write is a record. */
static int has_keys;
static sion_int64 records[MOST], pending_records;

struct way {
    const char *words;
    int nfiles;
    int is_mapped; /* the writer */
};

static inline void check_message(const char *reason)
{
    if (mpi_rank == 0)
        CHECK(strstr(support_message, reason));
    support_catch();
}

/* Files differ in how many blocks a generation has. */
static inline sion_int64 chunk_size(const struct way *way)
{
    return (strstr(way->words, "collective") ? 300 : 200) + 200 * mpi_rank;
}

static inline int open_as(const struct way *way, const char *mode)
{
    sion_int64 chunksize = chunk_size(way);
    sion_int32 fsblksize = 64;
    int nfiles = way->nfiles, rank = mpi_rank;
    MPI_Comm local = MPI_COMM_WORLD;

    return sion_paropen_mpi(NAME, mode, &nfiles, MPI_COMM_WORLD, &local, &chunksize, &fsblksize,
                            &rank, NULL, NULL);
}

static inline int open_to_write(const struct way *way, const char *mode)
{
    int rank = mpi_rank, *ranks = &rank, one = 1, nfiles = way->nfiles, file = rank % nfiles,
        *files = &file, place = rank / nfiles, *places = &place, sid;
    sion_int64 size = chunk_size(way), *sizes = &size;
    sion_int32 fsblksize = 64;

    if (!way->is_mapped)
        return open_as(way, mode);
    sid = sion_paropen_mapped_mpi(NAME, mode, &nfiles, MPI_COMM_WORLD, &one, &ranks, &sizes, &files,
                                  &places, &fsblksize, NULL);
    if (sid >= 0)
        CHECK_INT(sion_seek(sid, mpi_rank, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    return sid;
}

static inline int close_writer(const struct way *way, int sid)
{
    return way->is_mapped ? sion_parclose_mapped_mpi(sid) : sion_parclose_mpi(sid);
}

/* The same number on all ranks. */
static inline int random_below(int limit)
{
    int number = (int)check_below((size_t)limit);

    MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return number;
}

static inline void write_some(const struct way *way, int sid)
{
    static unsigned char data[2000];
    size_t bytes = random_below(4) == 0 || check_below(3) == 0 ? 0 : check_below(290);

    check_fill(data, mpi_rank, at, bytes);
    if (has_keys && bytes > 0)
        CHECK_INT(sion_fwrite_key(data, check_below(3), 1, bytes, sid), bytes);
    else if (strstr(way->words, "collective"))
        CHECK_INT(sion_coll_fwrite_mpi(data, 1, bytes, sid), bytes);
    else if (!has_keys)
        CHECK_INT(sion_stream_write(sid, data, (sion_int64)bytes), bytes);
    at += (sion_int64)bytes;
    pending += (sion_int64)bytes;
    pending_records += bytes > 0;
}

static inline void settle(int before, int is_close)
{
    int has = pending > 0, is_new;

    MPI_Allreduce(&has, &is_new, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (!is_new && before == 0 && !is_close)
        return;
    if (is_new) {
        model[++newest] = pending;
        records[newest] = pending_records;
    }
    pending = pending_records = 0;
    while (newest - oldest + 1 > keep || (oldest < before && oldest < newest + !is_new))
        oldest++;
}

static inline sion_int64 start_of(int generation)
{
    sion_int64 start = 0;
    int g;

    for (g = 1; g < generation; g++)
        start += model[g];
    return start;
}

/* Bytes of the stream of a generation. */
static inline sion_int64 stored(int generation)
{
    return model[generation] + (has_keys ? 16 * records[generation] : 0);
}

static inline sion_int64 read_bytes(int sid, unsigned char *data, sion_int64 wanted)
{
    return has_keys ? records_read(sid, data, wanted) : sion_stream_read(sid, data, wanted);
}

static inline void begin(void)
{
    memset(model, 0, sizeof model);
    memset(records, 0, sizeof records);
    pending_records = 0;
    at = pending = newest = 0;
    oldest = 1;
    if (mpi_rank == 0)
        unlink(NAME);
    MPI_Barrier(MPI_COMM_WORLD);
}

static inline int open_mapped(const char *mode)
{
    int rank = mpi_rank, *ranks = &rank, one = 1, nfiles = 1, *files = NULL, *lranks = NULL;
    sion_int64 *chunksizes = NULL;
    sion_int32 fsblksize;
    int sid = sion_paropen_mapped_mpi(NAME, mode, &nfiles, MPI_COMM_WORLD, &one, &ranks,
                                      &chunksizes, &files, &lranks, &fsblksize, NULL);

    free(files);
    free(lranks);
    free(chunksizes);
    if (sid >= 0)
        CHECK_INT(sion_seek(sid, mpi_rank, 0, 0), 1);
    return sid;
}

static inline int can_compress(void)
{
    const struct way way = {"", 1, 0};
    int sid = open_as(&way, "wb,compress=zstd");

    support_catch();
    return sid >= 0 && sion_parclose_mpi(sid) == 1;
}

/* Sessions that publish now and then; look: at what readers see, after each state. */
static inline void write_states(const struct way *way, void (*look)(const struct way *way))
{
    char mode[80];
    int round, step, before, sid;

    begin();
    for (round = 0; round < 3; round++) {
        keep = 1 + random_below(3);
        snprintf(mode, sizeof mode, "%s%s,keep=%d", round == 0 ? "wb" : "ab", way->words, keep);
        sid = open_to_write(way, mode);
        CHECK(sid >= 0);
        for (step = random_below(5); step > 0; step--) {
            write_some(way, sid);
            write_some(way, sid);
            before = random_below(4) == 0 ? newest : 0;
            if (before > 0)
                CHECK_INT(sion_forget(sid, before), 1);
            CHECK_INT(sion_parpublish_mpi(sid), 1);
            settle(before, 0);
            look(way);
        }
        write_some(way, sid);
        CHECK_INT(close_writer(way, sid), 1);
        settle(0, 1);
        look(way);
    }
}

/* ---- what readers see ---- */

static inline void check_stream(int sid, int first, int last)
{
    static unsigned char data[ROOM];
    sion_int64 bytes = read_bytes(sid, data, sizeof data);

    CHECK_INT(bytes, start_of(last + 1) - start_of(first));
    CHECK_INT(check_compare(data, mpi_rank, start_of(first), bytes > 0 ? (size_t)bytes : 0), -1);
}

static inline void check_range(const struct way *way, const char *mode, int first, int last)
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

static inline void check_readers(const struct way *way)
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

/* ---- all ways ---- */

static inline void do_all_ways(void (*run)(const struct way *way))
{
    static const struct way ways[] = {
        {"", 1, 0},
        {"", 2, 0},
        {SUMS, 1, 0},
        {SUMS, 2, 0},
        {",collective,collsize=2", 1, 0},
        {",keyval=inline", 2, 0},
        {SUMS ",compress=zstd,shuffle=2", 2, 0},
        {"", 1, 1},
        {SUMS, 2, 1},
        {",keyval=inline", 1, 1},
        {",compress=zstd", 2, 1},
    };
    size_t i;
    int n;

    for (i = 0; i < sizeof ways / sizeof *ways; i++) {
        for (n = 0; n < 1 + (i < 2); n++) {
            struct way way = ways[i];

            way.nfiles = way.nfiles < mpi_size ? way.nfiles : mpi_size;
            has_keys = strstr(way.words, "keyval") != NULL;
            if (!strstr(way.words, "compress") || can_compress())
                run(&way);
            has_keys = 0;
        }
    }
}

#endif
