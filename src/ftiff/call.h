/* The bodies of public functions. */
#ifndef SCION_FTIFF_CALL_H
#define SCION_FTIFF_CALL_H

#include "ftiff/handle.h"

/*
 * Report a failure once: between begin and end, messages of the core's functions are suppressed,
 * because the error record contains them. 0, or an error code if there is no handle.
 */
int scion_fti_begin(const char *function, const sion_ftiff *handle);

/* Returns rc, and reports it if it is negative. */
int scion_fti_end(const char *function, const sion_ftiff *handle, int rc);

/* The body of a public function. */
#define CALL(handle, call)                                                                         \
    do {                                                                                           \
        int begun = scion_fti_begin(__func__, handle);                                             \
                                                                                                   \
        return begun == 0 ? scion_fti_end(__func__, handle, call) : begun;                         \
    } while (0)

#endif
