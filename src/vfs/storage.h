/* What a file system says about how it stores files: the unit that two tasks should not share. */
#ifndef SCION_VFS_STORAGE_H
#define SCION_VFS_STORAGE_H

#include <stddef.h>

#include "sion_datatypes.h"

enum scion_storage_kind {
    SCION_STORAGE_OTHER,
    SCION_STORAGE_LUSTRE,
    SCION_STORAGE_GPFS,
    SCION_STORAGE_BEEGFS
};

struct scion_storage {
    enum scion_storage_kind kind;
    const char *name; /* name of the kind, to be printed: "Lustre"; an unknown one is "other" */
    long type;        /* as from statfs(); 0: not known */
    int is_local;     /* a disk or memory of this machine */

    /* Bytes; 0: not known. */
    sion_int64 preferred;   /* for transfers: st_blksize */
    sion_int64 block;       /* of the file system: f_bsize */
    sion_int64 stripe_size; /* Lustre: bytes on one target before the next target follows */

    int stripe_count; /* Lustre: targets of a file; -1: all; 0: not known */

    /* The default block size of new containers, at most SION_MAX_FSBLOCKSIZE: the stripe size on
       Lustre, the file system's block on GPFS and BeeGFS, else the preferred size. */
    int fsblksize;
};

/*
 * Examine a folder, or a file that is to hold data. The only error is a name that does not exist;
 * what cannot be found out stays unknown. On Lustre, a file without a layout gets that of its
 * folder.
 */
int scion_storage_of(const char *path, struct scion_storage *storage);

/* Bytes that a user may still write to the file system of a folder. */
int scion_storage_room(const char *folder, sion_int64 *bytes);

/*
 * The layout attribute of a file or folder of Lustre: versions 1 and 3, and composite layouts, of
 * which the largest stripe size counts, and the number of targets of the last component. Sizes and
 * counts that are the file system's default are 0. Pure. 1, or 0 if it is none of them, and nothing
 * is changed.
 */
int scion_storage_decode_lustre(const void *attribute, size_t bytes, struct scion_storage *storage);

#endif
