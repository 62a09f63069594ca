#include "keyval/private.h"

#include "base/error.h"
#include "format/record.h"

int scion_keyval_new(int swapped, struct scion_keyval **keyval)
{
    *keyval = calloc(1, sizeof **keyval);
    if (!*keyval)
        return scion_fail_memory("key-value index");
    (*keyval)->swapped = swapped;
    return 0;
}

void scion_keyval_restrict(struct scion_keyval *keyval, uint64_t key)
{
    keyval->restricted = 1;
    keyval->only_key = key;
}

void scion_keyval_free(struct scion_keyval *keyval)
{
    struct key *key, *next;

    if (!keyval)
        return;
    HASH_ITER(hh, keyval->keys, key, next)
    {
        HASH_DEL(keyval->keys, key);
        free(key->records);
        free(key);
    }
    free(keyval->records);
    free(keyval);
}

struct key *scion_keyval_find(const struct scion_keyval *keyval, uint64_t key)
{
    struct key *found;

    HASH_FIND(hh, keyval->keys, &key, sizeof key, found);
    return found;
}

/* Room for one more element of an array that grows by doubling. */
static void *grown(void *array, sion_int64 count, sion_int64 *capacity, size_t size)
{
    sion_int64 wanted = *capacity > 0 ? 2 * *capacity : 8;

    if (count < *capacity)
        return array;
    array = realloc(array, (size_t)wanted * size);
    if (array)
        *capacity = wanted;
    return array;
}

static struct key *need_key(struct scion_keyval *keyval, uint64_t key)
{
    struct key *entry = scion_keyval_find(keyval, key);

    if (entry)
        return entry;
    entry = calloc(1, sizeof *entry);
    if (!entry)
        return NULL;
    entry->key = key;
    HASH_ADD(hh, keyval->keys, key, sizeof entry->key, entry);
    if (!entry->hh.tbl) {
        free(entry);
        return NULL;
    }
    return entry;
}

static int add_record(struct scion_keyval *keyval, uint64_t key, sion_int64 offset,
                      sion_int64 length)
{
    struct record *records =
        grown(keyval->records, keyval->count, &keyval->capacity, sizeof *records);
    struct key *entry;
    sion_int64 *numbers;

    if (!records)
        return scion_fail_memory("key-value index");
    keyval->records = records;
    entry = need_key(keyval, key);
    numbers = entry ? grown(entry->records, entry->count, &entry->capacity, sizeof *numbers) : NULL;
    if (!numbers)
        return scion_fail_memory("key-value index");
    entry->records = numbers;
    records[keyval->count] = (struct record){key, offset, length, entry->total};
    numbers[entry->count++] = keyval->count++;
    entry->total += length;
    return 0;
}

static int is_wanted(const struct scion_keyval *keyval, uint64_t key)
{
    return !keyval->restricted || key == keyval->only_key;
}

int scion_keyval_copy(const struct scion_keyval *keyval, const uint64_t *key,
                      struct scion_keyval **copy)
{
    struct scion_keyval *new;
    sion_int64 i;
    int rc = scion_keyval_new(keyval->swapped, &new);

    if (rc != 0)
        return rc;
    if (key)
        scion_keyval_restrict(new, *key);
    new->scanned = keyval->scanned;
    for (i = 0; i < keyval->count && rc == 0; i++) {
        const struct record *record = &keyval->records[i];

        if (is_wanted(new, record->key))
            rc = add_record(new, record->key, record->offset, record->length);
    }
    if (rc != 0)
        scion_keyval_free(new);
    else
        *copy = new;
    return rc;
}

int scion_keyval_scan_one(struct scion_keyval *keyval, struct scion_stream *stream)
{
    unsigned char header[SCION_RECORD_HEADER];
    sion_int64 total, left;
    uint64_t key, length;
    int rc = scion_lengths_before(stream->lengths, stream->lengths->count, &total);

    if (rc != 0)
        return rc;
    left = total - keyval->scanned;
    if (left == 0)
        return 0;
    if (left < SCION_RECORD_HEADER)
        return scion_fail(SION_ERR_DAMAGED,
                          "key-value stream ends inside a record header at byte %lld",
                          keyval->scanned);
    rc = scion_stream_read_range(stream, keyval->scanned, header, sizeof header);
    if (rc != 0)
        return rc;
    scion_record_decode(header, keyval->swapped, &key, &length);
    left -= SCION_RECORD_HEADER;
    if (length > (uint64_t)left)
        return scion_fail(SION_ERR_DAMAGED,
                          "key-value record at byte %lld says %llu bytes, %lld are left",
                          keyval->scanned, (unsigned long long)length, left);
    if (is_wanted(keyval, key))
        rc = add_record(keyval, key, keyval->scanned + SCION_RECORD_HEADER, (sion_int64)length);
    if (rc == 0)
        keyval->scanned += SCION_RECORD_HEADER + (sion_int64)length;
    return rc != 0 ? rc : 1;
}

int scion_keyval_scan(struct scion_keyval *keyval, struct scion_stream *stream)
{
    int rc;

    do
        rc = scion_keyval_scan_one(keyval, stream);
    while (rc > 0);
    return rc < 0 ? rc : 1;
}

void scion_keyval_rewind_keys(struct scion_keyval *keyval)
{
    keyval->next_key = NULL;
    keyval->keys_started = 0;
}

int scion_keyval_next_key(struct scion_keyval *keyval, uint64_t *key)
{
    struct key *next = keyval->keys;

    if (keyval->keys_started)
        next = keyval->next_key ? keyval->next_key->hh.next : NULL;
    *key = next ? next->key : 0;
    if (next) {
        keyval->next_key = next;
        keyval->keys_started = 1;
    }
    return next != NULL;
}

int scion_keyval_count(const struct scion_keyval *keyval, uint64_t key, sion_int64 *records,
                       sion_int64 *bytes)
{
    const struct key *entry = scion_keyval_find(keyval, key);

    *records = entry ? entry->count : 0;
    *bytes = entry ? entry->total : 0;
    return entry != NULL;
}
