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

/*
 * Take the program's struct into ours: members that the program does not have are 0 here. An error
 * if it is NULL, its size was not set, or it has a member that is not 0 and not known here.
 */
int scion_sized_take(void *own, size_t size, const void *from, const char *what);

#endif
