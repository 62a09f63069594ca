/*
 * Compressed arrays: the words of sion_array_codec, what is stored, what a read costs, and what a
 * damaged or hostile file gives. That all that is put is read again, property.c and those of the
 * interfaces see.
 */
#include "model.h"

#include <math.h>

#include "array/codec.h"
#include "array/pack.h"
#include "base/crc32c.h"
#include "base/zfp.h"
#include "base/zstd.h"
#include "sion_common.h"
#include "sion_serial.h"
#include "support.h"

#define NAME "codec.sion"

enum { ROWS = 200, COLUMNS = 300, ELEMENTS = ROWS * COLUMNS };

static const sion_int64 shape[] = {ROWS, COLUMNS}, from[] = {0, 0};

static int open_one(const char *mode, sion_int64 chunk)
{
    sion_int64 sizes[] = {chunk}, *chunksizes = sizes;
    int ranks[] = {0}, *globalranks = ranks, ntasks = 1, nfiles = 1;
    sion_int32 fsblksize = chunk < 512 ? 128 : 512;

    return sion_open(NAME, mode, &ntasks, &nfiles, &chunksizes, &fsblksize, &globalranks, NULL);
}

static void smooth(double *field)
{
    int i;

    for (i = 0; i < ELEMENTS; i++)
        field[i] = 300.0 + (double)(i % COLUMNS) * 0.37 + (double)(i / COLUMNS) * 0.011;
}

static void noise(double *field)
{
    int i;

    for (i = 0; i < 2 * ELEMENTS; i++)
        ((uint32_t *)field)[i] = (uint32_t)(check_random() >> 7) & 0x7fe7ffff;
}

/* Write T at step 0, as two blocks of rows if in_two. */
static void write_field(const char *codec, const double *field, sion_int64 chunk, int in_two)
{
    const sion_int64 count[] = {in_two ? ROWS / 2 : ROWS, COLUMNS}, second[] = {ROWS / 2, 0};
    int sid = open_one("bw", chunk);

    CHECK_INT(sion_array_define(sid, "T", SION_F64, 2, shape), 1);
    CHECK_INT(sion_array_codec(sid, "T", codec), 1);
    CHECK_INT(put_any(sid, "T", 0, from, count, field), 1);
    if (in_two)
        CHECK_INT(put_any(sid, "T", 0, second, count, field + ELEMENTS / 2), 1);
    CHECK_INT(sion_close(sid), 1);
}

static struct sion_array_info info_of(const char *name)
{
    sion_array_reader *arrays = sion_array_reader_open(NAME);
    struct sion_array_info info = {.size = sizeof info};

    CHECK_INT(sion_array_reader_info(arrays, name, &info), 1);
    sion_array_reader_close(arrays);
    return info;
}

static double first[ELEMENTS], read_back[ELEMENTS];

static void wrong_words_are_refused(void)
{
    static const char *const wrong[] = {
        "",      "zip",           "zstd:",     "zstd:23", "zstd:x",       "zstd:3x",
        "zstd,", "zstd,shuffl",   "zstd:-101", "shuffle", "zstd shuffle", "none,shuffle",
        "ZSTD",  "zstd,shuffle,", "zstd:3:4"};
    size_t i;
    int sid = open_one("bw", 4096);

    support_catch();
    CHECK_INT(sion_array_codec(sid, "T", "zstd"), 0);
    CHECK_CONTAINS(support_message, "array T is not defined");
    CHECK_INT(sion_array_define(sid, "T", SION_F64, 2, shape), 1);
    for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_INT(sion_array_codec(sid, "T", wrong[i]), 0);
        CHECK_CONTAINS(support_message, "it takes zstd or zstd:LEVEL");
    }
    CHECK_INT(sion_array_codec(sid, "T", NULL), 0);
    CHECK_INT(sion_array_codec(sid, NULL, "zstd"), 0);
    CHECK_INT(sion_array_codec(-7, "T", "zstd"), 0);
    CHECK_INT(sion_array_codec(sid, "T", "none"), 1);
    CHECK_INT(sion_close(sid), 1);
}

static void a_codec_is_chosen_before_the_first_block(void)
{
    static const sion_int64 one[] = {1, 1};
    int sid = open_one("bw", 4096);

    CHECK_INT(sion_array_define(sid, "T", SION_F64, 2, shape), 1);
    CHECK_INT(sion_array_codec(sid, "T", "zstd"), 1);
    CHECK_INT(sion_array_codec(sid, "T", "zstd:-5,shuffle"), 1);
    CHECK_INT(put_any(sid, "T", 0, from, one, first), 1);
    CHECK_INT(sion_array_codec(sid, "T", "none"), 0);
    CHECK_CONTAINS(support_message, "array T has blocks already");
    CHECK_INT(sion_close(sid), 1);
    CHECK_STR(info_of("T").codec, "zstd,shuffle");
}

static void a_smooth_field_shrinks_and_noise_does_not_grow(void)
{
    struct sion_array_info info;
    sion_int64 unshuffled;

    smooth(first);
    write_field("zstd", first, 1 << 20, 0);
    info = info_of("T");
    unshuffled = info.stored;
    CHECK_STR(info.codec, "zstd");
    CHECK_INT(info.bytes, (sion_int64)sizeof first);
    CHECK(info.stored < info.bytes);
    CHECK(info.has_range && info.low.f == 300.0);
    write_field("zstd:3,shuffle", first, 1 << 20, 0);
    info = info_of("T");
    CHECK(info.stored < unshuffled * 2 / 3);
    noise(first);
    write_field("zstd:3,shuffle", first, 1 << 20, 0);
    info = info_of("T");
    CHECK(info.stored < info.bytes + info.bytes / 1000 + 64);
}

/* How many bytes of the streams a read takes, after the index was confirmed. */
static void check_part(sion_array_reader *arrays, const sion_int64 *offset, const sion_int64 *count)
{
    sion_int64 i, j;

    memset(read_back, 0xa5, sizeof read_back);
    CHECK_INT(get_any(arrays, "T", 0, offset, count, read_back), 1);
    for (i = 0; i < count[0]; i++)
        for (j = 0; j < count[1]; j++)
            CHECK(read_back[i * count[1] + j] == first[(offset[0] + i) * COLUMNS + offset[1] + j]);
}

/* The stored bytes of the other block are destroyed, so that a read of them would fail. */
static void a_read_needs_the_blocks_of_its_part_only(void)
{
    struct sion_array_block blocks[2] = {{.size = sizeof *blocks}};
    const sion_int64 row[] = {1, COLUMNS}, column[] = {ROWS / 2, 1}, half[] = {ROWS / 2, COLUMNS};
    sion_array_reader *arrays;
    unsigned char *bytes;
    size_t size;

    smooth(first);
    write_field("zstd,shuffle", first, 1 << 20, 1);
    arrays = sion_array_reader_open(NAME);
    CHECK_INT(sion_array_reader_blocks(arrays, "T", 0, 0, 2, blocks), 2);
    CHECK_INT(blocks[0].position, -1);
    CHECK(blocks[0].stored_position > 0 && blocks[0].stored < blocks[0].bytes);
    CHECK_STR(blocks[1].codec, "zstd,shuffle");
    bytes = model_read_file(NAME, &size);
    memset(bytes + blocks[1].stored_position + 12, 0, (size_t)blocks[1].stored - 12);
    model_write_file(NAME, bytes, size);
    free(bytes);
    check_part(arrays, from, half);
    check_part(arrays, (const sion_int64[]){7, 0}, row);
    check_part(arrays, (const sion_int64[]){0, 111}, column);
    check_part(arrays, (const sion_int64[]){99, 299}, (const sion_int64[]){1, 1});
    support_catch();
    CHECK_INT(get_any(arrays, "T", 0, (const sion_int64[]){ROWS / 2, 0}, row, read_back), 0);
    CHECK_CONTAINS(support_message, NAME ": array T: the compressed block of task 0 at byte");
    CHECK_INT(get_any(arrays, "T", 0, from, shape, read_back), 0);
    check_part(arrays, from, half);
    sion_array_reader_close(arrays);
}

/* Chunks of 2 KB: the block is cut. Then one element is too much. */
static void a_block_that_no_chunk_has_room_for_is_cut(void)
{
    sion_array_reader *arrays;
    int sid;

    noise(first);
    write_field("zstd:1,shuffle", first, 2048, 0);
    CHECK(info_of("T").blocks > (sion_int64)sizeof first / 2048);
    arrays = sion_array_reader_open(NAME);
    check_part(arrays, from, shape);
    check_part(arrays, (const sion_int64[]){3, 5}, (const sion_int64[]){50, 60});
    sion_array_reader_close(arrays);
    sid = open_one("bw", 128);
    support_catch();
    CHECK_INT(sion_array_define(sid, "T", SION_F64, 2, shape), 1);
    CHECK_INT(sion_array_codec(sid, "T", "zstd"), 1);
    CHECK_INT(put_any(sid, "T", 0, from, shape, first), 0);
    CHECK_CONTAINS(support_message, "no room for one element and its header");
    CHECK_INT(sion_close(sid), 1);
}

/* A session without a codec, one with, and one that publishes: each index says what it has. */
static void sessions_may_have_other_codecs(void)
{
    static const char *const codecs[] = {"none", "zstd", "zstd,shuffle"};
    sion_array_reader *arrays;
    int sid, s;

    smooth(first);
    for (s = 0; s < 3; s++) {
        sid = open_one(s == 0 ? "bw" : "ba", 1 << 20);
        CHECK_INT(sion_array_define(sid, "T", SION_F64, 2, shape), 1);
        CHECK_INT(sion_array_codec(sid, "T", codecs[s]), 1);
        CHECK_INT(put_any(sid, "T", 2 * s, from, shape, first), 1);
        if (s == 2) {
            CHECK_INT(sion_publish(sid), 1);
            CHECK_INT(put_any(sid, "T", 5, from, shape, first), 1);
        }
        CHECK_INT(sion_close(sid), 1);
    }
    arrays = sion_array_reader_open(NAME);
    CHECK(arrays && arrays->source == SCION_ARRAY_FROM_WHOLE);
    for (s = 0; s < 6; s++) {
        if (s == 1 || s == 3)
            continue;
        CHECK_INT(get_any(arrays, "T", s, from, shape, read_back), 1);
        CHECK(memcmp(read_back, first, sizeof first) == 0);
    }
    sion_array_reader_close(arrays);
    CHECK_STR(info_of("T").codec, "mixed");
}

/* Bytes of blocks with a CRC: that is of what is stored, and a read with a wrong one fails. */
static void the_crc_is_of_the_stored_bytes(void)
{
    sion_array_reader *arrays;
    struct scion_array_header header = {0};
    unsigned char *bytes;
    size_t size, at, head;
    int has_crc;

    smooth(first);
    setenv("SION_ARRAY_CRC", "1", 1);
    write_field("zstd", first, 1 << 20, 0);
    unsetenv("SION_ARRAY_CRC");
    bytes = model_read_file(NAME, &size);
    at = (size_t)((unsigned char *)memmem(bytes, size, scion_array_magic, 8) - bytes);
    head = scion_array_header_decode(bytes + at, size - at, &header);
    CHECK(head > 0 && header.coding.codec == SCION_ARRAY_ZSTD && header.coding.shuffle == 0);
    CHECK_INT(bytes[at + 8], 2);
    CHECK(scion_crc32c(0, bytes + at + head, (size_t)header.bytes) == header.crc);
    arrays = sion_array_reader_open(NAME);
    CHECK_INT(scion_array_read_block(arrays, arrays->index->blocks, read_back, &has_crc), 0);
    CHECK(has_crc && memcmp(read_back, first, sizeof first) == 0);
    bytes[at + head + (size_t)header.bytes - 1] ^= 1;
    model_write_file(NAME, bytes, size);
    CHECK(scion_array_read_block(arrays, arrays->index->blocks, read_back, &has_crc) != 0);
    CHECK_CONTAINS(sion_error_text(), "do not fit their CRC");
    sion_array_reader_close(arrays);
    free(bytes);
}

/* ---- hostile files ---- */

static void put_number(unsigned char *to, size_t n, uint64_t number)
{
    for (; n > 0; n--, number >>= 8)
        *to++ = (unsigned char)number;
}

/* Without indexes, the header says how much a block has: here much more than its frame holds, and
   then more than bytes can hold at all. */
static void a_header_that_says_too_much_takes_no_memory(void)
{
    const sion_int64 wide[] = {(sion_int64)1 << 40}, start[] = {0}, count[] = {1000};
    struct scion_array_header header = {0};
    int sid = open_one("bw", 1 << 20), most;
    unsigned char *bytes, data[1000] = {0};
    sion_array_reader *arrays;
    size_t size, at;

    CHECK_INT(sion_array_define(sid, "B", SION_U8, 1, wide), 1);
    CHECK_INT(sion_array_codec(sid, "B", "zstd"), 1);
    CHECK_INT(put_any(sid, "B", 0, start, count, data), 1);
    CHECK_INT(sion_close(sid), 1);
    CHECK(model_break_trailers(NAME) > 0);
    bytes = model_read_file(NAME, &size);
    at = (size_t)((unsigned char *)memmem(bytes, size, scion_array_magic, 8) - bytes);
    CHECK(scion_array_header_decode(bytes + at, size - at, &header) > 0);
    header.name = "B"; /* the encoder clears what it points to */
    for (most = 1; most >= 0; most--) {
        header.count[0] = (header.bytes / 4 << 17) + !most;
        scion_array_header_encode(&header, bytes + at);
        model_write_file(NAME, bytes, size);
        support_catch();
        arrays = sion_array_reader_open(NAME);
        CHECK_INT(sion_array_reader_count(arrays), most);
        if (most) {
            CHECK_INT(get_any(arrays, "B", 0, start, count, data), 0);
            CHECK_CONTAINS(support_message, "they hold fewer bytes than they should");
        }
        sion_array_reader_close(arrays);
    }
    free(bytes);
}

/* A frame that holds more than the header says: nothing is written behind the memory. */
static void a_frame_that_holds_more_is_refused(void)
{
    static unsigned char plain[1 << 20];
    struct scion_array_packing packing;
    struct scion_array_definition definition = {.name = "B", .type = SION_U8, .ndims = 1};
    struct scion_array_packer *packer = scion_array_packer_new();
    struct scion_array_unpacker *unpacker = scion_array_unpacker_new();
    const sion_int64 count[] = {sizeof plain};
    const struct scion_array_pack_block block = {SION_U8, 1, count, plain, sizeof plain};
    const unsigned char *packed;
    const char *why;
    size_t stored, less;

    CHECK_INT(scion_array_find_packing("zstd:19", &definition, &packing), 0);
    CHECK_INT(scion_array_pack(packer, &packing, &block, &packed, &stored), 0);
    memcpy(scion_array_unpacker_room(unpacker, stored), packed, stored);
    CHECK(scion_array_may_hold(SCION_ARRAY_ZSTD, (sion_int64)stored, sizeof plain));
    for (less = 0; less < sizeof plain; less = 3 * less + 1) {
        unsigned char *to = malloc(sizeof plain - less);
        const struct scion_array_pack_block wanted = {SION_U8, 1, count, NULL, sizeof plain - less};
        int rc = scion_array_unpack(unpacker, &packing.coding, stored, &wanted, to, &why);

        CHECK(less == 0 ? rc == 0 && !why : rc == SION_ERR_DAMAGED && why);
        free(to);
    }
    scion_array_packer_free(packer);
    scion_array_unpacker_free(unpacker);
}

/* The trailer of a later version. */
static void an_index_of_a_later_version_is_refused(void)
{
    unsigned char *bytes, *at;
    size_t size;

    smooth(first);
    write_field("zstd", first, 1 << 20, 0);
    bytes = model_read_file(NAME, &size);
    at = memmem(bytes, size, "\x89SIONARE", 8);
    CHECK_INT(at[8], 2);
    put_number(at + 8, 2, 3);
    put_number(at + SCION_ARRAY_TRAILER - 4, 4, scion_crc32c(0, at, SCION_ARRAY_TRAILER - 4));
    model_write_file(NAME, bytes, size);
    free(bytes);
    support_catch();
    CHECK(sion_array_reader_open(NAME) == NULL);
    CHECK_CONTAINS(support_message, "of a later version of the format");
    CHECK(open_one("ba", 1 << 20) >= 0);
    CHECK_INT(sion_array_define(0, "T", SION_F64, 2, shape), 0);
    CHECK_CONTAINS(support_message, "of a later version of the format");
    CHECK_INT(sion_close(0), 1);
}

/* ---- zfp ---- */

static int has_zfp(void)
{
    if (scion_zfp_need() == 0)
        return 1;
    SKIP("there is no libzfp");
    return 0;
}

static void zfp_takes_floats_of_few_dimensions(void)
{
    static const char *const wrong[] = {"zfp",
                                        "zfp:",
                                        "zfp:accuracy=0",
                                        "zfp:rate=65",
                                        "zfp:rate=x",
                                        "zfp:accuracy=-1",
                                        "zfp:rate=8,x",
                                        "zfp:accuracy=",
                                        "zfp:precision=8",
                                        "zfp:rate=1e-9",
                                        "zfp:accuracy=inf"};
    static const sion_int64 five[] = {2, 2, 2, 2, 2};
    size_t i;
    int sid;

    if (!has_zfp())
        return;
    sid = open_one("bw", 4096);
    support_catch();
    CHECK_INT(sion_array_define(sid, "T", SION_F64, 4, five), 1);
    CHECK_INT(sion_array_define(sid, "i", SION_I32, 2, five), 1);
    CHECK_INT(sion_array_define(sid, "c", SION_C64, 2, five), 1);
    CHECK_INT(sion_array_define(sid, "n", SION_F32, 0, NULL), 1);
    CHECK_INT(sion_array_define(sid, "w", SION_F32, 5, five), 1);
    for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_INT(sion_array_codec(sid, "T", wrong[i]), i == 9);
    }
    for (i = 0; i < 4; i++) {
        const char name[] = {"icnw"[i], '\0'};

        CHECK_INT(sion_array_codec(sid, name, "zfp:accuracy=1e-3"), 0);
        CHECK_CONTAINS(support_message, "zfp takes f32 and f64 of 1 to 4 dimensions");
    }
    CHECK_INT(sion_close(sid), 1);
}

/* A field of any shape whose elements are of about the same size. */
static size_t waves(int type, int ndims, const sion_int64 *count, void *data)
{
    size_t n = 1, i;
    int d;

    for (d = 0; d < ndims; d++)
        n *= (size_t)count[d];
    for (i = 0; i < n; i++) {
        double value = 100 * sin((double)i * 0.01) + 20 * cos((double)i * 0.37);

        if (type == SION_F64)
            ((double *)data)[i] = value;
        else
            ((float *)data)[i] = (float)value;
    }
    return n;
}

static double largest_error(int type, size_t n, const void *a, const void *b)
{
    double largest = 0;
    size_t i;

    for (i = 0; i < n; i++) {
        double error = type == SION_F64
                           ? fabs(((const double *)a)[i] - ((const double *)b)[i])
                           : fabs((double)((const float *)a)[i] - (double)((const float *)b)[i]);

        largest = error > largest || error != error ? error : largest;
    }
    return largest;
}

/* The largest difference of what is read again; *info: of the array. */
static double error_of(int type, int ndims, const sion_int64 *count, const char *codec,
                       const void *data, struct sion_array_info *info)
{
    static const sion_int64 none[SION_ARRAY_DIMS];
    int sid = open_one("bw", 1 << 20);
    sion_array_reader *arrays;
    size_t n = 1;
    int d;

    for (d = 0; d < ndims; d++)
        n *= (size_t)count[d];
    CHECK_INT(sion_array_define(sid, "T", type, ndims, count), 1);
    CHECK_INT(sion_array_codec(sid, "T", codec), 1);
    CHECK_INT(put_any(sid, "T", 0, none, count, data), 1);
    CHECK_INT(sion_close(sid), 1);
    *info = info_of("T");
    arrays = sion_array_reader_open(NAME);
    memset(read_back, 0xa5, sizeof read_back);
    CHECK_INT(get_any(arrays, "T", 0, none, count, read_back), 1);
    sion_array_reader_close(arrays);
    return largest_error(type, n, data, read_back);
}

static void the_error_is_bounded(void)
{
    static const sion_int64 counts[][4] = {{20001}, {101, 67}, {17, 33, 40}, {8, 9, 20, 31}};
    static const double bounds[] = {1, 1e-3, 1e-6, 1e-13};
    struct sion_array_info info;
    int type, ndims;
    size_t b;

    if (!has_zfp())
        return;
    for (type = SION_F32; type <= SION_F64; type++) {
        for (ndims = 1; ndims <= 4; ndims++) {
            waves(type, ndims, counts[ndims - 1], first);
            for (b = 0; b < sizeof bounds / sizeof *bounds; b++) {
                char codec[40];

                snprintf(codec, sizeof codec, "zfp:accuracy=%g", bounds[b]);
                CHECK(error_of(type, ndims, counts[ndims - 1], codec, first, &info) <= bounds[b]);
                CHECK(info.stored <= info.bytes);
                CHECK(b > 1 || (strcmp(info.codec, "zfp") == 0 && info.stored < info.bytes));
            }
            CHECK(error_of(type, ndims, counts[ndims - 1], "zfp:rate=12", first, &info) < 300);
            CHECK(info.stored < info.bytes * 2 / 3 && info.stored > info.bytes / 8);
        }
    }
}

/* zfp alone would lose the small ones, and knows neither infinity nor NaN. */
static void numbers_that_zfp_cannot_bound_are_kept(void)
{
    static const sion_int64 count[] = {4000};
    struct sion_array_info info;
    double *data = first;

    if (!has_zfp())
        return;
    waves(SION_F64, 1, count, data);
    data[7] = 1e200;
    data[2000] = -1e30;
    CHECK(error_of(SION_F64, 1, count, "zfp:accuracy=1e-6", data, &info) <= 1e-6);
    data[9] = (double)NAN;
    data[11] = (double)INFINITY;
    error_of(SION_F64, 1, count, "zfp:accuracy=1e-6", data, &info);
    CHECK(memcmp(data, read_back, sizeof *data * 4000) == 0);
    error_of(SION_F64, 1, count, "zfp:rate=8", data, &info);
    CHECK(memcmp(data, read_back, sizeof *data * 4000) == 0);
}

/* Any byte of the stream may be wrong: other numbers, or an error, and no harm. */
static void damaged_streams_of_zfp_do_no_harm(void)
{
    static const sion_int64 count[] = {30, 40}, none[] = {0, 0};
    struct sion_array_block block = {.size = sizeof block};
    struct sion_array_info info;
    sion_array_reader *arrays;
    unsigned char *bytes;
    size_t size, i;
    int refused = 0;

    if (!has_zfp())
        return;
    waves(SION_F32, 2, count, first);
    error_of(SION_F32, 2, count, "zfp:accuracy=1e-2", first, &info);
    arrays = sion_array_reader_open(NAME);
    CHECK_INT(sion_array_reader_blocks(arrays, "T", 0, 0, 1, &block), 1);
    sion_array_reader_close(arrays);
    bytes = model_read_file(NAME, &size);
    support_catch();
    for (i = 0; i < (size_t)block.stored; i += i < 40 ? 1 : 37) {
        unsigned char *at = bytes + block.stored_position + i, old = *at;

        *at = (unsigned char)check_random();
        model_write_file(NAME, bytes, size);
        arrays = sion_array_reader_open(NAME);
        refused += get_any(arrays, "T", 0, none, count, read_back) != 1;
        sion_array_reader_close(arrays);
        *at = old;
    }
    CHECK(refused > 5);
    free(bytes);
}

int main(void)
{
    if (scion_zstd_need("compressed arrays") != 0) {
        printf("1..0 # SKIP there is no libzstd\n");
        return 0;
    }
    check_seed(20261127);
    support_enter_folder();
    RUN(wrong_words_are_refused);
    RUN(a_codec_is_chosen_before_the_first_block);
    RUN(a_smooth_field_shrinks_and_noise_does_not_grow);
    RUN(a_read_needs_the_blocks_of_its_part_only);
    RUN(a_block_that_no_chunk_has_room_for_is_cut);
    RUN(sessions_may_have_other_codecs);
    RUN(the_crc_is_of_the_stored_bytes);
    RUN(a_header_that_says_too_much_takes_no_memory);
    RUN(a_frame_that_holds_more_is_refused);
    RUN(an_index_of_a_later_version_is_refused);
    RUN(zfp_takes_floats_of_few_dimensions);
    RUN(the_error_is_bounded);
    RUN(numbers_that_zfp_cannot_bound_are_kept);
    RUN(damaged_streams_of_zfp_do_no_harm);
    support_leave_folder();
    return check_done();
}
