/* Filemaps that a scavenge left in the folder of a dataset's map. */
#ifndef SCION_SCR_FILEMAP_H
#define SCION_SCR_FILEMAP_H

#include "scr/kvtree/kvtree.h"

/* Filemaps of a folder, by the release of SCR that gives them such names. */
struct scion_filemaps {
    int old; /* fmap.N.scr: 1.1 to 2.0 */
    int new; /* filemap_N: 3 */
};

/* Count those of a folder; none if there is no folder of this name. */
int scion_filemaps_count(const char *folder, struct scion_filemaps *filemaps);

/*
 * Read all of a folder into an empty map, with the keys of sion_scr_filemap_read. In either name, a
 * tree of those keys is one of many ranks and datasets; any other one is that of rank N, whose
 * dataset its DSETDESC names.
 */
int scion_filemaps_read(const char *folder, struct sion_kvtree *map);

#endif
