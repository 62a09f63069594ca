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

static inline void init_dataset(struct sion_scr_dataset *dataset, int id, const char *name)
{
    SION_INIT(dataset);
    sion_scr_dataset_init(dataset, id, name);
}

/* A file, and the rank that owns it. */
struct packed_file {
    sion_int64 rank;
    const char *path;
};

enum { MOST_PACKED = 4 };

/* Pack files[n], n <= MOST_PACKED. */
static inline int pack_files(sion_scr_comm *comm, const char *folder, sion_int64 bytes,
                             const struct packed_file *files, int n,
                             const struct sion_scr_pack_options *options)
{
    const char *paths[MOST_PACKED];
    sion_int64 ranks[MOST_PACKED];
    int i;

    for (i = 0; i < n; i++) {
        ranks[i] = files[i].rank;
        paths[i] = files[i].path;
    }
    return sion_scr_pack(comm, folder, n, ranks, paths, bytes, options);
}

/* The number of visits that were made: 0, or the code of a failure. */
static inline int visits(int number)
{
    return number >= 0 ? 0 : sion_error_code();
}

#endif
