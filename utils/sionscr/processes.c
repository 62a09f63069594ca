#include "sionscr/processes.h"

#include "lib/share.h"
#include "lib/world.h"

#ifdef HAVE_MPI
#include "sion_scr_mpi.h"

static sion_scr_comm *comm_of_world(void)
{
    return sion_scr_comm_mpi(MPI_COMM_WORLD);
}
#else
static sion_scr_comm *comm_of_world(void)
{
    return NULL;
}
#endif

int scr_processes_is_first(void)
{
#ifdef HAVE_MPI
    return share_is_first();
#else
    return 1;
#endif
}

sion_scr_comm *scr_processes_begin(int *argc, char ***argv, int *rank, int *alone)
{
    *alone = !world_begin(argc, argv, rank);
    return *alone ? sion_scr_comm_self() : comm_of_world();
}

void scr_processes_end(sion_scr_comm *comm)
{
    sion_scr_comm_free(comm);
    world_end();
}
