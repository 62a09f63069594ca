/*
 * The drain of a node's part: it is copied to the container's new file, which gets the container's
 * name when the parts of all nodes have been copied. Nodes tell each other by small files beside
 * the new one, not by messages: the program's communication may have ended.
 */
#ifndef SCION_STAGE_DRAIN_H
#define SCION_STAGE_DRAIN_H

#include "stage/part.h"

enum {
    SCION_DRAIN_WAITS = 1,  /* this part has been copied, and another one not yet */
    SCION_DRAIN_STOPPED = 2 /* as requested */
};

struct scion_drain {
    long long rate;                                /* bytes a second; 0: as fast as it goes */
    void (*step)(void *context, sion_int64 bytes); /* so many were copied; or NULL */
    void *context;
    int patience; /* seconds without a sign of another node after which the drain fails; 0: do not
                     wait for others */

    int has_name; /* the process has the lock of the container's name */

    /* Others read and write these meanwhile, atomically. */
    int stop;
    sion_int64 done, total; /* bytes of the part */
};

/*
 * Copy the part, from where an earlier drain of it has stopped, and wait for the others. The part
 * of a container that is complete, or was, is removed. 0: it has its name. Otherwise an error code,
 * or SCION_DRAIN_*. Only one process may drain a part.
 */
int scion_stage_drain(struct scion_stage_part *part, struct scion_drain *drain);

/*
 * Copy the part of a container that was never closed to its new files, which keep their names: so
 * sionrecover finds what its commit records tell of. As scion_stage_drain() otherwise; the part
 * stays.
 */
int scion_stage_rescue(struct scion_stage_part *part, struct scion_drain *drain);

/*
 * Whether a close has succeeded in writing the data of all nodes: this part's record says it, or
 * another node has begun to drain.
 */
int scion_stage_is_closed(const struct scion_stage_part *part);

/* The first node from `node` on that has not drained its part, as far as it has told; -1: none. */
int scion_stage_missing(const struct scion_stage_part *part, int node);

/* Bytes that a part has, in all its files. */
int scion_stage_bytes(const struct scion_stage_part *part, sion_int64 *bytes);

/* What the file of this name has as its nonce. 1, or 0: there is none. */
int scion_stage_nonce(const char *name, uint32_t *nonce);

#endif
