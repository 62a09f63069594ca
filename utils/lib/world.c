#include "lib/world.h"

#include <stdio.h>

#include "lib/share.h"

#ifdef HAVE_MPI
#include "base/memory.h"
#include "comm/mpi.h"

static int mpi_is_used;
static char lines[1 << 14];

int world_begin(int *argc, char ***argv, int *rank)
{
    *rank = 0;
    if (!share_rank_of_launcher())
        return 0;
    MPI_Init(argc, argv);
    mpi_is_used = 1;
    /* MPICH takes the buffer away; with one, lines of several processes stay whole. */
    setvbuf(stdout, lines, _IOLBF, sizeof lines);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    return 1;
}

void world_end(void)
{
    if (mpi_is_used)
        MPI_Finalize();
    mpi_is_used = 0;
}

/* NULL: they are not one world, because the launcher belongs to another MPI. */
static struct scion_comm *find_comm(int *argc, char ***argv)
{
    int rank, size;

    world_begin(argc, argv, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size > 1 ? scion_must_have(scion_comm_mpi(MPI_COMM_WORLD)) : NULL;
}

static const char no_world[] = "their launcher is not that of the MPI of this program";
#else
int world_begin(int *argc, char ***argv, int *rank)
{
    (void)argc, (void)argv;
    *rank = 0;
    return 0;
}

void world_end(void)
{
}

static struct scion_comm *find_comm(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return NULL;
}

static const char no_world[] = "this program was built without MPI";
#endif

int world_parse(const struct tool *tool, int argc, char **argv, void *settings)
{
    int status;

    tool_mute(!share_is_first());
    status = tool_parse(tool, argc, argv, settings);
    tool_mute(0);
    return status;
}

int world_team(struct team *team, int *argc, char ***argv)
{
    const struct share share = share_find();
    struct scion_comm *comm = NULL;

    if (share_rank_of_launcher() && !tool_is_alone())
        comm = find_comm(argc, argv);
    team_open(team, comm);
    if (comm || share.size == 1)
        return TOOL_RUN;
    if (share.rank == 0)
        tool_warning("one of %d processes does the work: %s", share.size, no_world);
    return share.rank == 0 ? TOOL_RUN : TOOL_DONE;
}

void world_end_team(struct team *team)
{
    team_close(team);
    world_end();
}
