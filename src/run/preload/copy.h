/* Copies of single files, links and so on, by their native paths. */
#ifndef SCION_PRELOAD_COPY_H
#define SCION_PRELOAD_COPY_H

#include <stddef.h>
#include <sys/stat.h>

/* A name that is not taken: for what is copied, until it is whole. Beside `path`, or in the session
   if that is NULL. Returns 0, or -1: too long. */
int run_new_name(const char *path, char *to, size_t room);

/* Make `to`, which must not be there, like `from`, which has this status: bytes (if wanted), mode,
   times; the group and owner if the system allows it. A folder is made without what is in it. 0, or
   -1 with errno, and nothing is left. */
int run_copy(const char *from, const struct stat *status, const char *to, int with_bytes);

/* Give `to` the mode and times (and if possible, owner and group) of a status. */
void run_copy_attributes(const char *to, const struct stat *status);

/* All bytes of one open file to another, whose length they give. */
int run_copy_bytes(int from, int to);

#endif
