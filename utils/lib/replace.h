/*
 * Files that a tool makes beside the ones whose names they get when all went well: until then, and
 * after any failure, old files of these names are as they were.
 */
#ifndef UTILS_LIB_REPLACE_H
#define UTILS_LIB_REPLACE_H

#include <sys/types.h>

/* Files of one folder that get their names together; {NULL}: none yet. */
struct replace_group {
    char *beside; /* a folder in theirs, where they are made */
};

struct replace {
    const char *name;            /* the caller's */
    struct replace_group *group; /* or NULL */
    char *beside;                /* where it is made; NULL: the name is written itself */
    mode_t permissions;
};

/*
 * Begin: an empty file of another name in the same folder, new and nobody's link, which may be
 * opened by replace_path(). permissions: those of the input, for the output less the umask. group:
 * of one folder; NULL: the file gets its name on its own. A link is replaced and not followed. What
 * is no regular file, and descriptors in /dev and /proc, are written themselves. TOOL_RUN or,
 * reported, TOOL_FAILED.
 */
int replace_begin(struct replace *replace, struct replace_group *group, const char *name,
                  mode_t permissions);

/* What to open in place of the name. */
const char *replace_path(const struct replace *replace);

/* The error record on stderr, with the caller's name in place of the file's; TOOL_FAILED. */
int replace_failed(const struct replace *replace);

/*
 * End: if status is TOOL_RUN or TOOL_DONE, the file gets its name when it is on the disk, that of a
 * group later; else it is removed. Returns status, or TOOL_FAILED if that was no failure but this
 * is.
 */
int replace_end(struct replace *replace, int status);

/*
 * End a group: if status is TOOL_RUN or TOOL_DONE, wait until all its files are on the disk, and
 * only then give them their names; else remove them. Returns status likewise.
 */
int replace_end_group(struct replace_group *group, int status);

#endif
