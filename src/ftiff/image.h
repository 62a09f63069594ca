/*
 * The structure of a checkpoint in memory: its blocks, its containers in the order of the file, and
 * the containers of each variable. Pure: what a file has to look like, and how it grows.
 *
 * A file can be nearly all records, and its structure must not take more memory than it has bytes,
 * which are 50 a container in the shortest layout. So the digests stay in the file; records.h reads
 * them again.
 */
#ifndef SCION_FTIFF_IMAGE_H
#define SCION_FTIFF_IMAGE_H

#include "ftiff/format.h"

/*
 * What FTI notes of a container. Content: the variable ends in it, or after it; a container may
 * have content of 0 bytes. Ckpt: it comes from the checkpoint from which the program restarted, or
 * it is in a file of differential checkpoints.
 */
enum scion_fti_flag { SCION_FTI_CONTENT = 1, SCION_FTI_CKPT = 2 };

struct scion_fti_image {
    enum scion_fti_era era;
    struct scion_fti_fb fb;
    int counts_empty; /* 1: the checksum is FTI's own, which includes hashes that its reader leaves
                         out */
    int nblocks, nvars; /* nvars: containers of all variables */
    int32_t *first;     /* [nblocks + 1] each block's first container; the last one is nvars */
    struct scion_fti_var *vars;
    int32_t *idx;         /* [nvars] in eras that have it, else NULL */
    int32_t *order;       /* [nvars] containers by id, those of one variable in their order */
    unsigned char *flags; /* [nvars] enum scion_fti_flag */

    /* [nvars] digests of a checkpoint that is being written; NULL: see above. */
    unsigned char (*hashes)[SCION_MD5_BYTES];
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

/* Allocate room for so many containers and blocks in an empty image. 0 or an error code. */
int scion_fti_image_reserve(struct scion_fti_image *image, sion_int64 blocks, sion_int64 vars);

/* Fill image->order. */
void scion_fti_image_sort(struct scion_fti_image *image);

/* Bytes of the records of a block of so many containers. */
sion_int64 scion_fti_block_records(enum scion_fti_era era, int32_t numvars);

/* Containers of block b. */
static inline int32_t scion_fti_numvars(const struct scion_fti_image *image, int b)
{
    return image->first[b + 1] - image->first[b];
}

/* dbsize of block b: of its containers, in A and B with its records; -1 if no number holds it. */
sion_int64 scion_fti_block_size(const struct scion_fti_image *image, int b);

/* The variable whose containers begin at order[at], 0 <= at < nvars. Needs order. */
struct scion_fti_variable scion_fti_variable_at(const struct scion_fti_image *image, int at);

/* 1 and the variable with this id, or 0. Needs order. */
int scion_fti_variable_find(const struct scion_fti_image *image, int32_t id,
                            struct scion_fti_variable *variable);

/*
 * Give the containers their places in a file of image->era, and the file block its sizes. An error
 * if 64 bits (in E: 31) do not hold them.
 */
int scion_fti_lay_out(struct scion_fti_image *image);

/* Whether a container's record is consistent in itself. */
int scion_fti_record_check(const struct scion_fti_record *record);

/*
 * Whether a file can have this structure: places and sizes as scion_fti_lay_out() computes them,
 * the containers of each variable without a gap, filled one after the other. Needs order.
 */
int scion_fti_image_check(const struct scion_fti_image *image);

/* A variable as the program has it now. */
struct scion_fti_demand {
    int32_t id;
    sion_int64 size; /* bytes */
};

/*
 * The program restarts from this checkpoint: from 1.3 on, FTI marks its containers in all later
 * ones.
 */
void scion_fti_mark_restart(struct scion_fti_image *image);

/* Whether a file of the image may have so many bytes. In B, it may end after the last used one. */
int scion_fti_is_size(const struct scion_fti_image *image, sion_int64 size);

/*
 * Compute the structure of the next checkpoint of n variables, in the order in which they were
 * protected. Containers of `old` (sorted; may be empty) stay and are filled in turn; the rest of
 * the data goes into further containers in one new block at the end. Ids are unique. `next` must be
 * empty; its era determines the places. 0, or an error code; then `next` is empty again.
 */
int scion_fti_grow(const struct scion_fti_image *old, const struct scion_fti_demand *demands, int n,
                   struct scion_fti_image *next);

#endif
