#include "base/sized.h"

#include <string.h>

#include "base/error.h"

enum { MOST = 1 << 16 }; /* a larger size was never set */

static int get_size(const void *given, const char *what, size_t *size)
{
    *size = 0;
    if (!given)
        return scion_fail(SION_ERR_ARGUMENT, "%s is NULL", what);
    memcpy(size, given, sizeof *size);
    return *size >= sizeof *size && *size <= MOST
               ? 0
               : scion_fail(SION_ERR_ARGUMENT, "the size of %s is not set: use SION_INIT", what);
}

int scion_sized_give(void *to, const void *own, size_t size, const char *what)
{
    size_t given, both, head = sizeof given;
    int rc = get_size(to, what, &given);

    if (rc != 0)
        return rc;
    both = given < size ? given : size;
    memcpy((char *)to + head, (const char *)own + head, both - head);
    memset((char *)to + both, 0, given - both);
    return 0;
}

int scion_sized_take(void *own, size_t size, const void *from, const char *what)
{
    const unsigned char *bytes = from;
    size_t given, both, i;
    int rc = get_size(from, what, &given);

    memset(own, 0, size);
    if (rc != 0)
        return rc;
    both = given < size ? given : size;
    for (i = both; i < given; i++) {
        if (bytes[i] != 0)
            return scion_fail(SION_ERR_VERSION,
                              "%s has a member that this version of the library does not know",
                              what);
    }
    memcpy(own, from, both);
    return 0;
}
