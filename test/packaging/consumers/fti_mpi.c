#include <sion_ftiff_mpi.h>
int main(int argc, char **argv)
{
    char data[10] = "saved";
    sion_ftiff *state;
    int bad;

    MPI_Init(&argc, &argv);
    state = sion_ftiff_open_mpi("consumer_mpi.fti", MPI_COMM_WORLD);
    bad = !state || !sion_ftiff_protect(state, 1, data, 10) || !sion_ftiff_checkpoint(state, 1);
    sion_ftiff_close(state);
    MPI_Finalize();
    return bad;
}
