/* Where the file of a filemap's entry is now, after a scavenge has copied it. */
#ifndef SCION_SCR_FILE_LOCATION_H
#define SCION_SCR_FILE_LOCATION_H

#include "scr/kvtree/kvtree.h"

struct scion_file_search {
    const char *base; /* all names are relative to this folder, and never leave it */
    const char *own;  /* folder of the dataset, relative to base; "": the base */
    struct scion_inside inside;
};

struct scion_file_location {
    int is_there;             /* a regular file */
    char name[SCION_PATH];    /* relative to base; where it is not there, where it should be; "":
                                 nowhere in base */
    char outside[SCION_PATH]; /* where it should be, but that is not in base; "": none */
    sion_int64 size;
    mode_t permissions;
};

/*
 * Look for the file of an entry { META -> { PATH, NAME, ORIG } } whose key is its path: first where
 * META says, then at the path, then by its last part in the folder of the dataset.
 */
void scion_file_locate(struct scion_file_search *locating, const struct sion_kvtree *file,
                       struct scion_file_location *located);

#endif
