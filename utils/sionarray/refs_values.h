/* Values in the JSON of references: numbers, and bytes as text. */
#ifndef UTILS_SIONARRAY_REFS_VALUES_H
#define UTILS_SIONARRAY_REFS_VALUES_H

#include <stdio.h>

/* A number; NaN and infinities as zarr names them. */
void refs_put_real(FILE *to, double number);

/* Whether readers compute with the value of this attribute, by the CF conventions. */
int refs_is_number(const char *key);

/* The numbers of a text, with blanks or commas between them; 0: it has anything else, and nothing
   is put. */
int refs_put_numbers(FILE *to, const char *text);

/* The bytes of a file, as a string of JSON. */
void refs_put_bytes(FILE *to, const unsigned char *bytes, size_t n);

#endif
