/*
 * Packed files as files below a folder. Whatever the container says, nothing is written elsewhere:
 * no link is followed, and paths that lead out of the folder are refused.
 */
#ifndef SCION_PACK_EXTRACT_H
#define SCION_PACK_EXTRACT_H

#include "pack/read.h"

struct scion_extract;

struct scion_extract_how {
    int links_anywhere; /* links that lead out of the tree are made, too; nothing goes through them
                         */
    /* Bytes that have been written or left out; a result other than 0 ends it; NULL: nothing. */
    int (*pass)(void *context, sion_int64 bytes);
    void *context;
    /* How many bytes of a stream from pos on, at most *bytes, are alike: all hole or not; or NULL.
     */
    int (*run)(void *context, int task, sion_int64 pos, sion_int64 *bytes, int *is_hole);
};

/* Below the folder root, which must exist. The container's entries say what folders are like. */
int scion_extract_begin(struct scion_packed *packed, const char *root,
                        const struct scion_extract_how *how, struct scion_extract **extract);

/*
 * Make a file, folder, link or pipe, and the folders above it. What has its path is replaced, but
 * for a folder; a file gets its path when all its data are there. Hard links need that the file
 * that they are of is there already.
 */
int scion_extract_entry(struct scion_extract *extract, const struct scion_pack_entry *entry);

/* A file under another path. */
int scion_extract_as(struct scion_extract *extract, const struct scion_pack_entry *entry,
                     const char *path);

/*
 * Give folders the modes and times that they have in the container: after all files, of this
 * process. rc: the result so far, which is returned if it is a failure. Frees all.
 */
int scion_extract_end(struct scion_extract *extract, int rc);

#endif
