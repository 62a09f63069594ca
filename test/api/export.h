/* The container for the tests of its FILE* and its descriptor. */
#ifndef TEST_API_EXPORT_H
#define TEST_API_EXPORT_H

#include "sion.h"

#include "support.h"

static char name[] = "c.sion";
static unsigned char data[4000];

static inline int create(const char *mode, FILE **fp)
{
    int n = 2, nfiles = 1, ranks[2] = {0, 1}, *r = ranks;
    sion_int64 sizes[2] = {100, 100}, *s = sizes;
    sion_int32 fs = 100;

    return sion_open(name, mode, &n, &nfiles, &s, &fs, &r, fp);
}

static inline int open_to_read(const char *mode, FILE **fp)
{
    int n, nfiles;

    return sion_open(name, mode, &n, &nfiles, NULL, NULL, NULL, fp);
}

/* Open the container again, as a program does to get its second FILE*. */
static inline FILE *open_second(int sid, const char *mode)
{
    FILE *second = fopen(name, mode);

    CHECK(second && fseek(second, (long)sion_get_position(sid), SEEK_SET) == 0);
    CHECK_INT(sion_set_second_fp(sid, second), 1);
    CHECK(sion_get_fp(sid) == second);
    return second;
}

#endif
