/**
 * @file sion_datatypes.h
 * Integer types of the interface. They are macros because programs test them with #ifdef and
 * combine them with other specifiers.
 */
#ifndef SION_DATATYPES_H
#define SION_DATATYPES_H

#include <string.h>

#include "sion_platform.h"

#define sion_int32  int
#define sion_uint32 unsigned int
#define sion_int64  long long
#define sion_uint64 unsigned long long

/*
 * Structs that may get more members in later versions have their size as the first one. Set it
 * before the struct is passed to the library; all other members are 0 then:
 *
 *     sion_stats_t stats;
 *
 *     SION_INIT(&stats);
 *
 * A program works with later versions of the library, and with older ones unless it sets members
 * that these do not know.
 */
#define SION_INIT(pointer)                                                                         \
    ((void)memset((pointer), 0, sizeof *(pointer)), (void)((pointer)->size = sizeof *(pointer)))

#endif
