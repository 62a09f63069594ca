/*
 * The structure of a checkpoint in memory: its blocks, its containers in the order of the file, and
 * the containers of each variable. Pure: what a file has to look like, and how it grows.
 */
#ifndef SCION_FTIFF_IMAGE_H
#define SCION_FTIFF_IMAGE_H

#include "ftiff/format.h"

/* Containers first .. first + numvars - 1 of the image. */
struct scion_fti_block {
    sion_int64 dbsize;
    int32_t numvars, first;
};

struct scion_fti_image {
    enum scion_fti_era era;
    struct scion_fti_fb fb;
    int nblocks, nvars; /* nvars: containers of all variables */
    struct scion_fti_block *blocks;
    struct scion_fti_var *vars;
    int32_t *order; /* [nvars] containers by id, those of one variable in their order */
};

/* A variable: its containers are vars[order[first .. first + count - 1]]. */
struct scion_fti_variable {
    int32_t id;
    int first, count;
    sion_int64 size;     /* bytes that it holds */
    sion_int64 capacity; /* bytes of its containers */
};

/* Free what the image holds; it is empty then. */
void scion_fti_image_clear(struct scion_fti_image *image);

/* Room for `vars` containers and `blocks` blocks in all. 0 or an error code. */
int scion_fti_image_reserve(struct scion_fti_image *image, sion_int64 blocks, sion_int64 vars);

/* Fill image->order. 0 or an error code. */
int scion_fti_image_sort(struct scion_fti_image *image);

/*
 * The digest of the containers' digests, as text: of those with content, which is what FTI compares
 * with; of_all: of all, which is what FTI has written from 1.3 on.
 */
void scion_fti_hash_of_hashes(const struct scion_fti_image *image, int of_all,
                              char text[SCION_FTI_HEX]);

/* Bytes of a block's records. */
sion_int64 scion_fti_block_records(enum scion_fti_era era, int32_t numvars);

/* The variable whose containers begin at order[at], 0 <= at < nvars. Needs order. */
struct scion_fti_variable scion_fti_variable_at(const struct scion_fti_image *image, int at);

/* 1 and the variable with this id, or 0. Needs order. */
int scion_fti_variable_find(const struct scion_fti_image *image, int32_t id,
                            struct scion_fti_variable *variable);

/*
 * Give the containers their places in a file of image->era, and the blocks and the file block their
 * sizes. An error if 64 bits (in E: 31) do not hold them.
 */
int scion_fti_lay_out(struct scion_fti_image *image);

/*
 * Whether a file may look like this: places and sizes as scion_fti_lay_out() gives them, the
 * containers of each variable without a gap, flags that agree with the sizes. is_differential: a
 * file of differential checkpoints, which has flags of its own. Needs order.
 */
int scion_fti_image_check(const struct scion_fti_image *image, int is_differential);

/* A variable as the program has it now. */
struct scion_fti_demand {
    int32_t id;
    sion_int64 size; /* bytes */
};

/*
 * The structure of the next checkpoint of n variables, in the order in which they were protected:
 * containers of `old` (sorted; may be empty) stay, each filled in turn; what is left over goes into
 * further containers in one new block at the end. Ids are unique. `next` is empty before; its
 * era decides on the places. 0 or an error code, then `next` is empty again.
 */
int scion_fti_grow(const struct scion_fti_image *old, const struct scion_fti_demand *demands, int n,
                   struct scion_fti_image *next);

#endif
