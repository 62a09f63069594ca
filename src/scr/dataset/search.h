/* Search a prefix for datasets with a map and a summary, without its index. */
#ifndef SCION_SCR_SEARCH_H
#define SCION_SCR_SEARCH_H

#include "scr/dataset/index.h"

/* A dataset that was found. */
struct scion_prefix_dataset {
    enum sion_scr_layout layout;
    int id;
    char name[SCION_PATH];    /* in the layout of SCR 1.1 the folder, relative to the prefix */
    char folder[SCION_PATH];  /* of the map, relative to the prefix */
    int complete;             /* as summary.scr says */
    sion_int64 created;       /* microseconds since 1970; 0: not said */
    struct sion_kvtree *dset; /* the description in summary.scr; freed by the finder */
};

/*
 * Called for a dataset. status: 0, or an error in its files, with the reason in the error record;
 * then only its folder is set. A result other than 0 ends the search.
 */
typedef int scion_prefix_dataset_visit(void *data, const struct scion_prefix_dataset *found,
                                       int status);

/* Where a dataset of a prefix may have its map. */
struct scion_dataset_folder {
    char path[SCION_PATH]; /* relative to the prefix: .scr/scr.dataset.ID, or x/.scr */
    const char *name;      /* of the folder without .scr */
    int id;                /* 0: x/.scr, in the layout of SCR 1.1 */
};

typedef int scion_folder_visit(void *data, const struct scion_dataset_folder *folder);

/* Visit all PREFIX/.scr/scr.dataset.*, and x/.scr of all names x in the prefix, which need not be
   there, in the order of names. A result other than 0 ends the visit. */
int scion_dataset_folders(const char *prefix, scion_folder_visit *visit, void *data);

/*
 * Find all datasets in PREFIX/.scr/scr.dataset.* and in PREFIX/x/.scr, in the order of names. name:
 * also the dataset in this folder, if it is deeper; NULL: none.
 */
int scion_datasets_search(const char *prefix, const char *name, scion_prefix_dataset_visit *visit,
                          void *data);

/*
 * Find the folder of a dataset's map, relative to the prefix: first where the releases of SCR with
 * this layout have it, then where the others do; 0: there is none.
 */
int scion_prefix_find_map(const char *prefix, enum sion_scr_layout form, int id, const char *name,
                          char *folder);

/* The greatest number of the folders PREFIX/.scr/scr.dataset.*, also without a map; 0: none. */
int scion_prefix_last_number(const char *prefix, int *number);

/*
 * The dataset whose map is in this folder, relative to the prefix, as the summary.scr next to it
 * says; owner->dset is NULL.
 */
int scion_prefix_owner(const char *prefix, const char *folder, struct scion_prefix_dataset *owner);

/* 1 if that is the dataset of this number and name. */
int scion_owner_is(const struct scion_prefix_dataset *owner, int id, const char *name);

/*
 * An error if the map in this folder is that of another dataset (then *is_others is 1), or if
 * nothing says whose it is.
 */
int scion_prefix_check_map(const char *prefix, const char *folder, int id, const char *name,
                           int *is_others);

#endif
