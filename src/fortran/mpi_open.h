/* The opens of the MPI and of the hybrid interface, which have the same form. */
#ifndef SCION_FORTRAN_MPI_OPEN_H
#define SCION_FORTRAN_MPI_OPEN_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "sion_datatypes.h"

#include "api/bindings.h"
#include "fortran/convert.h"
#include "fortran/names.h"

typedef int scion_fortran_paropen(const char *fname, const char *file_mode, int *numFiles,
                                  MPI_Comm gComm, const MPI_Comm *lComm, sion_int64 *chunksize,
                                  sion_int32 *fsblksize, int *globalrank, FILE **fileptr,
                                  char **newfname);

/* The arguments of all of them, and how they are passed on. */
#define PAROPEN_ARGUMENTS                                                                          \
    const char *fname, const char *file_mode, int *nfiles, const MPI_Fint *fgcomm,                 \
        const MPI_Fint *flcomm, sion_int64 *chunksize, sion_int32 *fsblksize, int *globalrank,     \
        char *newfname, int *sid, size_t fname_length, size_t mode_length, size_t newfname_length

#define DEFINE_PAROPEN(name, paropen)                                                              \
    void name(PAROPEN_ARGUMENTS)                                                                   \
    {                                                                                              \
        open_container(#paropen, paropen, fname, file_mode, nfiles, fgcomm, flcomm, chunksize,     \
                       fsblksize, globalrank, newfname, sid, fname_length, mode_length,            \
                       newfname_length);                                                           \
    }

/* Whether newfname was too short in this thread's last open; for modules that return an error. */
static _Thread_local int is_cut;

#ifdef SCION_F77
#define DEFINE_IS_CUT(name)
#else
#define DEFINE_IS_CUT(name)                                                                        \
    int C_NAME(name##_c_)(void)                                                                    \
    {                                                                                              \
        return is_cut;                                                                             \
    }
#endif

static void open_container(const char *function, scion_fortran_paropen *paropen, PAROPEN_ARGUMENTS)
{
    char *name = scion_fortran_string(fname, fname_length), *new_name = NULL;
    char *mode = scion_fortran_string(file_mode, mode_length);
    int files = *nfiles, rank = *globalrank;
    /* Not used, and often not even set, if the number of files is given. */
    MPI_Comm local = files < 1 ? MPI_Comm_f2c(*flcomm) : MPI_COMM_NULL;
    sion_int64 size = *chunksize;
    sion_int32 blocksize = *fsblksize;

    *sid = paropen(name, mode, &files, MPI_Comm_f2c(*fgcomm), &local, &size, &blocksize, &rank,
                   NULL, &new_name);
    STORE_CHANGED(nfiles, files);
    STORE_CHANGED(chunksize, size);
    STORE_CHANGED(fsblksize, blocksize);
    STORE_CHANGED(globalrank, rank);
    is_cut = scion_fortran_fill_name(newfname, newfname_length, name, new_name) &&
             sion_layer_cuts_name(function, *sid, newfname_length);
    free(new_name);
    free(name);
    free(mode);
}

/* The program calls fsion_get_shared_ranks for the ranks when it knows their number. */
#define DEFINE_PAROPEN_SHARED(name, paropen)                                                       \
    void name(const char *fname, const char *file_mode, const MPI_Fint *fgcomm, const int *by,     \
              int *ntasks, int *sid, size_t fname_length, size_t mode_length)                      \
    {                                                                                              \
        char *text = scion_fortran_string(fname, fname_length);                                    \
        char *mode = scion_fortran_string(file_mode, mode_length);                                 \
        int *ranks;                                                                                \
                                                                                                   \
        *sid = paropen(text, mode, MPI_Comm_f2c(*fgcomm), *by, ntasks, &ranks);                    \
        free(text);                                                                                \
        free(mode);                                                                                \
    }

#endif
