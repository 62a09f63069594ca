#include "fortran/convert.h"

#include <stdlib.h>
#include <string.h>

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
