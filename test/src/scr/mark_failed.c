/*
 * mark_failed PREFIX ID NAME: what SCR makes of an index when a job with a wrong number of processes
 * could not restart: the dataset has FAILED, and none is the current one.
 */
#include <stdio.h>

#include "trees.h"

int main(int argc, char **argv)
{
    char path[4096];
    sion_kvtree *tree, *entry;

    if (argc != 4)
        return 99;
    snprintf(path, sizeof path, "%s/.scr/index.scr", argv[1]);
    if (read_kvtree(path, &tree) != 0)
        return 99;
    entry = sion_kvtree_get(sion_kvtree_get(tree, "DSET"), argv[2]);
    if (sion_kvtree_get(entry, "NAME"))
        entry = sion_kvtree_get(sion_kvtree_get(entry, "NAME"), argv[3]);
    sion_kvtree_remove(tree, "CURRENT");
    if (!entry || !sion_kvtree_put(entry, "FAILED", "2026-11-22T06:00:00") ||
        code_of(sion_kvtree_write(tree, path)) != 0)
        return 99;
    sion_kvtree_free(tree);
    return 0;
}
