/*
 * A loop that writes checkpoints to two containers in turn, so that one is complete at any time. If
 * a checkpoint fails, the program reports it and goes on: the previous one still exists.
 *
 *   mpiexec -n 4 checkpoint
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sion.h>

enum { STEPS = 100, INTERVAL = 25, CELLS = 1000 };

/* Collective. Returns 1, or 0 on all ranks if any rank failed; the library has printed why. */
static int save(const double *field, int step)
{
    const char *name = step / INTERVAL % 2 ? "checkpoint.1" : "checkpoint.0";
    int nfiles = 1, fsblksize = -1, rank, good, all, sid;
    long long chunksize = sizeof step + CELLS * sizeof *field;
    MPI_Comm world = MPI_COMM_WORLD;

    sid = sion_paropen_mpi(name, "w", &nfiles, world, &world, &chunksize, &fsblksize, &rank, NULL,
                           NULL);
    if (sid < 0)
        return 0;
    good = sion_fwrite(&step, sizeof step, 1, sid) == 1;
    good = good && sion_fwrite(field, sizeof *field, CELLS, sid) == CELLS;
    good = sion_parclose_mpi(sid) == SION_SUCCESS && good;
    MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_LAND, world); /* writes are not collective */
    return all;
}

int main(int argc, char **argv)
{
    static double field[CELLS];
    int rank, step;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (step = 1; step <= STEPS; step++) {
        field[step % CELLS] += rank; /* stands for the real work */
        if (step % INTERVAL == 0) {
            int saved = save(field, step);

            if (rank == 0)
                printf("step %d: %s\n", step, saved ? "saved" : "NOT saved");
        }
    }
    MPI_Finalize();
    return EXIT_SUCCESS;
}
