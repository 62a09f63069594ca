/* Helpers for tests of the SCR layer: comparison of trees, folders, tasks as threads. */
#ifndef TEST_SCR_CHECK_H
#define TEST_SCR_CHECK_H

#include <dirent.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support.h"

#include "trees.h"

/* Whether the trees have the same keys, in any order. */
static inline int same_tree(const sion_kvtree *a, const sion_kvtree *b)
{
    const sion_kvtree *child;
    int same = sion_kvtree_count(a) == sion_kvtree_count(b);

    for (child = sion_kvtree_first(a); child && same; child = sion_kvtree_next(child)) {
        const sion_kvtree *other = sion_kvtree_get(b, sion_kvtree_key(child));

        same = other && same_tree(child, other);
    }
    return same;
}

/* Whether two files hold the same tree. */
static inline int same_tree_files(const char *a, const char *b)
{
    sion_kvtree *left = NULL, *right = NULL;
    int same = read_kvtree(a, &left) == 0 && read_kvtree(b, &right) == 0 && same_tree(left, right);

    if (!same)
        printf("# %s and %s differ\n", a, b);
    sion_kvtree_free(left);
    sion_kvtree_free(right);
    return same;
}

static inline int remove_one(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
    (void)status, (void)type, (void)ftw;
    return remove(path);
}

/* Remove a folder with its contents. */
static inline void remove_folder(const char *path)
{
    nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* The number of unfinished files in a folder, by their names. */
static inline int leftovers(const char *folder)
{
    DIR *names = opendir(folder);
    const struct dirent *entry;
    int count = 0;

    while (names && (entry = readdir(names)) != NULL)
        count += strstr(entry->d_name, ".new") != NULL;
    if (names)
        closedir(names);
    return count;
}

/* A summary that says nothing of files and bytes. */
static inline void write_summary(const char *path, int id)
{
    sion_kvtree *tree = sion_kvtree_new();

    sion_kvtree_put_int(tree, "VERSION", 6);
    sion_kvtree_put_int(tree, "COMPLETE", 1);
    sion_kvtree_put_int(sion_kvtree_set(tree, "DSET"), "ID", id);
    CHECK_INT(code_of(sion_kvtree_write(tree, path)), 0);
    sion_kvtree_free(tree);
}

/* The tree { FILE -> { name -> { SIZE -> size } } }. */
static inline sion_kvtree *simple_files(const char *name, long long size)
{
    sion_kvtree *tree = sion_kvtree_new();

    sion_kvtree_put_int(sion_kvtree_set(sion_kvtree_set(tree, "FILE"), name), "SIZE", size);
    return tree;
}

#endif
