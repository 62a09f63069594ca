#include "base/numerals.h"

#include <locale.h>
#include <stdlib.h>

/* The locales of the thread: the one that counts between enter() and leave(), and the one before.
 */
struct locales {
    locale_t c, before;
};

/* C libraries have the locale "C" at hand, so nothing is allocated. */
static struct locales enter(void)
{
    struct locales locales = {.c = newlocale(LC_ALL_MASK, "C", (locale_t)0)};

    locales.before = uselocale(locales.c);
    return locales;
}

static void leave(struct locales locales)
{
    uselocale(locales.before);
    if (locales.c)
        freelocale(locales.c);
}

double scion_read_number(const char *text, char **end)
{
    struct locales locales = enter();
    double number = strtod(text, end);

    leave(locales);
    return number;
}

int scion_print_list(char *into, size_t size, const char *format, va_list args)
{
    struct locales locales = enter();
    int length = vsnprintf(into, size, format, args);

    leave(locales);
    return length;
}

int scion_print_text(char *into, size_t size, const char *format, ...)
{
    va_list args;
    int length;

    va_start(args, format);
    length = scion_print_list(into, size, format, args);
    va_end(args);
    return length;
}

int scion_print(FILE *to, const char *format, ...)
{
    struct locales locales = enter();
    va_list args;
    int length;

    va_start(args, format);
    length = vfprintf(to, format, args);
    va_end(args);
    leave(locales);
    return length;
}
