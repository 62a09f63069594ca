/*
 * Read what the program `checkpoint` wrote, with any number of processes: each takes an equal run
 * of the tasks, the last one also the rest.
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
    int ntasks = -1, *tasks = NULL; /* -1: divide them */
    int nfiles, fsblksize, process, step, sid, i;
    static double field[CELLS];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &process);
    sid = sion_paropen_mapped_mpi(argc > 1 ? argv[1] : "checkpoint.0", "r", &nfiles, MPI_COMM_WORLD,
                                  &ntasks, &tasks, NULL, NULL, NULL, &fsblksize, NULL);
    if (sid < 0)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE); /* all ranks get here; rank 0 has printed why */
    for (i = 0; i < ntasks; i++) {
        if (sion_seek(sid, tasks[i], 0, 0) != SION_SUCCESS ||
            sion_fread(&step, sizeof step, 1, sid) != 1 ||
            sion_fread(field, sizeof *field, CELLS, sid) != CELLS)
            MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
        printf("process %d has task %d of step %d\n", process, tasks[i], step);
    }
    sion_parclose_mapped_mpi(sid);
    free(tasks);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
