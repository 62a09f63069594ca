/*
 * Which dataset of a prefix a new map is: its number and its name, chosen and checked before
 * anything is written. The map of another dataset is never replaced.
 */
#ifndef SCION_SCR_CLAIM_H
#define SCION_SCR_CLAIM_H

#include "scr/dataset/layout.h"

struct scion_claim {
    enum sion_scr_layout layout;
    const char *prefix;
    int id;                /* 0: not said; then chosen: that of this dataset, or a new one */
    char name[SCION_PATH]; /* "": not said; then chosen, but not in the layout of SCR 1.1 */
    const char *folder;    /* layout of SCR 1.1: of the dataset, below the prefix */
    const char *data;      /* begin of the names of files that have its bytes, relative to prefix */
    int is_indexed;        /* it will be recorded in the index */
};

/*
 * Local. In the layout of SCR 1.1 a dataset is its folder, whose map can be replaced. In the others
 * it is an error if another dataset of the prefix has the number, or the name, or if the map of
 * this number is of other files that are still there. Also an error if the index is that of a
 * release which looks for maps of another layout.
 */
int scion_claim(struct scion_claim *claim);

#endif
