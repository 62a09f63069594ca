#include "fortran/convert.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *scion_fortran_string(const char *text, size_t length)
{
    while (length > 0 && text[length - 1] == ' ')
        length--;
    return strndup(text, length);
}

void scion_fortran_fill(char *variable, size_t length, const char *text)
{
    size_t used = text ? strnlen(text, length) : 0;

    if (used > 0)
        memcpy(variable, text, used);
    memset(variable + used, ' ', length - used);
}

/*
 * A constant is in read-only memory. The system call stores the value that is already there: it
 * returns an error where an assignment would crash the program.
 */
static int is_writable(char *variable)
{
    int ends[2], writable;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return 0;
    writable = write(ends[1], variable, 1) == 1 && read(ends[0], variable, 1) == 1;
    close(ends[0]);
    close(ends[1]);
    return writable;
}

/* Whether a CHARACTER variable has this text, and blanks after it. */
static int has_text(const char *variable, size_t length, const char *text)
{
    size_t used = strnlen(text, length);

    if (memcmp(variable, text, used) != 0)
        return 0;
    while (used < length && variable[used] == ' ')
        used++;
    return used == length;
}

int scion_fortran_fill_name(char *variable, size_t length, const char *passed, const char *name)
{
    int is_known;

    if (!name)
        name = "";
    is_known = passed && strcmp(name, passed) == 0 && has_text(variable, length, "");
    if (is_known || !is_writable(variable))
        return 0;
    if (!has_text(variable, length, name))
        scion_fortran_fill(variable, length, name);
    return 1;
}
