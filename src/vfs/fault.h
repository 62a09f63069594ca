/* System calls that fail on demand, and are counted: for tests, and for SION_FAULT (inject.h). */
#ifndef SCION_VFS_FAULT_H
#define SCION_VFS_FAULT_H

#include "vfs/system.h"

enum scion_fault_call {
    SCION_FAULT_OPEN,
    SCION_FAULT_PREAD, /* and preadv */
    SCION_FAULT_PWRITE, /* and pwritev */
    SCION_FAULT_LSEEK,
    SCION_FAULT_FSYNC,
    SCION_FAULT_FTRUNCATE,
    SCION_FAULT_FSTAT,
    SCION_FAULT_CLOSE,
    SCION_FAULT_DUP,
    SCION_FAULT_UNLINK,
    SCION_FAULT_RENAME, /* and rename_new */
    SCION_FAULT_COPY,
    SCION_FAULT_STAT,
    SCION_FAULT_LSTAT,
    SCION_FAULT_ACCESS,
    SCION_FAULT_CHMOD, /* and fchmod, futimens */
    SCION_FAULT_LINK,
    SCION_FAULT_MKDIR,
    SCION_FAULT_RMDIR,
    SCION_FAULT_REALPATH,
    SCION_FAULT_READDIR,
    SCION_FAULT_CALLS,

    /* Failures of these are only warnings. */
    SCION_FAULT_CHOWN = SCION_FAULT_CALLS,
    SCION_FAULT_XATTR,
    SCION_FAULT_KINDS
};

/* In place of an errno: a transfer moves half of its bytes, at least one. */
enum { SCION_FAULT_SHORTER = -1 };

extern const struct scion_vfs scion_vfs_fault;

/*
 * Put the table in place and begin to count at 0. From the nth call (1 is the first) of any kind
 * in the mask (bit 1 << SCION_FAULT_*) `times` calls fail with errnum; n 0: none fails.
 */
void scion_fault_arm(unsigned mask, long n, long times, int errnum);

/* Whether the calls of this thread are left out: they neither fail nor count. */
void scion_fault_spare(int spared);

/*
 * Let the process kill itself (SIGKILL) in the nth call from now on that may change something on
 * the disk; 1 is the first, 0: never. Half of the bytes of a transfer are moved before.
 */
void scion_fault_kill_in(long n);

/* A write of fewer bytes is not made at all then, because systems do not tear such small ones. */
void scion_fault_keep_whole(size_t bytes);

/* Let every lock fail with errnum, as on a file system that has none; 0: as the system does. */
void scion_fault_refuse_locks(int errnum);

/* Let no transfer move more than this many bytes at a time; 0: no limit. */
void scion_fault_limit_transfers(size_t bytes);

/* Calls of one kind, and of all, since scion_fault_arm(). */
long scion_fault_count(enum scion_fault_call call);
long scion_fault_count_all(void);

/* Bytes that all of them together have delivered since scion_fault_arm(). */
long scion_fault_bytes_read(void);

/* Number of calls that were made to fail. */
long scion_fault_hits(void);

/* Back to the system's calls. */
void scion_fault_disarm(void);

#endif
