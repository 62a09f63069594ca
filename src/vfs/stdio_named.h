/*
 * A FILE* over anything that has a name, pipes and devices too: lists that tools read, and raw
 * data that they write. What goes through it is stdio's, not the table's of vfs.h.
 */
#ifndef SCION_VFS_STDIO_NAMED_H
#define SCION_VFS_STDIO_NAMED_H

#include <stdio.h>
#include <sys/stat.h>

enum scion_stdio_how {
    SCION_STDIO_READ,
    SCION_STDIO_WRITE,    /* must exist; what is in it stays */
    SCION_STDIO_WRITE_OWN /* the same, and no link is followed */
};

/* NULL, with errno set, if it cannot be opened. */
FILE *scion_stdio_open(const char *path, enum scion_stdio_how how);

/* 0, or the errno of the failure: what fstat() says, and removing all bytes of a regular file. */
int scion_stdio_status(FILE *stream, struct stat *status);
int scion_stdio_empty(FILE *stream);

/* Make a file as long as the stream's position says, as a hole; 0, or -1 with errno set. */
int scion_stdio_extend(FILE *stream);

/* Open /dev/null as each of stdin, stdout and stderr that is closed, so that no file becomes one.
 * Not writable: output to a closed stdout still fails. */
void scion_stdio_occupy(void);

/* What is written to the stream goes nowhere from now on. 0, or an errno; then it cannot be used. */
int scion_stdio_discard(FILE *stream);

#endif
