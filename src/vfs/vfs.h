/*
 * The only place that talks to the operating system about files.
 *
 * On top of the table of system calls (system.h): files that know their name, do whole transfers,
 * and put name and reason into the error record; path.h has what is done with names.
 */
#ifndef SCION_VFS_VFS_H
#define SCION_VFS_VFS_H

#include <stddef.h>

#include "sion_datatypes.h"

#include "vfs/system.h"

struct scion_file;

/*
 * What went wrong with an open file and cannot be made good: errno of the failure, or 0. After a
 * flush to the disk that failed, the system may have dropped the data and report success the next
 * time, so it is remembered here.
 */
struct scion_harm {
    int flushed; /* what was written may not be on the disk */
    int written; /* a write was refused, which the caller was told */
};

enum scion_open_how {
    SCION_OPEN_READ,   /* must exist */
    SCION_OPEN_INSIDE, /* the same for one who sees itself whether the file is regular, and gives
                          the descriptor to nobody: no call more than that which opens it */
    SCION_OPEN_WRITE,  /* must exist; another task created it */
    SCION_OPEN_CREATE, /* created if missing; what is in it stays */
    SCION_OPEN_NEW,    /* must not exist, not even as a link */

    /* Not as a link, which could lead elsewhere: for names that the library has made. */
    SCION_OPEN_OWN,       /* must exist */
    SCION_OPEN_CREATE_OWN /* created if missing; what is in it stays */
};

/*
 * permissions: for a new file, less the umask. Only regular files are opened: the call does not
 * wait for the other end of a pipe, and O_NONBLOCK does not stay set on the descriptor.
 */
int scion_file_open(const char *path, enum scion_open_how how, mode_t permissions,
                    struct scion_file **file);

/*
 * Open a file for writing that this process has made: it is an error if the name is that of another
 * one by now. made: what scion_file_opened() said then.
 */
int scion_file_open_own(const char *path, const struct stat *made, struct scion_file **file);

/* Whether the file is in a file system in memory (tmpfs). Local: no file system is asked. */
int scion_file_is_in_memory(const struct scion_file *file);

/* Another descriptor of an open file. Both have one position. */
int scion_file_again(const struct scion_file *file, struct scion_file **again);

/* Frees file in any case. An error of the system at closing is reported, and one of an earlier
   flush to the disk. NULL: nothing. */
int scion_file_close(struct scion_file *file);

/* Close a file that will be opened again, which then gets *harm: what is known of this one. */
int scion_file_suspend(struct scion_file *file, struct scion_harm *harm);
void scion_file_resume(struct scion_file *file, const struct scion_harm *harm);

/* Fail if a flush of the file to the disk has failed, or its closing. NULL: no file, 0. */
int scion_file_check_flushed(const struct scion_file *file);

/* The same if a write has failed as well. */
int scion_file_check_written(const struct scion_file *file);

/* Bytes that were to go to this file were refused for another reason. NULL: nothing. */
void scion_file_refuse(struct scion_file *file, int errnum);

/* The same checks for a file that was closed by scion_file_suspend(). */
int scion_harm_check_flushed(const struct scion_harm *harm, const char *path);
int scion_harm_check_written(const struct scion_harm *harm, const char *path);

/*
 * From now on offsets of reads and of scion_file_run() are those of a view (view.h), which must
 * outlive the file; NULL: of the file again.
 */
struct scion_file_view;
void scion_file_show(struct scion_file *file, const struct scion_file_view *view);

/*
 * From now on all bytes that are read of the file pass the guard (guard.h), which must outlive the
 * file; NULL: none.
 */
struct scion_file_guard;
void scion_file_watch(struct scion_file *file, struct scion_file_guard *guard);
int scion_file_is_watched(const struct scion_file *file);

/* NULL is a file that cannot be read or written. */
const char *scion_file_path(const struct scion_file *file); /* also of NULL: no file */
int scion_file_descriptor(const struct scion_file *file);   /* likewise: -1 */

/*
 * Transfer all bytes at offset; a short transfer is an error. done (NULL: not wanted): bytes
 * that were transferred before the error.
 */
int scion_file_read(struct scion_file *file, void *to, size_t bytes, sion_int64 offset);
int scion_file_write(struct scion_file *file, const void *from, size_t bytes, sion_int64 offset,
                     size_t *done);

/* Write two runs of bytes, one behind the other in the file; done counts those of both. */
int scion_file_write_two(struct scion_file *file, const struct iovec runs[2], sion_int64 offset,
                         size_t *done);

/* System calls of this thread that moved data, or tried to. */
long scion_vfs_transfers(void);

/*
 * Read up to bytes at offset; *got is less only at the end of the file, or before bytes that its
 * guard refuses.
 */
int scion_file_read_some(struct scion_file *file, void *to, size_t bytes, sion_int64 offset,
                         size_t *got);

/* The same, but fewer than `least` bytes are an error. */
int scion_file_read_least(struct scion_file *file, void *to, size_t bytes, size_t least,
                          sion_int64 offset, size_t *got);

/*
 * Read n > 0 runs of bytes, one behind the other in the file: the first `least` bytes, and what
 * comes along behind these. *got: of all. The runs are used up. Only of a file with which that can
 * be done.
 */
int scion_file_reads_runs(const struct scion_file *file);
int scion_file_read_runs(struct scion_file *file, struct iovec *runs, int n, size_t least,
                         sion_int64 offset, size_t *got);

/* Whether the file's guard will read all bytes from *begin to *end if the one there is wanted. */
int scion_file_piece(const struct scion_file *file, sion_int64 offset, sion_int64 *begin,
                     sion_int64 *end);

/* Fail if the file's guard refuses some of these bytes. */
int scion_file_check(struct scion_file *file, sion_int64 offset, sion_int64 bytes);

/*
 * How many bytes from offset on, at most `most` > 0, are all hole (*is_hole 1) or all data, as far
 * as is known (0). Only this process uses the file, and nobody writes it.
 */
sion_int64 scion_file_run(struct scion_file *file, sion_int64 offset, sion_int64 most,
                          int *is_hole);

/*
 * Copy bytes from one file to another without bringing them here, where the system can do that: on
 * some file systems the two then share the storage.
 */
int scion_file_copy(struct scion_file *from, sion_int64 offset, struct scion_file *to,
                    sion_int64 to_offset, sion_int64 bytes);

/*
 * Lend the application a descriptor of its own, which shares the offset with the file's. If *fd is
 * negative, it is a new one; otherwise that one becomes a descriptor of this file. take_back closes
 * it.
 */
int scion_file_lend(struct scion_file *file, int *fd);
void scion_file_take_back(struct scion_file *file, int fd);

/*
 * The descriptor's own offset, for applications that use the descriptor themselves. Transfers above
 * neither ask nor move it.
 */
int scion_file_tell(struct scion_file *file, sion_int64 *offset);
int scion_file_seek(struct scion_file *file, sion_int64 offset);

/* fcntl() with a command for locks. 0, or the errno of the failure; the error record stays. */
int scion_file_lock(struct scion_file *file, int command, struct flock *bytes);

/*
 * 1 if a process of this machine has the file open for writing, as far as the file system tells; 0
 * if none has. The file was opened for reading only.
 */
int scion_file_has_writer(const struct scion_file *file);

/* It fails for ever once it has failed. Of NULL: nothing to do. */
int scion_file_sync(struct scion_file *file);
/* A file that already has this size is not touched. */
int scion_file_truncate(struct scion_file *file, sion_int64 size);

/* Free these bytes, which become zeros: 0, or the errno of a file system that cannot. The file
   keeps its size. */
int scion_file_punch(struct scion_file *file, sion_int64 offset, sion_int64 bytes);
int scion_file_size(struct scion_file *file, sion_int64 *size);
int scion_file_set_permissions(struct scion_file *file, mode_t permissions);
/* -1: as it is. 0, or the errno of the failure; the error record stays. */
int scion_file_set_owner(struct scion_file *file, uid_t owner, gid_t group);
/* When it was last read and changed, as another file's status says. Likewise. */
int scion_file_set_times(struct scion_file *file, const struct stat *as);
int scion_file_status(struct scion_file *file, struct stat *status); /* what fstat() says */
const struct stat *scion_file_opened(const struct scion_file *file); /* what it said at the open */

#endif
