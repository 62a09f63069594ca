/*
 * Communicators of the application: our table of functions, implemented by the callbacks of the
 * generic interface, which sion_generic.h describes.
 */
#ifndef SCION_COMM_USER_H
#define SCION_COMM_USER_H

#include "comm/comm.h"

/* Functions that the application calls on the collector, for each piece of a sender's record. */
typedef int scion_store_callback(const void *data, sion_int64 *spec, int sid);
typedef int scion_load_callback(void *data, sion_int64 *spec, int sid);

/* create_local_commgroup: a task that joins no group passes filenumber -1, lrank and lsize 0. */
/* Types of elements that a callback transfers: _SION_CHAR, _SION_INT64 of sion_const.h. */
struct scion_user_callbacks {
    int (*create_local_commgroup)(void **lcomm, void *gcomm, int grank, int gsize, int lrank,
                                  int lsize, int filenumber, int numfiles);
    int (*free_local_commgroup)(void *comm);
    int (*barrier)(void *comm);
    int (*bcastr)(void *data, void *comm, int dtype, int nelem, int root);
    int (*gatherr)(void *in, void *out, void *comm, int dtype, int nelem, int root);
    int (*scatterr)(void *in, void *out, void *comm, int dtype, int nelem, int root);
    int (*gathervr)(void *in, void *out, void *comm, int dtype, int *counts, int nelem, int root);
    int (*scattervr)(void *out, void *in, void *comm, int dtype, int *counts, int nelem,
                     int root); /* never called */

    /* For collective reads and writes; all or none. */
    int (*gather_and_execute)(const void *data, sion_int64 *spec, int spec_len,
                              sion_int64 fsblksize, void *comm, int collector, int range_start,
                              int range_end, int sid, scion_store_callback *process);
    int (*execute_and_scatter)(void *data, sion_int64 *spec, int spec_len, sion_int64 fsblksize,
                               void *comm, int collector, int range_start, int range_end, int sid,
                               scion_load_callback *process);
    int (*get_capability)(void *comm);
};

/*
 * A communicator that uses the application's `commgroup`, which must live as long. The callbacks,
 * of which the first eight are set, are copied. Local. NULL: out of memory.
 */
struct scion_comm *scion_comm_user(const struct scion_user_callbacks *callbacks, void *commgroup,
                                   int rank, int size);

/* Collective: scion_agree() for tasks that may have failed to allocate a communicator. */
int scion_user_agree(const struct scion_user_callbacks *callbacks, void *commgroup, int rank,
                     int size, int rc);

#endif
