/* $ mpicc NAME.c $(sionconfig --mpi --cflags) -o NAME $(sionconfig --mpi --libs) && mpiexec -n 3 ./NAME */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sion.h>

enum { FIELD = 1000 };

/* Reads the container that frames/mpi.c has written with four ranks. */
int main(int argc, char **argv)
{
    int own = 0, all, i;

    MPI_Init(&argc, &argv);
    {
@part@
        for (i = 0; i < ntasks; i++) {
            const double *field = fields[i];

            own += 10 + (int)field[0];
            if (field[FIELD - 1] != field[0] + 0.999)
                MPI_Abort(MPI_COMM_WORLD, 1);
            free(fields[i]);
        }
        free(fields);
        MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return all != 4 * 10 + 0 + 1 + 2 + 3;
}
