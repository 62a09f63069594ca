/* Filemaps: as the functions of sion_scr.h, and those that a scavenge left in the folder of a
   dataset's map. */
#ifndef SCION_SCR_FILEMAP_H
#define SCION_SCR_FILEMAP_H

#include "comm/comm.h"
#include "scr/kvtree/kvtree.h"

int scion_scr_filemap_add(struct sion_kvtree *map, int id, sion_int64 rank,
                          const struct sion_scr_cached_file *file);
int scion_scr_filemap_describe(struct sion_kvtree *map, const struct sion_scr_dataset *dataset,
                               sion_int64 rank, const struct sion_scr_redundancy *redundancy);
int scion_scr_filemap_write(struct scion_comm *comm, const char *folder,
                            const struct sion_kvtree *map);
int scion_scr_filemap_read(const char *folder, int allow_outside, struct sion_kvtree **map);

/* Filemaps of a folder, by the release of SCR that gives them such names. */
struct scion_filemaps {
    int old; /* fmap.N.scr: 1.1 to 2.0 */
    int new; /* filemap_N: 3 */
};

/* Count those of a folder; none if there is no folder of this name. */
int scion_filemaps_count(const char *folder, struct scion_filemaps *filemaps);

/*
 * Read all of a folder into an empty map, with the keys of scion_scr_filemap_read. In either name,
 * a tree of those keys is one of many ranks and datasets; any other one is that of rank N, whose
 * dataset its DSETDESC names.
 */
int scion_filemaps_read(const char *folder, struct sion_kvtree *map);

#endif
