/*
 * Key-value records of one task: an index over its stream, made as far as it is needed, and a
 * reading position for every key.
 *
 * The index is found by scanning the record headers forward, once. Looking a key up, or its nth
 * record, is O(1). The functions take the stream, which must be on the task, and move its own
 * position. Results: 1 found or done, 0 there is none (any more), negative: an error code.
 */
#ifndef SCION_KEYVAL_KEYVAL_H
#define SCION_KEYVAL_KEYVAL_H

#include <stddef.h>
#include <stdint.h>

#include "stream/stream.h"

struct scion_keyval;

/* swapped: byte order of the record headers. */
int scion_keyval_new(int swapped, struct scion_keyval **keyval);

/* Index this key's records only; before anything is read. */
void scion_keyval_restrict(struct scion_keyval *keyval, uint64_t key);

/* All that is known so far, or of one key (NULL: of all); keys are read from their starts. */
int scion_keyval_copy(const struct scion_keyval *keyval, const uint64_t *key,
                      struct scion_keyval **copy);

/*
 * The stream has lost its first bytes, which are whole records. Keys are read on where they were,
 * or at their first record that is left. An error leaves the old index.
 */
int scion_keyval_drop(struct scion_keyval **keyval, sion_int64 bytes);

/* Bytes of the stream that are known. */
sion_int64 scion_keyval_known(const struct scion_keyval *keyval);

/* NULL: nothing. */
void scion_keyval_free(struct scion_keyval *keyval);

/* Append a record of bytes bytes to a stream that is written; all or nothing. 1 or an error. */
int scion_keyval_write(struct scion_stream *stream, uint64_t key, const void *data, size_t bytes);

/*
 * Read from the key's present record, or from its next one if that is used up: at most nitems whole
 * items of `size` bytes, as many as are left in the record. *items: how many.
 */
int scion_keyval_read(struct scion_keyval *keyval, struct scion_stream *stream, uint64_t key,
                      void *data, size_t size, size_t nitems, size_t *items);

/* The next record in the order of writing; sets the key's position to its start. */
void scion_keyval_rewind(struct scion_keyval *keyval);
int scion_keyval_next(struct scion_keyval *keyval, struct scion_stream *stream, uint64_t *key,
                      size_t *length);

/* Go to byte pos of the key's nth record; 0: there is no such byte. Byte 0 of an empty one is. */
int scion_keyval_seek(struct scion_keyval *keyval, struct scion_stream *stream, uint64_t key,
                      sion_int64 n, sion_int64 pos);

/* Go to byte pos of all the key's records together. */
int scion_keyval_seek_absolute(struct scion_keyval *keyval, struct scion_stream *stream,
                               uint64_t key, sion_int64 pos);

/* Go to byte pos of the key's present record; pos < 0: stay, if there is anything to read. */
int scion_keyval_seek_current(struct scion_keyval *keyval, struct scion_stream *stream,
                              uint64_t key, sion_int64 pos);

/* Index the whole stream. */
int scion_keyval_scan(struct scion_keyval *keyval, struct scion_stream *stream);

/* Keys that are known so far, in the order of their first records. */
void scion_keyval_rewind_keys(struct scion_keyval *keyval);
int scion_keyval_next_key(struct scion_keyval *keyval, uint64_t *key);

/* Records and bytes of a key that are known so far. */
int scion_keyval_count(const struct scion_keyval *keyval, uint64_t key, sion_int64 *records,
                       sion_int64 *bytes);

#endif
