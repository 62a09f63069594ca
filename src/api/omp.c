/* Containers of teams of OpenMP threads. */
#pragma GCC visibility push(default)
#include "sion_omp.h"
#pragma GCC visibility pop

#include <omp.h>

#include "api/omp_lock.h"
#include "api/parallel.h"
#include "comm/omp.h"

int sion_paropen_omp(const char *fname, const char *file_mode, sion_int64 *chunksize,
                     sion_int32 *fsblksize, int *globalrank, FILE **fileptr, char **newfname)
{
    int one = 1;
    const struct sion_layer_call call = {
        .function = __func__,
        .kind = SION_LAYER_OMP,
        .threads = omp_get_num_threads(),
        .fname = fname,
        .file_mode = file_mode,
        .numFiles = &one,
        .chunksize = chunksize,
        .fsblksize = fsblksize,
        .globalrank = globalrank,
        .fileptr = fileptr,
        .newfname = newfname,
        .has_local = 1,
    };

    scion_omp_need_lock();
    return sion_layer_open(scion_comm_omp(), &call);
}

int sion_paropen_shared_omp(const char *fname, const char *file_mode, int by, int *ntasks,
                            int **ranks)
{
    const struct sion_layer_shared shared = {by, ntasks, ranks};
    const struct sion_layer_call call = {
        .function = __func__,
        .kind = SION_LAYER_OMP,
        .threads = omp_get_num_threads(),
        .fname = fname,
        .file_mode = file_mode,
        .shared = &shared,
    };

    scion_omp_need_lock();
    return sion_layer_open_shared(scion_comm_omp(), &call);
}

int sion_parclose_omp(int sid)
{
    const struct sion_layer_team_close closing = {
        .function = __func__,
        .sid = sid,
        .kind = SION_LAYER_OMP,
        .threads = omp_get_num_threads(),
    };

    sion_layer_leave_at_once(sid, SION_LAYER_OMP);
    return sion_layer_close_team(scion_comm_omp(), &closing);
}

int sion_parpublish_omp(int sid)
{
    return sion_layer_publish(__func__, sid, SION_LAYER_OMP);
}
