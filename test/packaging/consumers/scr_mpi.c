#include <sion_scr_mpi.h>
int main(int argc, char **argv)
{
    sion_scr_comm *world;
    int bad;

    MPI_Init(&argc, &argv);
    world = sion_scr_comm_mpi(MPI_COMM_WORLD);
    bad = !world || sion_scr_map_read(world, "missing", 0);
    sion_scr_comm_free(world);
    MPI_Finalize();
    return bad;
}
