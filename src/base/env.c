#include "base/env.h"

#include <stdio.h>
#include <stdlib.h>

#include "sion_const.h"

const char *scion_env(const char *name)
{
    char full[64];

    snprintf(full, sizeof full, SION_LVERSION_PREFIX "SION_%s", name);
    return secure_getenv(full); /* some variables name files to write */
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
