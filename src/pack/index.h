/*
 * The index of packed files at the end of a container's file 0 (doc/format.md, "Packed files"):
 * finds a path among millions by reading two small parts of the file.
 */
#ifndef SCION_PACK_INDEX_H
#define SCION_PACK_INDEX_H

#include "pack/entry.h"

/* What an index says of the container that it is of: another one's would be wrong. */
struct scion_index_key {
    int ntasks;
    sion_int64 total; /* bytes of all streams */
    uint32_t crc;     /* of the lengths of the streams */
};

/* The key begins as {0}; add the length of each stream, in the order of the tasks. */
void scion_index_key_add(struct scion_index_key *key, sion_int64 bytes);

struct scion_index;

/*
 * Open the index of a file of `size` bytes. *index is NULL, without an error, if there is none. An
 * error if it is damaged, or of another container. Reads the list of blocks, not the blocks.
 */
int scion_index_open(const struct scion_pack_source *source, sion_int64 size,
                     const struct scion_index_key *key, struct scion_index **index);

void scion_index_close(struct scion_index *index); /* NULL: nothing */

sion_int64 scion_index_count(const struct scion_index *index);

/* Entries in the order of scion_pack_compare(). One block of them is in memory. */
struct scion_index_cursor {
    struct scion_index *index;
    int block;                        /* -1: none yet */
    struct scion_pack_entry *entries; /* [count] of the block */
    char *strings;
    uint32_t count, at; /* at: the next one */
};

/* Before the first entry whose path is not lower than this one; "": the first of all. */
int scion_index_seek(struct scion_index_cursor *cursor, const char *path);

/* Before the first entry that is behind this path and all that is below it. */
int scion_index_skip(struct scion_index_cursor *cursor, const char *path);

/* The number of the next entry, from 0 on; and before the one of a number. */
sion_int64 scion_index_number(const struct scion_index_cursor *cursor);
int scion_index_go(struct scion_index_cursor *cursor, sion_int64 number);

/* Before the entry again that has just been read. */
void scion_index_unread(struct scion_index_cursor *cursor);

/* The next entry, which is the cursor's until the next call; *entry is NULL at the end. */
int scion_index_next(struct scion_index_cursor *cursor, const struct scion_pack_entry **entry);

/* Begin to use a cursor; free what it has. */
void scion_index_cursor_begin(struct scion_index *index, struct scion_index_cursor *cursor);
void scion_index_cursor_end(struct scion_index_cursor *cursor);

#endif
