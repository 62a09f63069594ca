/* Types of elements, boxes of them, and the range of their values. Pure. */
#ifndef SCION_ARRAY_TYPES_H
#define SCION_ARRAY_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "array/public.h"

/* 1 if it is one of enum sion_array_type. */
static inline int scion_array_is_type(int type)
{
    return type >= SION_I8 && type <= SION_C128;
}

/* Bytes of an element, and bytes and type of a number in it: a complex element has two. */
size_t scion_array_size(int type);
size_t scion_array_number_size(int type);
int scion_array_number_type(int type);

enum scion_array_kind { SCION_SIGNED, SCION_UNSIGNED, SCION_FLOAT, SCION_COMPLEX };
enum scion_array_kind scion_array_kind(int type);

/* "i8" .. "c128". */
const char *scion_array_type_name(int type);

/* Bytes of a box of elements; -1: more than there can be, or an extent is negative. */
sion_int64 scion_array_bytes(int type, int ndims, const sion_int64 *count);

/* The shape of a whole array. 0, or an error of SION_ERR_ARGUMENT with what is wrong. */
int scion_array_check_shape(const char *name, int type, int ndims, const sion_int64 *shape);

/*
 * A part of a shape: offset >= 0, count >= 0, offset + count <= shape in each dimension, and its
 * bytes can be counted. 0, or an error of SION_ERR_ARGUMENT.
 */
int scion_array_check_box(const char *name, int ndims, const sion_int64 *shape,
                          const sion_int64 *offset, const sion_int64 *count);

/* 1 to SION_ARRAY_NAME bytes of UTF-8 without control characters. `what` is for the message. */
int scion_array_check_name(const char *what, const char *name, size_t length);

/* UTF-8, of any characters. */
int scion_array_check_value(const char *key, const char *value);

/* Smallest and largest of many numbers; if there are none, low is above high. Complex numbers have
   no range. */
struct scion_array_range {
    union sion_array_value low, high;
};

void scion_array_range_begin(int type, struct scion_array_range *range);
int scion_array_range_is_known(int type, const struct scion_array_range *range);

/* Add n elements of this machine's byte order. NaN does not count. */
void scion_array_range_add(int type, const void *data, size_t n, struct scion_array_range *range);
void scion_array_range_join(int type, const struct scion_array_range *other,
                            struct scion_array_range *range);

/* A number of the type as size bytes, low ones first, and back. */
void scion_array_pack_value(int type, union sion_array_value value, unsigned char *bytes);
union sion_array_value scion_array_unpack_value(int type, const unsigned char *bytes);

/* Make an element in this machine's byte order from text, or, if text is NULL, the value that
   stands for a missing element. 0, or -1: text is not a number of this type. */
int scion_array_fill(int type, const char *text, void *element);

/* Text of an element in this machine's byte order; returns into, of SCION_ARRAY_TEXT bytes. */
enum { SCION_ARRAY_TEXT = 80 };
const char *scion_array_text(int type, const void *element, char *into);
const char *scion_array_value_text(int type, union sion_array_value value, char *into);

#endif
