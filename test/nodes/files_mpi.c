/*
 * A program that knows nothing of containers: each rank writes a file of its own, and one that all
 * ranks of the node append to.
 *
 *   files_mpi FOLDER TEXT
 */
#include <mpi.h>
#include <stdio.h>

static int put(const char *folder, const char *base, int number, const char *how, const char *text)
{
    char name[256];
    FILE *file;

    snprintf(name, sizeof name, "%s/%s.%d", folder, base, number);
    file = fopen(name, how);
    if (!file) {
        perror(name);
        return 1;
    }
    fprintf(file, "%s of %d\n", text, number);
    return fclose(file) != 0;
}

int main(int argc, char **argv)
{
    int rank, failed;

    if (argc != 3)
        return 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    failed = put(argv[1], "own", rank, "w", argv[2]);
    failed |= put(argv[1], "shared", 0, "a", argv[2]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return failed;
}
