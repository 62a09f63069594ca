/*
 * A folder that is held open. Files get into it even if somebody puts a link in the place of a part
 * of its path meanwhile.
 */
#ifndef SCION_VFS_FOLDER_HANDLE_H
#define SCION_VFS_FOLDER_HANDLE_H

#include "vfs/path.h"

struct scion_folder_handle {
    int fd;
    char way[SCION_PATH];  /* how it is reached: by the descriptor, or without /proc by its name */
    char name[SCION_PATH]; /* for messages */
};

/*
 * Hold the folder of the file base/name, and make those of its parts below base that are missing.
 * base exists. An error if a part below it is a link.
 */
int scion_hold_folder_of(const char *base, const char *name, struct scion_folder_handle *held);

/* New names in it are on the disk when this returns. */
int scion_folder_handle_sync(const struct scion_folder_handle *held);

/* rc, which may be a failure in the folder: its text names the folder as people know it. */
int scion_folder_handle_result(const struct scion_folder_handle *held, int rc);

void scion_folder_handle_release(struct scion_folder_handle *held);

#endif
