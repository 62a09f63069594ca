/*
 * Numbers in texts, read and printed with a decimal point whatever the locale of the application
 * is. A file of the library that prints floating-point numbers prints with these functions only
 * (test/self/numerals.sh). They change the locale of the calling thread while they run.
 */
#ifndef SCION_BASE_NUMERALS_H
#define SCION_BASE_NUMERALS_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#ifdef __GNUC__
#define SCION_PRINTS(text, first) __attribute__((format(printf, text, first)))
#else
#define SCION_PRINTS(text, first)
#endif

/* As strtod(). */
double scion_read_number(const char *text, char **end);

/* As fprintf(), snprintf() and vsnprintf(). */
int scion_print(FILE *to, const char *format, ...) SCION_PRINTS(2, 3);
int scion_print_text(char *into, size_t size, const char *format, ...) SCION_PRINTS(3, 4);
int scion_print_list(char *into, size_t size, const char *format, va_list args) SCION_PRINTS(3, 0);

#endif
