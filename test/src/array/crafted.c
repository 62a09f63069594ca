/*
 * Streams that no writer here makes: of a machine with the other byte order, with an index that
 * does not fit its parts, with records that are incomplete. And writers with unusual tasks and
 * chunks.
 */
#include "model.h"

#include "array/codec.h"
#include "array/reader.h"
#include "base/crc32c.h"
#include "base/zstd.h"
#include "sion_common.h"
#include "sion_serial.h"
#include "support.h"

#define NAME "crafted.sion"

static const sion_int64 shape[] = {4, 3}, begin[] = {0, 0};
static const int values[12] = {1, -2, 3, -4, 5, -6, 7, -8, 9, -10, 11, -12};

static int create(int ntasks, const int *ranks, sion_int64 chunksize)
{
    sion_int64 sizes[] = {chunksize, chunksize, chunksize}, *chunksizes = sizes;
    int list[] = {ranks[0], ranks[1], ranks[2]}, *globalranks = list, nfiles = 1;
    sion_int32 fsblksize = 64;
    char name[] = NAME;

    return sion_open(name, "bw", &ntasks, &nfiles, &chunksizes, &fsblksize, &globalranks, NULL);
}

static int create_one(sion_int64 chunksize)
{
    return create(1, (const int[]){0, 0, 0}, chunksize);
}

/* ---- records ---- */

static void add_record(int sid, const struct scion_array_header *header, const void *data)
{
    unsigned char bytes[SCION_ARRAY_HEADER];
    size_t size = scion_array_header_size(header->ndims, header->name_length);

    scion_array_header_encode(header, bytes);
    CHECK_INT(sion_fwrite(bytes, 1, size, sid), size);
    CHECK_INT(sion_fwrite(data, 1, (size_t)header->bytes, sid), header->bytes);
}

/* A block of all elements, with numbers of the other byte order if the flags say so. */
static void add_block(int sid, uint32_t flags)
{
    struct scion_array_header header = {.kind = SCION_ARRAY_BLOCK,
                                        .type = SION_I32,
                                        .ndims = 2,
                                        .flags = flags,
                                        .bytes = sizeof values,
                                        .shape = {4, 3},
                                        .count = {4, 3},
                                        .name = "T",
                                        .name_length = 1};
    unsigned char bytes[sizeof values];

    memcpy(bytes, values, sizeof bytes);
    if ((flags & SCION_ARRAY_BIG_ENDIAN) != (support_host_is_big() ? SCION_ARRAY_BIG_ENDIAN : 0))
        support_turn(bytes, sizeof *values, 12);
    header.crc = scion_crc32c(0, bytes, sizeof bytes);
    add_record(sid, &header, bytes);
}

static void the_other_byte_order_is_read(void)
{
    const sion_int64 offset[] = {1, 1}, count[] = {3, 2};
    uint32_t flags;

    for (flags = 0; flags <= SCION_ARRAY_BIG_ENDIAN; flags++) {
        int sid = create_one(4096), data[12] = {0}, i;
        struct sion_array_block block = {.size = sizeof block};
        sion_int64 wide[12] = {0};
        sion_array_reader *arrays;

        add_block(sid, flags);
        CHECK_INT(sion_close(sid), 1);
        arrays = sion_array_reader_open(NAME);
        CHECK_INT(get_any(arrays, "T", 0, begin, shape, data), SION_SUCCESS);
        CHECK(memcmp(data, values, sizeof values) == 0);
        CHECK_INT(get_any(arrays, "T", 0, offset, count, data), SION_SUCCESS);
        for (i = 0; i < 6; i++)
            CHECK_INT(data[i], values[(1 + i / 2) * 3 + 1 + i % 2]);
        CHECK_INT(
            sion_array_reader_get_as(arrays, "T", 0, begin, shape, SION_I64, wide, sizeof wide),
            SION_SUCCESS);
        for (i = 0; i < 12; i++)
            CHECK_INT(wide[i], values[i]);
        CHECK_INT(sion_array_reader_blocks(arrays, "T", 0, 0, 1, &block), 1);
        CHECK_INT(block.big_endian, flags != 0);
        sion_array_reader_close(arrays);
    }
}

/* Flip a bit of the file. */
static void flip(sion_int64 at)
{
    size_t size;
    unsigned char *bytes = model_read_file(NAME, &size);

    bytes[at] ^= 1;
    model_write_file(NAME, bytes, size);
    free(bytes);
}

/* Read the only block as the tools do, after a change of a byte before it or in it. */
static int read_block(uint32_t flags, sion_int64 change, int *has_crc)
{
    struct sion_array_block block = {.size = sizeof block};
    sion_array_reader *arrays;
    int sid = create_one(4096), data[12], rc;

    add_block(sid, flags);
    CHECK_INT(sion_close(sid), 1);
    arrays = sion_array_reader_open(NAME);
    CHECK_INT(sion_array_reader_blocks(arrays, "T", 0, 0, 1, &block), 1);
    if (change)
        flip(block.position + change);
    rc = scion_array_read_block(arrays, &arrays->index->blocks[0], data, has_crc);
    sion_array_reader_close(arrays);
    return rc;
}

static void a_damaged_block_is_found_by_its_crc(void)
{
    const uint32_t big = support_host_is_big() ? SCION_ARRAY_BIG_ENDIAN : 0;
    int has_crc;

    support_catch();
    CHECK_INT(read_block(big, 0, &has_crc), 0);
    CHECK_INT(has_crc, 0);
    CHECK_INT(read_block(big | SCION_ARRAY_HAS_CRC, 0, &has_crc), 0);
    CHECK_INT(has_crc, 1);
    CHECK_INT(read_block(big, 5, NULL), 0);
    CHECK_INT(read_block(big | SCION_ARRAY_HAS_CRC, 5, &has_crc), SION_ERR_DAMAGED);
    CHECK_INT(has_crc, 0);
    CHECK_CONTAINS(sion_error_text(), "array T: the data of task 0 at byte 128 do not fit");
    CHECK_INT(read_block(big, -100, NULL), SION_ERR_DAMAGED);
    CHECK_CONTAINS(sion_error_text(), "array T: task 0 has no such block at byte 128");
}

/* ---- an index in parts ---- */

struct part {
    int kind;
    sion_int64 step, bytes; /* bytes: those that the header says */
};

/* A task whose index has these parts: "no arrays, no texts, no blocks, and zeros". */
static enum scion_array_source source_of(const struct part *parts, int n, sion_int64 bytes,
                                         sion_int64 cut)
{
    static const unsigned char zeros[1024];
    struct scion_array_trailer trailer = {.bytes = bytes, .parts = n};
    unsigned char last[SCION_ARRAY_TRAILER], head[SCION_ARRAY_HEADER];
    enum scion_array_source source;
    sion_array_reader *arrays;
    int sid = create_one(4096), i;

    for (i = 0; i < n; i++) {
        struct scion_array_header header = {
            .kind = parts[i].kind, .step = parts[i].step, .bytes = parts[i].bytes};
        size_t size = scion_array_header_size(0, 0);

        scion_array_header_encode(&header, head);
        CHECK_INT(sion_fwrite(head, 1, size, sid), size);
        CHECK_INT(sion_fwrite(zeros, 1, (size_t)(parts[i].bytes - (i == n - 1 ? cut : 0)), sid),
                  parts[i].bytes - (i == n - 1 ? cut : 0));
    }
    trailer.crc = scion_crc32c(0, zeros, (size_t)bytes);
    scion_array_trailer_encode(&trailer, last);
    CHECK_INT(sion_fwrite(last, 1, sizeof last, sid), sizeof last);
    CHECK_INT(sion_close(sid), 1);
    arrays = sion_array_reader_open(NAME);
    CHECK_INT(sion_array_reader_count(arrays), 0);
    source = arrays->source;
    sion_array_reader_close(arrays);
    return source;
}

static void an_index_whose_parts_do_not_fit_is_not_used(void)
{
    static const struct {
        struct part parts[2];
        int n;
        sion_int64 bytes, cut;
        enum scion_array_source source;
    } cases[] = {
        {{{SCION_ARRAY_INDEX, 0, 3}}, 1, 3, 0, SCION_ARRAY_FROM_TASKS},
        {{{SCION_ARRAY_INDEX, 0, 2}, {SCION_ARRAY_INDEX, 2, 1}}, 2, 3, 0, SCION_ARRAY_FROM_TASKS},
        {{{SCION_ARRAY_INDEX, 0, 2}, {SCION_ARRAY_INDEX, 1, 1}}, 2, 3, 0, SCION_ARRAY_FROM_HEADERS},
        {{{SCION_ARRAY_INDEX, 0, 2}, {SCION_ARRAY_INDEX, 2, 0}}, 2, 3, 0, SCION_ARRAY_FROM_HEADERS},
        {{{SCION_ARRAY_INDEX, 0, 4}}, 1, 3, 0, SCION_ARRAY_FROM_HEADERS},
        {{{SCION_ARRAY_INDEX, 0, 2}}, 1, 3, 0, SCION_ARRAY_FROM_HEADERS},
        {{{SCION_ARRAY_ATTRIBUTE, 0, 3}}, 1, 3, 0, SCION_ARRAY_FROM_HEADERS},
        {{{SCION_ARRAY_INDEX, 0, 200}}, 1, 200, 100, SCION_ARRAY_FROM_HEADERS},
    };
    size_t i;

    for (i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_INT(source_of(cases[i].parts, cases[i].n, cases[i].bytes, cases[i].cut),
                  cases[i].source);
}

/* An attribute without a value, one of an array without blocks, one with a wrong key; the magic
   between two windows of the search, and at the end. */
static void incomplete_records_are_passed_over(void)
{
    struct scion_array_header text = {.kind = SCION_ARRAY_ATTRIBUTE, .bytes = 3};
    static const char gap[512 + 7];
    int sid = create_one(4096), data[12];
    sion_array_reader *arrays;

    add_record(sid, &text, "key");
    add_record(sid, &text, "\n\0v");
    text.name = "A";
    text.name_length = 1;
    add_record(sid, &text, "k\0v");
    CHECK_INT(sion_fwrite(gap, 1, sizeof gap, sid), sizeof gap);
    CHECK_INT(sion_fwrite("\x89SION", 1, 5, sid), 5);
    add_block(sid, support_host_is_big() ? SCION_ARRAY_BIG_ENDIAN : 0);
    CHECK_INT(sion_fwrite(gap, 1, 200, sid), 200);
    CHECK_INT(sion_fwrite(scion_array_magic, 1, SCION_ARRAY_MAGIC, sid), SCION_ARRAY_MAGIC);
    CHECK_INT(sion_close(sid), 1);
    arrays = sion_array_reader_open(NAME);
    CHECK_INT(sion_array_reader_count(arrays), 1);
    CHECK(!sion_array_reader_key(arrays, NULL, 0) && !sion_array_reader_key(arrays, "T", 0));
    CHECK_INT(get_any(arrays, "T", 0, begin, shape, data), SION_SUCCESS);
    CHECK(memcmp(data, values, sizeof values) == 0);
    sion_array_reader_close(arrays);
}

/* ---- tasks and chunks ---- */

/* Put the same block in all tasks; return the numbers of these, as readers see them. */
static void number_tasks(const int *ranks, int *numbers)
{
    int sid = create(3, ranks, 4096), i;
    struct sion_array_block blocks[3] = {{.size = sizeof *blocks}};
    sion_array_reader *arrays;

    CHECK_INT(sion_array_define(sid, "T", SION_I32, 2, shape), SION_SUCCESS);
    for (i = 0; i < 3; i++) {
        CHECK_INT(sion_seek(sid, i, SION_CURRENT_BLK, SION_CURRENT_POS), SION_SUCCESS);
        CHECK_INT(put_any(sid, "T", i, begin, shape, values), SION_SUCCESS);
    }
    CHECK_INT(sion_close(sid), 1);
    arrays = sion_array_reader_open(NAME);
    CHECK_INT(sion_array_reader_blocks(arrays, "T", SION_ARRAY_NEWEST, 0, 3, blocks), 3);
    for (i = 0; i < 3; i++)
        numbers[i] = blocks[i].task;
    sion_array_reader_close(arrays);
}

/* Global ranks that are not 0, 1, 2 do not number the tasks. */
static void tasks_of_any_global_ranks_have_numbers(void)
{
    static const struct {
        int ranks[3], numbers[3];
    } cases[] = {{{2, 0, 1}, {2, 0, 1}}, {{7, 0, 1}, {0, 1, 2}}, {{1, 1, 0}, {0, 1, 2}}};
    int numbers[3];
    size_t i;

    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        number_tasks(cases[i].ranks, numbers);
        CHECK(memcmp(numbers, cases[i].numbers, sizeof numbers) == 0);
    }
}

/* A chunk of one header has no room for data; one of 384 bytes divides the index, too. */
static void small_chunks_have_room_for_little(void)
{
    char array[] = "array with a name of some length 00";
    int sid = create_one(128), i;
    sion_array_reader *arrays;

    support_catch();
    CHECK_INT(sion_array_define(sid, "T", SION_I32, 2, shape), SION_SUCCESS);
    CHECK_INT(put_any(sid, "T", 0, begin, shape, values), SION_NOT_SUCCESS);
    CHECK_INT(sion_error_code(), SION_ERR_NO_SPACE);
    CHECK_CONTAINS(support_message, "has no room for one element and its header");
    CHECK_INT(sion_close(sid), 1);
    sid = create_one(384);
    for (i = 0; i < 50; i++) {
        sprintf(array + sizeof array - 3, "%02d", i);
        CHECK_INT(sion_array_define(sid, array, SION_I32, 2, shape), SION_SUCCESS);
        CHECK_INT(put_any(sid, array, 0, begin, shape, values), SION_SUCCESS);
    }
    CHECK_INT(sion_close(sid), 1);
    arrays = sion_array_reader_open(NAME);
    CHECK_INT(sion_array_reader_count(arrays), 50);
    CHECK_INT(arrays->source, SCION_ARRAY_FROM_WHOLE);
    sion_array_reader_close(arrays);
}

/* What is kept of the first one is too short for the second one. */
static void two_compressed_blocks_at_one_place_are_two(void)
{
    enum { SHORT = 100, LONG = 1000 };
    static const int zeros[LONG];
    static int found[LONG];
    const sion_int64 shorter[] = {SHORT}, longer[] = {LONG}, zero[] = {0};
    sion_int64 part[1];
    struct scion_array_index *index;
    sion_array_reader *arrays;
    int sid;

    support_catch();
    if (scion_zstd_need("compressed arrays") != 0) {
        SKIP("there is no libzstd");
        return;
    }
    sid = create_one(4096);
    CHECK_INT(sion_array_define(sid, "S", SION_I32, 1, shorter), 1);
    CHECK_INT(sion_array_define(sid, "L", SION_I32, 1, longer), 1);
    CHECK_INT(sion_array_codec(sid, "S", "zstd"), 1);
    CHECK_INT(sion_array_codec(sid, "L", "zstd"), 1);
    CHECK_INT(put_any(sid, "S", 0, zero, shorter, zeros), 1);
    CHECK_INT(put_any(sid, "L", 0, zero, longer, zeros), 1);
    CHECK_INT(sion_close(sid), 1);

    arrays = sion_array_reader_open(NAME);
    index = arrays->index;
    CHECK_INT(index->nblocks, 2);
    CHECK(scion_array_is_packed(index, &index->blocks[0]) &&
          scion_array_is_packed(index, &index->blocks[1]));
    index->blocks[1].position = index->blocks[0].position;
    index->packed[1] = index->packed[0];
    part[0] = SHORT - 1;
    CHECK_INT(sion_array_reader_get(arrays, "S", 0, zero, part, SION_I32, found, sizeof found), 1);
    part[0] = LONG - 1;
    CHECK_INT(sion_array_reader_get(arrays, "L", 0, zero, part, SION_I32, found, sizeof found),
              SION_NOT_SUCCESS);
    CHECK_INT(sion_error_code(), SION_ERR_DAMAGED);
    sion_array_reader_close(arrays);
}

int main(void)
{
    support_enter_folder();
    RUN(the_other_byte_order_is_read);
    RUN(a_damaged_block_is_found_by_its_crc);
    RUN(an_index_whose_parts_do_not_fit_is_not_used);
    RUN(incomplete_records_are_passed_over);
    RUN(tasks_of_any_global_ranks_have_numbers);
    RUN(small_chunks_have_room_for_little);
    RUN(two_compressed_blocks_at_one_place_are_two);
    support_leave_folder();
    return check_done();
}
