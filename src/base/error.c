#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/warning.h"

struct warning {
    struct warning *next;
    int is_alone; /* no other rank has it */
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

static void add_warning(int is_alone, const char *format, va_list args)
{
    struct warning *entry = malloc(sizeof *entry);
    struct warning **tail = &record.warnings;
    char raw[SCION_ERROR_TEXT], text[SCION_ERROR_TEXT];

    if (!entry)
        return;
    vsnprintf(raw, sizeof raw, format, args);
    entry->next = NULL;
    entry->is_alone = is_alone;
    entry->text = strdup(scion_escape(raw, text, sizeof text));
    while (*tail)
        tail = &(*tail)->next;
    *tail = entry;
}

void scion_warn(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_warning(0, format, args);
    va_end(args);
}

void scion_warn_alone(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_warning(1, format, args);
    va_end(args);
}

void scion_warnings_drop_common(void)
{
    struct warning **at = &record.warnings, *entry;

    while ((entry = *at)) {
        if (entry->is_alone) {
            at = &entry->next;
            continue;
        }
        *at = entry->next;
        free(entry->text);
        free(entry);
    }
}

int scion_warnings_count(void)
{
    const struct warning *entry;
    int n = 0;

    for (entry = record.warnings; entry; entry = entry->next)
        n++;
    return n;
}

void scion_warnings_cut(int n)
{
    struct warning **at = &record.warnings, *entry;

    while (*at && n-- > 0)
        at = &(*at)->next;
    while ((entry = *at)) {
        *at = entry->next;
        free(entry->text);
        free(entry);
    }
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
