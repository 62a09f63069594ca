#include "scr/map/walk.h"

#include "base/error.h"

/* More than any map needs: each level has at most half as many files as the one below. */
enum { LEVELS = 64, ANY_LEVEL = -1 };

struct walk {
    struct scion_map_location *found;
    int allow_outside;
    scion_map_visit *visit;
    void *data;
};

static int walk_file(struct walk *walk, const char *path, sion_int64 offset, int expected);

static int walk_below(struct walk *walk, const struct scion_map_file *file)
{
    const struct sion_kvtree *entry = sion_kvtree_first(sion_kvtree_get(file->tree, "RANK"));
    char path[SCION_PATH];
    int rc = 0;

    for (; entry && rc == 0; entry = entry->next) {
        const char *name = sion_kvtree_value(entry, "FILE");
        long long offset = 0;

        if (sion_kvtree_get(entry, "OFFSET"))
            rc = scion_kvtree_int(entry, "OFFSET", &offset);
        if (rc == 0)
            rc = scion_map_location_node(walk->found, name ? name : "", walk->allow_outside, path);
        if (rc == 0)
            rc = walk_file(walk, path, offset, file->level - 1);
    }
    return rc;
}

static int find_level(const struct sion_kvtree *tree, int expected, int *level)
{
    long long number;
    int rc = scion_kvtree_int(tree, "LEVEL", &number);

    if (rc == 0 && (expected == ANY_LEVEL ? number < 1 || number > LEVELS : number != expected))
        rc = scion_fail(SION_ERR_DAMAGED, "LEVEL is %lld", number);
    *level = rc == 0 ? (int)number : 0;
    return rc;
}

static int walk_file(struct walk *walk, const char *path, sion_int64 offset, int expected)
{
    struct scion_map_file file = {.path = path, .offset = offset};
    int rc = scion_kvtree_read_at(path, offset, &file.whole, NULL);

    if (rc != 0)
        return rc;
    file.tree = sion_kvtree_get(file.whole, "RANK2FILE");
    file.tree = file.tree ? file.tree : file.whole;
    rc = find_level(file.tree, expected, &file.level);
    if (rc != 0)
        scion_fail_prefix("%s", path);
    if (rc == 0)
        rc = walk->visit(walk->data, &file);
    if (rc == 0 && file.level > 0)
        rc = walk_below(walk, &file);
    sion_kvtree_free(file.whole);
    return rc;
}

int scion_map_walk(struct scion_map_location *found, int allow_outside, scion_map_visit *visit,
                   void *data)
{
    struct walk walk = {found, allow_outside, visit, data};

    return walk_file(&walk, found->root, 0, ANY_LEVEL);
}
