/* Routines of the hybrid interface. */
#include "sion_ompi.h"

#include "fortran/mpi_open.h"

DEFINE_PAROPEN(ROUTINE(fsion_paropen_ompi, FSION_PAROPEN_OMPI), sion_paropen_ompi)
DEFINE_IS_CUT(fsion_paropen_is_cut_ompi)
/* SIONlib's library also has it under this name. */
DEFINE_PAROPEN(ROUTINE(fsion_paropen_multi_ompi, FSION_PAROPEN_MULTI_OMPI), sion_paropen_ompi)

/* clang-format off: a definition without a semicolon */
DEFINE_PAROPEN_SHARED(ROUTINE(fsion_paropen_shared_ompi, FSION_PAROPEN_SHARED_OMPI),
                      sion_paropen_shared_ompi)
/* clang-format on */

DEFINE_IERR(fsion_parclose_ompi, FSION_PARCLOSE_OMPI, (const int *sid, int *ierr),
            sion_parclose_ompi(*sid))
DEFINE_IERR(fsion_parpublish_ompi, FSION_PARPUBLISH_OMPI, (const int *sid, int *ierr),
            sion_parpublish_ompi(*sid))
