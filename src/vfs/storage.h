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
    const char *name; /* of the kind, for people: "Lustre"; "file system 0xef53" is only "other" */
    long type;        /* as statfs() has it; 0: it did not say */

    /* Bytes; 0: not known. */
    sion_int64 preferred;   /* for transfers: st_blksize */
    sion_int64 block;       /* of the file system: f_bsize */
    sion_int64 stripe_size; /* Lustre: on one target before the next one follows */

    int stripe_count; /* Lustre: targets of a file; -1: all; 0: not known */

    /* What new containers take where nobody says it, at most SION_MAX_FSBLOCKSIZE: the stripe size
       on Lustre, the file system's block on GPFS and BeeGFS, else what is preferred. */
    int fsblksize;
};

/*
 * Of a folder, or of a file in which data shall be. Only that the name does not exist is an error:
 * what cannot be known is not known. On Lustre, a file that has no layout yet has its folder's.
 */
int scion_storage_of(const char *path, struct scion_storage *storage);

/*
 * The layout attribute of a file or folder of Lustre: versions 1 and 3, and composite layouts, of
 * which the largest stripe size counts, and the number of targets of the last component. Sizes and
 * counts that are the file system's default are 0. Pure. 1, or 0 if it is none of them, and nothing
 * is changed.
 */
int scion_storage_decode_lustre(const void *attribute, size_t bytes, struct scion_storage *storage);

#endif
