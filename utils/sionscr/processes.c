#include "sionscr/processes.h"

#include <stdlib.h>

#include "lib/message.h"

#ifdef HAVE_MPI
#include "sion_scr_mpi.h"

/*
 * The rank that launchers of MPI programs put into the environment; NULL: there is no launcher.
 * Starting MPI to ask would take long.
 */
static const char *rank_of_starter(void)
{
    static const char *const names[] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK",
                                        "MPI_LOCALRANKID"};
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++) {
        if (getenv(names[i]))
            return getenv(names[i]);
    }
    return NULL;
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

int scr_processes_is_first(void)
{
#ifdef HAVE_MPI
    const char *rank = rank_of_starter();

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
    *alone = !rank_of_starter();
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
