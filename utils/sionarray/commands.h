/* The commands of sionarray, and what they share. */
#ifndef UTILS_SIONARRAY_COMMANDS_H
#define UTILS_SIONARRAY_COMMANDS_H

#include <stdio.h>

#include "array/reader.h"
#include "lib/message.h"

struct array_settings {
    int json, csv, npy, raw, relative, update;
    int has_step;
    sion_int64 step;
    const char *slice, *output, *spacing, *url;
    const char **codecs; /* [ncodecs] "NAME=CODEC", or "CODEC" */
    int ncodecs;
};

int array_ls(const void *settings, int n, char **operands);
int array_info(const void *settings, int n, char **operands);
int array_stats(const void *settings, int n, char **operands);
int array_dump(const void *settings, int n, char **operands);
int array_export(const void *settings, int n, char **operands);
int array_refs(const void *settings, int n, char **operands);
int array_xdmf(const void *settings, int n, char **operands);
int array_plot(const void *settings, int n, char **operands);
int array_copy(const void *settings, int n, char **operands);

/* ---- shared ---- */

/* Print the error record on stderr, with the file's name in front unless it is in the text;
   TOOL_FAILED. */
int array_failed(const char *file);

/* Open the arrays of a file; NULL: the reason has been printed. */
struct sion_array_reader *array_open(const char *file);

/* The same, with an index whose blocks are where it says: it has been compared with the streams. */
struct sion_array_reader *array_open_blocks(const char *file);

/*
 * The arrays that operands 1 .. n - 1 name, or all, in a list that the caller frees; *count of
 * them. NULL: the reason has been printed.
 */
struct scion_array **array_choose(struct sion_array_reader *arrays, int n, char **operands,
                                  int *count);

/* Steps of an array, by their place: 0 .. array->steps - 1. */
sion_int64 array_step(const struct sion_array_reader *arrays, const struct scion_array *array,
                      uint32_t place);

/* "4 x 6"; "a number" of no dimensions. Returns into. */
enum { ARRAY_SHAPE = 200 };
const char *array_shape(const struct scion_array *array, char *into);

/* A part of an array at a step, given by --slice and --step; by default the whole array at the last
   step. */
struct array_part {
    sion_int64 step, offset[SION_ARRAY_DIMS], count[SION_ARRAY_DIMS];
};

/* TOOL_RUN or TOOL_USAGE. */
int array_select(const struct sion_array_reader *arrays, const struct scion_array *array,
                 const struct array_settings *settings, struct array_part *part);

/* The fill value of an array as one element. */
void array_fill(const struct scion_array *array, unsigned char element[16]);

/* An element in this machine's byte order as a complex number. */
void array_parts(int type, const unsigned char *element, double parts[2]);

/* "<f8" as numpy names it. */
const char *array_dtype(int type, int is_big, char into[8]);

/* The output of a command: a new file of this name, with the permissions of the input, which it
   must not be; or stdout for NULL. */
struct array_output;
int array_output_begin(const char *name, const char *input, struct array_output **output,
                       FILE **file);
/* Returns status, or TOOL_FAILED if it could not be written. */
int array_output_end(struct array_output *output, int status);

/*
 * The output as a whole, or nothing if it fails: the writer, which returns a status, is called a
 * second time if a part could not be taken back.
 */
typedef int array_writer(void *data, FILE *to);
int array_output(const char *name, const char *input, array_writer *write, void *data);

#endif
