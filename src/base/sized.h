/*
 * Public structs that can grow. Their first member is the size that they have in the program
 * (SION_INIT of sion_datatypes.h): a program that was compiled with another version of the header
 * has fewer members, or more.
 */
#ifndef SCION_BASE_SIZED_H
#define SCION_BASE_SIZED_H

#include <stddef.h>

/*
 * Fill the program's struct from ours: the members that both have; what only the program has
 * becomes 0. what: its type. 0, or an error, and nothing has changed: its size was not set.
 */
int scion_sized_give(void *to, const void *own, size_t size, const char *what);

#endif
