/* sionscr under mpiexec, and alone. */
#include <stdlib.h>

#include "sionscr.h"
#include "tool.h"

#ifdef HAVE_MPI
#include "sion_scr_mpi.h"

/* What the starters of MPI programs leave in the environment; MPI alone takes a while to start. */
static int is_started_by_mpi(void)
{
    static const char *const names[] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK",
                                        "MPI_LOCALRANKID"};
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++) {
        if (getenv(names[i]))
            return 1;
    }
    return 0;
}

static int mpi_is_used;

static sion_scr_comm *begin_mpi(int *argc, char ***argv, int *rank)
{
    MPI_Init(argc, argv);
    mpi_is_used = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    return sion_scr_comm_mpi(MPI_COMM_WORLD);
}
#endif

sion_scr_comm *scr_processes_begin(int *argc, char ***argv, int *rank, int *alone)
{
    sion_scr_comm *comm;

    *rank = 0;
    *alone = 1;
#ifdef HAVE_MPI
    *alone = !is_started_by_mpi();
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
