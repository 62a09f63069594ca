/*
 * The advisory lock that keeps a container's name, or a folder, for one writer at a time.
 *
 * It is a lock of an open file description (F_OFD_SETLK), so it does not matter how often the same
 * process opens and closes the file otherwise, and the system takes it away when the process ends.
 * While there is no file of the name, it is that of an empty file, ".NAME.lock" in the same folder,
 * which is removed with the lock; one that a killed writer has left is locked by nobody.
 */
#ifndef SCION_VFS_WRITER_LOCK_H
#define SCION_VFS_WRITER_LOCK_H

#include "vfs/vfs.h"

struct scion_writer_lock;

/*
 * Take the lock of a name for this process. permissions: of the file, which is created if it is
 * missing, and then locked itself; 0: it is not, and then its name is locked. An error, which
 * names the other's process and host, if somebody else has it. Where the file system has no locks,
 * a warning is left, once, and nothing is locked; so is a name in a folder that cannot be written.
 * *lock may be NULL then.
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

enum { SCION_WRITER_HOST = 61, SCION_WRITER_TEXT = SCION_WRITER_HOST + 40 };

/* Who writes a file, as far as the lock tells. */
struct scion_writer {
    long long process;            /* 0: not known */
    char host[SCION_WRITER_HOST]; /* "": not known */
};

/* 1 if somebody has the lock of this name. A file that cannot be opened has no writer. */
int scion_writer_find(const char *name, struct scion_writer *writer);

/* 1 if the file is there, its file system has locks, and nobody has that of a writer. */
int scion_writer_is_missing(const char *name);

/* The same as an error, which says who it is. */
int scion_writer_lock_check(const char *path);

/* "process 4711 on node17"; returns text. */
const char *scion_writer_text(const struct scion_writer *writer, char text[SCION_WRITER_TEXT]);

#endif
