/*
 * The folder that represents a mounted container: its files and their names.
 *
 *     meta.json       what the container says of itself
 *     0007            the stream of task 7; as many digits as the last task has
 *     keys/0007/42    key-value containers: all records of key 42 of task 7, one after the other
 *
 * Or, instead of all that, its packed files (files.h).
 */
#ifndef UTILS_SIONMOUNT_TREE_H
#define UTILS_SIONMOUNT_TREE_H

#include <pthread.h>
#include <stdint.h>
#include <sys/stat.h>

#include "lib/input.h"
#include "sionmount/index.h"

enum node_kind {
    NODE_ROOT,
    NODE_META,
    NODE_KEYS,
    NODE_TASK,
    NODE_KEYS_OF,
    NODE_KEY,
    NODE_FILE, /* a packed file, or a folder, link or pipe */
    NODE_NONE  /* it cannot be read */
};

struct node {
    enum node_kind kind;
    int task;       /* NODE_TASK, _KEYS_OF, _KEY, _FILE */
    sion_int64 key; /* NODE_KEY: its number among the task's keys */

    /* NODE_FILE */
    int type;         /* SCION_PACK_* */
    sion_int64 entry; /* number of its entry; */
    int depth;        /* or, if not 0, of an entry below the folder that is so deep in the tree */

    uint64_t number; /* of the inode */
};

enum { NODE_NAME = 256 };

struct entry {
    struct node node;
    char name[NODE_NAME];
};

struct tree {
    struct input *input;
    int digits;         /* of the names of tasks */
    struct stat status; /* of the container's first file */

    struct files *files; /* NULL: the tasks are shown */

    pthread_mutex_t lock;    /* protects the cursors of files and the members below, which are made
                                when first needed */
    struct key_index **keys; /* [ntasks]; NULL: no key-value container */
    char *meta;              /* what is in meta.json */
    size_t meta_bytes;
};

/* TOOL_RUN, or TOOL_FAILED and a message. The input is the caller's. */
int tree_make(struct tree *tree, struct input *input, int shows_files);
void tree_free(struct tree *tree);

/* An inode by the number that the kernel knows. */
struct node tree_node(struct tree *tree, uint64_t number);

/* Look a name up in a folder. 0, or an errno. */
int tree_find(struct tree *tree, const struct node *folder, const char *name, struct node *found);

/*
 * The entry of a folder at place *n, which begins at 0 after "." and "..", and goes to the next
 * one. 0; ENOENT after the last one; another errno.
 */
int tree_entry(struct tree *tree, const struct node *folder, sion_int64 *n, struct entry *entry);

/* 0, or an errno. */
int tree_status(struct tree *tree, const struct node *node, struct stat *status);

/* The keys of a task of a key-value container, kept by the tree. NULL: damaged, or no memory. */
const struct key_index *tree_keys(struct tree *tree, int task);

/* What is in meta.json; the tree's. NULL: no memory. */
const char *tree_meta(struct tree *tree, size_t *bytes);

int node_is_folder(const struct node *node);

/* S_IFREG and the like. */
mode_t node_type(const struct node *node);

#endif
