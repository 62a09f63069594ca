/* As a program would have that was compiled before the last members were added. */
#ifndef SION_ARRAY_H
#define SION_ARRAY_H

#include <stddef.h>

#include "sion_datatypes.h"

struct sion_array_info {
    size_t size;
    int type;
    int ndims;
};

struct sion_array_block {
    size_t size;
    sion_int64 step;
    int task;
    const char *file;
    sion_int64 position;
};

typedef struct sion_array_reader sion_array_reader;

int sion_array_define(int sid, const char *name, int type, int ndims, const sion_int64 *shape);
int sion_array_put(int sid, const char *name, sion_int64 step, const sion_int64 *offset,
                   const sion_int64 *count, int type, const void *data, size_t bytes);
sion_array_reader *sion_array_reader_open(const char *file);
int sion_array_reader_info(const sion_array_reader *arrays, const char *name,
                           struct sion_array_info *info);
sion_int64 sion_array_reader_blocks(sion_array_reader *arrays, const char *name, sion_int64 step,
                                    sion_int64 first, sion_int64 n,
                                    struct sion_array_block *blocks);
void sion_array_reader_close(sion_array_reader *arrays);

#endif
