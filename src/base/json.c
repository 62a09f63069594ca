#include "base/json.h"

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

/* Terminals obey the control characters of Latin-1 in UTF-8, too. */
size_t scion_plain_length(const char *text)
{
    unsigned char c = (unsigned char)text[0], next = c ? (unsigned char)text[1] : 0;

    return c < 0x20 || c == 0x7f || (c == 0xc2 && next < 0xa0) ? 0
                                                               : (size_t)scion_utf8_length(text);
}

/* The code point of a character of this many bytes; 0: of a byte that is none. */
static unsigned long code_point(const char *text, int length)
{
    static const unsigned char masks[] = {0xff, 0x7f, 0x1f, 0x0f, 0x07};
    unsigned long code = (unsigned char)*text & masks[length];
    int i;

    for (i = 1; i < length; i++)
        code = code << 6 | ((unsigned char)text[i] & 0x3f);
    return code;
}

/* As \uXXXX, or two of them. */
static void put_code(FILE *to, unsigned long code)
{
    if (code < 0x10000)
        fprintf(to, "\\u%04lx", code);
    else
        fprintf(to, "\\u%04lx\\u%04lx", 0xd800 + ((code - 0x10000) >> 10), 0xdc00 + (code & 0x3ff));
}

static void put_string(FILE *to, const char *text, int is_ascii)
{
    putc('"', to);
    while (*text) {
        int length = scion_utf8_length(text);

        if (scion_plain_length(text) == 0 || (is_ascii && length > 1)) {
            put_code(to, code_point(text, length));
        } else {
            if (*text == '"' || *text == '\\')
                putc('\\', to);
            fwrite(text, 1, (size_t)length, to);
        }
        text += length > 0 ? length : 1;
    }
    putc('"', to);
}

void scion_json_string(FILE *to, const char *text)
{
    put_string(to, text, 0);
}

void scion_json_ascii(FILE *to, const char *text)
{
    put_string(to, text, 1);
}
