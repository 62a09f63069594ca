/* Deals tasks to processes, and writes and reads records with mapped opens. */
#ifndef TEST_MPI_MAPPED_H
#define TEST_MPI_MAPPED_H

#include "mpi_check.h"

enum { MOST = 128 };

/* The tasks of this process, and the function that sets them up for a container of ntasks tasks. */
static struct {
    int n, *ranks, *files, *places;
    sion_int64 *chunks;
} own;

static int ranks[MOST], files[MOST], places[MOST];
static sion_int64 chunks[MOST];

typedef int records_function(int g, size_t *sizes);

/* Task g, of nfiles files, on process g % size: place g / nfiles in file g % nfiles. */
static inline void deal(int ntasks, int nfiles, sion_int64 (*chunk_of)(int g))
{
    int g;

    own.n = 0;
    own.ranks = ranks;
    own.files = files;
    own.places = places;
    own.chunks = chunks;
    for (g = mpi_rank; g < ntasks; g += mpi_size) {
        ranks[own.n] = g;
        files[own.n] = g % nfiles;
        places[own.n] = g / nfiles;
        chunks[own.n++] = chunk_of(g);
    }
}

static inline sion_int64 thousand(int g)
{
    (void)g;
    return 1000;
}

static inline int open_writing(char *name, const char *mode, int *nfiles, sion_int32 *fsblksize)
{
    return sion_paropen_mapped_mpi(name, mode, nfiles, MPI_COMM_WORLD, &own.n, &own.ranks,
                                   &own.chunks, &own.files, &own.places, fsblksize, NULL);
}

static inline long write_piece(int sid, int g, long total, size_t bytes)
{
    static unsigned char data[40000];

    check_fill(data, g, total, bytes);
    CHECK_INT(sion_fwrite(data, 1, bytes, sid), bytes);
    return total + (long)bytes;
}

static inline int twice_500(int g, size_t *sizes)
{
    sizes[0] = sizes[1] = (size_t)(500 + g);
    return 2;
}

/* Write record after record of the tasks in turn, so that the sid switches between their streams.
 * */
static inline void write_tasks(int sid, records_function *records)
{
    long totals[MOST] = {0};
    size_t sizes[4];
    int turn, i;

    for (turn = 0; turn < 4; turn++) {
        for (i = 0; i < own.n; i++) {
            int g = own.ranks[i];

            if (turn >= records(g, sizes))
                continue;
            CHECK_INT(sion_seek(sid, g, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
            totals[i] = write_piece(sid, g, totals[i], sizes[turn]);
        }
    }
}

/* Read all of the selected task, and check that it is task g. */
static inline long read_task(int sid, int g)
{
    static unsigned char data[40000];
    long total = 0;

    while (!sion_feof(sid)) {
        size_t left = (size_t)sion_bytes_avail_in_block(sid);

        if (sion_fread(data, 1, left, sid) != left)
            return -1;
        CHECK_INT(check_compare(data, g, total, left), -1);
        total += (long)left;
    }
    return total;
}

static inline void write_twenty(char *name, const char *mode, int nfiles)
{
    sion_int32 fsblksize = 100;
    int sid;

    deal(20, nfiles, thousand);
    sid = open_writing(name, mode, &nfiles, &fsblksize);
    CHECK(sid >= 0);
    write_tasks(sid, twice_500);
    CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
}

static inline int open_reading(char *name, int n, int *list)
{
    int nfiles = 0;

    support_errors = 0;
    return sion_paropen_mapped_mpi(name, "br", &nfiles, MPI_COMM_WORLD, &n, &list, NULL, NULL, NULL,
                                   NULL, NULL);
}

#endif
