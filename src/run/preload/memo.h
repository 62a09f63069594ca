/*
 * Where the folder of the last path of a place was: programs mostly name one file after the other
 * in the same folder. Then its path is neither taken apart nor compared with patterns again.
 */
#ifndef SCION_PRELOAD_MEMO_H
#define SCION_PRELOAD_MEMO_H

#include <stddef.h>
#include <stdint.h>

#include "run/preload/opened.h"

struct run_place;

/* What a relative path begins at. */
struct run_memo_key {
    int folder;                   /* AT_FDCWD, or a descriptor */
    unsigned version;             /* of the working folder */
    struct run_opened_key opened; /* of the descriptor */
};

/* Paths of folders, with "/" at their ends and without a NUL; longer ones are not remembered. */
struct run_memo {
    int is_set;
    int is_moved; /* as judged for names that are not redirected */
    int is_ours;  /* all names in it are redirected */
    struct run_memo_key key;
    size_t begin;             /* as in the place */
    uint64_t hash;            /* of the folder; 0: not known */
    size_t given, real, tree; /* lengths */
    char given_path[256], real_path[512], tree_path[512];
};

/* Find the place of a path. Returns 0 if it has to be found in another way. may_recall: as in
   run_place_quickly() */
int run_memo_use(struct run_place *place, int folder, const char *path, int may_recall);

/* The place of a path was found; is_moved: it is RUN_MOVED if it is not redirected. */
void run_memo_set(struct run_place *place, const struct run_memo_key *key, const char *path,
                  int is_moved);

#endif
