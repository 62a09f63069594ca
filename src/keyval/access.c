/* Reading and writing of records by their keys. */
#include "base/error.h"
#include "base/memory.h"
#include "format/record.h"
#include "keyval/private.h"

int scion_keyval_write(struct scion_stream *stream, uint64_t key, const void *data, size_t bytes)
{
    unsigned char header[SCION_RECORD_HEADER];

    scion_record_encode(key, bytes, header);
    return scion_stream_write_pair(stream, header, sizeof header, data, bytes);
}

/*
 * Scan until the key's records have at least this count, or this many bytes. 1 with the key, 0
 * where the stream has no more, or an error code.
 */
static int scan_for(struct scion_keyval *keyval, struct scion_stream *stream, uint64_t key,
                    sion_int64 count, sion_int64 bytes, struct key **entry)
{
    sion_int64 number = scion_keyval_find(keyval, key);
    int rc = 1;

    while (rc > 0 && (number < 0 || keyval->keys[number].count < count ||
                      scion_keyval_total(keyval, &keyval->keys[number]) < bytes)) {
        rc = scion_keyval_scan_one(keyval, stream);
        if (number < 0)
            number = scion_keyval_find(keyval, key);
    }
    *entry = number >= 0 ? &keyval->keys[number] : NULL;
    return rc;
}

/* The nth record of a key. */
static int need_record(struct scion_keyval *keyval, struct scion_stream *stream, uint64_t key,
                       sion_int64 n, struct key **entry, const struct record **record)
{
    int rc = scan_for(keyval, stream, key, n + 1, 0, entry);

    if (rc > 0)
        *record = &keyval->records[scion_keyval_nth(*entry, n)];
    return rc;
}

/* The key's present record, or the next one that has bytes left. */
static int find_unread(struct scion_keyval *keyval, struct scion_stream *stream, uint64_t key,
                       struct key **entry, const struct record **record)
{
    sion_int64 number = scion_keyval_find(keyval, key), n;

    for (n = number >= 0 ? keyval->keys[number].entry : 0;; n++) {
        int rc = need_record(keyval, stream, key, n, entry, record);

        if (rc <= 0)
            return rc;
        if (n != (*entry)->entry) {
            (*entry)->entry = n;
            (*entry)->pos = 0;
        }
        if ((*entry)->pos < (*record)->length)
            return 1;
    }
}

int scion_keyval_read(struct scion_keyval *keyval, struct scion_stream *stream, uint64_t key,
                      void *data, size_t size, size_t nitems, size_t *items)
{
    const struct record *record;
    struct key *entry;
    uint64_t left;
    int rc = find_unread(keyval, stream, key, &entry, &record);

    *items = 0;
    if (rc <= 0)
        return rc;
    left = (uint64_t)(record->length - entry->pos);
    *items = left / size < nitems ? (size_t)(left / size) : nitems;
    rc = scion_stream_read_range(stream, record->offset + entry->pos, data, *items * size);
    if (rc != 0) {
        *items = 0;
        return rc;
    }
    entry->pos += (sion_int64)(*items * size);
    return *items > 0;
}

void scion_keyval_rewind(struct scion_keyval *keyval)
{
    keyval->next_record = 0;
}

/* The number among its key's records of record number `number`: they are in order. */
static sion_int64 entry_of(const struct key *entry, sion_int64 number)
{
    sion_int64 low = 0, high = entry->count - 1;

    while (low < high) {
        sion_int64 middle = low + (high - low) / 2;

        if (scion_keyval_nth(entry, middle) < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int scion_keyval_next(struct scion_keyval *keyval, struct scion_stream *stream, uint64_t *key,
                      size_t *length)
{
    const struct record *record;
    struct key *entry;
    int rc = 1;

    while (rc > 0 && keyval->next_record >= keyval->count)
        rc = scion_keyval_scan_one(keyval, stream);
    if (rc <= 0)
        return rc;
    record = &keyval->records[keyval->next_record];
    if (!scion_is_size(record->length))
        return scion_fail(SION_ERR_MEMORY, "a record of %lld bytes", record->length);
    entry = &keyval->keys[record->key];
    entry->entry = entry_of(entry, keyval->next_record++);
    entry->pos = 0;
    *key = entry->key;
    *length = (size_t)record->length;
    return 1;
}

/* Whether a record has a byte pos to go to; an empty record has its start. */
static int is_inside(const struct record *record, sion_int64 pos)
{
    return pos >= 0 && (pos < record->length || (pos == 0 && record->length == 0));
}

int scion_keyval_seek(struct scion_keyval *keyval, struct scion_stream *stream, uint64_t key,
                      sion_int64 n, sion_int64 pos)
{
    const struct record *record;
    struct key *entry;
    int rc = n < 0 ? 0 : need_record(keyval, stream, key, n, &entry, &record);

    if (rc <= 0 || !is_inside(record, pos))
        return rc < 0 ? rc : 0;
    entry->entry = n;
    entry->pos = pos;
    return 1;
}

int scion_keyval_seek_absolute(struct scion_keyval *keyval, struct scion_stream *stream,
                               uint64_t key, sion_int64 pos)
{
    struct key *entry;
    sion_int64 low = 0, high;
    int rc = pos < 0 ? 0 : scan_for(keyval, stream, key, 1, pos + 1, &entry);

    if (rc <= 0)
        return rc;
    /* The last record that begins at or before pos holds it: empty ones before it begin there too.
     */
    for (high = entry->count - 1; low < high;) {
        sion_int64 middle = low + (high - low + 1) / 2;

        if (keyval->records[scion_keyval_nth(entry, middle)].before <= pos)
            low = middle;
        else
            high = middle - 1;
    }
    entry->entry = low;
    entry->pos = pos - keyval->records[scion_keyval_nth(entry, low)].before;
    return 1;
}

int scion_keyval_seek_current(struct scion_keyval *keyval, struct scion_stream *stream,
                              uint64_t key, sion_int64 pos)
{
    const struct record *record;
    struct key *entry;
    int rc = find_unread(keyval, stream, key, &entry, &record);

    if (rc <= 0 || pos < 0)
        return rc;
    if (pos >= record->length)
        return 0;
    entry->pos = pos;
    return 1;
}
