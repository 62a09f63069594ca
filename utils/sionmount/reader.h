/* A file of the tree that is open: each reader has one, and needs nobody else's. */
#ifndef UTILS_SIONMOUNT_READER_H
#define UTILS_SIONMOUNT_READER_H

#include "sionmount/tree.h"

struct reader;

/* 0, or an errno. */
int reader_open(struct tree *tree, const struct node *node, struct reader **reader);
void reader_close(struct reader *reader);

/* Read bytes, fewer only at the end. 0, or an errno. Several threads may read at once. */
int reader_read(struct reader *reader, sion_int64 pos, void *to, size_t bytes, size_t *got);

/* The next byte of data or of a hole (SEEK_DATA, SEEK_HOLE) from pos on. 0, or an errno. */
int reader_seek(const struct reader *reader, sion_int64 pos, int whence, sion_int64 *found);

#endif
