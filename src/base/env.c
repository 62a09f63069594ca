#include "base/env.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sion_const.h"

/* A value that was set with white space behind it, as a script with the line ends of another system
   does. */
struct clean_value {
    struct clean_value *next;
    char text[];
};

/* Callers keep values, so each one that was trimmed stays. */
static struct clean_value *all_trimmed;

static const char *find_trimmed(const char *value, size_t length)
{
    const struct clean_value *one = __atomic_load_n(&all_trimmed, __ATOMIC_ACQUIRE);

    while (one && !(strlen(one->text) == length && memcmp(one->text, value, length) == 0))
        one = one->next;
    return one ? one->text : NULL;
}

static const char *trim(const char *value, size_t length)
{
    const char *found = find_trimmed(value, length);
    struct clean_value *new = found ? NULL : malloc(sizeof *new + length + 1);

    if (!new)
        return found;
    memcpy(new->text, value, length);
    new->text[length] = '\0';
    new->next = __atomic_load_n(&all_trimmed, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&all_trimmed, &new->next, new, 0, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        ;
    return new->text;
}

const char *scion_env(const char *name)
{
    char full[64];
    const char *value;
    size_t length;

    snprintf(full, sizeof full, SION_LVERSION_PREFIX "SION_%s", name);
    value = secure_getenv(full); /* some variables name files to write */
    length = value ? strlen(value) : 0;
    while (length > 0 && isspace((unsigned char)value[length - 1]))
        length--;
    return !value || value[length] == '\0' ? value : trim(value, length);
}

int scion_env_number(const char *name, long long *value)
{
    const char *text = scion_env(name);
    long long number;
    char *end;

    if (!text || !*text)
        return 0;
    number = strtoll(text, &end, 10);
    if (*end)
        return 0;
    *value = number;
    return 1;
}
