/* Where a map lies, and how its files are called. */
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

/* The path of a node of the tree: of the root, or of what a rank wrote at a level. */
int scion_layout_node(const struct sion_scr_place *place, int is_root, int level, sion_int64 rank,
                      char *path);

/* The value of the FILE key above a node, into name[SCION_NODE_NAME]; returns its length. */
int scion_layout_entry(const struct sion_scr_place *place, int level, sion_int64 rank, char *name);

/*
 * Remove all files of a map from its folder, of whatever layout they are; the root goes first. It
 * is no error if there is none.
 */
int scion_layout_clear(const struct sion_scr_place *place);

/*
 * Make the folder of a map that is to be written, and clear it: if the program is interrupted, an
 * old root must not refer to new leaves, and no old leaves may lie beside them.
 */
int scion_layout_prepare(const struct sion_scr_place *place);

#endif
