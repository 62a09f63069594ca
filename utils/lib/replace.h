/*
 * A file that a tool makes beside the one whose name it gets when all went well: until then, and
 * after any failure, an old file of that name is as it was.
 */
#ifndef UTILS_LIB_REPLACE_H
#define UTILS_LIB_REPLACE_H

#include <sys/types.h>

struct replace {
    const char *name; /* the caller's */
    char *beside;     /* where it is made; NULL: the name is written itself, as a pipe is */
    mode_t permissions;
    int is_new; /* 1: there is no old file */
};

/*
 * Begin: an empty file of another name in the same folder, new and nobody's link, which may be
 * opened by replace_path(). permissions: those of the input, for the output less the umask. A link
 * is replaced and not followed. What is no regular file, and descriptors in /dev and /proc, are
 * written themselves. TOOL_RUN or, reported, TOOL_FAILED.
 */
int replace_begin(struct replace *replace, const char *name, mode_t permissions);

/* What to open in place of the name. */
const char *replace_path(const struct replace *replace);

/* The error record on stderr, with the caller's name in place of the file's; TOOL_FAILED. */
int replace_failed(const struct replace *replace);

/*
 * End: give the file its name if status is TOOL_RUN or TOOL_DONE, else remove it. An old file is
 * replaced when the new one is on the disk. Returns status, or TOOL_FAILED if that was no failure
 * but this is.
 */
int replace_end(struct replace *replace, int status);

#endif
