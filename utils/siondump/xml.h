/* Names of files in a picture. */
#ifndef UTILS_SIONDUMP_XML_H
#define UTILS_SIONDUMP_XML_H

#include <stdio.h>

/* A text of any bytes as character data. Control characters, and what is not UTF-8, become U+FFFD.
 */
void xml_text(FILE *to, const char *text);

/* The same for a name; if it is too long for the picture, its beginning is left out. */
void xml_name(FILE *to, const char *name);

#endif
