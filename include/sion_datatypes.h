/**
 * @file sion_datatypes.h
 * Integer types of the interface. They are macros because programs test them with #ifdef and
 * combine them with other specifiers.
 */
#ifndef SION_DATATYPES_H
#define SION_DATATYPES_H

#include "sion_platform.h"

#define sion_int32  int
#define sion_uint32 unsigned int
#define sion_int64  long long
#define sion_uint64 unsigned long long

#endif
