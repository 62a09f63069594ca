#include "lib/text.h"

#include <stdio.h>

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
