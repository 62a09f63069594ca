/*
 * Blocks that are compressed and come back: each as its own words say, wherever the program's
 * memory is, and within the bound that was asked for.
 */
#include <math.h>

#include "model.h"

#include "array/codec.h"
#include "array/codecs.h"
#include "array/pack.h"
#include "base/crc32c.h"
#include "base/zfp.h"
#include "base/zstd.h"
#include "sion_error.h"
#include "support.h"

enum { N = 4096, MOST = N * 8 };

static struct scion_array_packer *packer;
static struct scion_array_unpacker *unpacker;

/* The first of `count` dimensions has all elements. */
static struct scion_array_pack_block block_of(int type, const sion_int64 *count, const void *data)
{
    const size_t bytes = (size_t)count[0] * scion_array_size(type);

    return (struct scion_array_pack_block){type, 1, count, data, bytes};
}

/* Bytes that are stored of it; they are in the unpacker's room, too. 0: it is not compressed. */
static size_t pack(const char *words, const struct scion_array_pack_block *block,
                   struct scion_array_coding *coding)
{
    const struct scion_array_definition definition = {
        .name = "T", .type = block->type, .ndims = block->ndims};
    struct scion_array_packing packing;
    const unsigned char *packed;
    size_t stored = 0;

    CHECK_INT(scion_array_find_packing(words, &definition, &packing), 0);
    CHECK_INT(scion_array_pack(packer, &packing, block, &packed, &stored), 0);
    if (stored > 0)
        memcpy(scion_array_unpacker_room(unpacker, stored), packed, stored);
    *coding = packing.coding;
    return stored;
}

static int unpack(const struct scion_array_coding *coding, size_t stored,
                  const struct scion_array_pack_block *block, void *to)
{
    const char *why;
    int rc = scion_array_unpack(unpacker, coding, stored, block, to, &why);

    CHECK_INT(rc == SION_ERR_DAMAGED, why != NULL);
    return rc;
}

static void begin(void)
{
    packer = scion_array_packer_new();
    unpacker = scion_array_unpacker_new();
}

static void end(void)
{
    scion_array_packer_free(packer);
    scion_array_unpacker_free(unpacker);
}

static int has_zfp(void)
{
    if (scion_zfp_need() == 0)
        return 1;
    SKIP("there is no libzfp");
    return 0;
}

/* One packer is used for all arrays of a writer. */
static void each_array_has_its_level(void)
{
    static const sion_int64 count[] = {N};
    static int data[N];
    const struct scion_array_pack_block block = block_of(SION_I32, count, data);
    struct scion_array_coding coding;
    size_t quick, small, i;

    for (i = 0; i < N; i++)
        data[i] = (int)(i * i % 1009);
    begin();
    quick = pack("zstd:-50", &block, &coding);
    end();
    begin();
    small = pack("zstd:19", &block, &coding);
    CHECK(small < quick);
    CHECK_INT(pack("zstd:-50", &block, &coding), quick);
    CHECK_INT(pack("zstd:19", &block, &coding), small);
    end();
}

static double value_of(size_t i)
{
    return 100 * sin((double)i * 0.01);
}

/* Also where numbers cannot be: builds with sanitizers see that. */
static void memory_may_be_anywhere(void)
{
    static const char *const words[] = {"zstd,shuffle", "zfp:accuracy=1e-3", "zfp:rate=32"};
    static const sion_int64 count[] = {N};
    static unsigned char from[MOST + 8], to[MOST + 16];
    struct scion_array_coding coding;
    size_t at, i, w, stored;

    if (!has_zfp())
        return;
    begin();
    for (w = 0; w < 3; w++) {
        for (at = 0; at < 8; at++) {
            const struct scion_array_pack_block block = block_of(SION_F64, count, from + at);

            for (i = 0; i < N; i++)
                memcpy(from + at + 8 * i, &(double){value_of(i)}, 8);
            stored = pack(words[w], &block, &coding);
            CHECK(stored > 0 && stored < MOST);
            memset(to, 0xa5, sizeof to);
            CHECK_INT(unpack(&coding, stored, &block, to + 8 - at), 0);
            for (i = 0; i < N; i++) {
                double back;

                memcpy(&back, to + 8 - at + 8 * i, 8);
                CHECK(fabs(back - value_of(i)) <= 1e-3);
            }
            CHECK(to[7 - at] == 0xa5 && to[MOST + 8 - at] == 0xa5);
        }
    }
    end();
}

/* Of numbers as large as these, zfp itself loses more, some a little more. */
static void the_bound_holds_for_large_numbers(void)
{
    static const sion_int64 count[] = {N};
    static double data[N], back[N];
    const struct scion_array_pack_block block = block_of(SION_F64, count, data);
    struct scion_array_coding coding;
    double scale, largest;
    int kept = 0, lossy = 0;
    size_t i, stored;

    if (!has_zfp())
        return;
    begin();
    for (scale = 1e6; scale < 1e13; scale *= 1.03) {
        for (i = 0; i < N; i++)
            data[i] = scale * (1 + (double)(check_random() % 1000) / 1000);
        stored = pack("zfp:accuracy=1e-6", &block, &coding);
        if (stored == 0) { /* not at all */
            kept++;
            continue;
        }
        CHECK_INT(unpack(&coding, stored, &block, back), 0);
        for (i = 0, largest = 0; i < N; i++)
            largest = fmax(largest, fabs(data[i] - back[i]));
        CHECK(largest <= 1e-6);
        lossy += largest > 0;
        kept += largest == 0;
    }
    CHECK(lossy > 100 && kept > 30);
    end();
}

/* Which has nothing to do with how large the numbers, and their errors, are. */
static void a_rate_is_bits_of_a_number(void)
{
    static const sion_int64 count[] = {N};
    static double data[N];
    const struct scion_array_pack_block block = block_of(SION_F64, count, data);
    struct scion_array_coding coding;
    size_t i;
    int rate;

    if (!has_zfp())
        return;
    for (i = 0; i < N; i++)
        data[i] = 1e9 * (double)(check_random() % 1000000);
    begin();
    for (rate = 4; rate <= 32; rate += 4) {
        char words[20];
        size_t stored, wanted = (size_t)rate * N / 8;

        snprintf(words, sizeof words, "zfp:rate=%d", rate);
        stored = pack(words, &block, &coding);
        CHECK(stored >= wanted && stored < wanted + 100);
    }
    end();
}

/* What a header of a file may say. */
static void zfp_has_no_such_dimensions(void)
{
    static const sion_int64 count[] = {N, 1, 1, 1, 1, 1, 1, 1};
    static double data[N], back[N];
    struct scion_array_pack_block block = block_of(SION_F64, count, data);
    struct scion_array_coding coding;
    size_t stored;
    int ndims;

    if (!has_zfp())
        return;
    begin();
    stored = pack("zfp:accuracy=1e-3", &block, &coding);
    CHECK_INT(unpack(&coding, stored, &block, back), 0);
    for (ndims = 0; ndims <= 8; ndims++) {
        block.ndims = ndims;
        CHECK_INT(unpack(&coding, stored, &block, back) == 0, ndims == 1);
    }
    end();
}

static void what_is_shuffled_is_known(void)
{
    const struct scion_array_coding shuffled = {SCION_ARRAY_ZSTD, 4}, zfp = {SCION_ARRAY_ZFP, 0},
                                    both = {SCION_ARRAY_ZFP, 8}, plain = {SCION_ARRAY_PLAIN, 4};

    CHECK(scion_array_is_coding(SION_I32, &shuffled) &&
          !scion_array_is_coding(SION_F64, &shuffled));
    CHECK(scion_array_is_coding(SION_F64, &zfp) && !scion_array_is_coding(SION_I32, &zfp));
    CHECK(!scion_array_is_coding(SION_F64, &both) && !scion_array_is_coding(SION_I32, &plain));
}

/* So that no header makes a reader take memory that is out of all proportion. */
static void few_bytes_hold_few_numbers(void)
{
    const sion_int64 zfp = 8 * 256 * 8, zstd = (sion_int64)1 << 17;

    CHECK(scion_array_may_hold(SCION_ARRAY_ZFP, 1, zfp));
    CHECK(!scion_array_may_hold(SCION_ARRAY_ZFP, 1, zfp + 1));
    CHECK(scion_array_may_hold(SCION_ARRAY_ZSTD, 8, 2 * zstd));
    CHECK(!scion_array_may_hold(SCION_ARRAY_ZSTD, 8, 2 * zstd + 1));
    CHECK(!scion_array_may_hold(SCION_ARRAY_ZSTD, (sion_int64)1 << 48, 1000));
    CHECK(!scion_array_may_hold(SCION_ARRAY_ZFP, 0, 1) &&
          !scion_array_may_hold(SCION_ARRAY_ZFP, 1, 0));
    CHECK(!scion_array_may_hold(SCION_ARRAY_PLAIN, 999, 1000));
}

/* Those of version 1 have zeros there, or what a later version that they do not know says. */
static void plain_blocks_have_no_codec(void)
{
    struct scion_array_header header = {.kind = SCION_ARRAY_BLOCK,
                                        .type = SION_F64,
                                        .ndims = 1,
                                        .name = "T",
                                        .name_length = 1,
                                        .bytes = 80,
                                        .shape = {10},
                                        .count = {10}},
                              found = {0};
    unsigned char bytes[200];
    size_t size;
    uint32_t crc;
    int i;

    scion_array_header_encode(&header, bytes);
    size = scion_array_header_size(1, 1);
    bytes[44] = SCION_ARRAY_ZSTD;
    bytes[45] = 8;
    crc = scion_crc32c(0, bytes, size - 4);
    for (i = 0; i < 4; i++)
        bytes[size - 4 + (size_t)i] = (unsigned char)(crc >> 8 * i);
    CHECK_INT(scion_array_header_decode(bytes, sizeof bytes, &found), size);
    CHECK_INT(found.coding.codec, SCION_ARRAY_PLAIN);
    CHECK_INT(found.coding.shuffle, 0);
}

int main(void)
{
    if (scion_zstd_need("compressed arrays") != 0) {
        printf("1..0 # SKIP there is no libzstd\n");
        return 0;
    }
    check_seed(20261128);
    RUN(each_array_has_its_level);
    RUN(memory_may_be_anywhere);
    RUN(the_bound_holds_for_large_numbers);
    RUN(a_rate_is_bits_of_a_number);
    RUN(zfp_has_no_such_dimensions);
    RUN(what_is_shuffled_is_known);
    RUN(few_bytes_hold_few_numbers);
    RUN(plain_blocks_have_no_codec);
    return check_done();
}
