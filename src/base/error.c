#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct warning {
    struct warning *next;
    char *text;
};

struct record {
    int code;
    char text[SCION_ERROR_TEXT];
    struct warning *warnings;
};

static _Thread_local struct record record;

static void set_text(const char *format, va_list args)
{
    vsnprintf(record.text, sizeof record.text, format, args);
}

int scion_fail(int code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    set_text(format, args);
    va_end(args);
    record.code = code;
    return code;
}

int scion_fail_errno(int errnum, const char *format, ...)
{
    va_list args;
    size_t used;

    va_start(args, format);
    set_text(format, args);
    va_end(args);
    used = strlen(record.text);
    snprintf(record.text + used, sizeof record.text - used, ": %s", strerror(errnum));
    record.code = SION_ERR_SYSTEM;
    return record.code;
}

int scion_fail_memory(const char *what)
{
    return scion_fail(SION_ERR_MEMORY, "out of memory (%s)", what);
}

void scion_fail_prefix(const char *format, ...)
{
    char old[SCION_ERROR_TEXT];
    va_list args;
    size_t used;

    memcpy(old, record.text, sizeof old);
    va_start(args, format);
    set_text(format, args);
    va_end(args);
    used = strlen(record.text);
    snprintf(record.text + used, sizeof record.text - used, ": %s", old);
}

int scion_error_code(void)
{
    return record.code;
}

const char *scion_error_text(void)
{
    return record.text;
}

void scion_warn(const char *format, ...)
{
    struct warning *entry = malloc(sizeof *entry);
    struct warning **tail = &record.warnings;
    char text[SCION_ERROR_TEXT];
    va_list args;

    if (!entry)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    entry->next = NULL;
    entry->text = strdup(text);
    while (*tail)
        tail = &(*tail)->next;
    *tail = entry;
}

char *scion_warning_take(void)
{
    struct warning *entry = record.warnings;
    char *text;

    if (!entry)
        return NULL;
    record.warnings = entry->next;
    text = entry->text;
    free(entry);
    return text ? text : strdup("warning lost: out of memory");
}
