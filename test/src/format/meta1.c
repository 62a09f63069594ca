/* Compares META1 with bytes that are assembled by hand from the offsets in doc/format.md. */
#include "check.h"

#include <limits.h>

#include "sion_const.h"

#include "format/meta1.h"
#include "bytes.h"
#include "warnings.h"

/* One task: 1076 bytes before the arrays, and 16 bytes of arrays. The tail may be missing. */
enum { FIXED = 1076, FIXED_V2 = 1056, ONE_TASK = 1092 };

static const struct scion_meta1 sample = {
    .version = 1007,
    .patch = 6,
    .format_version = 5,
    .fsblksize = 4096,
    .ntasks = 1,
    .nfiles = 3,
    .filenumber = 2,
    .flag1 = 51LL << 32,
    .flag2 = 0x0102030405060708LL,
    .prefix = "some/name.sion",
};

static void put_start(unsigned char *to, const struct scion_meta1 *head, int big)
{
    memset(to, 0, FIXED);
    memcpy(to, "sion", 4);
    to[4] = to[7] = (unsigned char)big;
    to[5] = to[6] = (unsigned char)head->big_endian;
    bytes_put_i32(to + 8, head->version, big);
    bytes_put_i32(to + 12, head->patch, big);
    bytes_put_i32(to + 16, head->format_version, big);
    bytes_put_i32(to + 20, head->fsblksize, big);
    bytes_put_i32(to + 24, head->ntasks, big);
    bytes_put_i32(to + 28, head->nfiles, big);
}

/* The header by the specification. */
static void put_header(unsigned char *to, const struct scion_meta1 *head, int big)
{
    put_start(to, head, big);
    if (head->format_version == 2) {
        memcpy(to + 32, head->prefix, 1024);
        return;
    }
    bytes_put_i32(to + 32, head->filenumber, big);
    bytes_put_i64(to + 36, head->flag1, big);
    bytes_put_i64(to + 44, head->flag2, big);
    memcpy(to + 52, head->prefix, 1024);
}

static int decode_sample(const struct scion_meta1 *head, int big, struct scion_meta1 *result)
{
    unsigned char bytes[FIXED];

    put_header(bytes, head, big);
    return scion_meta1_decode(bytes, sizeof bytes, ONE_TASK, result);
}

static int is_same(const struct scion_meta1 *a, const struct scion_meta1 *b)
{
    return a->version == b->version && a->patch == b->patch &&
           a->format_version == b->format_version && a->fsblksize == b->fsblksize &&
           a->ntasks == b->ntasks && a->nfiles == b->nfiles && a->filenumber == b->filenumber &&
           a->flag1 == b->flag1 && a->flag2 == b->flag2 && a->big_endian == b->big_endian &&
           memcmp(a->prefix, b->prefix, 1024) == 0;
}

static void sizes_follow_the_formula(void)
{
    struct scion_meta1 head = sample;

    CHECK_INT(scion_meta1_size(0), 1088);
    CHECK_INT(scion_meta1_size(1), 1104);
    CHECK_INT(scion_meta1_size(INT_MAX), 1088 + 16LL * INT_MAX);
    CHECK_INT(scion_meta1_fixed_size(&head), FIXED);
    head.format_version = 2;
    CHECK_INT(scion_meta1_fixed_size(&head), FIXED_V2);
}

static void a_new_header_names_this_version(void)
{
    struct scion_meta1 head;

    memset(&head, 0xff, sizeof head);
    scion_meta1_init(&head, SION_KEYVAL_INLINE, 1);
    CHECK_INT(head.version, 1007);
    CHECK_INT(head.patch, 6);
    CHECK_INT(head.format_version, 5);
    CHECK_INT(head.big_endian, 1);
    CHECK_INT(head.flag1, 51LL << 32);
    CHECK_INT(head.flag2, 0);
    CHECK_INT(head.ntasks, 0);
    CHECK_INT(head.prefix[0], 0);
    CHECK_INT(scion_meta1_keyval(&head), SION_KEYVAL_INLINE);
}

static void encode_puts_every_field_at_its_offset(void)
{
    struct scion_meta1 head = sample;
    unsigned char expected[FIXED], bytes[FIXED + 1];
    int big;

    for (big = 0; big < 2; big++) {
        head.big_endian = big;
        put_header(expected, &head, bytes_host_is_big());
        memset(bytes, 0xee, sizeof bytes);
        scion_meta1_encode(&head, bytes);
        CHECK(memcmp(bytes, expected, FIXED) == 0);
        CHECK_INT(bytes[FIXED], 0xee);
    }
}

static void encode_pads_the_prefix_with_zeros(void)
{
    struct scion_meta1 head = sample;
    unsigned char bytes[FIXED];

    memset(head.prefix, 'x', sizeof head.prefix - 1);
    scion_meta1_encode(&head, bytes);
    CHECK_INT(bytes[FIXED - 1], 'x');
    strcpy(head.prefix, "y");
    scion_meta1_encode(&head, bytes);
    CHECK_INT(bytes[52], 'y');
    CHECK_INT(bytes[53], 0);
    CHECK_INT(bytes[FIXED - 1], 0);
}

static void decode_reads_both_byte_orders(void)
{
    struct scion_meta1 head = sample, result;
    int big;

    for (big = 0; big < 2; big++) {
        head.big_endian = !big;
        CHECK_INT(decode_sample(&head, big, &result), 0);
        CHECK(is_same(&result, &head));
        CHECK_INT(result.swapped, big != bytes_host_is_big());
        CHECK_INT(warnings_take(), 0);
    }
}

static void versions_3_4_and_6_have_the_same_layout_and_one_warning(void)
{
    static const int versions[] = {3, 4, 6, 1000};
    struct scion_meta1 head = sample, result;
    int i, big;

    for (i = 0; i < 4; i++) {
        for (big = 0; big < 2; big++) {
            head.format_version = versions[i];
            CHECK_INT(decode_sample(&head, big, &result), 0);
            CHECK(is_same(&result, &head));
            CHECK_INT(warnings_take(), 1);
        }
    }
}

static void version_2_has_20_bytes_fewer(void)
{
    struct scion_meta1 head = sample, result;
    unsigned char bytes[FIXED];
    int big;

    head.format_version = 2;
    for (big = 0; big < 2; big++) {
        put_header(bytes, &head, big);
        CHECK_INT(scion_meta1_decode(bytes, FIXED_V2, FIXED_V2 + 16, &result), 0);
        CHECK_INT(warnings_take(), 1);
        CHECK_INT(result.filenumber, 1);
        CHECK_INT(result.flag1, 0);
        CHECK_INT(result.flag2, 0);
        CHECK_STR(result.prefix, "some/name.sion");
        CHECK_INT(result.fsblksize, 4096);
    }
}

static void versions_below_2_are_refused(void)
{
    static const int versions[] = {1, 0, -1, INT_MIN};
    struct scion_meta1 head = sample, result;
    int i;

    for (i = 0; i < 4; i++) {
        head.format_version = versions[i];
        CHECK(decode_sample(&head, 0, &result) != 0);
        CHECK_INT(warnings_take(), 0);
    }
    head.format_version = 1;
    CHECK_INT(decode_sample(&head, 0, &result), SION_ERR_VERSION);
    CHECK_CONTAINS(scion_error_text(), "file format version of file differs");
}

/* An unknown mode of a damaged file may be negative; the undefined behaviour sanitizer looks on. */
static void every_keyval_mode_is_written_as_it_was_read(void)
{
    static const int modes[] = {1, SION_KEYVAL_INLINE, 77, INT_MAX, -1, -2, INT_MIN};
    struct scion_meta1 head;
    size_t i;

    for (i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        scion_meta1_init(&head, modes[i], 0);
        CHECK_INT(scion_meta1_keyval(&head), modes[i]);
        CHECK_INT(head.flag1, modes[i] * 4294967296LL);
    }
}

static void only_version_5_carries_a_keyval_mode(void)
{
    struct scion_meta1 head = sample;

    CHECK_INT(scion_meta1_keyval(&head), SION_KEYVAL_INLINE);
    head.flag1 = 0;
    CHECK_INT(scion_meta1_keyval(&head), SION_KEYVAL_NONE);
    head.flag1 = 50LL << 32;
    CHECK_INT(scion_meta1_keyval(&head), SION_KEYVAL_NONE);
    head.flag1 = 77LL << 32;
    CHECK_INT(scion_meta1_keyval(&head), 77);
    head.flag1 = (51LL << 32) + 12345;
    CHECK_INT(scion_meta1_keyval(&head), SION_KEYVAL_INLINE);
    head.format_version = 4;
    CHECK_INT(scion_meta1_keyval(&head), SION_KEYVAL_NONE);
}

/* 0 was left by old writers; other modes are damage. */
static void modes_that_no_writer_makes_are_known(void)
{
    static const struct {
        sion_int64 flag1;
        int version, is_usual;
    } modes[] = {{50LL << 32, 1007, 1}, {51LL << 32, 1007, 1},     {0, 1006, 1},
                 {0, 1007, 0},          {0x33000000, 1006, 0},     {52LL << 32, 1007, 0},
                 {77LL << 32, 1007, 0}, {(51LL << 32) + 1, 1007, 1}};
    struct scion_meta1 head = sample;
    size_t i;

    for (i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        head.flag1 = modes[i].flag1;
        head.version = modes[i].version;
        CHECK_INT(scion_meta1_has_usual_keyval(&head), modes[i].is_usual);
    }
    head.format_version = 4;
    CHECK_INT(scion_meta1_has_usual_keyval(&head), 1);
}

static void either_half_of_the_endianness_word_suffices(void)
{
    unsigned char bytes[FIXED];
    struct scion_meta1 head = sample, result;
    int i;

    for (i = 0; i < 2; i++) {
        put_header(bytes, &head, 1);
        bytes[4 + 3 * i] = 0;
        CHECK_INT(scion_meta1_decode(bytes, FIXED, ONE_TASK, &result), 0);
        CHECK(is_same(&result, &head));
        put_header(bytes, &head, 0);
        bytes[5 + i] = 1;
        CHECK_INT(scion_meta1_decode(bytes, FIXED, ONE_TASK, &result), 0);
        CHECK_INT(result.big_endian, 1);
    }
}

static void other_bits_of_the_endianness_word_are_ignored(void)
{
    unsigned char bytes[FIXED];
    struct scion_meta1 head = sample, result;

    put_header(bytes, &head, 0);
    memset(bytes + 4, 0xfe, 4);
    CHECK_INT(scion_meta1_decode(bytes, FIXED, ONE_TASK, &result), 0);
    CHECK(is_same(&result, &head));
}

static void a_wrong_endianness_word_is_noticed(void)
{
    unsigned char bytes[FIXED];
    struct scion_meta1 result;
    int big;

    for (big = 0; big < 2; big++) {
        put_header(bytes, &sample, big);
        bytes[4] = bytes[7] = (unsigned char)!big;
        CHECK_INT(scion_meta1_decode(bytes, FIXED, ONE_TASK, &result), SION_ERR_DAMAGED);
        CHECK_CONTAINS(scion_error_text(), "endian");
    }
}

static void every_byte_of_the_magic_counts(void)
{
    unsigned char bytes[FIXED];
    struct scion_meta1 result;
    int i;

    for (i = 0; i < 4; i++) {
        put_header(bytes, &sample, 0);
        bytes[i] ^= 0x20;
        CHECK_INT(scion_meta1_decode(bytes, FIXED, ONE_TASK, &result), SION_ERR_NOT_SION);
    }
}

/* Decode from a block of exactly `length` bytes, so that sanitizers notice reads beyond it. */
static int decode_exactly(const unsigned char *bytes, size_t length, sion_int64 file_size)
{
    struct scion_meta1 result;
    unsigned char *exact = calloc(1, length ? length : 1);
    int rc;

    memcpy(exact, bytes, length);
    rc = scion_meta1_decode(exact, length, file_size, &result);
    free(exact);
    return rc;
}

static void every_truncation_is_refused(void)
{
    unsigned char bytes[ONE_TASK] = {0};
    struct scion_meta1 head = sample;
    size_t length;

    for (head.format_version = 2; head.format_version <= 6; head.format_version++) {
        size_t whole = head.format_version == 2 ? ONE_TASK - 20 : ONE_TASK;

        put_header(bytes, &head, 0);
        for (length = 0; length < whole; length++)
            CHECK(decode_exactly(bytes, length, (sion_int64)length) != 0);
        CHECK_INT(decode_exactly(bytes, whole, (sion_int64)whole), 0);
        warnings_take();
    }
}

static void a_short_file_is_not_a_sion_file(void)
{
    unsigned char bytes[FIXED];

    put_header(bytes, &sample, 0);
    CHECK_INT(decode_exactly(bytes, 0, 0), SION_ERR_NOT_SION);
    CHECK_INT(decode_exactly(bytes, 3, 3), SION_ERR_NOT_SION);
    CHECK_INT(decode_exactly(bytes, 4, 4), SION_ERR_DAMAGED);
    CHECK_CONTAINS(scion_error_text(), "cut off");
}

static void refuse_number(int at, long long value)
{
    unsigned char bytes[FIXED];
    int big;

    for (big = 0; big < 2; big++) {
        put_header(bytes, &sample, big);
        bytes_put_i32(bytes + at, value, big);
        CHECK_INT(decode_exactly(bytes, FIXED, ONE_TASK + 15), SION_ERR_DAMAGED);
    }
}

static void impossible_numbers_are_refused(void)
{
    static const int not_positive[] = {0, -1, INT_MIN};
    int i;

    for (i = 0; i < 3; i++) {
        refuse_number(20, not_positive[i]);
        refuse_number(24, not_positive[i]);
    }
    refuse_number(24, 2); /* one task more than the file can hold */
    refuse_number(24, INT_MAX);
    refuse_number(32, 3); /* the file number, of 3 files */
    refuse_number(32, -1);
    refuse_number(32, INT_MAX);
}

static void the_number_of_tasks_is_bounded_by_the_file(void)
{
    struct scion_meta1 head = sample, result;
    unsigned char bytes[FIXED];

    head.ntasks = 1000;
    put_header(bytes, &head, 0);
    CHECK_INT(scion_meta1_decode(bytes, FIXED, 1076 + 16000, &result), 0);
    CHECK_INT(result.ntasks, 1000);
    CHECK(scion_meta1_decode(bytes, FIXED, 1076 + 16000 - 1, &result) != 0);
    CHECK(scion_meta1_decode(bytes, FIXED, 0, &result) != 0);
}

static void a_single_file_may_have_any_number(void)
{
    static const int numbers[] = {0, 1, 7, -1};
    struct scion_meta1 head = sample, result;
    int i;

    head.nfiles = 1;
    for (i = 0; i < 4; i++) {
        head.filenumber = numbers[i];
        CHECK_INT(decode_sample(&head, 0, &result), 0);
        CHECK_INT(result.filenumber, numbers[i]);
    }
}

static void a_prefix_without_an_end_is_terminated(void)
{
    struct scion_meta1 head = sample, result;
    unsigned char bytes[FIXED];

    put_header(bytes, &head, 0);
    memset(bytes + 52, 'x', 1024);
    CHECK_INT(scion_meta1_decode(bytes, FIXED, ONE_TASK, &result), 0);
    CHECK_INT(strlen(result.prefix), 1024);
}

static void the_tail_is_12_bytes(void)
{
    unsigned char bytes[12], expected[12];
    int maxchunks, big;
    sion_int64 start;

    scion_meta1_encode_tail(77, 0x123456789aLL, bytes);
    for (big = 0; big < 2; big++) {
        bytes_put_i32(expected, 77, big);
        bytes_put_i64(expected + 4, 0x123456789aLL, big);
        if (big == bytes_host_is_big())
            CHECK(memcmp(bytes, expected, 12) == 0);
        scion_meta1_decode_tail(expected, big != bytes_host_is_big(), &maxchunks, &start);
        CHECK_INT(maxchunks, 77);
        CHECK_INT(start, 0x123456789aLL);
    }
}

static void arrays_are_brought_into_host_order(void)
{
    sion_int64 array[3] = {1, -2, 0x0102030405060708LL};
    sion_int64 copy[3];

    memcpy(copy, array, sizeof copy);
    scion_array_decode(copy, 3, 0);
    CHECK(memcmp(copy, array, sizeof copy) == 0);
    scion_array_decode(copy, 3, 1);
    CHECK_INT(copy[2], 0x0807060504030201LL);
    scion_array_decode(copy, 3, 1);
    CHECK(memcmp(copy, array, sizeof copy) == 0);
}

static void random_header(struct scion_meta1 *head)
{
    size_t length = check_below(1025), i;

    memset(head, 0, sizeof *head);
    head->big_endian = (int)check_below(2);
    head->version = (int)check_random();
    head->patch = (int)check_random();
    head->format_version = 5;
    head->fsblksize = 1 + (int)check_below(INT_MAX);
    head->ntasks = 1 + (int)check_below(INT_MAX);
    head->nfiles = 2 + (int)check_below(1000);
    head->filenumber = (int)check_below((size_t)head->nfiles);
    head->flag1 = (sion_int64)check_random();
    head->flag2 = (sion_int64)check_random();
    for (i = 0; i < length; i++)
        head->prefix[i] = (char)(1 + check_below(255));
}

static void random_headers_survive_the_round_trip(void)
{
    int round, bad = 0;

    for (round = 0; round < 2000; round++) {
        struct scion_meta1 head, result;
        unsigned char bytes[FIXED];
        int swap = (int)check_below(2);

        random_header(&head);
        if (swap)
            put_header(bytes, &head, !bytes_host_is_big());
        else
            scion_meta1_encode(&head, bytes);
        bad += scion_meta1_decode(bytes, FIXED, 1LL << 40, &result) != 0 ||
               !is_same(&head, &result) || result.swapped != swap;
    }
    CHECK_INT(bad, 0);
    CHECK_INT(warnings_take(), 0);
}

/* What a caller can rely on when the decoder succeeds. */
static int is_plausible(const struct scion_meta1 *head, sion_int64 file_size)
{
    return head->fsblksize >= 1 && head->ntasks >= 1 && head->format_version >= 2 &&
           (sion_int64)scion_meta1_fixed_size(head) + 16LL * head->ntasks <= file_size &&
           strlen(head->prefix) <= 1024 &&
           (head->nfiles <= 1 || (head->filenumber >= 0 && head->filenumber < head->nfiles));
}

/* The bytes end with the block, so that sanitizers notice reads beyond it. */
static void random_damage_never_crashes_the_decoder(void)
{
    unsigned char *block = malloc(ONE_TASK), bytes[ONE_TASK] = {0};
    int round, bad = 0;

    for (round = 0; round < 200000; round++) {
        size_t length = check_below(4) ? ONE_TASK : check_below(ONE_TASK + 1), changes;
        struct scion_meta1 result;

        put_start(bytes, &sample, (int)check_below(2));
        for (changes = check_below(4); changes > 0; changes--)
            bytes[check_below(52)] = (unsigned char)check_random();
        memcpy(block + ONE_TASK - length, bytes, length);
        if (scion_meta1_decode(block + ONE_TASK - length, length, (sion_int64)length, &result) == 0)
            bad += !is_plausible(&result, (sion_int64)length);
        warnings_take();
    }
    free(block);
    CHECK_INT(bad, 0);
}

static void reading_rounds_sizes_of_old_files_only(void)
{
    struct scion_meta1 head = {.fsblksize = 4096};

    for (head.format_version = 2; head.format_version <= 6; head.format_version++)
        CHECK_INT(scion_meta1_grain(&head), head.format_version <= 3 ? 4096 : 1);
}

int main(void)
{
    RUN(reading_rounds_sizes_of_old_files_only);
    check_seed(3);
    RUN(sizes_follow_the_formula);
    RUN(a_new_header_names_this_version);
    RUN(encode_puts_every_field_at_its_offset);
    RUN(encode_pads_the_prefix_with_zeros);
    RUN(decode_reads_both_byte_orders);
    RUN(versions_3_4_and_6_have_the_same_layout_and_one_warning);
    RUN(version_2_has_20_bytes_fewer);
    RUN(versions_below_2_are_refused);
    RUN(only_version_5_carries_a_keyval_mode);
    RUN(modes_that_no_writer_makes_are_known);
    RUN(every_keyval_mode_is_written_as_it_was_read);
    RUN(either_half_of_the_endianness_word_suffices);
    RUN(other_bits_of_the_endianness_word_are_ignored);
    RUN(a_wrong_endianness_word_is_noticed);
    RUN(every_byte_of_the_magic_counts);
    RUN(every_truncation_is_refused);
    RUN(a_short_file_is_not_a_sion_file);
    RUN(impossible_numbers_are_refused);
    RUN(the_number_of_tasks_is_bounded_by_the_file);
    RUN(a_single_file_may_have_any_number);
    RUN(a_prefix_without_an_end_is_terminated);
    RUN(the_tail_is_12_bytes);
    RUN(arrays_are_brought_into_host_order);
    RUN(random_headers_survive_the_round_trip);
    RUN(random_damage_never_crashes_the_decoder);
    return check_done();
}
