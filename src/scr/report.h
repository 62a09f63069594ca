/* What public functions do with the results of internal ones. */
#ifndef SCION_SCR_REPORT_H
#define SCION_SCR_REPORT_H

#include "api/parallel.h"
#include "base/error.h"
#include "comm/comm.h"
#include "sion_const.h"

/* Print a failure; rc: 0, or an error code with its reason in the error record. */
static inline int scion_scr_result(const char *function, int rc)
{
    if (rc != 0)
        sion_layer_report(function, 0, 1, rc);
    return rc == 0 ? SION_SUCCESS : SION_NOT_SUCCESS;
}

/* The same of a collective call, which has failed on all tasks: one of them prints. */
static inline int scion_scr_result_of_all(const char *function, const struct scion_comm *comm,
                                          int rc)
{
    if (rc != 0)
        sion_layer_report(function, comm->rank, comm->size, rc);
    return rc == 0 ? SION_SUCCESS : SION_NOT_SUCCESS;
}

/* The same for an object: NULL is a failure. */
static inline void *scion_scr_object(const char *function, void *object)
{
    if (!object)
        sion_layer_report(function, 0, 1, scion_error_code());
    return object;
}

#endif
