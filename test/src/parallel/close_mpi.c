/*
 * A close of MPI ranks, or of the threads of several, in which the library gets memory for short
 * messages only: the tables are written all the same, in one piece or in many. Argument: threads of
 * each rank, where there are threads.
 */
#include "mpi_check.h"

#include "lack.h"
#include "parallel/parallel.h"

#ifdef SION_OMP
#include <omp.h>
#endif

#define NAME "c.sion"

enum { CHUNK = 16, SHORT = 4 << 10, BATCH = 72 << 10 };

static int threads = 1, failures;

/* ---- one container ---- */

static struct call {
    const char *writer, *reader;
    int nfiles, together, chunks;
    MPI_Comm local; /* of the ranks of a file */
} call;

static int my_task(void)
{
#ifdef SION_OMP
    return mpi_rank * threads + omp_get_thread_num();
#else
    return mpi_rank;
#endif
}

static int open_one(const char *mode)
{
    int nfiles = call.nfiles > 1 ? -1 : 1, globalrank = my_task();
    sion_int64 chunksize = CHUNK;
    sion_int32 fsblksize = CHUNK;
    MPI_Comm local = call.local;

#ifdef SION_OMP
    return sion_paropen_ompi(NAME, mode, &nfiles, MPI_COMM_WORLD, &local, &chunksize, &fsblksize,
                             &globalrank, NULL, NULL);
#else
    return sion_paropen_mpi(NAME, mode, &nfiles, MPI_COMM_WORLD, &local, &chunksize, &fsblksize,
                            &globalrank, NULL, NULL);
#endif
}

static int close_one(int sid)
{
#ifdef SION_OMP
    return sion_parclose_ompi(sid);
#else
    return sion_parclose_mpi(sid);
#endif
}

static void expect(int condition)
{
#ifdef SION_OMP
#pragma omp atomic
#endif
    failures += !condition;
}

/* Where tasks write alone, every second one has a single chunk. */
static int my_chunks(void)
{
    return !call.together && my_task() % 2 ? 1 : call.chunks;
}

static size_t transfer(int sid, void *data, int writing)
{
    return call.together ? (writing ? sion_coll_fwrite(data, 1, CHUNK, sid)
                                    : sion_coll_fread(data, 1, CHUNK, sid))
           : writing     ? sion_fwrite(data, 1, CHUNK, sid)
                         : sion_fread(data, 1, CHUNK, sid);
}

static void write_one(void)
{
    int sid = open_one(call.writer), n = my_chunks(), i;
    unsigned char data[CHUNK];

    expect(sid >= 0);
    for (i = 0; i < n; i++) {
        check_fill(data, my_task(), (long)i * CHUNK, CHUNK);
        expect(transfer(sid, data, 1) == CHUNK);
    }
    lack_above = call.together ? BATCH : SHORT; /* collectors receive batches */
    expect(close_one(sid) == 1);
    lack_above = 0;
}

static void read_one(void)
{
    int sid = open_one(call.reader), n = my_chunks(), i;
    unsigned char data[CHUNK];

    expect(sid >= 0);
    for (i = 0; i < n; i++) {
        expect(transfer(sid, data, 0) == CHUNK);
        expect(check_compare(data, my_task(), (long)i * CHUNK, CHUNK) == -1);
    }
    expect(close_one(sid) == 1);
}

static void on_all_threads(void (*work)(void))
{
#ifdef SION_OMP
#pragma omp parallel num_threads(threads)
#endif
    work();
    CHECK_INT(failures, 0);
    failures = 0;
}

static void write_and_read(const char *writer, const char *reader, int nfiles, int together)
{
    static const struct {
        int chunks, numbers;
    } cases[] = {{1, SCION_GATHER_MOST},
                 {3, SCION_GATHER_MOST},
                 {3, 1},
                 {1500, SCION_GATHER_MOST},
                 {1500, 1000}};
    MPI_Comm local;
    size_t i;

    if (nfiles > mpi_size)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, mpi_rank % nfiles, mpi_rank, &local);
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        call = (struct call){writer, reader, nfiles, together, cases[i].chunks, local};
        scion_piece_numbers = cases[i].numbers;
        on_all_threads(write_one);
        on_all_threads(read_one);
    }
    scion_piece_numbers = SCION_GATHER_MOST;
    MPI_Comm_free(&local);
}

static void alone(void)
{
    write_and_read("bw", "br", 1, 0);
    write_and_read("bw", "br", 2, 0);
    write_and_read("bw,posix,recover", "br", 2, 0);
}

static void through_collectors(void)
{
    write_and_read("bw,collective,collsize=2", "br", 1, 1);
    write_and_read("bw,cmerge,collective", "br,cmerge,collective", 1, 1);
}

#ifndef SION_OMP
static void with_copies(void)
{
    write_and_read("bw,buddy", "br,buddy", 2, 1);
}
#endif

int main(int argc, char **argv)
{
    threads = argc > 1 ? atoi(argv[1]) : 1;
    mpi_begin(&argc, &argv);
    RUN_MPI(alone);
    RUN_MPI(through_collectors);
#ifndef SION_OMP
    RUN_MPI(with_copies);
#endif
    return mpi_end();
}
