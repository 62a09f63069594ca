#include "sionscr/processes.h"

#include <stdlib.h>

#include "lib/message.h"
#include "lib/share.h"

#ifdef HAVE_MPI
#include "sion_scr_mpi.h"

static int mpi_is_used;

static sion_scr_comm *begin_mpi(int *argc, char ***argv, int *rank)
{
    MPI_Init(argc, argv);
    mpi_is_used = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    return sion_scr_comm_mpi(MPI_COMM_WORLD);
}
#endif

int scr_processes_is_first(void)
{
#ifdef HAVE_MPI
    const char *rank = share_rank_of_launcher();

    return !rank || atoi(rank) == 0;
#else
    return 1;
#endif
}

sion_scr_comm *scr_processes_begin(int *argc, char ***argv, int *rank, int *alone)
{
    sion_scr_comm *comm;

    *rank = 0;
    *alone = 1;
#ifdef HAVE_MPI
    *alone = !share_rank_of_launcher();
    comm = *alone ? sion_scr_comm_self() : begin_mpi(argc, argv, rank);
#else
    comm = sion_scr_comm_self();
#endif
    (void)argc, (void)argv;
    if (!comm)
        tool_error("%s", sion_error_text());
    return comm;
}

void scr_processes_end(sion_scr_comm *comm)
{
    sion_scr_comm_free(comm);
#ifdef HAVE_MPI
    if (mpi_is_used)
        MPI_Finalize();
#endif
}
