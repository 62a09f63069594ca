#include "lib/keys.h"

#include <stdlib.h>

#include "lib/tool.h"

struct key *keys_find(struct key *keys, uint64_t key)
{
    struct key *found;

    HASH_FIND(hh, keys, &key, sizeof key, found);
    return found;
}

static struct key *need_key(struct key **keys, uint64_t key)
{
    struct key *entry = keys_find(*keys, key);

    if (entry)
        return entry;
    entry = calloc(1, sizeof *entry);
    if (!entry)
        return NULL;
    entry->key = key;
    HASH_ADD(hh, *keys, key, sizeof entry->key, entry);
    if (!SCION_TABLE_HAS(entry)) {
        free(entry);
        return NULL;
    }
    return entry;
}

int keys_scan(struct records *records, struct key **keys)
{
    int status;

    *keys = NULL;
    while ((status = records_next(records)) == TOOL_RUN) {
        struct key *entry = need_key(keys, records->key);

        if (!entry) {
            tool_error("out of memory for the keys of task %d", records->task);
            return TOOL_FAILED;
        }
        entry->records++;
        entry->bytes += records->length;
    }
    return status == TOOL_DONE ? TOOL_RUN : status;
}

void keys_keep(struct key **keys, const struct numbers *wanted)
{
    struct key *key, *next;

    HASH_ITER(hh, *keys, key, next)
    {
        if (!numbers_have(wanted, key->key)) {
            HASH_DEL(*keys, key);
            free(key);
        }
    }
}

void keys_free(struct key *keys)
{
    struct key *key, *next;

    HASH_ITER(hh, keys, key, next)
    {
        HASH_DEL(keys, key);
        free(key);
    }
}
