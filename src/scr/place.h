/* Where a map lies, how its files are called, and names that must not lead anywhere else. */
#ifndef SCION_SCR_PLACE_H
#define SCION_SCR_PLACE_H

#include "scr/public.h"

enum {
    /* Bytes of a path with its NUL. */
    SCION_PATH = 4096,
    /* Bytes of "rank2file.LEVEL.RANK.scr" and what stands before it, relative to the base. */
    SCION_NODE_NAME = 128
};

/* folder/name, or name alone where folder is NULL; into path[SCION_PATH]. */
int scion_path(char *path, const char *folder, const char *name);

/* The folder of the map's files. */
int scion_place_folder(const struct sion_scr_place *place, char *path);

/* The path of a node of the tree: of the root, or of what a rank wrote at a level. */
int scion_place_node(const struct sion_scr_place *place, int is_root, int level, sion_int64 rank,
                     char *path);

/* What the FILE key above a node says: into name[SCION_NODE_NAME]; returns its length. */
int scion_place_entry(const struct sion_scr_place *place, int level, sion_int64 rank, char *name);

/*
 * Remove all files of a map from its folder, of whatever layout they are; the root goes first. It
 * is no error if there is none.
 */
int scion_place_clear(const struct sion_scr_place *place);

/*
 * Make the folder of a map that is to be written, and clear it: no old root may stand above new
 * leaves if we are interrupted, and no old leaves beside them.
 */
int scion_place_prepare(const struct sion_scr_place *place);

/* Make a folder and those above it that are missing. */
int scion_make_folders(const char *path);

/* Make the folders above a file. */
int scion_make_folders_of(const char *path);

/* An error if a name from a map is empty, ".", ends with "/", is absolute, or has ".." in it. */
int scion_check_name(const char *name, int allow_outside);

/*
 * The file that a name from a map means, base/name, into path[SCION_PATH]. An error if it is not in
 * the folder `base`, by its name or by way of links. It need not exist.
 */
int scion_path_inside(char *path, const char *base, const char *name, int allow_outside);

/* The folder of a name that was inside; "": none yet. */
struct scion_inside {
    char folder[SCION_PATH];
};

/*
 * The same for many names of one base: a name in the folder of the last one costs one system call,
 * where resolving it costs one for each part of the path.
 */
int scion_path_inside_again(struct scion_inside *last, char *path, const char *base,
                            const char *name, int allow_outside);

/* What the names in a map mean. */
struct scion_names {
    const char *base;  /* the folder that names are relative to */
    const char *below; /* the map's folder, relative to base: where the names of segments begin; ""
                          or NULL: at the base, as all others */
    int allow_outside; /* names may lead out of the base */
};

/*
 * What a segment's FILE means, relative to the base, into path[SCION_PATH]. Where the map's folder
 * counts SCR 1.2 looks below it; a name without ".." that is not there means the base, as it did in
 * maps of older releases of ours.
 */
int scion_segment_name(const struct scion_names *names, const char *file, char *path);

/* `path` relative to the folder `base`, both existing; an error if it is not below it. */
int scion_relative(const char *base, const char *path, char *relative);

/* The text behind the last slash. */
const char *scion_basename(const char *path);

#endif
