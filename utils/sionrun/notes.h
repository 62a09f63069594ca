/*
 * Small files by which processes of sionrun tell each other something: lines of a name, a blank and
 * a value. A value holds no newline.
 */
#ifndef UTILS_SIONRUN_NOTES_H
#define UTILS_SIONRUN_NOTES_H

#include <stddef.h>

#include "sion_datatypes.h"

struct notes {
    char *text; /* NULL: no memory */
    size_t bytes;
};

void notes_add(struct notes *notes, const char *name, const char *value);
void notes_add_number(struct notes *notes, const char *name, sion_int64 value);
void notes_free(struct notes *notes);

/* The value of the first line of this name at or behind *from, or of the first one of all if from
   is NULL; to be freed. NULL: there is none. *from moves behind it. */
char *notes_find(const struct notes *notes, const char *name, size_t *from);
sion_int64 notes_number(const struct notes *notes, const char *name, sion_int64 otherwise);

/* Write them as a file, which may exist: readers see the old one or the new one. */
int notes_write(struct notes *notes, const char *path);

/* Read a file of at most a mebibyte. 0, or an error. */
int notes_read(struct notes *notes, const char *path);

#endif
