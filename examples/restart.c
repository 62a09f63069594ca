/*
 * Read a container of the program `checkpoint` with any number of processes, which divide its tasks
 * among them. With SION_SHARE_BYTES in place of SION_SHARE_TASKS, each process gets about the same
 * number of bytes.
 *
 *   mpiexec -n 3 restart checkpoint.0
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sion.h>

enum { CELLS = 1000 };

int main(int argc, char **argv)
{
    int ntasks, *tasks, process, step, sid, i;
    static double field[CELLS];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &process);
    sid = sion_paropen_shared_mpi(argc > 1 ? argv[1] : "checkpoint.0", "br",
                                  MPI_COMM_WORLD, SION_SHARE_TASKS, &ntasks, &tasks);
    if (sid < 0)
        MPI_Abort(MPI_COMM_WORLD,
                  EXIT_FAILURE); /* the open fails on all ranks, and rank 0 has printed why */
    for (i = 0; i < ntasks; i++) {
        if (sion_seek(sid, tasks[i], 0, 0) != SION_SUCCESS ||
            sion_fread(&step, sizeof step, 1, sid) != 1 ||
            sion_fread(field, sizeof *field, CELLS, sid) != CELLS) {
            fprintf(stderr, "restart: process %d cannot read task %d\n", process, tasks[i]);
            MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
        }
        printf("process %d has task %d of step %d\n", process, tasks[i], step);
    }
    sion_parclose_mpi(sid);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
