/* Arrays on their way into another container, with other codecs. */
#ifndef UTILS_SIONARRAY_COPY_H
#define UTILS_SIONARRAY_COPY_H

#include "array/pack.h"
#include "array/reader.h"
#include "lib/progress.h"

/* How the blocks of an array are to be stored. */
struct recoding {
    int is_changed; /* the coding is not that of the input */
    struct scion_array_packing packing;
};

/* Where the data of a block are. */
struct placed {
    sion_int64 position;
    uint32_t task, block; /* its number in the index */
};

struct recoder {
    struct sion_array_reader *arrays;
    struct recoding *recodings; /* [narrays] by number */
    uint32_t *first;            /* [ntasks + 1] of each task, by its number: in */
    struct placed *blocks;      /* [nblocks] by task, in the order in which they were put */
    unsigned char *buffer;      /* of a block */
    size_t size;                /* of that */
    struct scion_array_packer *packer;
    struct progress progress;
};

/* All these return 0 or an error code. */

/* Whether all bytes of a task's stream are of arrays: others would be lost, or move. */
int recode_check(const struct recoder *recoder, int task);

/* More bytes than the blocks of a task will take in a chunk. */
sion_int64 recode_room(const struct recoder *recoder, int task);

/* Define all arrays in a container that is open for writing. */
int recode_define(const struct recoder *recoder, int sid);

/* All attributes into the selected task's stream; the blocks of a task into its own. */
int recode_attributes(const struct recoder *recoder, int sid);
int recode_blocks(struct recoder *recoder, int sid, int task);

#endif
