/*
 * Files in memory, in place of the system's (vfs/system.h): no system call moves a byte. Folders
 * exist where a file is below them. A block of zeros is a hole.
 */
#ifndef TEST_FUZZ_MEMORY_H
#define TEST_FUZZ_MEMORY_H

#include <stddef.h>
#include <stdint.h>

enum { MEMORY_FILES = 8, MEMORY_MOST = 1 << 20 /* bytes of a file that is written */ };

/* Use them, without any file, from now on. Ends the process if a descriptor was left open. */
void memory_begin(void);

/* Add a file, a copy of the bytes. */
void memory_add(const char *path, const void *bytes, size_t size);

/* Its bytes, until it is changed; NULL: there is none. */
const uint8_t *memory_get(const char *path, size_t *size);

/* Remove all files, and check that none is open. */
void memory_end(void);

#endif
