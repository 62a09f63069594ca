/*
 * Communicators of the application: the callbacks of the generic interface (sion_generic.h says
 * what each has to do) behind our table.
 */
#ifndef SCION_COMM_USER_H
#define SCION_COMM_USER_H

#include "comm/comm.h"

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
    int (*scattervr)(void *out, void *in, void *comm, int dtype, int *counts, int nelem, int root);
};

/*
 * Use the application's communicator `group`, which stays the application's and must live as long.
 * callbacks, all of them set, are copied. Local. NULL: out of memory.
 */
struct scion_comm *scion_comm_user(const struct scion_user_callbacks *callbacks, void *group,
                                   int rank, int size);

#endif
