/*
 * Trees of keys, as KVTree and SCR store them. Those of the functions of sion_kvtree.h that cannot
 * fail are used as they are; the others are here with another prefix, and return 0 or an error
 * code, with its reason in the error record.
 */
#ifndef SCION_SCR_KVTREE_H
#define SCION_SCR_KVTREE_H

#include <stddef.h>
#include <stdint.h>

#include "scr/public.h"
#include "vfs/path.h"

enum {
    SCION_KVTREE_HEADER = 20, /* bytes of a record before the packed tree */
    SCION_KVTREE_CRC = 4,     /* and after it */
    SCION_KVTREE_DEPTH = 128  /* levels of keys that are read or written */
};

struct sion_kvtree {
    struct sion_kvtree *next;         /* sibling */
    struct sion_kvtree *first, *last; /* children, in the order of the file */
    struct scion_kvtree_slot *index;  /* hash table of the children, once there are many */
    uint32_t count;                   /* children */
    char key[];
};

struct sion_kvtree *scion_kvtree_new(void);
struct sion_kvtree *scion_kvtree_set(struct sion_kvtree *tree, const char *key);
struct sion_kvtree *scion_kvtree_put(struct sion_kvtree *tree, const char *key, const char *value);
struct sion_kvtree *scion_kvtree_put_int(struct sion_kvtree *tree, const char *key,
                                         long long value);
struct sion_kvtree *scion_kvtree_put_crc(struct sion_kvtree *tree, const char *key,
                                         unsigned int crc);
int scion_kvtree_int(const struct sion_kvtree *tree, const char *key, long long *value);
int scion_kvtree_merge(struct sion_kvtree *tree, const struct sion_kvtree *from);
int scion_kvtree_encode(const struct sion_kvtree *tree, void **bytes, size_t *size);

/* The tree is set on success only; used: bytes of the record, may be NULL. */
int scion_kvtree_decode(const void *bytes, size_t size, struct sion_kvtree **tree, size_t *used);
int scion_kvtree_read(const char *path, struct sion_kvtree **tree);
int scion_kvtree_read_at(const char *path, sion_int64 offset, struct sion_kvtree **tree,
                         sion_int64 *used);
int scion_kvtree_write(const char *path, const struct sion_kvtree *tree);
int scion_kvtree_write_at(const char *path, sion_int64 offset, const struct sion_kvtree *tree,
                          sion_int64 *used);

/* Bytes of a packed tree, its own key not included. Error: deeper than SCION_KVTREE_DEPTH. */
int scion_kvtree_packed_size(const struct sion_kvtree *tree, sion_int64 *bytes);

/* Pack; `to` has room for the packed size. Returns the byte after it. */
unsigned char *scion_kvtree_pack(const struct sion_kvtree *tree, unsigned char *to);

/* Unpack all of bytes into an empty tree. offset: of the first byte in its file, for messages. */
int scion_kvtree_unpack(const unsigned char *bytes, size_t size, size_t offset,
                        struct sion_kvtree *tree);

/* A 32-bit number as it is packed. Returns the byte after it. */
unsigned char *scion_kvtree_put_u32(unsigned char *to, uint32_t value);

/* Write header and CRC around the packed tree that stands at record + SCION_KVTREE_HEADER. */
void scion_kvtree_seal(unsigned char *record, size_t size);

/* Size of the record whose header this is. */
int scion_kvtree_record_size(const unsigned char *header, size_t bytes, sion_int64 *size);

/* As scion_kvtree_write, but there must be nothing of this name. */
int scion_kvtree_make(const char *path, mode_t permissions, const struct sion_kvtree *tree);

/* Replace a file by one with this tree: at any moment there is the old file or the new one. */
int scion_kvtree_replace(const char *path, const struct sion_kvtree *tree);

/* As scion_kvtree_read; an empty tree if there is no such file. */
int scion_kvtree_read_or_new(const char *path, int *is_there, struct sion_kvtree **tree);

/* A child by formatted key, made if it is missing; NULL: out of memory. */
struct sion_kvtree *scion_kvtree_setf(struct sion_kvtree *tree, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
