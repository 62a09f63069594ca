/* Routines of the MPI interface. */
#include "sion_mpi.h"

#include "fortran/mpi_open.h"

DEFINE_PAROPEN(ROUTINE(fsion_paropen_mpi, FSION_PAROPEN_MPI), sion_paropen_mpi)
DEFINE_IS_CUT(fsion_paropen_is_cut_mpi)
/* SIONlib's library also has it under this name. */
DEFINE_PAROPEN(ROUTINE(fsion_paropen_multi_mpi, FSION_PAROPEN_MULTI_MPI), sion_paropen_mpi)

DEFINE_IERR(fsion_parclose_mpi, FSION_PARCLOSE_MPI, (const int *sid, int *ierr),
            sion_parclose_mpi(*sid))
DEFINE_IERR(fsion_parpublish_mpi, FSION_PARPUBLISH_MPI, (const int *sid, int *ierr),
            sion_parpublish_mpi(*sid))
DEFINE_IERR(fsion_parreinit_mpi, FSION_PARREINIT_MPI,
            (const int *sid, const sion_int64 *chunksize, int *ierr),
            sion_parreinit_mpi(*sid, *chunksize))
DEFINE_IERR(fsion_startof_transaction_mpi, FSION_STARTOF_TRANSACTION_MPI,
            (const int *sid, int *ierr), sion_startof_transaction_mpi(*sid))
DEFINE_IERR(fsion_endof_transaction_mpi, FSION_ENDOF_TRANSACTION_MPI, (const int *sid, int *ierr),
            sion_endof_transaction_mpi(*sid))

/* The arrays have nlocaltasks entries, also when reading: the program names the tasks. */
void ROUTINE(fsion_paropen_mapped_mpi,
             FSION_PAROPEN_MAPPED_MPI)(const char *fname, const char *file_mode, int *nfiles,
                                       const MPI_Fint *fgcomm, int *nlocaltasks, int *globalranks,
                                       sion_int64 *chunksizes, int *mapping_filenrs,
                                       int *mapping_lranks, sion_int32 *fsblksize, int *sid,
                                       size_t fname_length, size_t mode_length)
{
    char *name = scion_fortran_string(fname, fname_length);
    char *mode = scion_fortran_string(file_mode, mode_length);
    int files = *nfiles, tasks = *nlocaltasks;
    sion_int32 blocksize = *fsblksize;

    *sid =
        sion_paropen_mapped_mpi(name, mode, &files, MPI_Comm_f2c(*fgcomm), &tasks, &globalranks,
                                &chunksizes, &mapping_filenrs, &mapping_lranks, &blocksize, NULL);
    STORE_CHANGED(nfiles, files);
    STORE_CHANGED(fsblksize, blocksize);
    free(name);
    free(mode);
}

/* clang-format off: a definition without a semicolon */
DEFINE_PAROPEN_SHARED(ROUTINE(fsion_paropen_shared_mpi, FSION_PAROPEN_SHARED_MPI),
                      sion_paropen_shared_mpi)
/* clang-format on */

DEFINE_IERR(fsion_parclose_mapped_mpi, FSION_PARCLOSE_MAPPED_MPI, (const int *sid, int *ierr),
            sion_parclose_mapped_mpi(*sid))
