/* Names of files in a picture. */
#ifndef UTILS_SIONDUMP_XML_H
#define UTILS_SIONDUMP_XML_H

#include <stdio.h>

/* A text of any bytes as character data. Control characters, and what is not UTF-8, become U+FFFD.
 */
void xml_text(FILE *to, const char *text);

/* The same of a name; one that is too long for the picture loses its beginning. */
void xml_name(FILE *to, const char *name);

#endif
