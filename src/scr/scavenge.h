/* A dataset whose files a scavenge has copied: what its filemaps say, and what of it is there. */
#ifndef SCION_SCR_SCAVENGE_H
#define SCION_SCR_SCAVENGE_H

#include "scr/map/ranks.h"

struct scion_scavenge {
    /* set by the caller */
    const char *base; /* the folder that names in the map are relative to, and never leave */
    const char *own;  /* folder of the dataset, relative to base, for files that are not where
                         the filemaps say */
    const char *name; /* the name that it should have; NULL: that of the filemaps */
    int id;           /* its number; 0: that of the filemaps */
    void (*tell)(void *user, const char *fault); /* called for each rank or file with a fault */
    void *user;

    /* set by scion_scavenge_find */
    struct sion_scr_ranks ranks; /* all of them, sorted; what has a fault is marked as incomplete */
    struct sion_kvtree *dset;    /* the description of the dataset */
    sion_int64 files;
    sion_int64 faults;  /* > 0: the dataset is incomplete */
    mode_t permissions; /* that all files have */
};

/*
 * Compare a map of filemaps with the files. An error if they contradict each other, so that there
 * can be no map. Freed by scion_scavenge_free, whatever is returned.
 */
int scion_scavenge_find(const struct sion_kvtree *map, struct scion_scavenge *scavenged);
void scion_scavenge_free(struct scion_scavenge *scavenged);

#endif
