#include "base/json.h"

#include <stddef.h>

int scion_utf8_length(const char *text)
{
    /* By the first byte: length, and bounds of the second byte. */
    static const struct {
        unsigned char first, last, length, low, high;
    } forms[] = {
        {0x01, 0x7f, 1, 0, 0},       {0xc2, 0xdf, 2, 0x80, 0xbf}, {0xe0, 0xe0, 3, 0xa0, 0xbf},
        {0xe1, 0xec, 3, 0x80, 0xbf}, {0xed, 0xed, 3, 0x80, 0x9f}, {0xee, 0xef, 3, 0x80, 0xbf},
        {0xf0, 0xf0, 4, 0x90, 0xbf}, {0xf1, 0xf3, 4, 0x80, 0xbf}, {0xf4, 0xf4, 4, 0x80, 0x8f}};
    const unsigned char *at = (const unsigned char *)text;
    size_t form, i;

    for (form = 0; form < sizeof forms / sizeof *forms; form++) {
        if (*at >= forms[form].first && *at <= forms[form].last)
            break;
    }
    if (form == sizeof forms / sizeof *forms)
        return 0;
    if (forms[form].length > 1 && (at[1] < forms[form].low || at[1] > forms[form].high))
        return 0;
    for (i = 2; i < forms[form].length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    }
    return forms[form].length;
}

void scion_json_string(FILE *to, const char *text)
{
    putc('"', to);
    while (*text) {
        int length = scion_utf8_length(text);
        unsigned char c = (unsigned char)*text;

        if (c == '"' || c == '\\')
            fprintf(to, "\\%c", c);
        else if (length == 0 || c < 0x20 || c == 0x7f)
            fprintf(to, "\\u%04x", c);
        else
            fwrite(text, 1, (size_t)length, to);
        text += length > 0 ? length : 1;
    }
    putc('"', to);
}
