#include "container.h"

#include "base/byteorder.h"
#include "format/meta1.h"
#include "format/meta2.h"
#include "sion_common.h"
#include "sion_const.h"
#include "sion_error.h"
#include "sion_serial.h"

enum { PIECE = 4096, RANKS_MOST = 16 /* that are opened one by one */ };

static void mix_word(struct container_stream *stream, uint64_t word)
{
    stream->digest = (stream->digest ^ word) * 0x9e3779b97f4a7c15u;
    stream->digest ^= stream->digest >> 32;
}

static void mix_byte(struct container_stream *stream, uint8_t byte)
{
    stream->part = stream->part << 8 | byte;
    if (++stream->mixed % sizeof stream->part == 0)
        mix_word(stream, stream->part);
}

static uint64_t load_word(const uint8_t *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
    return scion_host_is_big() ? word : __builtin_bswap64(word);
}

/* Eight bytes at a time, of which each word is the same however the pieces were cut. */
void container_mix(struct container_stream *stream, const void *bytes, size_t n)
{
    enum { WORD = sizeof stream->part };
    const uint8_t *at = bytes, *end = at + n;

    while (at < end && stream->mixed % WORD != 0)
        mix_byte(stream, *at++);
    for (; end - at >= WORD; at += WORD, stream->mixed += WORD)
        mix_word(stream, stream->part = load_word(at));
    while (at < end)
        mix_byte(stream, *at++);
}

int container_same(const struct container_stream *a, const struct container_stream *b)
{
    return a->digest == b->digest && a->part == b->part && a->mixed == b->mixed &&
           a->bytes == b->bytes;
}

static void read_plain(int sid, struct container_stream *stream)
{
    char piece[PIECE];

    while (sion_feof(sid) == 0) {
        sion_int64 left = sion_bytes_avail_in_chunk(sid);
        size_t now = left < PIECE ? (size_t)left : PIECE;

        FUZZ_CHECK(left > 0);
        FUZZ_CHECK(sion_fread(piece, 1, now, sid) == now);
        container_mix(stream, piece, now);
        stream->bytes += (sion_int64)now;
    }
    FUZZ_CHECK(sion_get_bytes_read(sid) == stream->bytes);
}

/* The value of the record at which the iterator stands. */
static int read_record(int sid, uint64_t key, size_t size, struct container_stream *stream)
{
    char piece[PIECE];

    container_mix(stream, &key, sizeof key);
    container_mix(stream, &size, sizeof size);
    while (size > 0) {
        size_t now = size < PIECE ? size : PIECE;

        if (sion_fread_key(piece, key, 1, now, sid) != now)
            return 0;
        container_mix(stream, piece, now);
        stream->bytes += (sion_int64)now;
        size -= now;
    }
    return 1;
}

static void read_records(int sid, struct container_stream *stream)
{
    uint64_t key = 0;
    size_t size = 0;

    while (sion_fread_key_iterator_next(sid, &key, &size) == 1)
        FUZZ_CHECK(read_record(sid, key, size, stream));
}

static void read_stream(int sid, struct container_stream *stream)
{
    *stream = (struct container_stream){.bytes = 0};
    if (sion_get_keyval_mode(sid) == SION_KEYVAL_INLINE)
        read_records(sid, stream);
    else
        read_plain(sid, stream);
}

/* A task that cannot be selected is damaged, and nothing is read by a program that goes on. */
static void check_locked(int sid, struct container_stream *stream)
{
    char byte;

    FUZZ_CHECK(sion_error_code() == SION_ERR_DAMAGED);
    FUZZ_CHECK(sion_fread(&byte, 1, 1, sid) == 0);
    *stream = (struct container_stream){.is_locked = 1};
}

/* The tables that an application gets say the same as the streams. */
static void check_tables(int sid, const struct container *container)
{
    sion_int64 skip, start, *sizes, *ranks, *counts, *used, bytes;
    int ntasks, maxblocks, t, b;

    FUZZ_CHECK(sion_get_locations(sid, &ntasks, &maxblocks, &skip, &start, &sizes, &ranks, &counts,
                                  &used) == 1);
    FUZZ_CHECK(ntasks == container->ntasks);
    for (t = 0; t < ntasks; t++) {
        for (b = 0, bytes = 0; b < counts[t]; b++)
            bytes += used[(size_t)b * (size_t)ntasks + (size_t)t];
        FUZZ_CHECK(sion_get_keyval_mode(sid) == SION_KEYVAL_INLINE
                       ? bytes >= container->streams[t].bytes
                       : bytes == container->streams[t].bytes);
    }
}

struct container *container_read(const char *mode)
{
    char name[] = CONTAINER;
    int ntasks = 0, nfiles = 0,
        sid = sion_open(name, mode, &ntasks, &nfiles, NULL, NULL, NULL, NULL);
    struct container *container;
    int t;

    if (sid < 0)
        return NULL;
    container = malloc(sizeof *container);
    FUZZ_CHECK(container != NULL && ntasks > 0);
    container->ntasks = ntasks;
    container->is_set = nfiles > 1;
    container->streams = calloc((size_t)ntasks, sizeof *container->streams);
    FUZZ_CHECK(container->streams != NULL);
    for (t = 0; t < ntasks; t++) {
        if (sion_seek(sid, t, 0, 0) == 1)
            read_stream(sid, &container->streams[t]);
        else
            check_locked(sid, &container->streams[t]);
    }
    check_tables(sid, container);
    FUZZ_CHECK(sion_close(sid) == 1);
    return container;
}

void container_free(struct container *container)
{
    if (container)
        free(container->streams);
    free(container);
}

void container_compare_ranks(const struct container *container, const char *mode)
{
    int n = container->ntasks < RANKS_MOST ? container->ntasks : RANKS_MOST, t;
    const struct container_stream *expected = container->streams;

    for (t = 0; t < n; t++) {
        struct container_stream stream;
        char name[] = CONTAINER;
        int rank = t, sid = sion_open_rank(name, mode, NULL, NULL, &rank, NULL);

        if (sid < 0) {
            FUZZ_CHECK(expected[t].is_locked && sion_error_code() == SION_ERR_DAMAGED);
            continue;
        }
        if (!expected[t].is_locked) {
            read_stream(sid, &stream);
            FUZZ_CHECK(container_same(&stream, &expected[t]));
        }
        FUZZ_CHECK(sion_close(sid) == 1);
    }
}

/* One task of a container that sion_open has refused, perhaps for the sake of another task. */
static void try_rank(int rank, const char *mode)
{
    struct container_stream stream;
    char name[] = CONTAINER;
    int sid = sion_open_rank(name, mode, NULL, NULL, &rank, NULL);

    if (sid < 0)
        return;
    read_stream(sid, &stream);
    FUZZ_CHECK(sion_close(sid) == 1);
}

void container_try(const uint8_t *bytes, size_t size, const char *mode)
{
    struct container *container;

    memory_begin();
    memory_add(CONTAINER, bytes, size);
    container = container_read(mode);
    if (container)
        container_compare_ranks(container, mode);
    else
        try_rank((int)(size % 3), mode);
    container_free(container);
    memory_end();
}

int container_find(const uint8_t *bytes, size_t size, struct container_places *places)
{
    struct scion_meta1 head;
    sion_int64 start, end;

    if (scion_meta1_decode(bytes, size, (sion_int64)size, &head) != 0)
        return 0;
    places->ntasks = head.ntasks;
    places->nfiles = head.nfiles;
    places->swapped = head.swapped;
    places->arrays = scion_meta1_fixed_size(&head);
    places->tail = places->arrays + 16 * (size_t)head.ntasks;
    if (places->tail + SCION_META1_TAIL > size)
        return 0;
    scion_meta1_decode_tail(bytes + places->tail, head.swapped, &places->maxchunks, &start);
    if (scion_meta2_check_extent(head.ntasks, places->maxchunks, start, (sion_int64)size, &end) !=
        0)
        return 0;
    places->meta2 = (size_t)start;
    places->end = (size_t)end;
    return 1;
}
