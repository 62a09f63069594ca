/* Texts of failures, for the error record of libsion and for that of libraries besides it. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

int scion_fail(int code, const char *format, ...)
{
    char text[SCION_ERROR_TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    scion_error_set(code, text);
    return code;
}

static void append(char text[SCION_ERROR_TEXT], const char *more)
{
    size_t used = strlen(text);

    snprintf(text + used, SCION_ERROR_TEXT - used, ": %s", more);
}

int scion_fail_errno(int errnum, const char *format, ...)
{
    char text[SCION_ERROR_TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    append(text, strerror(errnum));
    scion_error_set(SION_ERR_SYSTEM, text);
    return SION_ERR_SYSTEM;
}

int scion_fail_memory(const char *what)
{
    return scion_fail(SION_ERR_MEMORY, "out of memory (%s)", what);
}

void scion_fail_prefix(const char *format, ...)
{
    char text[SCION_ERROR_TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    append(text, scion_error_text());
    scion_error_set(scion_error_code(), text);
}

void scion_error_replace(const char *from, const char *to)
{
    char text[SCION_ERROR_TEXT];
    const char *old = scion_error_text(), *at = strstr(old, from);

    if (!at)
        return;
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - old), old, to, at + strlen(from));
    scion_error_set(scion_error_code(), text);
}
