#include "lib/message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lib/text.h"

static const char *tool_name; /* NULL: as the program was called */
static int is_muted, is_quiet;

void tool_set_name(const char *name)
{
    tool_name = name;
}

void tool_mute(int muted)
{
    is_muted = muted;
}

int tool_is_muted(void)
{
    return is_muted;
}

void tool_quieten(void)
{
    is_quiet = 1;
}

/* It is one line, whatever names it contains. */
static char *make_line(const char *format, va_list arguments)
{
    char *raw, *line = NULL;

    if (vasprintf(&raw, format, arguments) >= 0) {
        line = text_escaped(raw);
        free(raw);
    }
    return line;
}

static char *kept; /* where errors go, or NULL */
static size_t kept_size;

void tool_keep_error(char *text, size_t size)
{
    kept = text;
    kept_size = size;
}

/* In one write, so that the lines of several processes do not mix. */
static void say(const char *before, const char *text)
{
    const char *name = tool_name ? tool_name : program_invocation_short_name;

    fprintf(stderr, "%s: %s%s\n", name, before, text);
}

void tool_error(const char *format, ...)
{
    va_list arguments;
    char *text;

    if (kept ? kept[0] != '\0' : is_muted)
        return;
    va_start(arguments, format);
    text = make_line(format, arguments);
    va_end(arguments);
    if (kept)
        snprintf(kept, kept_size, "%s", text ? text : "out of memory");
    else
        say("", text ? text : "out of memory");
    free(text);
}

void tool_warning(const char *format, ...)
{
    va_list arguments;
    char *text;

    if (is_muted || is_quiet)
        return;
    va_start(arguments, format);
    text = make_line(format, arguments);
    va_end(arguments);
    say("warning: ", text ? text : "out of memory");
    free(text);
}

void tool_print_warnings(void)
{
    char *warning;

    while ((warning = scion_warning_take())) {
        tool_warning("%s", warning);
        free(warning);
    }
}

void tool_line(FILE *to, int width, const char *label, const char *format, ...)
{
    va_list arguments;
    char *text;

    if (is_quiet)
        return;
    va_start(arguments, format);
    text = make_line(format, arguments);
    va_end(arguments);
    fprintf(to, "%s: %-*s%s\n", tool_name, width, label, text ? text : "out of memory");
    free(text);
}

static int left_out;

void tool_note_left_out(void)
{
    left_out = 1;
}

int tool_finish(int status)
{
    int failed = ferror(stdout);

    if (left_out && (status == TOOL_DONE || status == TOOL_RUN))
        status = TOOL_FAILED;
    errno = 0;
    if (fclose(stdout) != 0)
        failed = 1;
    if (!failed || (status != TOOL_DONE && status != TOOL_RUN))
        return status;
    tool_error("cannot write standard output: %s", errno ? strerror(errno) : "write error");
    return TOOL_FAILED;
}
