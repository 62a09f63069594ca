/* Where a map is, and how its files are called. */
#ifndef SCION_SCR_LAYOUT_H
#define SCION_SCR_LAYOUT_H

#include "scr/public.h"
#include "vfs/path.h"

enum {
    /* Bytes of "rank2file.LEVEL.RANK.scr" and what stands before it, relative to the base. */
    SCION_NODE_NAME = 128
};

/* dataset, prefix or scr3: what users call a layout. */
const char *scion_layout_name(enum sion_scr_layout layout);

/* The folder of the map's files. */
int scion_layout_folder(const struct sion_scr_place *place, char *path);

/*
 * What a rank wrote at a level of the tree. generation: 0, as SCR names its files; or another one,
 * as long as an older map has that name.
 */
struct scion_node {
    int level;
    sion_int64 rank;
    int generation;
};

/* The path of the root, and of a node. */
int scion_layout_root(const struct sion_scr_place *place, char *path);
int scion_layout_node(const struct sion_scr_place *place, const struct scion_node *node,
                      char *path);

/* The value of the FILE key above a node, into name[SCION_NODE_NAME]; returns its length. */
int scion_layout_entry(const struct sion_scr_place *place, const struct scion_node *node,
                       char *name);

/*
 * Remove all files of a map from its folder, of whatever layout they are; the root goes first. It
 * is no error if there is none.
 */
int scion_layout_clear(const struct sion_scr_place *place);

/* The same, but what is below the root stays until another map is written. */
int scion_layout_clear_root(const struct sion_scr_place *place);

/*
 * Make the folder of a map that is to be written. *generation: one of which it has no nodes, so
 * that new nodes replace none of an old map.
 */
int scion_layout_prepare(const struct sion_scr_place *place, int *generation);

/* The root refers to this generation: remove all others, and the root of another layout. */
int scion_layout_keep(const struct sion_scr_place *place, int generation);

/* No root refers to this generation: remove it. Errors are ignored, and the error record stays. */
void scion_layout_drop(const struct sion_scr_place *place, int generation);

#endif
