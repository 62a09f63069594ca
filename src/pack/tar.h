/*
 * Members of a tar, as POSIX describes them: ustar headers, and pax headers where these cannot hold
 * what is to be said. Pure functions between entries and bytes.
 */
#ifndef SCION_PACK_TAR_H
#define SCION_PACK_TAR_H

#include "pack/entry.h"

enum {
    SCION_TAR_BLOCK = 512,
    SCION_TAR_END = 2 * SCION_TAR_BLOCK, /* zeros behind the last member */
    /* Of all headers of a member whose path and target are not too long. */
    SCION_TAR_HEAD_MOST = 2 * SCION_PACK_PATH + 4 * SCION_TAR_BLOCK
};

/* ---- writing ---- */

/* Bytes of the headers; paths and targets are shorter than SCION_PACK_PATH. */
int scion_tar_head_size(const struct scion_pack_entry *entry);

/* Bytes of the headers, the data and what fills the last block; -1: more than a file can have. */
sion_int64 scion_tar_member_size(const struct scion_pack_entry *entry);

/* Zeros behind so many bytes of data. */
static inline int scion_tar_padding(sion_int64 size)
{
    int rest = (int)(size % SCION_TAR_BLOCK);

    return rest > 0 ? SCION_TAR_BLOCK - rest : 0;
}

/* Write scion_tar_head_size() bytes, and return how many these are. */
int scion_tar_encode(const struct scion_pack_entry *entry, unsigned char *to);

/* ---- reading ---- */

/* What pax headers and GNU's long names say of members. */
struct scion_tar_extended {
    unsigned known; /* bits of tar_read.c: which of these are said */
    uint32_t uid, gid, mtime_ns;
    sion_int64 mtime, size;
    char path[SCION_PACK_PATH], target[SCION_PACK_PATH];
};

struct scion_tar_reader {
    struct scion_pack_source source;
    sion_int64 size; /* of the stream */
    sion_int64 pos;  /* where the next header is */
    int task;        /* that entries get */
    int left_out;    /* members that are no files, folders, links or pipes: devices and the like */
    int has_end;     /* the zeros at the end are there */
    struct scion_tar_extended of_all, of_next;
    struct scion_pack_entry entry;
    char path[SCION_PACK_PATH], target[SCION_PACK_PATH];
};

/* Whether a block can be the first one of a tar, also of an empty one. */
int scion_tar_is_header(const unsigned char *block);

/* Begin at the start of a stream. */
void scion_tar_open(struct scion_tar_reader *reader, const struct scion_pack_source *source,
                    sion_int64 size, int task);

/*
 * The next member, whose strings are the reader's until the next call; *entry is NULL at the end.
 * Whatever the bytes are, it fails or gives an entry whose data are in the stream; its path can
 * still lead out of the tree. "./" and empty parts of paths are left out.
 */
int scion_tar_next(struct scion_tar_reader *reader, const struct scion_pack_entry **entry);

#endif
