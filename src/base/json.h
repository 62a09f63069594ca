/* Text from outside, which may hold any bytes, in output that has to be UTF-8. */
#ifndef SCION_BASE_JSON_H
#define SCION_BASE_JSON_H

#include <stddef.h>
#include <stdio.h>

/* Bytes of the UTF-8 character that text begins with; 0 if it begins with none, or is at its end.
 */
int scion_utf8_length(const char *text);

/*
 * How many bytes at text can be printed as they are: those of one character in UTF-8; 0: the first
 * one must be escaped, or text is at its end.
 */
size_t scion_plain_length(const char *text);

/*
 * Write text as a JSON string with its quotes. Control characters, those of Latin-1 too, and bytes
 * that are not UTF-8, appear as \u00XX.
 */
void scion_json_string(FILE *to, const char *text);

/* The same in ASCII, for readers that expect it: all other characters appear as \uXXXX. */
void scion_json_ascii(FILE *to, const char *text);

#endif
