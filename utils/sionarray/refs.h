/* References to the blocks of arrays, as zarr has them. */
#ifndef UTILS_SIONARRAY_REFS_H
#define UTILS_SIONARRAY_REFS_H

#include "sionarray/commands.h"

struct refs {
    struct sion_array_reader *arrays;
    FILE *to;
    struct scion_array **list;
    struct scion_array **by_name;  /* [n] the same, sorted by name */
    struct scion_array **by_group; /* [n] the same, those of a group together */
    const char *prefix; /* of names of files, in place of their folders; NULL: real paths */
    int n;
    sion_int64 least; /* steps of an array that has them as a dimension */
    int is_first;
    int has_step;        /* all dimensions of steps have the same ones: one dimension, "step" */
    sion_int64 spare;    /* bytes that fill values may still take in the JSON */
    unsigned char *gaps; /* [n] 1: blocks of the array are missing, and have no fill values */
};

/* ---- names ---- */

/* The name of an array in its group. */
const char *refs_name_in_group(const struct scion_array *array);

/* 1 if zarr has both arrays in the same group. */
int refs_share_group(const struct scion_array *a, const struct scion_array *b);

/* 1 if no array before this one, by name, begins with these bytes of its name. */
int refs_is_first_with(const struct refs *refs, const struct scion_array *array, size_t length);

enum { REFS_STEP_NAME = SION_ARRAY_NAME + 32 }; /* bytes, with the NUL */

/* Fill by_name and by_group, which the caller frees. 0, or -1: out of memory. */
int refs_sort(struct refs *refs);

/* The dimension of the steps, which is an array in the same group, too, and has a name of its own:
   underscores follow it as long as an array or a group has that name. */
void refs_step_name(const struct refs *refs, const struct scion_array *array,
                    char into[REFS_STEP_NAME]);

/* 1 if all arrays of several steps have the same steps, and none is called step. */
int refs_have_same_steps(const struct refs *refs);

/* Why zarr would not find an array by its name; NULL: it does. */
const char *refs_reason_against_name(const struct refs *refs, const struct scion_array *array);

/* ---- metadata ---- */

struct grid {
    const struct refs *refs;
    const struct scion_array *array;
    int has_steps, big;
    sion_int64 chunk[SION_ARRAY_DIMS];  /* elements of a block */
    sion_int64 chunks[SION_ARRAY_DIMS]; /* blocks in each dimension */
    sion_int64 all;                     /* of a step */
    sion_int64 bytes;                   /* of a block */
    sion_int64 gaps;                    /* blocks that are missing, of the steps that are written */
};

/* The metadata of an array and its attributes; data: its grid. */
void refs_make_array(FILE *to, const void *data);
void refs_make_attributes(FILE *to, const void *data);

/* The attributes of a group; data: the texts. */
void refs_make_group_attributes(FILE *to, const void *data);

#endif
