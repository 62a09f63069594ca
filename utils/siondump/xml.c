#include "siondump/xml.h"

#include <string.h>

#include "base/json.h"

enum { LONGEST_NAME = 110 }; /* bytes */

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

/* The escaped form of a character that must be escaped, or NULL. */
static const char *special(const char *text)
{
    switch (*text) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    default:
        return scion_plain_length(text) > 0 ? NULL : replacement;
    }
}

void xml_text(FILE *to, const char *text)
{
    while (*text) {
        int length = scion_utf8_length(text);
        const char *instead = special(text);

        if (instead)
            fputs(instead, to);
        else
            fwrite(text, 1, (size_t)length, to);
        text += length > 0 ? length : 1;
    }
}

void xml_name(FILE *to, const char *name)
{
    size_t length = strlen(name);

    if (length > LONGEST_NAME) {
        fputs("...", to);
        for (name += length - LONGEST_NAME; (*name & 0xc0) == 0x80; name++) {
        }
    }
    xml_text(to, name);
}
