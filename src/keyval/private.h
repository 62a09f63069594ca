/* Shared by the files of this layer; nobody else includes this. */
#ifndef SCION_KEYVAL_PRIVATE_H
#define SCION_KEYVAL_PRIVATE_H

#include <stdlib.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "keyval/keyval.h"

/* One record of the stream. */
struct record {
    uint64_t key;
    sion_int64 offset; /* of the value in the stream */
    sion_int64 length;
    sion_int64 before; /* bytes in earlier records of the same key */
};

/* One key, what is known of its records, and where it is read. */
struct key {
    uint64_t key;
    sion_int64 *records; /* numbers of its records, in order */
    sion_int64 count, capacity;
    sion_int64 total;      /* bytes in all of them */
    sion_int64 entry, pos; /* present record of this key, and the offset in it */
    UT_hash_handle hh;     /* keeps the order in which keys were added */
};

struct scion_keyval {
    int swapped;
    int restricted; /* to only_key */
    uint64_t only_key;
    sion_int64 scanned; /* offset of the first header that has not been seen */
    struct record *records;
    sion_int64 count, capacity;
    struct key *keys;       /* hash table */
    sion_int64 next_record; /* of the iterator */
    struct key *next_key;   /* of the iterator over keys */
    int keys_started;
};

struct key *scion_keyval_find(const struct scion_keyval *keyval, uint64_t key);

/* See one more record header. 1; 0 at the end of the stream; an error if the stream is damaged. */
int scion_keyval_scan_one(struct scion_keyval *keyval, struct scion_stream *stream);

#endif
