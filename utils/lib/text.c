#include "lib/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

enum { LONGEST_ESCAPE = 4 };

char *text_escaped(const char *text)
{
    size_t size = LONGEST_ESCAPE * strlen(text) + 1;
    char *copy = malloc(size);

    if (copy)
        scion_escape(text, copy, size);
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
    /* Large numbers have no decimals. */
    snprintf(into, TEXT_SIZE,
             value >= 100.0 || value == (double)(long)value ? "%.0f %s" : "%.1f %s", value,
             units[unit]);
    return into;
}

double text_mb(long long bytes)
{
    return (double)bytes / 1048576.0;
}
