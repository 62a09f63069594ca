/* Finding existing maps: where their root is, and what their names are relative to. */
#ifndef SCION_SCR_FIND_H
#define SCION_SCR_FIND_H

#include "scr/dataset/layout.h"

struct scion_map_location {
    char root[SCION_PATH]; /* file */
    char base[SCION_PATH]; /* folder */
    enum sion_scr_layout layout;
    int id;                      /* of the dataset, where the layout has one */
    char below[SCION_NODE_NAME]; /* as in struct scion_names */
};

/*
 * Look for a map in folder, folder/.scr; for that of the current dataset of folder/.scr/index.scr;
 * in folder/.scr/scr.dataset.*, where several are an error. base: what names are relative to; NULL:
 * the folder that has .scr in it, or else the map's.
 */
int scion_find_map(const char *folder, const char *base, struct scion_map_location *found);

/* The maps below a folder that has none of its own: their folders, in order. */
struct scion_maps {
    char **paths; /* [count] */
    int count;
};

/* Look for folder/.scr/scr.dataset.*; freed by scion_maps_free, whatever is returned. */
int scion_maps_find(const char *folder, struct scion_maps *maps);
void scion_maps_free(struct scion_maps *maps);

/* The file that a FILE key above a leaf or node names. This recognises the layout of SCR 3. */
int scion_map_location_node(struct scion_map_location *found, const char *name, int allow_outside,
                            char *path);

#endif
