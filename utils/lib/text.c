#include "lib/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

enum { LONGEST_ESCAPE = 4, MB = 1 << 20 };

static const long long EXACT = (long long)1 << 53;

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
    return (double)bytes / MB;
}

/* Rounds halves to even, as printf does. Doubles that are not exact are left to it. */
const char *text_mb_digits(char *into, long long bytes)
{
    char *at = into + TEXT_SIZE;
    long long left, rest, whole;
    int i;

    if (bytes < 0 || bytes >= EXACT) {
        snprintf(into, TEXT_SIZE, "%.2f", text_mb(bytes));
        return into;
    }
    left = bytes * 100 / MB;
    rest = bytes * 100 % MB;
    left += rest > MB / 2 || (rest == MB / 2 && left % 2);
    *--at = '\0';
    for (i = 0, whole = left; i < 3 || whole > 0; i++, whole /= 10) {
        if (i == 2)
            *--at = '.';
        *--at = (char)('0' + whole % 10);
    }
    return memmove(into, at, (size_t)(into + TEXT_SIZE - at));
}
