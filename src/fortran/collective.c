/* Collective transfers, which work on the sids of every parallel interface. */
#include "sion_generic.h"

#include "fortran/names.h"

#define DEFINE_WRITE(name)                                                                         \
    void name(const void *data, const sion_int64 *size, const sion_int64 *nitems, const int *sid,  \
              sion_int64 *rc)                                                                      \
    {                                                                                              \
        *rc = (sion_int64)sion_coll_fwrite(data, (size_t)*size, (size_t)*nitems, *sid);            \
    }

#define DEFINE_READ(name)                                                                          \
    void name(void *data, const sion_int64 *size, const sion_int64 *nitems, const int *sid,        \
              sion_int64 *rc)                                                                      \
    {                                                                                              \
        *rc = (sion_int64)sion_coll_fread(data, (size_t)*size, (size_t)*nitems, *sid);             \
    }

/* clang-format off: a list of definitions, with no semicolons */
ANY_TYPE(DEFINE_WRITE, fsion_coll_fwrite_mpi, FSION_COLL_FWRITE_MPI)
ANY_TYPE(DEFINE_READ, fsion_coll_fread_mpi, FSION_COLL_FREAD_MPI)
