/*
 * A packed file: what a task's stream, which is a tar, and the index say of it; and lists of these.
 */
#ifndef SCION_PACK_ENTRY_H
#define SCION_PACK_ENTRY_H

#include <stddef.h>
#include <stdint.h>

#include "sion_datatypes.h"

enum {
    SCION_PACK_FILE = 'f',
    SCION_PACK_FOLDER = 'd',
    SCION_PACK_LINK = 'l', /* symbolic */
    SCION_PACK_HARD = 'h', /* another name of a file; target is the path of that one */
    SCION_PACK_PIPE = 'p'
};

enum { SCION_PACK_PATH = 4096 /* bytes of a path or target with its NUL */ };

struct scion_pack_entry {
    char *path;   /* relative to the root of the tree; no slash at its end */
    char *target; /* of links; else NULL */
    int type;
    int task;
    uint32_t mode; /* 07777 */
    uint32_t uid, gid;
    uint32_t mtime_ns;
    sion_int64 mtime; /* seconds since 1970 */
    sion_int64 size;  /* bytes of a file; else 0 */
    sion_int64 data;  /* where they begin in the task's stream: after the headers */
};

/* Bytes of something, for readers of any kind. 0 or an error code; fewer bytes are an error. */
struct scion_pack_source {
    int (*read)(void *context, void *to, size_t bytes, sion_int64 offset);
    void *context;
};

/* The order of paths: bytes, but a slash is the lowest. So what is below a folder follows it. */
int scion_pack_compare(const char *a, const char *b);

/* Whether a path is that of the folder or of something below it. "" is the root. */
int scion_pack_is_below(const char *path, const char *folder);

/* Whether a path is before a place: before that path, or is_after: not behind all below it. */
int scion_pack_is_before(const char *path, const char *place, int is_after);

/* Without empty parts, "." and a slash at the end; what is absolute stays absolute. */
void scion_pack_clean_path(char *path);

/* Whether a path has no empty parts, "." and "..", as those that are packed here. */
int scion_pack_is_clean(const char *path);

/* Refuse the path of an entry that would lead out of the tree: absolute, with "..", or empty. */
int scion_pack_check_path(const char *path);

/*
 * Refuse a link that leads out of the tree: to an absolute target, or to more ".." than there are
 * folders above it. Targets of hard links are paths.
 */
int scion_pack_check_link(const struct scion_pack_entry *entry);

/* ---- lists ---- */

struct scion_pack_list {
    struct scion_pack_entry *entries; /* strings are the list's */
    size_t count, room;

    /* After scion_pack_lay_out(): task t has entries[order[first[t]]] .. [order[first[t+1]-1]]. */
    int ntasks;
    size_t *order, *first;
    sion_int64 *used; /* [ntasks] bytes of each stream */
};

/* The list begins as {0}. Copies the entry with its strings. */
int scion_pack_list_add(struct scion_pack_list *list, const struct scion_pack_entry *entry);

/* By path; of one path, by task. */
void scion_pack_list_sort(struct scion_pack_list *list);

void scion_pack_list_free(struct scion_pack_list *list);

/* Give the entries of a sorted list to the tasks: equal shares of the bytes, in their order. */
void scion_pack_share(struct scion_pack_list *list, int ntasks);

/* With the tasks that entries have: where the data of each are, and how long the streams. */
int scion_pack_lay_out(struct scion_pack_list *list, int ntasks);

#endif
