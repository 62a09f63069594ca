#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

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

void scion_error_set(int code, const char *text)
{
    record.code = code;
    scion_escape(text, record.text, sizeof record.text);
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
    char raw[SCION_ERROR_TEXT], text[SCION_ERROR_TEXT];
    va_list args;

    if (!entry)
        return;
    va_start(args, format);
    vsnprintf(raw, sizeof raw, format, args);
    va_end(args);
    entry->next = NULL;
    entry->text = strdup(scion_escape(raw, text, sizeof text));
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
