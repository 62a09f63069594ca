/*
 * What a file replaces that is made under another name in the same folder: only what had the name
 * when the new file was begun, and with its owner, group, permissions, ACL and extended attributes,
 * as if it had been written again.
 */
#ifndef SCION_VFS_OLDER_H
#define SCION_VFS_OLDER_H

#include "vfs/vfs.h"

/* Bytes from the beginning of a file that are compared: a container has its nonce there. */
enum { SCION_OLDER_HEAD = 128 };

/* What had a name, at the time of scion_older_look(). */
struct scion_older {
    int exists;
    dev_t device;
    ino_t inode; /* of the link, if the name is one */
    size_t nhead;
    unsigned char head[SCION_OLDER_HEAD]; /* nothing of a file that may not be read */
};

int scion_older_look(const char *name, struct scion_older *seen);

/* SION_ERR_BUSY if the name is that of another file by now. */
int scion_older_check(const char *name, const struct scion_older *seen);

/* The same, and if not: give the file `beside` the name, on the disk. */
int scion_older_replace(const char *beside, const char *name, const struct scion_older *seen);

/*
 * The permissions for a new file that will have this name: those that the caller wants, or, where
 * it will replace a file, none for others until it gets those of that file.
 */
mode_t scion_older_permissions(const struct scion_older *seen, mode_t wanted);

/*
 * Give a new file the owner, group, permissions, ACL and extended attributes of the file that has
 * this name now, a link followed; nothing if there is none. What cannot be kept is a warning; where
 * the group or the ACL cannot, the file's group gets no more than others.
 */
int scion_older_keep(const char *name, struct scion_file *file);

#endif
