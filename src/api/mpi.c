#pragma GCC visibility push(default)
#include "sion_mpi.h"
#pragma GCC visibility pop

#include <stdlib.h>

#include "sion_common.h"

#include "api/parallel.h"
#include "comm/mpi.h"

struct communicators {
    MPI_Comm global, local;
};

static int find_leader(void *data, int *leader, int *lrank, int *lsize)
{
    const struct communicators *comms = data;

    if (comms->local == MPI_COMM_NULL)
        return 1;
    return scion_comm_mpi_leader(comms->global, comms->local, leader, lrank, lsize);
}

/* The rest of the call is the application's. */
static int paropen(MPI_Comm gComm, const MPI_Comm *lComm, struct sion_layer_call *call)
{
    struct communicators comms = {gComm, lComm ? *lComm : MPI_COMM_NULL};

    call->kind = SION_LAYER_MPI;
    call->threads = 1;
    call->has_local = lComm != NULL;
    call->find_leader = find_leader;
    call->data = &comms;
    return sion_layer_open(gComm == MPI_COMM_NULL ? NULL : scion_comm_mpi(gComm), call);
}

int sion_paropen_mpi(const char *fname, const char *file_mode, int *numFiles, MPI_Comm gComm,
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

    return paropen(gComm, lComm, &call);
}

int sion_paropen_multi_mpi(char *fname, const char *file_mode, int *numFiles, MPI_Comm gComm,
                           MPI_Comm *lComm, sion_int64 *chunksize, sion_int32 *fsblksize,
                           int *globalrank, FILE **fileptr, char *newfname)
{
    char *name = NULL;
    int sid = sion_paropen_mpi(fname, file_mode, numFiles, gComm, lComm, chunksize, fsblksize,
                               globalrank, fileptr, newfname ? &name : NULL);

    if (name)
        snprintf(newfname, SION_FILENAME_LENGTH, "%s", name);
    free(name);
    return sid;
}

int sion_paropen_comms_mpi(char *fname, const char *file_mode, int *numFiles, MPI_Comm gComm,
                           MPI_Comm lComm, sion_int64 *chunksize, sion_int32 *fsblksize,
                           int *globalrank, FILE **fileptr, char *newfname)
{
    if (numFiles)
        *numFiles = 0;
    return sion_paropen_multi_mpi(fname, file_mode, numFiles, gComm, &lComm, chunksize, fsblksize,
                                  globalrank, fileptr, newfname);
}

int sion_parclose_mpi(int sid)
{
    return sion_layer_close(__func__, sid, SION_LAYER_MPI);
}

int sion_parreinit_mpi(int sid, sion_int64 chunksize)
{
    return sion_layer_reinit(__func__, sid, SION_LAYER_MPI, chunksize);
}
