/* Shared by the files of this layer; nobody else includes this. */
#ifndef SCION_KEYVAL_PRIVATE_H
#define SCION_KEYVAL_PRIVATE_H

#include <stdlib.h>

#include "keyval/keyval.h"

/* One record of the stream. */
struct record {
    sion_int64 offset; /* of the value in the stream */
    sion_int64 length;
    sion_int64 before; /* bytes in earlier records of the same key */
    sion_int64 key;    /* number of its key */
};

/* One key, its records' numbers in order, and where it is read. */
struct key {
    uint64_t key;
    union {
        sion_int64 one;   /* of most keys */
        sion_int64 *many; /* of keys with more records than one: room for a power of two */
    } records;
    sion_int64 count;
    sion_int64 entry, pos; /* present record of this key, and the offset in it */
};

struct scion_keyval {
    int swapped;
    int restricted; /* to only_key */
    uint64_t only_key;
    sion_int64 scanned; /* offset of the first header that has not been seen */
    struct record *records;
    sion_int64 count, capacity;
    struct key *keys; /* in the order of their first records */
    sion_int64 nkeys, keys_capacity;
    sion_int64 *table; /* 1 + number of a key, 0 empty; open addressing */
    size_t table_size; /* a power of two */
    int table_bits;    /* its logarithm */
    uint64_t factor;   /* of the hash: random, so that no file can be made with keys that collide */
    sion_int64 next_record, next_key; /* of the iterators */
};

/* The number of a key, -1 if it is not known. Pointers to keys are good until the next scan. */
sion_int64 scion_keyval_find(const struct scion_keyval *keyval, uint64_t key);

/* The number of the nth record of a key, and all the bytes of its records. */
static inline sion_int64 scion_keyval_nth(const struct key *key, sion_int64 n)
{
    return key->count > 1 ? key->records.many[n] : key->records.one;
}

sion_int64 scion_keyval_total(const struct scion_keyval *keyval, const struct key *key);

/* See one more record header. 1; 0 at the end of the stream; an error if the stream is damaged. */
int scion_keyval_scan_one(struct scion_keyval *keyval, struct scion_stream *stream);

#endif
