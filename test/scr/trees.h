/* Trees of keys for tests that need the code of a failure: 0, or that code. */
#ifndef TEST_SCR_TREES_H
#define TEST_SCR_TREES_H

#include "codes.h"
#include "sion_scr.h"

static inline int take_tree(sion_kvtree *made, sion_kvtree **tree)
{
    *tree = made;
    return made ? 0 : sion_error_code();
}

static inline int read_kvtree(const char *fname, sion_kvtree **tree)
{
    return take_tree(sion_kvtree_read(fname), tree);
}

static inline int read_kvtree_at(const char *fname, sion_int64 offset, sion_kvtree **tree,
                                 sion_int64 *used)
{
    return take_tree(sion_kvtree_read_at(fname, offset, used), tree);
}

static inline int decode_kvtree(const void *bytes, size_t size, sion_kvtree **tree, size_t *used)
{
    return take_tree(sion_kvtree_decode(bytes, size, used), tree);
}

static inline int encode_kvtree(const sion_kvtree *tree, void **bytes, size_t *size)
{
    *bytes = sion_kvtree_encode(tree, size);
    return *bytes ? 0 : sion_error_code();
}

static inline int take_filemap(const char *folder, int allow_outside, sion_kvtree **map)
{
    return take_tree(sion_scr_filemap_read(folder, allow_outside), map);
}

/* The number of visits that were made: 0, or the code of a failure. */
static inline int visits(int number)
{
    return number >= 0 ? 0 : sion_error_code();
}

#endif
