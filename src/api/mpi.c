/* Containers of MPI communicators. */
#pragma GCC visibility push(default)
#include "sion_mpi.h"
#pragma GCC visibility pop

#include <stdlib.h>
#include <string.h>

#include "sion_common.h"
#include "sion_generic.h"

#include "api/bindings.h"
#include "api/io_comm.h"
#include "api/parallel.h"
#include "base/memory.h"
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

typedef int call_function(struct scion_comm *comm, const struct sion_layer_call *call);

/* Complete a call, and make it. */
static int with_communicators(MPI_Comm gComm, const MPI_Comm *lComm, struct sion_layer_call *call,
                              call_function *function)
{
    struct communicators comms = {gComm, lComm ? *lComm : MPI_COMM_NULL};

    if (!sion_layer_has_mpi(call->function, scion_comm_mpi_refusal()))
        return -1;
    scion_comm_mpi_at_end(sion_layer_end_mpi);
    MPI_Comm_rank(MPI_COMM_WORLD, &call->process);
    call->kind = SION_LAYER_MPI;
    call->threads = 1;
    call->end_all = scion_comm_mpi_end_all;
    call->has_local = lComm != NULL;
    call->find_leader = find_leader;
    call->data = &comms;
    return function(scion_comm_mpi_fits(gComm) ? scion_comm_mpi(gComm) : NULL, call);
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

    return with_communicators(gComm, lComm, &call, sion_layer_open);
}

int sion_paropen_multi_mpi(char *fname, const char *file_mode, int *numFiles, MPI_Comm gComm,
                           MPI_Comm *lComm, sion_int64 *chunksize, sion_int32 *fsblksize,
                           int *globalrank, FILE **fileptr, char *newfname)
{
    char *name = NULL;
    int sid = sion_paropen_mpi(fname, file_mode, numFiles, gComm, lComm, chunksize, fsblksize,
                               globalrank, fileptr, newfname ? &name : NULL);

    if (name) {
        snprintf(newfname, SION_FILENAME_LENGTH, "%s", name);
        sion_layer_cuts_name(__func__, sid, SION_FILENAME_LENGTH - 1);
    }
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

int sion_paropen_mapped_mpi(char *fname, const char *file_mode, int *numFiles, MPI_Comm gComm,
                            int *nlocaltasks, int **globalranks, sion_int64 **chunksizes,
                            int **mapping_filenrs, int **mapping_lranks, sion_int32 *fsblksize,
                            FILE **fileptr)
{
    const struct sion_layer_mapped mapped = {nlocaltasks, globalranks, chunksizes, mapping_filenrs,
                                             mapping_lranks};
    struct sion_layer_call call = {
        .function = __func__,
        .fname = fname,
        .file_mode = file_mode,
        .numFiles = numFiles,
        .fsblksize = fsblksize,
        .fileptr = fileptr,
        .mapped = &mapped,
    };

    return with_communicators(gComm, NULL, &call, sion_layer_open_mapped);
}

int sion_paropen_shared_mpi(const char *fname, const char *file_mode, MPI_Comm gComm, int by,
                            int *ntasks, int **ranks)
{
    const struct sion_layer_shared shared = {by, ntasks, ranks};
    struct sion_layer_call call = {
        .function = __func__, .fname = fname, .file_mode = file_mode, .shared = &shared};

    return with_communicators(gComm, NULL, &call, sion_layer_open_shared);
}

int sion_parclose_mapped_mpi(int sid)
{
    return sion_layer_close(__func__, sid, SION_LAYER_MPI | SION_LAYER_MAPPED);
}

int sion_parclose_mpi(int sid)
{
    return sion_layer_close(__func__, sid, SION_LAYER_MPI);
}

int sion_parpublish_mpi(int sid)
{
    return sion_layer_publish(__func__, sid, SION_LAYER_MPI);
}

int sion_parreinit_mpi(int sid, sion_int64 chunksize)
{
    return sion_layer_reinit(__func__, sid, SION_LAYER_MPI, chunksize);
}

size_t sion_coll_fwrite_mpi(const void *data, size_t size, size_t nitems, int sid)
{
    return sion_coll_fwrite(data, size, nitems, sid);
}

size_t sion_coll_fread_mpi(void *data, size_t size, size_t nitems, int sid)
{
    return sion_coll_fread(data, size, nitems, sid);
}

int sion_startof_transaction_mpi(int sid)
{
    return sion_layer_transaction(__func__, sid, 1);
}

int sion_endof_transaction_mpi(int sid)
{
    return sion_layer_transaction(__func__, sid, 0);
}

struct _sion_file_check_par_args_mpi_struct {
    char *file_mode;
    MPI_Comm gComm, lComm;
    int numfiles;
};

sion_file_check_par_args_mpi *sion_file_check_par_args_init_mpi(const char *file_mode,
                                                                MPI_Comm gComm, int numfiles,
                                                                MPI_Comm lComm)
{
    sion_file_check_par_args_mpi *args = malloc(sizeof *args);

    if (!args)
        return NULL;
    args->file_mode = file_mode ? strdup(file_mode) : NULL;
    args->gComm = gComm;
    args->lComm = lComm;
    args->numfiles = numfiles;
    return args;
}

int sion_file_check_par_args_free_mpi(sion_file_check_par_args_mpi *args)
{
    if (args)
        free(args->file_mode);
    free(args);
    return SION_SUCCESS;
}

int sion_file_check_par_cb_mpi(char *fname, void *args)
{
    const sion_file_check_par_args_mpi *check = args;
    int numfiles;
    struct sion_layer_call call = {
        .function = __func__,
        .fname = fname,
        .numFiles = &numfiles,
        .only_reading = 1,
    };

    if (!check)
        return SION_NOT_SUCCESS;
    numfiles = check->numfiles;
    call.file_mode = check->file_mode;
    return with_communicators(check->gComm, &check->lComm, &call, sion_layer_check) == SION_SUCCESS;
}

int sion_get_IO_comm_mpi(MPI_Comm *comm)
{
    return comm && sion_layer_has_mpi(__func__, scion_comm_mpi_refusal()) &&
                   MPI_Comm_dup(MPI_COMM_WORLD, comm) == MPI_SUCCESS
               ? SION_SUCCESS
               : SION_NOT_SUCCESS;
}
