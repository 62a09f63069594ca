/* Values in the JSON of references. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sionarray/refs_values.h"

/* JSON has no word for these. */
void refs_put_real(FILE *to, double number)
{
    if (isnan(number))
        fputs("\"NaN\"", to);
    else if (isinf(number))
        fputs(number > 0 ? "\"Infinity\"" : "\"-Infinity\"", to);
    else
        fprintf(to, "%.17g", number);
}

/* Readers compute with the values of these. */
int refs_is_number(const char *key)
{
    static const char *const keys[] = {"scale_factor", "add_offset", "missing_value",
                                       "valid_min",    "valid_max",  "valid_range"};
    size_t i;

    for (i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(key, keys[i]) == 0)
            return 1;
    }
    return 0;
}

/* A whole number as it stands, as a double may not hold it. */
static void put_number(FILE *to, const char *text, size_t length)
{
    const char *digits = text + (*text == '-');
    size_t n = strspn(digits, "0123456789");

    if (digits + n == text + length && (n == 1 || *digits != '0'))
        fprintf(to, "%.*s", (int)length, text);
    else
        fprintf(to, "%.17g", strtod(text, NULL));
}

int refs_put_numbers(FILE *to, const char *text)
{
    const char *at = text;
    char *end;
    int n = 0;

    for (; *at; n++, at = end + strspn(end, " ,")) {
        double number = strtod(at, &end);

        if (end == at || !isfinite(number) || !strchr(" ,", *end))
            return 0;
    }
    if (n == 0)
        return 0;
    fputs(n > 1 ? "[" : "", to);
    for (at = text + strspn(text, " "); *at; at = end + strspn(end, " ,")) {
        strtod(at, &end);
        put_number(to, at, (size_t)(end - at));
        fputs(end[strspn(end, " ,")] ? ", " : "", to);
    }
    fputs(n > 1 ? "]" : "", to);
    return 1;
}

void refs_put_bytes(FILE *to, const unsigned char *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t i;

    fputs("\"base64:", to);
    for (i = 0; i < n; i += 3) {
        unsigned long group = (unsigned long)bytes[i] << 16 |
                              (unsigned long)(i + 1 < n ? bytes[i + 1] : 0) << 8 |
                              (unsigned long)(i + 2 < n ? bytes[i + 2] : 0);

        putc(digits[group >> 18 & 63], to);
        putc(digits[group >> 12 & 63], to);
        putc(i + 1 < n ? digits[group >> 6 & 63] : '=', to);
        putc(i + 2 < n ? digits[group & 63] : '=', to);
    }
    fputs("\"", to);
}
