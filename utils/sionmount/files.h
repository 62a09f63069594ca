/*
 * The folder that represents the packed files of a container: they have their own names. What is
 * asked for is read from the index then; nothing is kept of it.
 */
#ifndef UTILS_SIONMOUNT_FILES_H
#define UTILS_SIONMOUNT_FILES_H

#include "sionmount/tree.h"

/* Of a tree whose input is there. TOOL_RUN, or TOOL_FAILED and a message. */
int files_make(struct tree *tree);
void files_free(struct tree *tree);

/* As the functions of tree.h; they take the tree's lock. */
struct node files_node(struct tree *tree, uint64_t number);
int files_find(struct tree *tree, const struct node *folder, const char *name, struct node *found);
int files_entry(struct tree *tree, const struct node *folder, sion_int64 *n, struct entry *entry);
int files_status(struct tree *tree, const struct node *node, struct stat *status);

/* Where a link leads, into target[SCION_PACK_PATH]. 0, or an errno. */
int files_target(struct tree *tree, const struct node *node, char *target);

/* Where a file's data begin in its task's stream, and how many they are. 0, or an errno. */
int files_place(struct tree *tree, const struct node *node, sion_int64 *data, sion_int64 *size);

sion_int64 files_count(const struct tree *tree);

#endif
