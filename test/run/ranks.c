/* Each rank writes a file; with an argument, by MPI_Init_thread(). */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    char name[32];
    int rank, provided;
    FILE *file;

    if (argc > 1)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "m/rank%d", rank);
    file = fopen(name, "w");
    if (!file || fprintf(file, "%d\n", rank) < 0 || fclose(file) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return 0;
}
