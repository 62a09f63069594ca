/* The index of a key-value stream, made as far as it is needed. */
#include "keyval/private.h"

#include "base/error.h"
#include "base/memory.h"
#include "format/record.h"

int scion_keyval_new(int swapped, struct scion_keyval **keyval)
{
    *keyval = calloc(1, sizeof **keyval);
    if (!*keyval)
        return scion_fail_memory("key-value index");
    (*keyval)->swapped = swapped;
    (*keyval)->factor = ((uint64_t)(uintptr_t)*keyval * UINT64_C(0x9E3779B97F4A7C15)) | 1;
    return 0;
}

void scion_keyval_restrict(struct scion_keyval *keyval, uint64_t key)
{
    keyval->restricted = 1;
    keyval->only_key = key;
}

void scion_keyval_free(struct scion_keyval *keyval)
{
    sion_int64 i;

    if (!keyval)
        return;
    for (i = 0; i < keyval->nkeys; i++) {
        if (keyval->keys[i].count > 1)
            free(keyval->keys[i].records.many);
    }
    free(keyval->table);
    free(keyval->keys);
    free(keyval->records);
    free(keyval);
}

/* ---- the table of keys ---- */

/* Where a key is in the table, or the empty place where it belongs; keys often follow each other.
 */
static size_t slot_of(const struct scion_keyval *keyval, uint64_t key)
{
    size_t mask = keyval->table_size - 1;
    size_t slot = (size_t)((key * keyval->factor) >> (64 - keyval->table_bits));

    while (keyval->table[slot] > 0 && keyval->keys[keyval->table[slot] - 1].key != key)
        slot = (slot + 1) & mask;
    return slot;
}

sion_int64 scion_keyval_find(const struct scion_keyval *keyval, uint64_t key)
{
    return keyval->table_size > 0 ? keyval->table[slot_of(keyval, key)] - 1 : -1;
}

/* Twice the size; at most three quarters of the table are in use. */
static int grow_table(struct scion_keyval *keyval)
{
    int bits = keyval->table_bits > 0 ? keyval->table_bits + 1 : 4;
    size_t size = (size_t)1 << bits;
    sion_int64 *table = calloc(size, sizeof *table), i;

    if (!table)
        return scion_fail_memory("key-value index");
    free(keyval->table);
    keyval->table = table;
    keyval->table_size = size;
    keyval->table_bits = bits;
    for (i = 0; i < keyval->nkeys; i++)
        table[slot_of(keyval, keyval->keys[i].key)] = i + 1;
    return 0;
}

/* Make room for one more element of an array that grows by doubling. 0, or an error code. */
static int grow(void *array, sion_int64 count, sion_int64 *capacity, size_t size)
{
    sion_int64 wanted = *capacity > 0 ? 2 * *capacity : 8;
    void *old, *grown;

    if (count < *capacity)
        return 0;
    memcpy(&old, array, sizeof old);
    grown = scion_array_grown(old, (uint64_t)wanted, size);
    if (!grown)
        return scion_fail_memory("key-value index");
    memcpy(array, &grown, sizeof grown);
    *capacity = wanted;
    return 0;
}

/* The number of a key, which is added if it is new; or an error code. */
static sion_int64 need_key(struct scion_keyval *keyval, uint64_t key)
{
    sion_int64 number = scion_keyval_find(keyval, key);
    int rc = 0;

    if (number >= 0)
        return number;
    if ((size_t)keyval->nkeys >= keyval->table_size / 4 * 3)
        rc = grow_table(keyval);
    if (rc == 0)
        rc = grow(&keyval->keys, keyval->nkeys, &keyval->keys_capacity, sizeof *keyval->keys);
    if (rc != 0)
        return rc;
    keyval->table[slot_of(keyval, key)] = keyval->nkeys + 1;
    keyval->keys[keyval->nkeys] = (struct key){.key = key};
    return keyval->nkeys++;
}

/* ---- its records ---- */

sion_int64 scion_keyval_total(const struct scion_keyval *keyval, const struct key *key)
{
    const struct record *last;

    if (key->count == 0)
        return 0;
    last = &keyval->records[scion_keyval_nth(key, key->count - 1)];
    return last->before + last->length;
}

/* The array is full when the count is a power of two. */
static int add_number(struct key *key, sion_int64 number)
{
    sion_int64 n = key->count;

    if (n == 0) {
        key->records.one = number;
    } else {
        if ((n & (n - 1)) == 0) {
            sion_int64 *many =
                scion_array_grown(n > 1 ? key->records.many : NULL, (uint64_t)n, 2 * sizeof *many);

            if (!many)
                return scion_fail_memory("key-value index");
            if (n == 1)
                many[0] = key->records.one;
            key->records.many = many;
        }
        key->records.many[n] = number;
    }
    key->count++;
    return 0;
}

static int add_record(struct scion_keyval *keyval, uint64_t key, sion_int64 offset,
                      sion_int64 length)
{
    sion_int64 number, before;
    int rc = grow(&keyval->records, keyval->count, &keyval->capacity, sizeof *keyval->records);

    if (rc != 0)
        return rc;
    number = need_key(keyval, key);
    if (number < 0)
        return (int)number;
    before = scion_keyval_total(keyval, &keyval->keys[number]);
    rc = add_number(&keyval->keys[number], keyval->count);
    if (rc == 0)
        keyval->records[keyval->count++] = (struct record){offset, length, before, number};
    return rc;
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

        uint64_t its_key = keyval->keys[record->key].key;

        if (is_wanted(new, its_key))
            rc = add_record(new, its_key, record->offset, record->length);
    }
    if (rc != 0)
        scion_keyval_free(new);
    else
        *copy = new;
    return rc;
}

/* Records of the old index that are left, as they are found now. */
static int add_left(const struct scion_keyval *old, sion_int64 bytes, struct scion_keyval *new)
{
    sion_int64 i;
    int rc = 0;

    for (i = 0; i < old->count && rc == 0; i++) {
        const struct record *record = &old->records[i];

        if (record->offset < bytes)
            new->next_record += i < old->next_record ? -1 : 0;
        else
            rc =
                add_record(new, old->keys[record->key].key, record->offset - bytes, record->length);
    }
    return rc;
}

/* Where a key is read on. */
static void keep_position(const struct key *old, struct key *new)
{
    sion_int64 lost = old->count - new->count;

    if (old->entry < lost)
        return;
    new->entry = old->entry - lost;
    new->pos = old->pos;
}

int scion_keyval_drop(struct scion_keyval **keyval, sion_int64 bytes)
{
    const struct scion_keyval *old = *keyval;
    struct scion_keyval *new;
    sion_int64 i, number;
    int rc = scion_keyval_new(old->swapped, &new);

    if (rc != 0)
        return rc;
    if (old->restricted)
        scion_keyval_restrict(new, old->only_key);
    new->scanned = old->scanned > bytes ? old->scanned - bytes : 0;
    new->next_record = old->next_record;
    rc = add_left(old, bytes, new);
    for (i = 0; i < old->nkeys && rc == 0; i++) {
        number = scion_keyval_find(new, old->keys[i].key);
        if (number >= 0)
            keep_position(&old->keys[i], &new->keys[number]);
    }
    if (rc != 0) {
        scion_keyval_free(new);
        return rc;
    }
    scion_keyval_free(*keyval);
    *keyval = new;
    return 0;
}

sion_int64 scion_keyval_known(const struct scion_keyval *keyval)
{
    return keyval->scanned;
}

int scion_keyval_scan_one(struct scion_keyval *keyval, struct scion_stream *stream)
{
    unsigned char header[SCION_RECORD_HEADER];
    sion_int64 total, left;
    uint64_t key, length;
    int rc = scion_stream_size(stream, &total);

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
    keyval->next_key = 0;
}

int scion_keyval_next_key(struct scion_keyval *keyval, uint64_t *key)
{
    int there = keyval->next_key < keyval->nkeys;

    *key = there ? keyval->keys[keyval->next_key++].key : 0;
    return there;
}

int scion_keyval_count(const struct scion_keyval *keyval, uint64_t key, sion_int64 *records,
                       sion_int64 *bytes)
{
    sion_int64 number = scion_keyval_find(keyval, key);
    const struct key *entry = number >= 0 ? &keyval->keys[number] : NULL;

    *records = entry ? entry->count : 0;
    *bytes = entry ? scion_keyval_total(keyval, entry) : 0;
    return entry != NULL;
}
