#include "base/escape.h"

#include <string.h>

#include "base/json.h"

/* \n or \x1b, into[5]; returns its length. */
static size_t make_escape(char c, char *into)
{
    static const char controls[] = "\n\r\t", letters[] = "nrt";
    const char *found = strchr(controls, c);

    return (size_t)(found ? sprintf(into, "\\%c", letters[found - controls])
                          : sprintf(into, "\\x%02x", (unsigned char)c));
}

const char *scion_escape(const char *text, char *into, size_t size)
{
    size_t used = 0;

    while (*text) {
        size_t plain = scion_plain_length(text), length;
        char escape[5];
        const char *from = plain > 0 ? text : escape;

        length = plain > 0 ? plain : make_escape(*text, escape);
        if (length >= size - used)
            break;
        memcpy(into + used, from, length);
        used += length;
        text += plain > 0 ? plain : 1;
    }
    into[used] = '\0';
    return into;
}

void scion_print_escaped(FILE *to, const char *text)
{
    while (*text) {
        const char *begin = text;
        size_t plain;
        char escape[5];

        while ((plain = scion_plain_length(text)) > 0)
            text += plain;
        fwrite(begin, 1, (size_t)(text - begin), to);
        if (*text)
            fwrite(escape, 1, make_escape(*text++, escape), to);
    }
}
