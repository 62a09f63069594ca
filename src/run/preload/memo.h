/*
 * Where the folder of the last path of a place was: programs mostly name one file after the other
 * in the same folder. Then its path is neither taken apart nor compared with patterns again.
 */
#ifndef SCION_PRELOAD_MEMO_H
#define SCION_PRELOAD_MEMO_H

#include <stddef.h>
#include <stdint.h>

struct run_place;

/* Paths of folders, with "/" at their ends and without a NUL; longer ones are not remembered. */
struct run_memo {
    int is_set;
    int is_moved;             /* as judged for names that are not redirected */
    int is_ours;              /* all names in it are redirected */
    unsigned version;         /* of the working folder, if the path is relative */
    size_t begin;             /* as in the place */
    uint64_t hash;            /* of the folder; 0: not known */
    size_t given, real, tree; /* lengths */
    char given_path[256], real_path[512], tree_path[512];
};

/* Find the place of a path that is absolute or relative to the working folder. Returns 0 if it has
   to be found in another way. */
int run_memo_use(struct run_place *place, const char *path);

/* The place of such a path was found; version: of the working folder that it was found with. */
void run_memo_set(struct run_place *place, const char *path, int is_moved, unsigned version);

#endif
