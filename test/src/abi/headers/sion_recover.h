/* As a program would have that was compiled before the last members were added. */
#ifndef SION_RECOVER_H
#define SION_RECOVER_H

#include <stddef.h>

#include "sion_datatypes.h"

typedef struct sion_recovery sion_recovery;

typedef struct sion_recover_info {
    size_t size;
    int evidence;
    int ntasks;
} sion_recover_info;

typedef struct sion_recover_task {
    size_t size;
    sion_int64 globalrank;
    int file;
    int lrank;
    sion_int64 bytes;
} sion_recover_task;

sion_recovery *sion_recover_open(const char *fname, int flags);
int sion_recover_get_info(const sion_recovery *recovery, sion_recover_info *info);
int sion_recover_get_task(const sion_recovery *recovery, int index, sion_recover_task *task);
void sion_recover_close(sion_recovery *recovery);

#endif
