/**
 * @file sion_drain.h
 * Staged containers: written to folders of the nodes, and then copied to their own place.
 *
 * With the word "stage=DIR" in the mode string, or with the environment variable SION_STAGE=DIR,
 * the tasks of a parallel open write to DIR, a folder of their own node. The close returns when all
 * data are there. Then a thread of each node's first process drains them: it copies them to the
 * container's own folder, where the container appears when it is complete. Until then the older one
 * keeps its name. If a drain fails, and no call tells the node's first process, the exit status of
 * that process is 74. See doc/reliability.md.
 *
 * @param fname name of a container; NULL: all that this process has staged
 */
#ifndef SION_DRAIN_H
#define SION_DRAIN_H

#include <stddef.h>

#include "sion_datatypes.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What is known of drains. */
typedef struct sion_drain_progress {
    size_t size; /**< of this struct: SION_INIT sets it */
    int waiting; /**< containers that are drained, or will be */
    int failed;  /**< containers whose drains have failed */
    sion_int64
        drained;      /**< bytes that this process has copied, of those that are not complete yet */
    sion_int64 total; /**< bytes that it will have copied; 0 in other processes than the node's
                           first one */
    char failure[384]; /**< why a drain has failed; "": none has */
} sion_drain_progress;

/**
 * Whether containers are complete.
 *
 * Local.
 *
 * @return 1 if they are, or if none of this name was staged; 0 if they are not yet; -1 with a
 *         message if a drain has failed
 * @threads any thread at any time
 */
int sion_drain_test(const char *fname);

/**
 * Wait until containers are complete. Drains that have failed are tried once more.
 *
 * Local: every process may wait, or only some.
 *
 * @return 1; 0 with a message if a drain has failed. The data stay on the nodes: siondrain goes on.
 * @threads any thread at any time
 */
int sion_drain_wait(const char *fname);

/**
 * Get the progress of drains.
 *
 * Local.
 *
 * @param progress [out] prepared by SION_INIT
 * @return 1; 0 with a message if its size is not set
 * @threads any thread at any time
 */
int sion_drain_get_progress(const char *fname, sion_drain_progress *progress);

#ifdef __cplusplus
}
#endif

#endif
