#include "text.h"

#include <string.h>

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

/* Bytes of the UTF-8 sequence that text begins with; 0 if it begins with none. */
static size_t sequence(const unsigned char *text)
{
    /* By the first byte: length, and bounds of the second byte. */
    static const struct {
        unsigned char first, last, length, low, high;
    } forms[] = {
        {0x01, 0x7f, 1, 0, 0},       {0xc2, 0xdf, 2, 0x80, 0xbf}, {0xe0, 0xe0, 3, 0xa0, 0xbf},
        {0xe1, 0xec, 3, 0x80, 0xbf}, {0xed, 0xed, 3, 0x80, 0x9f}, {0xee, 0xef, 3, 0x80, 0xbf},
        {0xf0, 0xf0, 4, 0x90, 0xbf}, {0xf1, 0xf3, 4, 0x80, 0xbf}, {0xf4, 0xf4, 4, 0x80, 0x8f}};
    size_t form, i;

    for (form = 0; form < sizeof forms / sizeof *forms; form++) {
        if (*text >= forms[form].first && *text <= forms[form].last)
            break;
    }
    if (form == sizeof forms / sizeof *forms)
        return 0;
    if (forms[form].length > 1 && (text[1] < forms[form].low || text[1] > forms[form].high))
        return 0;
    for (i = 2; i < forms[form].length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    }
    return forms[form].length;
}

/* Write text; special() says how a character is written that may not stand as it is, or NULL. */
static void put(FILE *to, const char *text, const char *(*special)(unsigned char c, char *room))
{
    char room[8];

    while (*text) {
        size_t length = sequence((const unsigned char *)text);
        const char *instead = length == 1   ? special((unsigned char)*text, room)
                              : length == 0 ? replacement
                                            : NULL;

        if (instead)
            fputs(instead, to);
        else
            fwrite(text, 1, length, to);
        text += length > 0 ? length : 1;
    }
}

static const char *special_json(unsigned char c, char *room)
{
    if (c == '"')
        return "\\\"";
    if (c == '\\')
        return "\\\\";
    if (c >= 0x20 && c != 0x7f)
        return NULL;
    snprintf(room, 8, "\\u%04x", c);
    return room;
}

static const char *special_xml(unsigned char c, char *room)
{
    (void)room;
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
        return c >= 0x20 && c != 0x7f ? NULL : replacement;
    }
}

void text_json(FILE *to, const char *text)
{
    putc('"', to);
    put(to, text, special_json);
    putc('"', to);
}

void text_xml(FILE *to, const char *text)
{
    put(to, text, special_xml);
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
