/*
 * What no writer writes: headers, trailers and indexes whose sums are right and whose numbers are
 * not. Each is refused, by readers and by the process that merges the indexes of the others. And
 * what happens to an index, wherever its memory ends.
 */
#include "array/codec.h"
#include "array/index.h"
#include "array/writer.h"
#include "sion_error.h"

#include "lack.h"
#include "support.h"

static const char long_key[SION_ARRAY_NAME + 1];

/* ---- headers ---- */

static struct scion_array_header good_block(void)
{
    return (struct scion_array_header){.kind = SCION_ARRAY_BLOCK,
                                       .type = SION_F64,
                                       .ndims = 2,
                                       .bytes = 48,
                                       .step = 3,
                                       .shape = {4, 5},
                                       .offset = {1, 2},
                                       .count = {2, 3},
                                       .name = "T",
                                       .name_length = 1};
}

static struct scion_array_header good_attribute(void)
{
    return (struct scion_array_header){
        .kind = SCION_ARRAY_ATTRIBUTE, .bytes = 4, .name = "T", .name_length = 1};
}

static struct scion_array_header good_index(void)
{
    return (struct scion_array_header){
        .kind = SCION_ARRAY_INDEX, .bytes = 100, .step = 64, .name = "T"};
}

/* Whether the header can be decoded, after a change of one byte, and with its right sum. */
static int is_read(const struct scion_array_header *header, size_t at, int change)
{
    unsigned char bytes[SCION_ARRAY_HEADER + 64];
    struct scion_array_header got;
    size_t size = scion_array_header_size(header->ndims, header->name_length);

    scion_array_header_encode(header, bytes);
    bytes[at] ^= (unsigned char)change;
    return scion_array_header_decode(bytes, sizeof bytes, &got) == size;
}

/* CHECK that the header is read as it is, and refused after the assignment. */
#define REFUSED(make, assignment)                                                                  \
    do {                                                                                           \
        struct scion_array_header header = make();                                                 \
                                                                                                   \
        CHECK(is_read(&header, 0, 0));                                                             \
        header.assignment;                                                                         \
        CHECK(!is_read(&header, 0, 0));                                                            \
    } while (0)

static void headers_of_impossible_records_are_refused(void)
{
    REFUSED(good_block, type = 0);
    REFUSED(good_block, type = SION_C128 + 1);
    REFUSED(good_block, step = -1);
    REFUSED(good_block, name_length = 0);
    REFUSED(good_block, name = "\n");
    REFUSED(good_block, name = "\xc3\xb6"); /* of which the name has one byte */
    REFUSED(good_block, shape[0] = -4);
    REFUSED(good_block, offset[1] = -1);
    REFUSED(good_block, count[0] = 0);
    REFUSED(good_block, count[0] = 5);
    REFUSED(good_block, offset[1] = 3);
    REFUSED(good_block, shape[0] = INT64_MAX);
    REFUSED(good_block, bytes = 47);
    REFUSED(good_block, bytes = -1);
    REFUSED(good_block, kind = SCION_ARRAY_INDEX + 1);
    REFUSED(good_attribute, type = SION_I8);
    REFUSED(good_attribute, ndims = 1);
    REFUSED(good_attribute, name = "\x7f");
    REFUSED(good_attribute, bytes = SION_ARRAY_NAME + 1 + SCION_ARRAY_VALUE + 1);
    REFUSED(good_index, step = -1);
    REFUSED(good_index, name_length = 1);
    REFUSED(good_index, kind = 0);
}

static void headers_with_a_wrong_byte_are_refused(void)
{
    struct scion_array_header header = good_block();
    size_t size = scion_array_header_size(header.ndims, header.name_length), i;
    unsigned char bytes[SCION_ARRAY_HEADER];

    for (i = 0; i < size; i++)
        CHECK(!is_read(&header, i, 1));
    CHECK(!is_read(&header, 33, 8)); /* 10 dimensions */
    CHECK(!is_read(&header, 35, 4)); /* a name of 1025 bytes */
    scion_array_header_encode(&header, bytes);
    CHECK_INT(scion_array_header_decode(bytes, SCION_ARRAY_FIXED, &header), size);
}

static void trailers_with_impossible_numbers_are_refused(void)
{
    const struct scion_array_trailer good = {0, 1, 7, 128, 100, 1, 5, 0, 0};
    struct scion_array_trailer trailers[] = {good, good, good, good, good, good, good}, got;
    unsigned char bytes[SCION_ARRAY_TRAILER];
    size_t i;
    int is_later;

    trailers[0].start = trailers[1].bytes = trailers[2].parts = trailers[3].blocks = -1;
    trailers[4].before = 63;  /* no trailer ends there */
    trailers[5].before = 129; /* behind the index */
    trailers[6].generation = 63;
    scion_array_trailer_encode(&good, bytes);
    CHECK(scion_array_trailer_decode(bytes, &got, &is_later) && got.blocks == 5 &&
          got.before == 0 && !got.has_codings);
    for (i = 0; i < sizeof trailers / sizeof trailers[0]; i++) {
        scion_array_trailer_encode(&trailers[i], bytes);
        CHECK(!scion_array_trailer_decode(bytes, &got, &is_later) && !is_later);
    }
}

/* ---- indexes ---- */

/* The bytes of an index, part by part. */
struct part {
    enum { END, NUMBER, RAW } kind;
    uint64_t number; /* or the length of raw */
    const char *raw;
};

#define N(number)                                                                                  \
    {                                                                                              \
        NUMBER, (number), NULL                                                                     \
    }
#define R(string)                                                                                  \
    {                                                                                              \
        RAW, sizeof(string) - 1, (string)                                                          \
    }
#define ZIGZAG(number) ((uint64_t)(number) << 1 ^ ((number) < 0 ? UINT64_MAX : 0))
#define S(number)                                                                                  \
    {                                                                                              \
        NUMBER, ZIGZAG((sion_int64)(number)), NULL                                                 \
    }
#define BLOCK(array)      N((array) << 2 | 2) /* of which no range is stored */
#define SAME_BOX(array)   N((array) << 2 | 3)
#define WITH_RANGE(array) N((array) << 2)

/* Three arrays: T of 4 x 3 f64, N of one i32, C of 2 c64. */
#define T      R("\1T\12\2\4\3")
#define ARRAYS N(3), T, R("\1N\5\0"), R("\1C\13\1\2")
#define CODED  N(2), T, R("\1\10"), R("\1N\5\0"), R("\0\0")
#define TEXTS  N(0)

static void build(const struct part *parts, size_t n, struct scion_array_bytes *bytes)
{
    static const unsigned char zeros[8];
    size_t i;

    for (i = 0; i < n; i++) {
        if (parts[i].kind == NUMBER)
            CHECK_INT(scion_array_put_number(bytes, parts[i].number), 0);
        else
            CHECK_INT(scion_array_put_raw(bytes, parts[i].raw, (size_t)parts[i].number), 0);
    }
    CHECK_INT(scion_array_put_raw(bytes, zeros, sizeof zeros), 0);
    bytes->length -= sizeof zeros;
}

static sion_int64 thousand(void *data, int task)
{
    (void)data, (void)task;
    return 1000;
}

/* The nth allocation fails; 0: none. */
static int decode(const struct scion_array_bytes *bytes, int has_codings, long n)
{
    const struct scion_array_trailer trailer = {.is_whole = 1, .has_codings = has_codings};
    struct scion_array_index *index;
    int rc = SION_ERR_MEMORY;

    lack_in = n;
    index = scion_array_index_new(2);
    if (index)
        rc =
            scion_array_index_decode(index, bytes->at, bytes->length, -1, &trailer, thousand, NULL);
    if (rc == 0)
        rc = scion_array_index_finish(index);
    lack_in = 0;
    scion_array_index_free(index);
    return rc;
}

/* After the index of a process that has the same arrays in another order. */
static int merge(const struct scion_array_bytes *bytes, int has_codings, long n)
{
    static const struct part parts[] = {N(3), R("\1N\5\0"), T, R("\1C\13\1\2"), N(0), N(0)};
    struct scion_array_bytes first = {0}, merged = {0};
    struct scion_array_merge *merge = NULL;
    uint64_t blocks;
    int rc, are_coded;

    build(parts, sizeof parts / sizeof *parts, &first);
    lack_in = n;
    rc = scion_array_merge_begin(&merge);
    if (rc == 0)
        rc = scion_array_merge_add(merge, 0, 0, first.at, first.length);
    if (rc == 0)
        rc = scion_array_merge_add(merge, 1, has_codings, bytes->at, bytes->length);
    if (rc == 0)
        rc = scion_array_merge_end(merge, &merged, &blocks, &are_coded);
    lack_in = 0;
    scion_array_merge_free(merge);
    scion_array_bytes_free(&merged);
    scion_array_bytes_free(&first);
    return rc;
}

enum { PARTS = 28 };

/* The merge sees what keeps it from finding the next number; readers see everything. */
static const struct sample {
    const char *what;
    int fails, fails_merge;
    int has_codings;
    struct part parts[PARTS];
} samples[] = {
    {"nothing", 0, 1, 0, {N(0), N(0), N(0)}},
    {"an array less", 0, 1, 0, {N(2), T, R("\1N\5\0"), TEXTS, N(0)}},
    {"an array more",
     0,
     1,
     0,
     {N(4), T, R("\1N\5\0"), R("\1C\13\1\2"), R("\1D\13\1\2"), TEXTS, N(0)}},
    {"two blocks",
     0,
     0,
     0,
     {ARRAYS, TEXTS, N(1), N(1), N(0), N(2), N(12), BLOCK(0), S(4), S(128), S(1), S(1), S(1), S(1),
      SAME_BOX(0), S(0), S(64)}},
    {"no byte", 1, 1, 0, {R("")}},
    {"a number without an end", 1, 1, 0, {R("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")}},
    {"a number that is cut", 1, 1, 0, {R("\xff")}},
    {"more arrays than bytes", 1, 1, 0, {N(100), T}},
    {"a name that is cut", 1, 1, 0, {N(1), R("\5T\12")}},
    {"a name without a type", 1, 1, 0, {N(1), R("\1T\12")}},
    {"no type 0", 1, 1, 0, {N(1), R("\1T\0\2\4\3"), TEXTS, N(0)}},
    {"no type 13", 1, 1, 0, {N(1), R("\1T\15\2\4\3"), TEXTS, N(0)}},
    {"9 dimensions", 1, 1, 0, {N(1), R("\1T\12\11\1\1\1\1\1\1\1\1\1"), TEXTS, N(0)}},
    {"no name", 1, 1, 0, {N(1), R("\0\12\0"), TEXTS, N(0)}},
    {"a name with a line feed", 1, 1, 0, {N(1), R("\1\n\12\0"), TEXTS, N(0)}},
    {"half a letter", 1, 1, 0, {N(1), R("\1\xc3\12\0"), TEXTS, N(0)}},
    {"an extent of 2^63", 1, 1, 0, {N(1), R("\1T\1\1"), N(UINT64_C(1) << 63), TEXTS, N(0)}},
    {"too many elements", 1, 1, 0, {N(1), R("\1T\1\2"), N(UINT64_C(1) << 62), N(2), TEXTS, N(0)}},
    {"a shape that is cut", 1, 1, 0, {N(1), R("\1T\12\2\4")}},
    {"no texts", 1, 1, 0, {ARRAYS}},
    {"no blocks", 1, 1, 0, {ARRAYS, TEXTS}},
    {"other type", 0, 1, 0, {N(1), R("\1T\11\2\4\3"), TEXTS, N(0)}},
    {"the same array twice", 0, 1, 0, {N(3), T, T, R("\1N\5\0"), TEXTS, N(0)}},
    {"an array of two types", 1, 1, 0, {N(2), T, R("\1T\11\2\4\3"), TEXTS, N(0)}},
    {"an array of two shapes", 1, 1, 0, {N(2), T, R("\1T\12\2\4\4"), TEXTS, N(0)}},
    {"an array of other dimensions", 1, 1, 0, {N(2), T, R("\1T\12\1\4"), TEXTS, N(0)}},
    {"a text", 0, 0, 0, {ARRAYS, N(1), R("\1\1k\1v"), N(0)}},
    {"a text twice", 0, 0, 0, {ARRAYS, N(2), R("\1\1k\1v"), R("\1\1k\1v"), N(0)}},
    {"two values", 0, 1, 0, {ARRAYS, N(2), R("\1\1k\1v"), R("\1\1k\1w"), N(0)}},
    {"values of two lengths", 0, 1, 0, {ARRAYS, N(2), R("\0\1k\1v"), R("\0\1k\2vv"), N(0)}},
    {"a text of no array", 1, 1, 0, {ARRAYS, N(1), R("\4\1k\1v"), N(0)}},
    {"a text without a key", 1, 1, 0, {ARRAYS, N(1), R("\1\0\1v"), N(0)}},
    {"a text with a bad key", 1, 1, 0, {ARRAYS, N(1), R("\1\1\t\1v"), N(0)}},
    {"a text that is cut", 1, 1, 0, {ARRAYS, N(1), R("\1\1k\2v")}},
    {"more texts than bytes", 1, 1, 0, {ARRAYS, N(2), R("\1\1k\1v")}},
    {"a long value",
     1,
     1,
     0,
     {ARRAYS,
      N(1),
      R("\1\1k"),
      N(SCION_ARRAY_VALUE + 1),
      {RAW, SCION_ARRAY_VALUE + 1, NULL},
      N(0)}},
    {"a long key",
     1,
     1,
     0,
     {ARRAYS, N(1), R("\1"), N(sizeof long_key), {RAW, sizeof long_key, long_key}, N(0), N(0)}},
    {"a section that is cut", 1, 1, 0, {ARRAYS, TEXTS, N(1), N(1), N(0), N(1)}},
    {"a section longer than the index",
     1,
     1,
     0,
     {ARRAYS, TEXTS, N(1), N(1), N(0), N(1), N(100), BLOCK(1), S(0), S(0)}},
    {"more blocks than bytes",
     1,
     1,
     0,
     {ARRAYS, TEXTS, N(1), N(1), N(0), N(4), N(3), BLOCK(1), S(0), S(0)}},
    {"no such task", 1, 0, 0, {ARRAYS, TEXTS, N(1), N(2), N(0), N(1), N(3), BLOCK(1), S(0), S(0)}},
    {"bytes after the blocks",
     1,
     0,
     0,
     {ARRAYS, TEXTS, N(1), N(1), N(0), N(1), N(4), BLOCK(1), S(0), S(0), N(0)}},
    {"no such array", 1, 1, 0, {ARRAYS, TEXTS, N(1), N(1), N(0), N(1), N(3), BLOCK(3), S(0), S(0)}},
    {"a step before 0",
     1,
     0,
     0,
     {ARRAYS, TEXTS, N(1), N(1), N(0), N(1), N(3), BLOCK(1), S(-1), S(0)}},
    {"a position before 0",
     1,
     0,
     0,
     {ARRAYS, TEXTS, N(1), N(1), N(0), N(1), N(3), BLOCK(1), S(0), S(-2)}},
    {"a position beyond the stream",
     1,
     0,
     0,
     {ARRAYS, TEXTS, N(1), N(1), N(0), N(1), N(4), BLOCK(1), S(0), S(997)}},
    {"a position near 2^63",
     1,
     0,
     0,
     {ARRAYS, TEXTS, N(1), N(1), N(0), N(1), N(12), BLOCK(1), S(0), S(INT64_MAX)}},
    {"a step that overflows",
     1,
     0,
     0,
     {ARRAYS, TEXTS, N(1), N(1), N(0), N(2), N(15), BLOCK(1), S(1), S(0), BLOCK(1), S(INT64_MAX),
      S(0)}},
    {"a block without elements",
     0,
     0,
     0,
     {ARRAYS, TEXTS, N(1), N(1), N(0), N(1), N(7), BLOCK(0), S(0), S(0), S(0), S(1), S(0), S(0)}},
    {"more rows than the shape",
     1,
     0,
     0,
     {ARRAYS, TEXTS, N(1), N(1), N(0), N(1), N(7), BLOCK(0), S(0), S(0), S(0), S(5), S(0), S(1)}},
    {"rows behind the shape",
     1,
     0,
     0,
     {ARRAYS, TEXTS, N(1), N(1), N(0), N(1), N(7), BLOCK(0), S(0), S(0), S(3), S(2), S(0), S(1)}},
    {"an offset before 0",
     1,
     0,
     0,
     {ARRAYS, TEXTS, N(1), N(1), N(0), N(1), N(7), BLOCK(0), S(0), S(0), S(-1), S(2), S(0), S(1)}},
    {"the box of no block before",
     1,
     0,
     0,
     {ARRAYS, TEXTS, N(1), N(1), N(0), N(1), N(3), SAME_BOX(0), S(0), S(0)}},
    {"a block that is cut",
     1,
     1,
     0,
     {ARRAYS, TEXTS, N(1), N(1), N(0), N(1), N(2), BLOCK(1), R("\xff")}},
    {"a range",
     0,
     0,
     0,
     {ARRAYS, TEXTS, N(1), N(1), N(0), N(1), N(11), WITH_RANGE(1), S(0), S(0),
      R("\1\0\0\0\2\0\0\0")}},
    {"a range that is cut",
     1,
     1,
     0,
     {ARRAYS, TEXTS, N(1), N(1), N(0), N(1), N(10), WITH_RANGE(1), S(0), S(0),
      R("\1\0\0\0\2\0\0")}},
    {"a range of two-part numbers",
     1,
     0,
     0,
     {ARRAYS, TEXTS, N(1), N(1), N(0), N(1), N(13), WITH_RANGE(2), S(0), S(0), S(0), S(1),
      R("\1\0\0\0\2\0\0\0")}},
    {"fewer sections than said",
     1,
     1,
     0,
     {ARRAYS, TEXTS, N(2), N(1), N(0), N(1), N(3), BLOCK(1), S(0), S(0)}},
    /* of version 2: T is compressed, N is not */
    {"codings", 0, 1, 1, {CODED, TEXTS, N(0)}},
    {"codings that are not said", 1, 1, 0, {CODED, TEXTS, N(0)}},
    {"a codec that is cut", 1, 1, 1, {N(1), T, R("\1")}},
    {"no codec 3", 1, 1, 1, {N(1), T, R("\3\0"), TEXTS, N(0)}},
    {"a shuffle of plain bytes", 1, 1, 1, {N(1), T, R("\0\10"), TEXTS, N(0)}},
    {"a shuffle of other elements", 1, 1, 1, {N(1), T, R("\1\4"), TEXTS, N(0)}},
    {"a compressed block and a plain one", 0, 1, 1, {CODED,       TEXTS, N(1),     N(1), N(0),
                                                     N(3),        N(15), BLOCK(0), S(0), S(0),
                                                     N(30),       S(0),  S(4),     S(0), S(3),
                                                     SAME_BOX(0), S(0),  S(0),     N(0), BLOCK(1),
                                                     S(0),        S(0)}},
    {"a compressed block beyond the stream",
     1,
     1,
     1,
     {CODED, TEXTS, N(1), N(1), N(0), N(1), N(9), BLOCK(0), S(0), S(0), N(1001), S(0), S(4), S(0),
      S(3)}},
    {"a stored size near 2^64",
     1,
     1,
     1,
     {CODED, TEXTS, N(1), N(1), N(0), N(1), N(17), BLOCK(0), S(0), S(0), N(UINT64_MAX), S(0), S(4),
      S(0), S(3)}},
    {"a compressed block of no elements",
     1,
     1,
     1,
     {CODED, TEXTS, N(1), N(1), N(0), N(1), N(8), BLOCK(0), S(0), S(0), N(30), S(0), S(0), S(0),
      S(3)}},
    {"more elements than 100 bytes can hold",
     1,
     1,
     1,
     {N(1), R("\1B\1\1"), N(25 << 17 | 1), R("\1\0"), TEXTS, N(1), N(1), N(0), N(1), N(9), BLOCK(0),
      S(0), S(0), N(100), S(0), S(25 << 17 | 1)}},
    {"as many elements as 100 bytes can hold",
     0,
     1,
     1,
     {N(1), R("\1B\1\1"), N(25 << 17), R("\1\0"), TEXTS, N(1), N(1), N(0), N(1), N(9), BLOCK(0),
      S(0), S(0), N(100), S(0), S(25 << 17)}},
};

/* Long raw bytes are all the same. */
static void build_sample(const struct sample *sample, struct scion_array_bytes *bytes)
{
    static char many[SCION_ARRAY_VALUE + 1];
    struct part parts[PARTS];
    size_t n;

    memset(many, 'v', sizeof many);
    memcpy(parts, sample->parts, sizeof parts);
    for (n = 0; n < PARTS && parts[n].kind != END; n++) {
        if (parts[n].kind == RAW && !parts[n].raw)
            parts[n].raw = many;
    }
    build(parts, n, bytes);
}

static void indexes_with_impossible_numbers_are_refused(void)
{
    size_t i;

    for (i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct scion_array_bytes bytes = {0};
        int here = check_failed_here;

        build_sample(&samples[i], &bytes);
        CHECK_INT(decode(&bytes, samples[i].has_codings, 0) != 0, samples[i].fails);
        CHECK_INT(merge(&bytes, samples[i].has_codings, 0) != 0, samples[i].fails_merge);
        if (check_failed_here > here)
            printf("# %s\n", samples[i].what);
        scion_array_bytes_free(&bytes);
    }
}

/* ---- no memory ---- */

/* Try each sample that is right, with the nth allocation failing, for every n. */
static void without_memory_no_index_is_read_or_merged(void)
{
    size_t i;
    long n;

    for (i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct scion_array_bytes bytes = {0};
        int rc = SION_ERR_MEMORY;

        build_sample(&samples[i], &bytes);
        for (n = 1; !samples[i].fails && rc != 0 && n < 100; n++) {
            rc = decode(&bytes, samples[i].has_codings, n);
            CHECK(rc == 0 || rc == SION_ERR_MEMORY);
        }
        CHECK(samples[i].fails || n > 3);
        rc = SION_ERR_MEMORY;
        for (n = 1; !samples[i].fails_merge && rc != 0 && n < 100; n++) {
            rc = merge(&bytes, samples[i].has_codings, n);
            CHECK(rc == 0 || rc == SION_ERR_MEMORY);
        }
        CHECK(samples[i].fails_merge || n > 3);
        CHECK(n < 100);
        scion_array_bytes_free(&bytes);
    }
}

/* Call a function that appends to bytes, with room for `room` of them and no memory for more. */
#define WITH_ROOM(room, call)                                                                      \
    __extension__({                                                                                \
        struct scion_array_bytes bytes = {malloc((room) + 1), 0, (room)};                          \
        int call_rc;                                                                               \
                                                                                                   \
        lack_in = 1;                                                                               \
        call_rc = call;                                                                            \
        lack_in = 0;                                                                               \
        CHECK(call_rc == 0 ? bytes.length <= (room) : call_rc == SION_ERR_MEMORY);                 \
        scion_array_bytes_free(&bytes);                                                            \
        call_rc;                                                                                   \
    })

/* The call succeeds exactly if there is room for all of its bytes. */
#define FAILS_BELOW(all, call)                                                                     \
    do {                                                                                           \
        size_t room;                                                                               \
                                                                                                   \
        for (room = 0; room <= (all); room++)                                                      \
            CHECK_INT(WITH_ROOM(room, call) == 0, room == (all));                                  \
    } while (0)

static int put_block(struct scion_array_bytes *bytes)
{
    static const struct scion_array_definition definition = {"T", 1, SION_F64, 2, {4, 3}, {0, 0}};
    sion_int64 offset[] = {1, 2}, count[] = {3, 1};
    struct scion_array_entry entry = {
        .has_range = 1, .step = 4, .position = 128, .offset = offset, .count = count};
    struct scion_array_before before = {0};

    return scion_array_put_entry(bytes, &entry, &definition, NULL, NULL, &before);
}

static void whatever_is_added_fails_without_room(void)
{
    static const struct scion_array_definition definition = {
        "name", 4, SION_F64, 3, {4, 300, 2}, {SCION_ARRAY_ZSTD, 8}};
    static const struct scion_array_text_of text = {3, "key", "value", 3, 5};
    static const struct scion_array_section section = {300, 0, 1, 1000};

    FAILS_BELOW(11u, scion_array_put_definition(&bytes, 0, &definition));
    FAILS_BELOW(13u, scion_array_put_definition(&bytes, 1, &definition));
    FAILS_BELOW(11u, scion_array_put_attribute(&bytes, &text));
    FAILS_BELOW(6u, scion_array_put_section(&bytes, &section));
    FAILS_BELOW(24u, put_block(&bytes));
}

static void a_merged_index_without_room_is_none(void)
{
    static const struct part parts[] = {N(3), R("\1N\5\0"),  T,   R("\1C\13\1\2"),
                                        N(1), R("\1\1k\1v"), N(0)};
    struct scion_array_bytes one = {0}, whole = {0};
    struct scion_array_merge *merge = NULL;
    uint64_t blocks;
    int are_coded;

    build(parts, sizeof parts / sizeof *parts, &one);
    CHECK_INT(scion_array_merge_begin(&merge), 0);
    CHECK_INT(scion_array_merge_add(merge, 0, 0, one.at, one.length), 0);
    CHECK_INT(scion_array_merge_end(merge, &whole, &blocks, &are_coded), 0);
    CHECK(whole.length > 20);
    FAILS_BELOW(whole.length, scion_array_merge_end(merge, &bytes, &blocks, &are_coded));
    scion_array_merge_free(merge);
    scion_array_bytes_free(&whole);
    scion_array_bytes_free(&one);
}

int main(void)
{
    support_catch();
    RUN(headers_of_impossible_records_are_refused);
    RUN(headers_with_a_wrong_byte_are_refused);
    RUN(trailers_with_impossible_numbers_are_refused);
    RUN(indexes_with_impossible_numbers_are_refused);
    RUN(without_memory_no_index_is_read_or_merged);
    RUN(whatever_is_added_fails_without_room);
    RUN(a_merged_index_without_room_is_none);
    return check_done();
}
