/* $ mpicc NAME.c $(sionconfig --mpi --cflags) -o NAME $(sionconfig --mpi --libs) && mpiexec -n 4 ./NAME */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sion.h>

int main(int argc, char **argv)
{
    MPI_Comm world = MPI_COMM_WORLD;
    double field[1000];
    int rank, i;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    for (i = 0; i < 1000; i++)
        field[i] = rank + i / 1000.0;
    {
@part@
    }
    MPI_Finalize();
    return 0;
}
