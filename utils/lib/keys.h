/* The keys of one task of a key-value container, in the order of their first records. */
#ifndef UTILS_LIB_KEYS_H
#define UTILS_LIB_KEYS_H

#include "base/table.h"
#include "lib/numbers.h"
#include "lib/records.h"

struct key {
    uint64_t key;
    sion_int64 records, bytes; /* all of them */
    sion_int64 place, found;   /* the user's */
    UT_hash_handle hh;         /* hh.next: the next key */
};

/*
 * Find all keys of the task that `records` has been started on. Memory: about 100 bytes a key,
 * whatever the number of records. TOOL_RUN, or TOOL_FAILED and a message; *keys is to be freed in
 * any case.
 */
int keys_scan(struct records *records, struct key **keys);

struct key *keys_find(struct key *keys, uint64_t key);
/* Forget those that are not in the list. */
void keys_keep(struct key **keys, const struct numbers *wanted);

void keys_free(struct key *keys);

#endif
