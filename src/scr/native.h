/* Maps of SCR 3: their files are the physical files of a container. */
#ifndef SCION_SCR_NATIVE_H
#define SCION_SCR_NATIVE_H

#include <stdint.h>

#include "comm/comm.h"

struct scion_native {
    char *name; /* relative to the base; the caller's */
    sion_int64 size;
    uint32_t crc;
};

/*
 * Collective. Find size and, if wanted, CRC of files[n] of every task, all different. All tasks
 * together read the files once, each about the same number of bytes. status as in scion_map_write.
 * O(files) on every task.
 */
int scion_native_measure(struct scion_comm *comm, int status, const char *base, int crc,
                         struct scion_native *files, int n);

#endif
