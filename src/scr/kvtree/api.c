/* The functions of sion_kvtree.h that can fail. */
#include <stdlib.h>

#include "scr/kvtree/kvtree.h"
#include "scr/report.h"

sion_kvtree *sion_kvtree_new(void)
{
    return scion_scr_object(__func__, scion_kvtree_new());
}

/* Calls are nested: the one that has failed has reported it. */
#define BELOW(tree, call) return (tree) ? scion_scr_object(__func__, call) : NULL

sion_kvtree *sion_kvtree_set(sion_kvtree *tree, const char *key)
{
    BELOW(tree, scion_kvtree_set(tree, key));
}

sion_kvtree *sion_kvtree_put(sion_kvtree *tree, const char *key, const char *value)
{
    BELOW(tree, scion_kvtree_put(tree, key, value));
}

sion_kvtree *sion_kvtree_put_int(sion_kvtree *tree, const char *key, long long value)
{
    BELOW(tree, scion_kvtree_put_int(tree, key, value));
}

sion_kvtree *sion_kvtree_put_crc(sion_kvtree *tree, const char *key, unsigned int crc)
{
    BELOW(tree, scion_kvtree_put_crc(tree, key, crc));
}

int sion_kvtree_int(const sion_kvtree *tree, const char *key, long long *value)
{
    return scion_scr_result(__func__, scion_kvtree_int(tree, key, value));
}

int sion_kvtree_merge(sion_kvtree *tree, const sion_kvtree *from)
{
    return scion_scr_result(__func__, scion_kvtree_merge(tree, from));
}

void *sion_kvtree_encode(const sion_kvtree *tree, size_t *size)
{
    void *bytes = NULL;

    scion_kvtree_encode(tree, &bytes, size);
    return scion_scr_object(__func__, bytes);
}

sion_kvtree *sion_kvtree_decode(const void *bytes, size_t size, size_t *used)
{
    sion_kvtree *tree = NULL;

    scion_kvtree_decode(bytes, size, &tree, used);
    return scion_scr_object(__func__, tree);
}

int sion_kvtree_write(const sion_kvtree *tree, const char *fname)
{
    return scion_scr_result(__func__, scion_kvtree_write(fname, tree));
}

int sion_kvtree_write_at(const sion_kvtree *tree, const char *fname, sion_int64 offset,
                         sion_int64 *used)
{
    return scion_scr_result(__func__, scion_kvtree_write_at(fname, offset, tree, used));
}

sion_kvtree *sion_kvtree_read(const char *fname)
{
    sion_kvtree *tree = NULL;

    scion_kvtree_read(fname, &tree);
    return scion_scr_object(__func__, tree);
}

sion_kvtree *sion_kvtree_read_at(const char *fname, sion_int64 offset, sion_int64 *used)
{
    sion_kvtree *tree = NULL;

    scion_kvtree_read_at(fname, offset, &tree, used);
    return scion_scr_object(__func__, tree);
}
