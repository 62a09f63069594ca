/* Files by their paths: the packed ones of a container, or those of a folder. */
#ifndef UTILS_SIONDIFF_TREE_H
#define UTILS_SIONDIFF_TREE_H

#include "lib/packed.h"

struct tree {
    char *name;
    int is_folder;

    /* A container: */
    struct input input;
    struct packed packed;
    struct scion_packed_cursor cursor, targets; /* for the next entry, for originals */

    /* A folder: */
    struct scion_pack_list list;
    size_t next;
    struct scion_file *file; /* that is read */

    sion_int64 total; /* bytes of it all, more or less */
};

/* TOOL_RUN, or TOOL_FAILED and a message, as from all these. */
int tree_open(struct tree *tree, char *name);
int tree_close(struct tree *tree, int status);

/* The next entry in the order of paths, the tree's until the next call; *entry NULL: no more. */
int tree_next(struct tree *tree, const struct scion_pack_entry **entry);

/* The file that a hard link is of; another entry is its own. The tree's until the next call. */
int tree_original(struct tree *tree, const struct scion_pack_entry *link,
                  const struct scion_pack_entry **original);

/* Read the data of a file: begin, read what is there, end. */
int tree_begin_file(struct tree *tree, const struct scion_pack_entry *file);
int tree_read(struct tree *tree, const struct scion_pack_entry *file, void *to, size_t bytes,
              sion_int64 pos);
void tree_end_file(struct tree *tree);

#endif
