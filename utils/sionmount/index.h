/* Where the records of each key of a task are in its stream. */
#ifndef UTILS_SIONMOUNT_INDEX_H
#define UTILS_SIONMOUNT_INDEX_H

#include "lib/keys.h"

/* One record: bytes of the stream, and how many bytes of its key come before it. */
struct range {
    sion_int64 offset, bytes, before;
};

struct key_index {
    sion_int64 count;       /* keys */
    struct key *keys;       /* found: its number; place: of its first range */
    struct key **by_number; /* [count], in the order of their first records */
    struct range *ranges;   /* those of a key together, in the order of writing */
};

/* Reads the heads of all records of a task. NULL after a message. */
struct key_index *key_index_make(const struct input *input, int task);
void key_index_free(struct key_index *index);

#endif
