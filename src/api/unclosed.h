/*
 * Containers that are open for writing. If the process ends without a close, in any way that runs
 * its exit handlers, or if the library is unloaded, their buffers are written, and each is reported
 * in one line. The end of MPI, and a C++ object that goes, do the same for theirs.
 */
#ifndef SCION_API_UNCLOSED_H
#define SCION_API_UNCLOSED_H

#include "file/container.h"

/*
 * The container has been opened, by an interface of this kind (SION_LAYER_*, 0: a serial one). One
 * that is read needs nothing. speaks: its process reports for all if nothing has failed.
 */
void scion_unclosed_add(struct scion_container *container, int kind, int speaks);

/* It is being closed. */
void scion_unclosed_remove(struct scion_container *container);

#endif
