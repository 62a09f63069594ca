/* Routines of the OpenMP interface. */
#include "sion_omp.h"

#include <stdlib.h>

#include "api/bindings.h"
#include "fortran/convert.h"
#include "fortran/names.h"

void ROUTINE(fsion_paropen_omp,
             FSION_PAROPEN_OMP)(const char *fname, const char *file_mode, sion_int64 *chunksize,
                                sion_int32 *fsblksize, int *globalrank, char *newfname, int *sid,
                                size_t fname_length, size_t mode_length, size_t newfname_length)
{
    char *name = scion_fortran_string(fname, fname_length), *new_name = NULL;
    char *mode = scion_fortran_string(file_mode, mode_length);
    sion_int64 size = *chunksize;
    sion_int32 blocksize = *fsblksize;
    int rank = *globalrank;

    *sid = sion_paropen_omp(name, mode, &size, &blocksize, &rank, NULL, &new_name);
    STORE_CHANGED(chunksize, size);
    STORE_CHANGED(fsblksize, blocksize);
    STORE_CHANGED(globalrank, rank);
    if (scion_fortran_fill_name(newfname, newfname_length, name, new_name))
        sion_layer_cuts_name("fsion_paropen_omp", *sid, newfname_length);
    free(new_name);
    free(name);
    free(mode);
}

/* The program calls fsion_get_shared_ranks for the ranks when it knows their number. */
void ROUTINE(fsion_paropen_shared_omp,
             FSION_PAROPEN_SHARED_OMP)(const char *fname, const char *file_mode, const int *by,
                                       int *ntasks, int *sid, size_t fname_length,
                                       size_t mode_length)
{
    char *name = scion_fortran_string(fname, fname_length);
    char *mode = scion_fortran_string(file_mode, mode_length);
    int *ranks;

    *sid = sion_paropen_shared_omp(name, mode, *by, ntasks, &ranks);
    free(name);
    free(mode);
}

DEFINE_IERR(fsion_parclose_omp, FSION_PARCLOSE_OMP, (const int *sid, int *ierr),
            sion_parclose_omp(*sid))
DEFINE_IERR(fsion_parpublish_omp, FSION_PARPUBLISH_OMP, (const int *sid, int *ierr),
            sion_parpublish_omp(*sid))
