/* Containers of MPI communicators with teams of OpenMP threads. */
#pragma GCC visibility push(default)
#include "sion_ompi.h"
#pragma GCC visibility pop

#include <omp.h>
#include <stdlib.h>

#include "api/omp_lock.h"
#include "api/parallel.h"
#include "comm/mpi.h"
#include "comm/omp.h"
#include "comm/pair.h"

/* What thread 0, which alone may call MPI, tells its team. */
struct process {
    struct sion_layer_processes processes;
    int world_rank;    /* in MPI_COMM_WORLD */
    int part;          /* result of look_at_local(): 0, 1 or -1 as that of find_leader */
    int leader, lsize; /* first task of lComm's rank 0, tasks of lComm */
    int lbase;         /* place in lComm of this process's first task */
};

/* Both parts on thread 0; NULL on all threads if either is missing there. */
static struct scion_comm *join_parts(struct scion_comm *outer)
{
    struct scion_comm *inner = scion_comm_omp();
    sion_int64 complete = outer != NULL;

    if (inner && inner->ops->bcast(inner, &complete, sizeof complete, 0) == 0 && complete)
        return scion_comm_pair(outer, inner);
    if (outer)
        outer->ops->free(outer);
    if (inner)
        inner->ops->free(inner);
    return NULL;
}

/* On thread 0: find the places by lComm, counted in tasks. */
static void look_at_local(MPI_Comm global, MPI_Comm local, struct process *process)
{
    const int *first = process->processes.first;
    int *ranks, size, place, i;

    process->part = 1;
    if (local == MPI_COMM_NULL)
        return;
    process->part = scion_comm_mpi_ranks(global, local, &ranks, &size, &place);
    if (process->part != 0)
        return;
    for (i = 0; i < size; i++) {
        process->part = ranks[i] == MPI_UNDEFINED ? -1 : 0;
        if (process->part < 0)
            break;
        if (i == 0)
            process->leader = first[ranks[0]];
        if (i == place)
            process->lbase = process->lsize;
        process->lsize += first[ranks[i] + 1] - first[ranks[i]];
    }
    free(ranks);
}

static void look_at_process(struct scion_comm *pair, MPI_Comm global, const MPI_Comm *local,
                            int by_local, struct process *process)
{
    *process = (struct process){.processes = {.first = scion_pair_first(pair)}, .part = 1};
    MPI_Comm_rank(MPI_COMM_WORLD, &process->world_rank);
    MPI_Comm_rank(global, &process->processes.rank);
    MPI_Comm_size(global, &process->processes.size);
    if (local && by_local)
        look_at_local(global, *local, process);
}

static int find_leader(void *data, int *leader, int *lrank, int *lsize)
{
    const struct process *process = data;

    *leader = process->leader;
    *lrank = process->lbase + omp_get_thread_num();
    *lsize = process->lsize;
    return process->part;
}

/* Equal on all threads; one prints the message. */
static int has_mpi(const char *function)
{
    const char *why = scion_comm_mpi_refusal();

    if (why && omp_get_thread_num() == 0)
        sion_layer_has_mpi(function, why);
    return !why;
}

typedef int open_function(struct scion_comm *comm, const struct sion_layer_call *call);

static int paropen(MPI_Comm gComm, const MPI_Comm *lComm, struct sion_layer_call *call,
                   open_function *open)
{
    int is_first = omp_get_thread_num() == 0;
    struct scion_comm *outer = NULL, *pair, *inner;
    struct process process = {0};

    if (!has_mpi(call->function))
        return -1;
    if (is_first)
        scion_comm_mpi_at_end(sion_layer_end_mpi);
    if (is_first && scion_comm_mpi_fits(gComm))
        outer = scion_comm_mpi(gComm);
    pair = join_parts(outer);
    scion_omp_need_lock();
    if (!pair)
        return open(NULL, call);
    inner = scion_pair_inner(pair);
    if (is_first)
        look_at_process(pair, gComm, lComm, call->numFiles && *call->numFiles <= 0, &process);
    /* A broadcast between threads cannot fail. The table of first tasks stays thread 0's. */
    inner->ops->bcast(inner, &process, sizeof process, 0);
    call->process = process.world_rank;
    call->kind = SION_LAYER_OMPI;
    call->threads = omp_get_num_threads();
    call->end_all = scion_comm_mpi_end_all;
    call->has_local = lComm != NULL;
    call->processes = &process.processes;
    call->find_leader = find_leader;
    call->data = &process;
    return open(pair, call);
}

int sion_paropen_ompi(const char *fname, const char *file_mode, int *numFiles, MPI_Comm gComm,
                      const MPI_Comm *lComm, sion_int64 *chunksize, sion_int32 *fsblksize,
                      int *globalrank, FILE **fileptr, char **newfname)
{
    struct sion_layer_call call = {
        .function = __func__,
        .fname = fname,
        .file_mode = file_mode,
        .numFiles = numFiles,
        .chunksize = chunksize,
        .fsblksize = fsblksize,
        .globalrank = globalrank,
        .fileptr = fileptr,
        .newfname = newfname,
    };

    return paropen(gComm, lComm, &call, sion_layer_open);
}

int sion_paropen_shared_ompi(const char *fname, const char *file_mode, MPI_Comm gComm, int by,
                             int *ntasks, int **ranks)
{
    const struct sion_layer_shared shared = {by, ntasks, ranks};
    struct sion_layer_call call = {
        .function = __func__, .fname = fname, .file_mode = file_mode, .shared = &shared};

    return paropen(gComm, NULL, &call, sion_layer_open_shared);
}

/* Whether all threads may go on with a close; if not, thread 0 says why. */
static int can_close(const char *function, int sid)
{
    struct scion_comm *team, *opened;
    sion_int64 can = 1;

    if (omp_get_thread_num() == 0 && (opened = sion_layer_comm(sid, SION_LAYER_OMPI)))
        can = sion_layer_has_mpi(function, opened->ops->refusal(opened));
    team = scion_comm_omp();
    if (!team)
        return 1;
    team->ops->bcast(team, &can, sizeof can, 0);
    team->ops->free(team);
    return (int)can;
}

/*
 * The communicator of all tasks that close now, made from that of thread 0's container. If thread
 * 0's sid is wrong, which other processes cannot know, only the team.
 */
static struct scion_comm *find_callers(int sid)
{
    struct scion_comm *opened = NULL, *outer = NULL, *callers;

    if (omp_get_thread_num() == 0)
        opened = sion_layer_comm(sid, SION_LAYER_OMPI);
    if (opened && scion_pair_outer(opened))
        outer = scion_comm_mpi_again(scion_pair_outer(opened));
    callers = join_parts(outer);
    return callers ? callers : scion_comm_omp();
}

int sion_parclose_ompi(int sid)
{
    const struct sion_layer_team_close closing = {
        .function = __func__,
        .sid = sid,
        .kind = SION_LAYER_OMPI,
        .threads = omp_get_num_threads(),
    };

    if (!has_mpi(__func__))
        return -1;
    sion_layer_leave_at_once(sid, SION_LAYER_OMPI);
    if (!can_close(__func__, sid))
        return -1;
    if (omp_get_thread_num() == 0)
        sion_layer_leave_for_all(sid, SION_LAYER_OMPI);
    return sion_layer_close_team(find_callers(sid), &closing);
}

int sion_parpublish_ompi(int sid)
{
    return sion_layer_publish(__func__, sid, SION_LAYER_OMPI);
}
