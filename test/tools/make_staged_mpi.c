/*
 * Two nodes stage a container, and the program ends: make_staged_mpi NAME FILES WORDS [kill|wait].
 * Rank r writes 10000 bytes of 'a' + r, in chunks of 3000, to the folder a or b. With `kill` each
 * rank is killed before the close, when its bytes have been flushed; with `wait` it waits for the
 * drain, which must fail; with SHORT in the environment its chunks are not full, and with RESTART
 * what it has written first, in chunks of other sizes, is given up.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sion.h"
#include "sion_drain.h"

enum { BYTES = 10000, RECORD = 500 };

static int write_all(int sid, int rank)
{
    char record[RECORD];
    int i, failed = 0;

    memset(record, 'a' + rank, sizeof record);
    for (i = 0; i < BYTES; i += RECORD) {
        if (getenv("SHORT"))
            failed |= sion_ensure_free_space(sid, 3 * RECORD) != 1;
        failed |= sion_fwrite(record, 1, RECORD, sid) != RECORD;
    }
    return failed || sion_flush(sid) != SION_SUCCESS ? -1 : 0;
}

static int start_over(int sid, int rank)
{
    char record[RECORD];

    memset(record, 'x', sizeof record);
    return sion_fwrite(record, 1, sizeof record, sid) != sizeof record ||
           sion_flush(sid) != SION_SUCCESS || sion_parreinit_mpi(sid, 3000 + rank) != SION_SUCCESS;
}

int main(int argc, char **argv)
{
    int rank, size, nfiles, failed, sid;
    sion_int64 chunksize = getenv("RESTART") ? 700 : 3000;
    sion_int32 fsblksize = 512;
    MPI_Comm part = MPI_COMM_WORLD;
    char mode[256];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 4)
        MPI_Abort(MPI_COMM_WORLD, 1);
    nfiles = atoi(argv[2]);
    setenv("SION_NODE", rank < size / 2 ? "a" : "b", 1);
    snprintf(mode, sizeof mode, "bw,stage=%s%s", rank < size / 2 ? "a" : "b", argv[3]);
    sid = sion_paropen_mpi(argv[1], mode, &nfiles, MPI_COMM_WORLD, &part, &chunksize, &fsblksize,
                           &rank, NULL, NULL);
    failed = sid < 0 || (getenv("RESTART") && start_over(sid, rank)) || write_all(sid, rank) != 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 4 && strcmp(argv[4], "kill") == 0)
        raise(SIGKILL);
    failed |= sid >= 0 && sion_parclose_mpi(sid) != SION_SUCCESS;
    if (argc > 4)
        failed |= sion_drain_wait(argv[1]) == SION_SUCCESS;
    MPI_Finalize();
    return failed;
}
