/*
 * Arrays: headers of blocks, attributes, indexes, trailers. Blocks are within their arrays and
 * files, and a part of an array has the same elements as the whole.
 */
#include "container.h"

#include "array/codec.h"
#include "base/crc32c.h"
#include "src/array/any.h"
#include "sion_array.h"
#include "sion_common.h"
#include "sion_serial.h"

enum { BLOCKS = 16, WHOLE_MOST = 1 << 16, STEPS_MOST = 8 };

static sion_int64 product(int n, const sion_int64 *numbers)
{
    sion_int64 result = 1;

    while (n-- > 0)
        result *= numbers[n];
    return result;
}

static void check_block(const struct sion_array_info *info, const struct sion_array_block *block)
{
    size_t size;
    int d;

    for (d = 0; d < info->ndims; d++)
        FUZZ_CHECK(block->offset[d] >= 0 && block->count[d] >= 1 &&
                   block->count[d] <= info->shape[d] - block->offset[d]);
    FUZZ_CHECK(block->bytes == product(info->ndims, block->count) * info->element_size);
    FUZZ_CHECK(*block->codec ? block->position == -1 : block->stored == block->bytes);
    FUZZ_CHECK(block->task >= 0 && block->step >= 0 && memory_get(block->file, &size));
    FUZZ_CHECK(block->position >= -1 && block->stored_position >= block->position);
    FUZZ_CHECK(block->stored_position == -1 ||
               (block->stored_position <= (sion_int64)size &&
                block->stored <= (sion_int64)size - block->stored_position));
}

static void check_blocks(sion_array_reader *arrays, const char *name,
                         const struct sion_array_info *info)
{
    struct sion_array_block blocks[BLOCKS] = {{.size = sizeof *blocks}};
    sion_int64 n = sion_array_reader_blocks(arrays, name, SION_ARRAY_NEWEST, 0, BLOCKS, blocks), i;

    FUZZ_CHECK(n == info->blocks);
    for (i = 0; i < n && i < BLOCKS; i++) {
        check_block(info, &blocks[i]);
        FUZZ_CHECK(i == 0 || blocks[i].step >= blocks[i - 1].step);
    }
}

static void read_step(sion_array_reader *arrays, const char *name,
                      const struct sion_array_info *info, sion_int64 step)
{
    sion_int64 none[SION_ARRAY_DIMS] = {0}, last[SION_ARRAY_DIMS], one[SION_ARRAY_DIMS];
    sion_int64 elements = product(info->ndims, info->shape);
    char *whole = malloc((size_t)(elements * info->element_size) + 1), part[16];
    double as_double;
    int d;

    FUZZ_CHECK(whole != NULL);
    for (d = 0; d < info->ndims; d++) {
        last[d] = info->shape[d] - 1;
        one[d] = 1;
    }
    if (get_any(arrays, name, step, none, info->shape, whole) == 1 && elements > 0) {
        FUZZ_CHECK(get_any(arrays, name, step, last, one, part) == 1);
        FUZZ_CHECK(memcmp(whole + (elements - 1) * info->element_size, part,
                          (size_t)info->element_size) == 0);
        sion_array_reader_get_as(arrays, name, step, last, one, SION_F64, &as_double,
                                 sizeof as_double);
    }
    free(whole);
}

/* Whether all elements together are few. */
static int is_small(const struct sion_array_info *info)
{
    sion_int64 left = WHOLE_MOST / info->element_size;
    int d;

    for (d = 0; d < info->ndims && left > 0; d++)
        left = info->shape[d] > 0 ? left / info->shape[d] : left;
    return left > 0;
}

static void check_texts(const sion_array_reader *arrays, const char *name)
{
    const char *key;
    int i;

    for (i = 0; (key = sion_array_reader_key(arrays, name, i)); i++)
        FUZZ_CHECK(sion_array_reader_attribute(arrays, name, key) != NULL);
}

static void check_array(sion_array_reader *arrays, const char *name)
{
    struct sion_array_info info = {.size = sizeof info};
    sion_int64 i, step, before = -1;

    FUZZ_CHECK(name && sion_array_reader_info(arrays, name, &info) == 1);
    FUZZ_CHECK(info.ndims >= 0 && info.ndims <= SION_ARRAY_DIMS && info.element_size >= 1);
    check_texts(arrays, name);
    check_blocks(arrays, name, &info);
    for (i = 0; i < info.steps; i++, before = step) {
        step = sion_array_reader_step(arrays, name, i);
        FUZZ_CHECK(step > before);
        if (i < STEPS_MOST && is_small(&info))
            read_step(arrays, name, &info, step);
    }
    if (is_small(&info))
        read_step(arrays, name, &info, SION_ARRAY_NEWEST);
}

/*
 * The first call that gives places of blocks compares the index with the streams, and may find
 * other arrays there, even none of this name. 0: those contradict each other, and nothing can be
 * read.
 */
static int settle(sion_array_reader *arrays)
{
    int tries = 0;

    while (sion_array_reader_count(arrays) > 0 && tries++ < 2) {
        if (sion_array_reader_blocks(arrays, sion_array_reader_name(arrays, 0), 0, 0, 0, NULL) >= 0)
            return 1;
    }
    return sion_array_reader_count(arrays) == 0;
}

static void run(const uint8_t *bytes, size_t size)
{
    sion_array_reader *arrays;
    int i, n;

    memory_begin();
    memory_add(CONTAINER, bytes, size);
    arrays = sion_array_reader_open(CONTAINER);
    n = settle(arrays) ? sion_array_reader_count(arrays) : 0;
    for (i = 0; i < n; i++)
        check_array(arrays, sion_array_reader_name(arrays, i));
    check_texts(arrays, NULL);
    sion_array_reader_close(arrays);
    memory_end();
}

/* ---- records ---- */

/* The next header or trailer: they begin with the magic, but for its last byte. */
static size_t next_record(const uint8_t *bytes, size_t size, size_t at)
{
    const uint8_t *found = memmem(bytes + at, size - at, scion_array_magic, SCION_ARRAY_MAGIC - 1);

    at = found ? (size_t)(found - bytes) : size;
    return size - at >= SCION_ARRAY_ALIGN ? at : size;
}

static size_t number(const uint8_t *bytes, size_t n)
{
    size_t result = 0;

    while (n-- > 0)
        result = result << 8 | bytes[n];
    return result;
}

/* A record with a part of its data, or the tables of the container. */
static size_t focus(const uint8_t *bytes, size_t size, unsigned dice, size_t *end)
{
    unsigned n = dice / 8 % 32, i;
    struct container_places places;
    size_t at = 0, found = size;

    *end = size;
    if (dice % 8 == 0 && container_find(bytes, size, &places)) {
        *end = places.end;
        return places.meta2;
    }
    for (i = 0; i <= n && (at = next_record(bytes, size, at)) < size; i++, at++)
        found = at;
    if (found == size)
        return 0;
    *end = size - found < 200 ? size : found + 200;
    return found;
}

static void put_crc(uint8_t *to, uint32_t crc)
{
    int i;

    for (i = 0; i < 4; i++)
        to[i] = (uint8_t)(crc >> 8 * i);
}

/* Headers, indexes, which are between their header and the trailer, and trailers. */
static void seal(uint8_t *bytes, size_t size)
{
    size_t at, length, data;
    uint32_t index = 0;

    for (at = 0; (at = next_record(bytes, size, at)) < size; at++) {
        int is_trailer =
            bytes[at + SCION_ARRAY_MAGIC - 1] != scion_array_magic[SCION_ARRAY_MAGIC - 1];

        length = is_trailer ? SCION_ARRAY_TRAILER : number(bytes + at + 12, 4);
        if (length < SCION_ARRAY_ALIGN || length > size - at)
            continue;
        if (is_trailer) {
            put_crc(bytes + at + 12, index);
            index = 0;
        }
        put_crc(bytes + at + length - 4, scion_crc32c(0, bytes + at, length - 4));
        data = number(bytes + at + 16, 8);
        if (!is_trailer && number(bytes + at + 10, 2) == SCION_ARRAY_INDEX &&
            data <= size - at - length)
            index = scion_crc32c(index, bytes + at + length, data);
    }
}

static void put_blocks(int sid, int is_coded)
{
    static const sion_int64 shape[] = {3, 4, 2}, from[] = {0, 0, 0}, block[] = {1, 4, 2};
    static const sion_int64 behind[] = {2, 0, 0}, line[] = {6}, three[] = {3};
    static const int types[] = {SION_I8, SION_U16, SION_F32, SION_C128};
    double data[64] = {1, -2, 3.5};
    char name[] = "a";
    int i, t, step;

    for (i = 0; i < 4; i++, name[0]++) {
        int ndims = i == 3 ? 0 : i % 2 ? 3 : 1;

        FUZZ_CHECK(sion_array_define(sid, name, types[i], ndims, ndims == 3 ? shape : line) == 1);
        FUZZ_CHECK(sion_array_set_attribute(sid, name, "_FillValue", "1") == 1);
        if (is_coded) /* no codec, or one of two, where there is libzstd */
            sion_array_codec(sid, name, i % 2 ? "zstd,shuffle" : i ? "zstd" : "none");
        for (step = 0; step < 3; step++) {
            t = (step + i) % 2;
            FUZZ_CHECK(sion_seek(sid, t, SION_CURRENT_BLK, SION_CURRENT_POS) == 1);
            FUZZ_CHECK(put_any(sid, name, 2 * step, t && ndims == 3 ? behind : from,
                               ndims == 3 ? block : three, data) == 1);
        }
    }
    FUZZ_CHECK(sion_array_set_attribute(sid, NULL, "title", "arrays") == 1);
}

/* Without indexes: of the trailers; without the first one: of all tasks. */
static void make_one(fuzz_take *take, int trailers, sion_int64 chunk, int is_coded)
{
    int n = 2, nfiles = 1, ranks[] = {0, 1}, *r = ranks, sid;
    sion_int64 sizes[2], *s = sizes;
    sion_int32 block = 512;
    char name[] = CONTAINER;
    static uint8_t copy[1 << 16];
    const uint8_t *bytes;
    size_t size, at;

    sizes[0] = sizes[1] = chunk;
    memory_begin();
    sid = sion_open(name, "bw,posix", &n, &nfiles, &s, &block, &r, NULL);
    FUZZ_CHECK(sid >= 0);
    put_blocks(sid, is_coded);
    FUZZ_CHECK(sion_close(sid) == 1);
    bytes = memory_get(CONTAINER, &size);
    FUZZ_CHECK(size < sizeof copy);
    memcpy(copy, bytes, size);
    memory_end();
    for (at = 0; (at = next_record(copy, size, at)) < size; at++) {
        if (copy[at + SCION_ARRAY_MAGIC - 1] != scion_array_magic[SCION_ARRAY_MAGIC - 1] &&
            trailers-- <= 0)
            memset(copy + at, 0, SCION_ARRAY_MAGIC);
    }
    take(copy, size);
}

static void make(fuzz_take *take)
{
    int is_coded;

    for (is_coded = 0; is_coded < 2; is_coded++) {
        make_one(take, 2, 4096, is_coded);
        make_one(take, 2, 512, is_coded);
        make_one(take, 0, 4096, is_coded);
    }
}

static const char *const samples[] = {"array/two_tasks.sion", "array/coded.sion", NULL};

const struct fuzz_target fuzz_target = {.run = run,
                                        .focus = focus,
                                        .seal = seal,
                                        .make = make,
                                        .samples = samples,
                                        .rounds = 400,
                                        .most = 16384};
