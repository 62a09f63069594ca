/*
 * The packed files of a container that is read: by its index, or if it has no good one, by the
 * headers in its streams.
 */
#ifndef SCION_PACK_READ_H
#define SCION_PACK_READ_H

#include "pack/index.h"

/* The container, as its owner reads it. Functions return 0 or an error code. */
struct scion_pack_streams {
    int ntasks;
    sion_int64 (*bytes)(void *context, int task); /* of its stream; -1: it cannot be read */
    int (*read)(void *context, int task, void *to, size_t bytes, sion_int64 pos);
    struct scion_pack_source file; /* all bytes of file 0 */
    sion_int64 file_size;
    void *context; /* of bytes and read */
};

struct scion_packed;

/*
 * *packed is NULL, without an error, if the container has no packed files: no index, and streams
 * that are no tars. An index that is damaged, and a tar that is, are warnings: then tars are read
 * instead, and of a tar what is before the damage.
 */
int scion_packed_open(const struct scion_pack_streams *streams, struct scion_packed **packed);
void scion_packed_close(struct scion_packed *packed); /* NULL: nothing */

/* Whether some of its files may be missing, because of damage. */
int scion_packed_is_incomplete(const struct scion_packed *packed);

/* By its index, or by the headers. */
int scion_packed_is_indexed(const struct scion_packed *packed);

sion_int64 scion_packed_count(const struct scion_packed *packed);

/*
 * A cursor on the entries, in the order of scion_pack_compare(). Cursors of one container are used
 * by one thread at a time. Entries are the cursor's until it is used again.
 */
struct scion_packed_cursor {
    struct scion_packed *packed;
    struct scion_index_cursor in_index;
    size_t next; /* in the list, without an index */
};

void scion_packed_begin(struct scion_packed *packed, struct scion_packed_cursor *cursor);
void scion_packed_end(struct scion_packed_cursor *cursor);

/* As scion_index_seek(), _skip() and _next(). */
int scion_packed_seek(struct scion_packed_cursor *cursor, const char *path);
int scion_packed_skip(struct scion_packed_cursor *cursor, const char *path);
int scion_packed_next(struct scion_packed_cursor *cursor, const struct scion_pack_entry **entry);

/*
 * The first entry of a path; *entry is NULL if there is none. *is_folder: it is one, perhaps
 * without an entry of its own, because something is below it. "" is the root.
 */
int scion_packed_find(struct scion_packed_cursor *cursor, const char *path,
                      const struct scion_pack_entry **entry, int *is_folder);

/* The number of the next entry, from 0 on; and before the one of a number. */
sion_int64 scion_packed_number(const struct scion_packed_cursor *cursor);
int scion_packed_go(struct scion_packed_cursor *cursor, sion_int64 number);

/*
 * The next name in a folder, from where the cursor is, which was before the folder or was left
 * here; the cursor is behind all that has this name then. Names of paths that are not clean are
 * passed.
 */
struct scion_packed_child {
    char name[SCION_PACK_PATH]; /* "": no more */
    int type;
    sion_int64 number; /* of its first entry; */
    int is_implied;    /* or, of a folder without an entry, of the first one below it */
};

int scion_packed_child(struct scion_packed_cursor *cursor, const char *folder,
                       struct scion_packed_child *child);

/* Fail if the stream does not have the header of this entry there: the index is another one's. */
int scion_packed_check(const struct scion_packed *packed, const struct scion_pack_entry *entry);

/* Read bytes of a file's data. */
int scion_packed_read(const struct scion_packed *packed, const struct scion_pack_entry *entry,
                      void *to, size_t bytes, sion_int64 pos);

#endif
