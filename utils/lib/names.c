#include "lib/names.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "lib/tool.h"
#include "vfs/stdio_named.h"

int names_take(struct names *names, char **name, int count)
{
    names->name = name;
    names->count = count;
    return TOOL_RUN;
}

/* All that is in the file, with a NUL at the end. */
static int read_text(FILE *file, char **text, size_t *length)
{
    size_t capacity = 0;

    *length = 0;
    do {
        if (capacity - *length < 2) {
            size_t larger = capacity > 0 ? capacity + capacity / 2 : 1 << 12;
            char *grown = realloc(*text, larger);

            if (!grown)
                return TOOL_FAILED;
            *text = grown;
            capacity = larger;
        }
        *length += fread(*text + *length, 1, capacity - *length - 1, file);
    } while (!feof(file) && !ferror(file));
    (*text)[*length] = '\0';
    return ferror(file) ? TOOL_FAILED : TOOL_RUN;
}

static int failed(const char *list, int errnum)
{
    tool_error("cannot read the names in %s: %s", list, strerror(errnum != 0 ? errnum : ENOMEM));
    return TOOL_FAILED;
}

int names_find(struct names *names, const char *list)
{
    char *end = names->text + names->length, *line, *next;
    size_t lines = 1;

    for (line = names->text; line < end; line++)
        lines += *line == '\n';
    if (lines <= INT_MAX)
        names->array = scion_array(lines, sizeof *names->array);
    if (!names->array)
        return failed(list, ENOMEM);
    names->name = names->array;
    for (line = names->text; line < end; line = next) {
        char *newline = memchr(line, '\n', (size_t)(end - line));

        next = newline ? newline + 1 : end;
        if (newline)
            *newline = '\0';
        if (*line)
            names->name[names->count++] = line;
    }
    return TOOL_RUN;
}

int names_load(struct names *names, const char *list)
{
    int from_stdin = strcmp(list, "-") == 0, status;
    FILE *file = from_stdin ? stdin : scion_stdio_open(list, SCION_STDIO_READ);

    errno = file ? 0 : errno;
    status = file ? read_text(file, &names->text, &names->length) : TOOL_FAILED;
    if (status != TOOL_RUN)
        failed(list, errno);
    if (file && !from_stdin)
        fclose(file);
    return status;
}

void names_free(struct names *names)
{
    free(names->array);
    free(names->text);
}
