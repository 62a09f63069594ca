/*
 * Replaces a container, on several nodes.
 *
 *     replaced_mpi write NAME MODE GENERATION [PIPE]   each task writes and flushes records of this generation;
 *                                                      before the close, rank 0 says so to the pipe, and waits
 *                                                      for an answer
 *     replaced_mpi read NAME                           prints the generation; -1: the container has records of
 *                                                      two, or not all of one
 *
 * A process that is to be killed (SION_FAULT) takes all others of its node with it.
 */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sion_common.h"
#include "sion_generic.h"
#include "sion_mpi.h"
#include "sion_serial.h"

#include "check.h"

enum { RECORDS = 20, BYTES = 3000 };

int raise(int number)
{
    if (number == SIGKILL)
        kill(-1, SIGKILL);
    return (int)syscall(SYS_kill, getpid(), number);
}

static void wait_before_close(const char *pipe)
{
    char answer[8];
    FILE *to = fopen(pipe, "w");

    CHECK(to && fputs("flushed\n", to) >= 0 && fclose(to) == 0);
    to = fopen(pipe, "r");
    CHECK(to && fgets(answer, sizeof answer, to) && fclose(to) == 0);
}

static int write_all(char *name, const char *mode, int generation, const char *pipe)
{
    int nfiles = strstr(mode, "files=") ? 1 : 2, rank, sid, i, rc = 0;
    sion_int64 chunksize = 2 * BYTES;
    sion_int32 fsblksize = 512;
    MPI_Comm local = MPI_COMM_WORLD;
    unsigned char data[BYTES];

    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sid = sion_paropen_mpi(name, mode, &nfiles, MPI_COMM_WORLD, &local, &chunksize, &fsblksize, &rank,
                           NULL, NULL);
    memset(data, generation, sizeof data);
    for (i = 0; i < RECORDS && sid >= 0; i++)
        rc |= sion_coll_fwrite(data, 1, BYTES, sid) != BYTES || sion_flush(sid) != 1;
    MPI_Barrier(MPI_COMM_WORLD);
    if (pipe && rank == 0)
        wait_before_close(pipe);
    if (sid < 0 || sion_parclose_mpi(sid) != 1 || rc)
        return 1;
    return MPI_Finalize() != MPI_SUCCESS;
}

/* Whether the stream has all records of this generation, and no more. */
static int has_all(int sid, int generation)
{
    unsigned char data[BYTES], wanted[BYTES];
    int i;

    memset(wanted, generation, sizeof wanted);
    for (i = 0; i < RECORDS; i++) {
        if (sion_fread(data, 1, BYTES, sid) != BYTES || memcmp(data, wanted, BYTES) != 0)
            return 0;
    }
    return sion_feof(sid);
}

static int generation_of(char *name)
{
    int n = 0, nfiles = 1, sid, t, generation, found = -1;

    sid = sion_open(name, "br", &n, &nfiles, NULL, NULL, NULL, NULL);
    for (generation = 1; generation <= 3 && sid >= 0; generation++) {
        for (t = 0; t < n && sion_seek(sid, t, 0, 0) == 1 && has_all(sid, generation);)
            t++;
        if (t == n)
            found = generation;
    }
    return sid < 0 || sion_close(sid) != 1 ? -1 : found;
}

int main(int argc, char **argv)
{
    if (argc >= 5 && strcmp(argv[1], "write") == 0)
        return write_all(argv[2], argv[3], atoi(argv[4]), argc > 5 ? argv[5] : NULL);
    if (argc == 3 && strcmp(argv[1], "read") == 0)
        return printf("%d\n", generation_of(argv[2])) < 0;
    return 2;
}
