/*
 * The error record of a shared library next to libsion, which cannot call libsion's internal
 * functions. Every failure goes to libsion's record, so that sion_error_text() returns it. Nothing
 * is traced.
 */
#include "api/private_abi.h"
#include "base/error.h"
#include "base/trace.h"

#include <stdarg.h>
#include <stdio.h>

void scion_error_set(int code, const char *text)
{
    sion_layer_fail(code, text);
}

int scion_error_code(void)
{
    return sion_error_code();
}

const char *scion_error_text(void)
{
    return sion_error_text();
}

void scion_warn(const char *format, ...)
{
    char text[SCION_ERROR_TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    sion_layer_warn(text);
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
