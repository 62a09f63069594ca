/* Pending warnings of the calling thread. */
#ifndef TEST_UNIT_WARNINGS_H
#define TEST_UNIT_WARNINGS_H

#include <stdlib.h>

#include "base/error.h"

/* Take all of them. Returns their number. */
static inline int warnings_take(void)
{
    char *text;
    int n = 0;

    for (n = 0; (text = scion_warning_take()) != NULL; n++)
        free(text);
    return n;
}

#endif
