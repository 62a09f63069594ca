/* A struct of a program, and behind it memory that is not the library's. */
#ifndef TEST_ABI_FENCED_H
#define TEST_ABI_FENCED_H

#include <string.h>

enum { FENCE = 64 };

#define FENCED(type)                                                                               \
    struct {                                                                                       \
        type given;                                                                                \
        unsigned char fence[FENCE];                                                                \
    }

static int is_whole(const unsigned char *fence)
{
    int i = 0;

    while (i < FENCE && fence[i] == 0xa5)
        i++;
    return i == FENCE;
}

#define PREPARE(fenced) (memset(&(fenced), 0xa5, sizeof(fenced)), SION_INIT(&(fenced).given))

#endif
