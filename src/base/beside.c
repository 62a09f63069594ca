/*
 * The error record of a shared library that stands beside libsion, whose insides are hidden from
 * it: every failure goes to libsion's record, where sion_error_text() finds it. Nothing is traced.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/parts.h"
#include "base/error.h"
#include "base/trace.h"

static void format_text(char *text, const char *format, va_list args)
{
    vsnprintf(text, SCION_ERROR_TEXT, format, args);
}

int scion_fail(int code, const char *format, ...)
{
    char text[SCION_ERROR_TEXT];
    va_list args;

    va_start(args, format);
    format_text(text, format, args);
    va_end(args);
    sion_layer_fail(code, text);
    return code;
}

int scion_fail_errno(int errnum, const char *format, ...)
{
    char text[SCION_ERROR_TEXT];
    va_list args;
    size_t used;

    va_start(args, format);
    format_text(text, format, args);
    va_end(args);
    used = strlen(text);
    snprintf(text + used, sizeof text - used, ": %s", strerror(errnum));
    return scion_fail(SION_ERR_SYSTEM, "%s", text);
}

int scion_fail_memory(const char *what)
{
    return scion_fail(SION_ERR_MEMORY, "out of memory (%s)", what);
}

void scion_fail_prefix(const char *format, ...)
{
    char text[SCION_ERROR_TEXT];
    va_list args;
    size_t used;

    va_start(args, format);
    format_text(text, format, args);
    va_end(args);
    used = strlen(text);
    snprintf(text + used, sizeof text - used, ": %s", sion_error_text());
    sion_layer_fail(sion_error_code(), text);
}

int scion_error_code(void)
{
    return sion_error_code();
}

const char *scion_error_text(void)
{
    return sion_error_text();
}

atomic_int scion_trace_mask;

int scion_trace_decide(int bits)
{
    (void)bits;
    return 0;
}

void scion_trace_line(int bit, const char *function, const char *format, ...)
{
    (void)bit, (void)function, (void)format;
}
