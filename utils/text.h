/* Names from outside, which may hold any bytes, in XML, and sizes for people. */
#ifndef UTILS_TEXT_H
#define UTILS_TEXT_H

#include <stdio.h>

#include "sion_datatypes.h"

/* As XML character data; control characters and what is not UTF-8 become U+FFFD. */
void text_xml(FILE *to, const char *text);

/* Bytes for people: "512 B", "1.5 KiB"; returns into, which has TEXT_SIZE characters. */
enum { TEXT_SIZE = 32 };
const char *text_size(char *into, sion_int64 bytes);

#endif
