/*
 * A program whose ranks publish round after round, to be killed, and what readers then see.
 *
 *     killed_mpi write NAME FILES    rank 0 prints the number of each round that is published
 *     killed_mpi read NAME ROUNDS    one process: all tasks have that many rounds, or one more
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sion.h"

#include "check.h"

enum { ROUNDS = 4, LARGEST = 1000 };

/* Some fit into a chunk, others need several. */
static size_t bytes_of(int task, int round)
{
    return (size_t)(150 + 60 * round + 10 * task);
}

static int write_rounds(char *name, int nfiles)
{
    unsigned char data[LARGEST];
    sion_int64 chunksize = 512;
    sion_int32 fsblksize = 512;
    int rank, round, sid;
    long done = 0;
    MPI_Comm local = MPI_COMM_WORLD;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sid = sion_paropen_mpi(name, "bw", &nfiles, MPI_COMM_WORLD, &local, &chunksize, &fsblksize,
                           &rank, NULL, NULL);
    for (round = 1; sid >= 0 && round <= ROUNDS; round++) {
        size_t bytes = bytes_of(rank, round);

        check_fill(data, rank, done, bytes);
        done += (long)bytes;
        if (sion_fwrite(data, 1, bytes, sid) != bytes || sion_parpublish_mpi(sid) != 1)
            return 1;
        if (rank == 0) {
            printf("published %d\n", round);
            fflush(stdout);
        }
    }
    return sid < 0 || sion_parclose_mpi(sid) != 1;
}

/* The number of rounds that a task has; -1: part of one, or wrong data. */
static int rounds_of(int sid, int task)
{
    unsigned char data[ROUNDS * LARGEST];
    sion_int64 bytes;
    int round = 0;

    if (sion_seek(sid, task, 0, 0) != 1)
        return -1;
    bytes = sion_stream_read(sid, data, sizeof data);
    if (bytes < 0 || check_compare(data, task, 0, (size_t)bytes) != -1)
        return -1;
    while (bytes > 0 && round < ROUNDS)
        bytes -= (sion_int64)bytes_of(task, ++round);
    return bytes == 0 ? round : -1;
}

static int read_rounds(char *name, int published)
{
    int ntasks, nfiles, task, rounds = 0, sid;
    sion_int32 fsblksize;

    sid = sion_open(name, "br", &ntasks, &nfiles, NULL, &fsblksize, NULL, NULL);
    if (sid < 0)
        return published > 0;
    rounds = rounds_of(sid, 0);
    for (task = 1; task < ntasks; task++) {
        if (rounds_of(sid, task) != rounds) {
            printf("task 0 has %d rounds, task %d has %d\n", rounds, task, rounds_of(sid, task));
            return 1;
        }
    }
    printf("%d rounds, %d were published\n", rounds, published);
    return sion_close(sid) != 1 || rounds < published || rounds > published + 1;
}

int main(int argc, char **argv)
{
    int failed;

    if (argc != 4)
        return 99;
    if (strcmp(argv[1], "read") == 0)
        return read_rounds(argv[2], atoi(argv[3]));
    MPI_Init(&argc, &argv);
    failed = write_rounds(argv[2], atoi(argv[3]));
    MPI_Finalize();
    return failed;
}
