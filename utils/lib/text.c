#include "lib/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

enum { LONGEST_ESCAPE = 4 };

/* Terminals obey the control characters of Latin-1 in UTF-8, too. */
static int is_control(const char *text, int length)
{
    unsigned char c = (unsigned char)text[0], next = (unsigned char)text[1];

    return length == 0 || c < 0x20 || c == 0x7f || (c == 0xc2 && next < 0xa0);
}

static char *put_escape(char *to, char c)
{
    static const char names[] = "\n\r\t", letters[] = "nrt";
    const char *name = strchr(names, c);

    return to + (name ? sprintf(to, "\\%c", letters[name - names])
                      : sprintf(to, "\\x%02x", (unsigned char)c));
}

char *text_escaped(const char *text)
{
    char *copy = malloc(LONGEST_ESCAPE * strlen(text) + 1), *to = copy;

    while (copy && *text) {
        int length = scion_utf8_length(text), is_plain = !is_control(text, length);

        if (length == 0)
            length = 1;
        for (; length > 0; length--, text++) {
            if (is_plain)
                *to++ = *text;
            else
                to = put_escape(to, *text);
        }
    }
    if (copy)
        *to = '\0';
    return copy;
}

const char *text_size(char *into, sion_int64 bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    int unit = 0;

    while (value >= 1024.0 && unit < 6) {
        value /= 1024.0;
        unit++;
    }
    /* No decimals where they would be noise. */
    snprintf(into, TEXT_SIZE,
             value >= 100.0 || value == (double)(long)value ? "%.0f %s" : "%.1f %s", value,
             units[unit]);
    return into;
}

double text_mb(long long bytes)
{
    return (double)bytes / 1048576.0;
}
