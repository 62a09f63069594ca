/*
 * The advisory lock that keeps a container's file 0, or a folder, for one writer at a time.
 *
 * It is a lock of an open file description (F_OFD_SETLK), so it does not matter how often the same
 * process opens and closes the file otherwise, and the system takes it away when the process ends.
 */
#ifndef SCION_VFS_WRITER_LOCK_H
#define SCION_VFS_WRITER_LOCK_H

#include "vfs/vfs.h"

struct scion_writer_lock;

/*
 * Take the lock of a file for this process. permissions: of the file, which is created if it is
 * missing; 0: it is not, and then there is nothing to lock, and *lock is NULL. An error, which
 * names the other's process and host, if somebody else has it. Where the file system has no locks,
 * a warning is left, once, and nothing is locked.
 */
int scion_writer_lock_take(const char *path, mode_t permissions, struct scion_writer_lock **lock);

/* Give it back. failed: remove the file if the lock created it. NULL: nothing. */
int scion_writer_lock_release(struct scion_writer_lock *lock, int failed);

/*
 * The lock of a folder: an empty file of this name in it, which may be there already, but not as a
 * link. Its permissions are those of the folder. It is removed when the lock is given back; failed:
 * only if the lock created it.
 */
int scion_writer_lock_take_folder(const char *folder, const char *name,
                                  struct scion_writer_lock **lock);
int scion_writer_lock_release_folder(struct scion_writer_lock *lock, int failed);

/* An error if somebody has the lock of this file; a file that cannot be opened has no writer. */
int scion_writer_lock_check(const char *path);

#endif
