/*
 * index.scr of a prefix: which datasets SCR knows there, and which one it restarts from. There are
 * three forms of it, named here by the layout whose releases of SCR write them:
 *
 *   SION_SCR_LAYOUT_DATASET  VERSION 1, DIR -> name -> DSET -> id, DSET -> id -> DIR -> name ->
 * entry SION_SCR_LAYOUT_PREFIX   VERSION 1, the same with NAME in place of DIR SION_SCR_LAYOUT_3
 * VERSION 2, NAME -> name -> DSET -> id, DSET -> id -> entry
 *
 * One struct represents all forms. A changed index keeps its form, because a release of SCR does
 * not find its checkpoints in another form.
 */
#ifndef SCION_SCR_INDEX_H
#define SCION_SCR_INDEX_H

#include "scr/dataset/layout.h"
#include "scr/kvtree/kvtree.h"

/* A dataset in an index, unchecked: scion_index_dataset_check tells whether it is valid. */
struct scion_index_dataset {
    int id;                   /* 0: the key is not the number of a dataset */
    const char *name;         /* part of the tree; NULL: it has none */
    struct sion_kvtree *tree; /* { COMPLETE, FLUSHED, FETCHED, FAILED, DSET }, part of the tree */
};

struct scion_index {
    char path[SCION_PATH];
    int is_there;              /* the file */
    enum sion_scr_layout form; /* 0: none yet, the next dataset decides */
    struct sion_kvtree *tree;
    struct scion_index_dataset *list; /* by id and name */
    int count;
};

/* A dataset to be recorded. The texts belong to the caller. */
struct scion_index_entry {
    int id;
    const char *name;
    int complete;
    const char *flushed;            /* when */
    const struct sion_kvtree *dset; /* its description */
};

/*
 * Read the index of a prefix, an empty one if there is no file, or none but an empty one. An
 * unknown form is an error. Freed by scion_index_free, whatever is returned.
 */
int scion_index_read(const char *prefix, struct scion_index *index);
void scion_index_free(struct scion_index *index);

/* An error if an entry has no number, no name, or a name that leads out of the prefix. */
int scion_index_dataset_check(const struct scion_index_dataset *indexed);

/* The name of the current dataset; NULL: none is. */
const char *scion_index_current(const struct scion_index *index);

/* The dataset of a name; NULL: there is none. */
const struct scion_index_dataset *scion_index_find(const struct scion_index *index,
                                                   const char *name);

/* The form in which a dataset of this layout is recorded: that of the existing index, or else its
   own. */
enum sion_scr_layout scion_index_form(const struct scion_index *index, enum sion_scr_layout layout);

/*
 * Record a dataset, in place of an existing entry. An error if its number, or its name, is that of
 * another dataset; in the form of SCR 1.1, only the names distinguish datasets.
 */
int scion_index_add(struct scion_index *index, enum sion_scr_layout layout,
                    const struct scion_index_entry *entry);

/*
 * Remove the datasets for which is_unwanted returns 1; it is called once for each. Their names are
 * not valid after that.
 */
int scion_index_remove(struct scion_index *index,
                       int (*is_unwanted)(void *data, const struct scion_index_dataset *indexed),
                       void *data);

/* An error if the current dataset is not one of the index. */
int scion_index_check_current(const struct scion_index *index);

/* Make a dataset of the index the current one. */
int scion_index_make_current(struct scion_index *index, const char *name);

/* Replace the file atomically; the folder is made if it is missing. */
int scion_index_write(const struct scion_index *index);

/* A time in microseconds since 1970 as SCR writes it. */
void scion_index_time(sion_int64 microseconds, char *text, size_t size);

/* As sion_scr_index_write. */
int scion_scr_index_write(const char *prefix, const struct sion_scr_dataset *dataset);

/* An error if scion_scr_index_write would refuse this dataset. */
int scion_index_try(const char *prefix, const struct sion_scr_dataset *dataset);

#endif
