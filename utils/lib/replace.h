/*
 * Files that a tool makes under other names: they get their own names when everything has
 * succeeded. Until then, and after any failure, old files of these names are unchanged.
 */
#ifndef UTILS_LIB_REPLACE_H
#define UTILS_LIB_REPLACE_H

#include <sys/stat.h>
#include <sys/types.h>

#include "vfs/older.h"
#include "vfs/vfs.h"

struct scion_writer_lock;

/* Files of one folder that get their names together; {NULL}: none yet. */
struct replace_group {
    char *beside; /* a folder in theirs, where they are made */
};

struct replace {
    const char *name;            /* the caller's */
    struct replace_group *group; /* or NULL */
    char *beside;     /* name while it is made; NULL: the file of the name is written itself */
    struct stat made; /* the file of that name */
    struct scion_older seen;        /* what had the name at the beginning */
    struct scion_writer_lock *lock; /* of the name; NULL: of a group, or of a set but for file 0 */
    mode_t permissions;
    int is_plain; /* messages are not those of the tools that SIONlib has, too */
};

/*
 * Begin: make a new, empty file of another name in the same folder, which replace_path() names.
 * permissions: those of the input, less the umask; a file that is replaced leaves its own, its
 * owner, group, ACL and extended attributes to the new one. group: files of one folder that get
 * their names together; NULL: this file gets its name alone, which is locked against other writers
 * until the end. A link is replaced and not followed. Files that are not regular, and descriptors
 * in /dev and /proc, are written themselves. TOOL_RUN, or TOOL_FAILED after a message.
 */
int replace_begin(struct replace *replace, struct replace_group *group, const char *name,
                  mode_t permissions);

/* The same for a file alone, with a plain message where it cannot be opened. */
int replace_begin_plain(struct replace *replace, const char *name, mode_t permissions);

/*
 * The same with a file of a set, which is made as `beside`: malloc'd, taken over. What it replaces
 * must be a regular file. is_first: it is file 0, by which the set is locked.
 */
int replace_begin_member(struct replace *replace, const char *name, char *beside,
                         mode_t permissions, int is_first);

/* What to open in place of the name. */
const char *replace_path(const struct replace *replace);

/* Open it for writing: another file that has got the name of the new one is refused. */
int replace_open(const struct replace *replace, struct scion_file **file);

/* The error record on stderr, with the caller's name in place of the file's; TOOL_FAILED. */
int replace_failed(const struct replace *replace);

/*
 * End: if status is TOOL_RUN or TOOL_DONE, the file gets its name when it is on the disk, in a
 * group later, but not if another program has made a file of that name meanwhile; else it is
 * removed. Returns status, or TOOL_FAILED if only this failed.
 */
int replace_end(struct replace *replace, int status);

/*
 * End a group: if status is TOOL_RUN or TOOL_DONE, wait until all its files are on the disk, and
 * only then give them their names; else remove them. Returns status likewise.
 */
int replace_end_group(struct replace_group *group, int status);

/*
 * End all files of a set, file 0 first, as replace_end() ends one: the rename of file 0 is the last
 * one. After a failure between the renames, the files next to stay, and sionrecover can go on.
 */
int replace_end_set(struct replace *members, int n, int status);

#endif
