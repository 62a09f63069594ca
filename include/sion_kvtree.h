/**
 * @file sion_kvtree.h
 * Trees of keys, the contents of all files of SCR (kvtree files).
 *
 * This header goes beyond SIONlib 1.7. Its functions are in the library of sion_scr.h, which
 * includes it. They are local. Functions return SION_SUCCESS or an object, or after a failure
 * SION_NOT_SUCCESS or NULL, with a message, whose code is named here (sion_error.h).
 *
 * Pointers must not be NULL unless a comment allows it. Texts are copied.
 *
 * @threads different trees may be used by different threads at once
 */
#ifndef SION_KVTREE_H
#define SION_KVTREE_H

#include <stddef.h>
#include <stdio.h>

#include "sion_datatypes.h"
#include "sion_error.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A tree of keys. Every key is a string without NUL, possibly empty; it is unique on its level and
 * has a tree below it. A value is a key with an empty tree below it. There are no types: numbers
 * are text. Keys have the order in which the file has them or in which they were added; the order
 * has no meaning.
 */
typedef struct sion_kvtree sion_kvtree;

/** Create an empty tree, which sion_kvtree_free frees. NULL with a message: out of memory. */
sion_kvtree *sion_kvtree_new(void);

/**
 * Free a tree.
 *
 * @param tree a whole tree, not a part of another; all that is below it is freed too; NULL is
 *             ignored
 */
void sion_kvtree_free(sion_kvtree *tree);

/**
 * Get the tree below a key; add the key if it does not exist. Constant time on average.
 *
 * @param tree where to look for the key; if it is NULL, so is the result, without a message, so
 *             that calls can be nested
 * @param key  the key; may be empty
 * @return the tree below key, a part of tree; NULL with a message: out of memory
 */
sion_kvtree *sion_kvtree_set(sion_kvtree *tree, const char *key);

/**
 * Make `value` the only key below `key`: "KEY = VALUE". What was below it is freed.
 *
 * @param tree  the tree that gets the key; if it is NULL, so is the result, without a message, so
 *              that calls can be nested
 * @param key   the key; may be empty
 * @param value the value; may be empty
 * @return the tree below key, a part of tree; NULL with a message: out of memory
 */
sion_kvtree *sion_kvtree_put(sion_kvtree *tree, const char *key, const char *value);
/**
 * The same as sion_kvtree_put, with a number as the value, written in decimal.
 *
 * @param tree,key as for sion_kvtree_put
 * @param value any number
 * @return as sion_kvtree_put
 */
sion_kvtree *sion_kvtree_put_int(sion_kvtree *tree, const char *key, long long value);
/**
 * The same as sion_kvtree_put, with a CRC-32 as the value, in SCR's notation: "0x28eeb9e", and "0"
 * for 0.
 *
 * @param tree,key as for sion_kvtree_put
 * @param crc a CRC as computed by zlib's crc32()
 * @return as sion_kvtree_put
 */
sion_kvtree *sion_kvtree_put_crc(sion_kvtree *tree, const char *key, unsigned int crc);

/**
 * Get the tree below a key. Constant time on average.
 *
 * @param tree where to look for the key; if it is NULL, so is the result, so that calls can be
 *             nested
 * @param key  the key to look for
 * @return the tree below key, a part of tree, which you may change if you may change tree; NULL,
 *         without a message: no such key
 */
sion_kvtree *sion_kvtree_get(const sion_kvtree *tree, const char *key);

/**
 * Get the value of a key; if there are several, the last one.
 *
 * @param tree where to look for the key; if it is NULL, so is the result
 * @param key  the key to look for; NULL if tree is already the tree below the key
 * @return a part of the tree, valid until the value is removed; NULL, without a message: no such
 *         key, or the key has no value
 */
const char *sion_kvtree_value(const sion_kvtree *tree, const char *key);

/**
 * Get the value of a key as a number (decimal, hexadecimal after 0x, octal after 0).
 *
 * @param tree  where to look for the key; NULL counts as an empty tree
 * @param key   the key to look for
 * @param value [out] set on success only
 * @return SION_SUCCESS; SION_NOT_SUCCESS: SION_ERR_DAMAGED: no such key, or its value is not a
 *         64-bit number
 */
int sion_kvtree_int(const sion_kvtree *tree, const char *key, long long *value);

/**
 * Remove a key, and free the tree below it. O(keys on the level).
 *
 * @param tree where to look for the key; NULL counts as an empty tree
 * @param key  the key to remove
 * @return SION_SUCCESS; SION_NOT_SUCCESS, without a message: no such key
 */
int sion_kvtree_remove(sion_kvtree *tree, const char *key);

/**
 * Add all keys of another tree, on all levels.
 *
 * @param tree gets the keys; keys that it already has stay where they are
 * @param from copied, not changed; not a part of tree
 * @return SION_SUCCESS; SION_NOT_SUCCESS: SION_ERR_MEMORY (some keys may have been added)
 */
int sion_kvtree_merge(sion_kvtree *tree, const sion_kvtree *from);

/**
 * Get the first key of a level.
 *
 * @param tree NULL counts as an empty tree
 * @return the tree below that key, a part of tree; NULL: there is no key
 */
const sion_kvtree *sion_kvtree_first(const sion_kvtree *tree);
/**
 * Get the next key on the same level.
 *
 * @param child what sion_kvtree_first, _next, _get or _set gave
 * @return the tree below the next key; NULL: it was the last
 */
const sion_kvtree *sion_kvtree_next(const sion_kvtree *child);
/**
 * Get the key above a tree.
 *
 * @param child what sion_kvtree_first, _next, _get or _set gave
 * @return a part of the tree, valid as long as child is
 */
const char *sion_kvtree_key(const sion_kvtree *child);
/**
 * Count the keys on a level.
 *
 * @param tree NULL counts as an empty tree
 * @return the number of keys on tree's own level, without those below them
 */
unsigned int sion_kvtree_count(const sion_kvtree *tree);

/**
 * Encode a tree as the bytes of a file.
 *
 * @param tree not changed
 * @param size [out] the number of bytes
 * @return the bytes, which the caller frees with free(); NULL: SION_ERR_ARGUMENT: more than 128
 *         levels; SION_ERR_MEMORY
 */
void *sion_kvtree_encode(const sion_kvtree *tree, size_t *size);

/**
 * Decode one record; more bytes may follow it. Zero bytes give an empty tree. The memory needed is
 * proportional to size, whatever the bytes contain. If a key occurs twice on a level, the two trees
 * below it are merged.
 *
 * @param bytes bytes that begin with the record; may be NULL if size is 0
 * @param size  the number of bytes
 * @param used  [out] bytes of the record; set on success only; may be NULL
 * @return the tree, which the caller frees with sion_kvtree_free; NULL: SION_ERR_NOT_SION: the
 *         bytes are not such a record; SION_ERR_DAMAGED: the record is truncated, has a wrong CRC,
 *         contradicts itself, or has more than 128 levels; SION_ERR_VERSION: another type or
 *         version, or unknown flags; SION_ERR_MEMORY
 */
sion_kvtree *sion_kvtree_decode(const void *bytes, size_t size, size_t *used);

/**
 * Write a file that holds one tree. An existing file is replaced. When the call returns, the data
 * and the name are on the disk. After a write error the file does not exist.
 *
 * @param tree  not changed
 * @param fname name of the file; its folder must exist
 * @return SION_SUCCESS; SION_NOT_SUCCESS: SION_ERR_ARGUMENT: more than 128 levels; SION_ERR_SYSTEM;
 *         SION_ERR_MEMORY
 */
int sion_kvtree_write(const sion_kvtree *tree, const char *fname);

/**
 * Write a tree at an offset in a file. A missing file is created; other bytes of an existing file
 * stay. When the call returns, the data and the name are on the disk.
 *
 * @param tree,fname as for sion_kvtree_write
 * @param offset offset of the tree's first byte in the file, >= 0
 * @param used   [out] bytes written; the next record can begin after them; set on success only; may
 *               be NULL
 * @return as sion_kvtree_write; also SION_ERR_ARGUMENT: offset is negative
 */
int sion_kvtree_write_at(const sion_kvtree *tree, const char *fname, sion_int64 offset,
                         sion_int64 *used);

/**
 * Read the tree at the beginning of a file. An empty file gives an empty tree.
 *
 * @param fname name of the file
 * @return as sion_kvtree_decode; also SION_ERR_SYSTEM: the file cannot be read
 */
sion_kvtree *sion_kvtree_read(const char *fname);

/**
 * Read the tree at an offset in a file.
 *
 * @param fname  name of the file
 * @param offset offset of the tree's first byte in the file
 * @param used   [out] bytes of the record; set on success only; may be NULL
 * @return as sion_kvtree_read; also SION_ERR_DAMAGED: there is no byte at the offset
 */
sion_kvtree *sion_kvtree_read_at(const char *fname, sion_int64 offset, sion_int64 *used);

/**
 * Print a tree in the format of SCR's tool: one key per line, indented by two spaces per level.
 * Control characters, and bytes that are not UTF-8, appear as \n or \x1b.
 *
 * @param tree not changed
 * @param to   open for writing; errors show in its ferror()
 */
void sion_kvtree_print(const sion_kvtree *tree, FILE *to);

/**
 * Print a tree as a JSON object: a key with one value becomes a string, every other key an object.
 * Bytes that are not UTF-8 become \u00XX.
 *
 * @param tree not changed
 * @param to   open for writing; errors show in its ferror()
 */
void sion_kvtree_print_json(const sion_kvtree *tree, FILE *to);

#ifdef __cplusplus
}
#endif

#endif
