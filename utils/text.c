#include "text.h"

#include "base/json.h"

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

/* How a character is written that may not stand as it is, or NULL. */
static const char *special(char c)
{
    switch (c) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    default:
        return (unsigned char)c >= 0x20 && c != 0x7f ? NULL : replacement;
    }
}

void text_xml(FILE *to, const char *text)
{
    while (*text) {
        int length = scion_utf8_length(text);
        const char *instead = length == 0 ? replacement : length == 1 ? special(*text) : NULL;

        if (instead)
            fputs(instead, to);
        else
            fwrite(text, 1, (size_t)length, to);
        text += length > 0 ? length : 1;
    }
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
