/* The bodies of public functions. */
#ifndef SCION_FTIFF_CALL_H
#define SCION_FTIFF_CALL_H

#include "ftiff/handle.h"
#include "sion_const.h"

/*
 * Report a failure once: between begin and end, messages of the core's functions are suppressed,
 * because the error record contains them. 0, or an error code if there is no handle.
 */
int scion_fti_begin(const char *function, const sion_ftiff *handle);

/* Returns rc, and reports it if it is negative. */
int scion_fti_end(const char *function, const sion_ftiff *handle, int rc);

/* Evaluates to what `call` returns, or to an error code. */
#define CALL(handle, call)                                                                         \
    (scion_fti_begin(__func__, handle) == 0 ? scion_fti_end(__func__, handle, call)                \
                                            : SION_ERR_HANDLE)

/* The body of a public function that succeeds or fails. */
#define RETURN(handle, call) return CALL(handle, call) == 0 ? SION_SUCCESS : SION_NOT_SUCCESS

#endif
