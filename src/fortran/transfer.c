/*
 * Routines that move data. Beside those for all types there is one for each type, because a FORTRAN
 * 77 program unit must not call the same routine with arguments of different types.
 */
#include "sion_common.h"
#include "sion_stream.h"

#include "fortran/names.h"

#define DEFINE_WRITE(name)                                                                         \
    void name(const void *data, const sion_int64 *size, const sion_int64 *nitems, const int *sid,  \
              sion_int64 *rc)                                                                      \
    {                                                                                              \
        *rc = (sion_int64)sion_fwrite(data, (size_t)*size, (size_t)*nitems, *sid);                 \
    }

#define DEFINE_READ(name)                                                                          \
    void name(void *data, const sion_int64 *size, const sion_int64 *nitems, const int *sid,        \
              sion_int64 *rc)                                                                      \
    {                                                                                              \
        *rc = (sion_int64)sion_fread(data, (size_t)*size, (size_t)*nitems, *sid);                  \
    }

#define DEFINE_WRITE_STREAM(name)                                                                  \
    void name(const void *data, const sion_int64 *bytes, const int *sid, sion_int64 *rc)           \
    {                                                                                              \
        *rc = sion_stream_write(*sid, data, *bytes);                                               \
    }

#define DEFINE_READ_STREAM(name)                                                                   \
    void name(void *data, const sion_int64 *bytes, const int *sid, sion_int64 *rc)                 \
    {                                                                                              \
        *rc = sion_stream_read(*sid, data, *bytes);                                                \
    }

#define DEFINE_READ_TASKS(name)                                                                    \
    void name(void *data, const sion_int64 *bytes, const int *ntasks, const int *ranks,            \
              const sion_int64 *starts, const int *sid, sion_int64 *rc)                            \
    {                                                                                              \
        *rc = sion_stream_read_tasks(*sid, *ntasks, ranks, starts, data, *bytes);                  \
    }

#define DEFINE_SWAP(name)                                                                          \
    void name(void *target, void *source, const int *size, const int *n, const int *do_swap,       \
              int *rc)                                                                             \
    {                                                                                              \
        sion_swap(target, source, *size, *n, *do_swap);                                            \
        *rc = SION_SUCCESS;                                                                        \
    }

/* clang-format off: a list of definitions, with no semicolons */
ANY_TYPE(DEFINE_WRITE, fsion_write, FSION_WRITE)
ANY_TYPE(DEFINE_WRITE, fsion_fwrite, FSION_FWRITE)
ANY_TYPE(DEFINE_READ, fsion_read, FSION_READ)
ANY_TYPE(DEFINE_READ, fsion_fread, FSION_FREAD)
ANY_TYPE(DEFINE_WRITE_STREAM, fsion_write_stream, FSION_WRITE_STREAM)
ANY_TYPE(DEFINE_READ_STREAM, fsion_read_stream, FSION_READ_STREAM)
ANY_TYPE(DEFINE_READ_TASKS, fsion_stream_read_tasks, FSION_STREAM_READ_TASKS)
ANY_TYPE(DEFINE_SWAP, fsion_swap, FSION_SWAP)
