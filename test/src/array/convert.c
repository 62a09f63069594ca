/* Arrays that are read as another type: each value that the type has, and what is refused. */
#include "any.h"

#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#include "array/types.h"
#include "sion_common.h"
#include "sion_serial.h"
#include "support.h"

#define NAME "convert.sion"

enum { LARGE = 1500000, PLACE = 7 };

static const sion_int64 shape[] = {3, 4}, begin[] = {0, 0};

static int create(void)
{
    sion_int64 size = 1 << 20, *sizes = &size;
    int rank = 0, *ranks = &rank, ntasks = 1, nfiles = 1;
    sion_int32 fsblksize = 512;
    char name[] = NAME;

    return sion_open(name, "bw", &ntasks, &nfiles, &sizes, &fsblksize, &ranks, NULL);
}

/* A read has failed with one message. */
static void refused(int rc, int code, const char *reason)
{
    static const char function[] = "sion_array_reader_get_as: ";

    CHECK_INT(rc, SION_NOT_SUCCESS);
    CHECK_INT(sion_error_code(), code);
    CHECK_INT(support_errors, 1);
    CHECK_CONTAINS(support_message, function);
    CHECK_STR(support_message + sizeof function - 1, reason);
    support_errors = 0;
}

/* ---- each value of each type ---- */

#define REALS    "f32 f64 c64 c128 "
#define ROUNDED  "~f32 ~c64 " /* only from doubles */
#define INTEGERS "i8 u8 i16 u16 i32 u32 i64 u64 "

/* Numbers, and the types that can represent them. */
static const struct {
    const char *text, *types;
} values[] = {
    {"0", INTEGERS REALS},
    {"127", INTEGERS REALS},
    {"-1", "i8 i16 i32 i64 " REALS},
    {"-128", "i8 i16 i32 i64 " REALS},
    {"-129", "i16 i32 i64 " REALS},
    {"128", "u8 i16 u16 i32 u32 i64 u64 " REALS},
    {"255", "u8 i16 u16 i32 u32 i64 u64 " REALS},
    {"256", "i16 u16 i32 u32 i64 u64 " REALS},
    {"32767", "i16 u16 i32 u32 i64 u64 " REALS},
    {"32768", "u16 i32 u32 i64 u64 " REALS},
    {"-32768", "i16 i32 i64 " REALS},
    {"-32769", "i32 i64 " REALS},
    {"65535", "u16 i32 u32 i64 u64 " REALS},
    {"65536", "i32 u32 i64 u64 " REALS},
    {"16777216", "i32 u32 i64 u64 " REALS},
    {"16777217", "i32 u32 i64 u64 f64 c128 " ROUNDED},
    {"-16777217", "i32 i64 f64 c128 " ROUNDED},
    {"2147483647", "i32 u32 i64 u64 f64 c128 " ROUNDED},
    {"2147483648", "u32 i64 u64 " REALS},
    {"-2147483648", "i32 i64 " REALS},
    {"-2147483649", "i64 f64 c128 " ROUNDED},
    {"4294967295", "u32 i64 u64 f64 c128 " ROUNDED},
    {"4294967296", "i64 u64 " REALS},
    {"9007199254740991", "i64 u64 f64 c128 " ROUNDED},
    {"9007199254740993", "i64 u64 "},
    {"-9007199254740993", "i64 "},
    {"9223372036854775807", "i64 u64 "},
    {"9223372036854775808", "u64 " REALS},
    {"-9223372036854775808", "i64 " REALS},
    {"18446744073709549568", "u64 f64 c128 " ROUNDED},
    {"18446744073709551615", "u64 "},
    {"18446744073709551616", REALS},
    {"-9223372036854777856", "f64 c128 " ROUNDED},
    {"0.5", REALS},
    {"-0.5", REALS},
    {"126.5", REALS},
    {"1e300", "f64 c128 "},
    {"-1e300", "f64 c128 "},
    {"3.4028235677973366e+38", "f64 c128 "},
    {"nan", REALS},
    {"inf", REALS},
    {"-inf", REALS},
    {"3+2j", "c64 c128 "},
    {"3+1e300j", "c128 "},
    {"1e300+2j", "c128 "},
};

enum { VALUES = sizeof values / sizeof *values };

/* Whether the type is in the value's list, after a space or another mark. */
static int is_listed(int value, int type, char mark)
{
    char word[8], list[100];

    snprintf(word, sizeof word, "%c%s ", mark, scion_array_type_name(type));
    snprintf(list, sizeof list, " %s", values[value].types);
    return strstr(list, word) != NULL;
}

static int has(int value, int type)
{
    return is_listed(value, type, ' ');
}

static int is_converted(int value, int type, int into)
{
    int is_double = type == SION_F64 || type == SION_C128;

    return has(value, into) || (is_double && is_listed(value, into, '~'));
}

static const char *name_of(int value, int type)
{
    static char name[64];

    snprintf(name, sizeof name, "%d %s", value, scion_array_type_name(type));
    return name;
}

/* Each value is one element of an array of each type that has it; the others are 0. */
static void write_values(void)
{
    int sid = create(), value, type;

    for (value = 0; value < VALUES; value++) {
        for (type = SION_I8; type <= SION_C128; type++) {
            unsigned char block[12 * 16] = {0};

            if (!has(value, type))
                continue;
            CHECK_INT(
                scion_array_fill(type, values[value].text, block + PLACE * scion_array_size(type)),
                0);
            CHECK_INT(sion_array_define(sid, name_of(value, type), type, 2, shape), 1);
            CHECK_INT(put_any(sid, name_of(value, type), 0, begin, shape, block), 1);
        }
    }
    CHECK_INT(sion_close(sid), 1);
}

static void check_refusal(int value, int type, int into, int rc)
{
    unsigned char element[16];
    char text[SCION_ARRAY_TEXT], message[300];

    scion_array_fill(type, values[value].text, element);
    snprintf(message, sizeof message,
             "array %s: element (1, 3) of type %s is %s, which %s cannot represent",
             name_of(value, type), scion_array_type_name(type),
             scion_array_text(type, element, text), scion_array_type_name(into));
    refused(rc, SION_ERR_MISMATCH, message);
}

static int exceptions; /* of floating-point numbers, in all reads */

/* All elements, at an odd address, and the byte before and after them. */
static void read_value(sion_array_reader *arrays, int value, int type, int into)
{
    unsigned char data[2 + 12 * 16], wanted[12 * 16] = {0}, *to = data + 1;
    size_t size = scion_array_size(into);
    char text[SCION_ARRAY_TEXT], other[SCION_ARRAY_TEXT];
    int rc;

    memset(data, 0x5a, sizeof data);
    feclearexcept(FE_ALL_EXCEPT);
    rc = sion_array_reader_get_as(arrays, name_of(value, type), 0, begin, shape, into, to,
                                  12 * size);
    exceptions |= fetestexcept(FE_INVALID | FE_OVERFLOW | FE_DIVBYZERO);
    CHECK(data[0] == 0x5a && to[12 * size] == 0x5a);
    if (!is_converted(value, type, into)) {
        check_refusal(value, type, into, rc);
        return;
    }
    CHECK_INT(rc, SION_SUCCESS);
    scion_array_fill(into, values[value].text, wanted + PLACE * size);
    CHECK_STR(scion_array_text(into, to + PLACE * size, text),
              scion_array_text(into, wanted + PLACE * size, other));
    memcpy(wanted + PLACE * size, to + PLACE * size, size); /* a NaN may have any bits */
    CHECK(memcmp(to, wanted, 12 * size) == 0);
    if (check_failed_here)
        printf("# %s of %s as %s\n", values[value].text, scion_array_type_name(type),
               scion_array_type_name(into));
}

static void a_type_has_a_value_or_refuses_it(void)
{
    sion_array_reader *arrays;
    int value, type, into;

    write_values();
    support_catch();
    arrays = sion_array_reader_open(NAME);
    for (value = 0; value < VALUES && !check_failed_here; value++)
        for (type = SION_I8; type <= SION_C128; type++)
            for (into = SION_I8; has(value, type) && into <= SION_C128; into++)
                read_value(arrays, value, type, into);
    sion_array_reader_close(arrays);
    CHECK_INT(support_errors, 0);
}

/* Programs may let these end them. */
static void nothing_is_a_floating_point_exception(void)
{
    CHECK_INT(exceptions, 0);
}

/* ---- rounding ---- */

static void doubles_are_rounded_to_the_nearest_float(void)
{
    static const double data[] = {0.1,         -0.1,       1e-60, 3.4028235677973362e38,
                                  1 + 0x1p-24, 1 + 0x3p-24};
    static const float wanted[] = {0.1F, -0.1F, 0, 0x1.fffffep127F, 1, 1 + 0x1p-22F};
    static const sion_int64 six[] = {6}, three[] = {3};
    int sid = create();
    float floats[6] = {0}, pairs[6] = {0};
    sion_array_reader *arrays;

    CHECK_INT(sion_array_define(sid, "d", SION_F64, 1, six), 1);
    CHECK_INT(sion_array_define(sid, "c", SION_C128, 1, three), 1);
    CHECK_INT(put_any(sid, "d", 0, begin, six, data), 1);
    CHECK_INT(put_any(sid, "c", 0, begin, three, data), 1);
    CHECK_INT(sion_close(sid), 1);
    arrays = sion_array_reader_open(NAME);
    CHECK_INT(sion_array_reader_get_as(arrays, "d", 0, begin, six, SION_F32, floats, sizeof floats),
              1);
    CHECK(memcmp(floats, wanted, sizeof wanted) == 0);
    CHECK_INT(sion_array_reader_get_as(arrays, "c", 0, begin, three, SION_C64, pairs, sizeof pairs),
              1);
    CHECK(memcmp(pairs, wanted, sizeof wanted) == 0);
    sion_array_reader_close(arrays);
}

/* ---- which elements ---- */

/* An array of more than one piece: of rows, or of one row that is longer. */
static void write_large(const signed char *data, const sion_int64 *rows, const sion_int64 *row)
{
    static const sion_int64 origin[3] = {0};
    int sid = create();

    CHECK_INT(sion_array_define(sid, "rows", SION_I8, 3, rows), 1);
    CHECK_INT(sion_array_define(sid, "row", SION_I8, 2, row), 1);
    CHECK_INT(put_any(sid, "rows", 0, origin, rows, data), 1);
    CHECK_INT(put_any(sid, "row", 0, origin, row, data), 1);
    CHECK_INT(sion_close(sid), 1);
}

static int count_equal(sion_array_reader *arrays, const char *name, const sion_int64 *offset,
                       const sion_int64 *count, size_t n)
{
    signed char *plain = malloc(n);
    short *others = malloc(n * sizeof *others);
    size_t i;
    int equal = 0;

    CHECK_INT(get_any(arrays, name, 0, offset, count, plain), 1);
    CHECK_INT(sion_array_reader_get_as(arrays, name, 0, offset, count, SION_I16, others,
                                       n * sizeof *others),
              1);
    for (i = 0; i < n; i++)
        equal += others[i] == plain[i];
    free(plain);
    free(others);
    return equal;
}

static void a_large_part_is_read_in_pieces(void)
{
    static const sion_int64 rows[] = {3, 2, LARGE}, row[] = {2, 3 * LARGE}, origin[3] = {0};
    static const sion_int64 offset[] = {0, 1, 3}, count[] = {3, 1, LARGE - 5};
    static const sion_int64 from[] = {0, 5}, columns[] = {2, 3 * LARGE - 5};
    signed char *data = malloc(6 * LARGE);
    unsigned char *others = malloc(6 * LARGE);
    sion_array_reader *arrays;
    int i;

    for (i = 0; i < 6 * LARGE; i++)
        data[i] = (signed char)(i % 127);
    data[5 * LARGE + 77] = -7;
    write_large(data, rows, row);
    arrays = sion_array_reader_open(NAME);
    CHECK_INT(count_equal(arrays, "rows", origin, rows, 6 * LARGE), 6 * LARGE);
    CHECK_INT(count_equal(arrays, "row", origin, row, 6 * LARGE), 6 * LARGE);
    CHECK_INT(count_equal(arrays, "rows", offset, count, 3 * (LARGE - 5)), 3 * (LARGE - 5));
    CHECK_INT(count_equal(arrays, "row", from, columns, 6 * LARGE - 10), 6 * LARGE - 10);
    support_catch();
    refused(sion_array_reader_get_as(arrays, "rows", 0, origin, rows, SION_U8, others, 6 * LARGE),
            SION_ERR_MISMATCH,
            "array rows: element (2, 1, 77) of type i8 is -7, which u8 cannot represent");
    refused(sion_array_reader_get_as(arrays, "rows", 0, offset, count, SION_U8, others, 6 * LARGE),
            SION_ERR_MISMATCH,
            "array rows: element (2, 1, 77) of type i8 is -7, which u8 cannot represent");
    refused(sion_array_reader_get_as(arrays, "row", 0, origin, row, SION_U8, others, 6 * LARGE),
            SION_ERR_MISMATCH,
            "array row: element (1, 3000077) of type i8 is -7, which u8 cannot represent");
    sion_array_reader_close(arrays);
    free(data);
    free(others);
}

/* Blocks that others hide may have anything; elements that no block has are the fill value. */
static void only_elements_that_count_are_converted(void)
{
    static const sion_int64 four[] = {4}, two[] = {2}, third[] = {2};
    static const double bad[] = {0.5, 1e300, 3, 4}, good[] = {1, 2};
    int sid = create(), data[4];
    sion_array_reader *arrays;

    CHECK_INT(sion_array_define(sid, "T", SION_F64, 1, four), 1);
    CHECK_INT(sion_array_define(sid, "filled", SION_F64, 1, four), 1);
    CHECK_INT(sion_array_set_attribute(sid, "filled", "_FillValue", "9"), 1);
    CHECK_INT(put_any(sid, "T", 0, begin, four, bad), 1);
    CHECK_INT(put_any(sid, "T", 0, begin, two, good), 1);
    CHECK_INT(put_any(sid, "T", 1, begin, two, good), 1);
    CHECK_INT(put_any(sid, "filled", 0, begin, two, good), 1);
    CHECK_INT(sion_close(sid), 1);
    arrays = sion_array_reader_open(NAME);
    support_catch();
    CHECK_INT(sion_array_reader_get_as(arrays, "T", 0, begin, four, SION_I32, data, sizeof data),
              1);
    CHECK(data[0] == 1 && data[1] == 2 && data[2] == 3 && data[3] == 4);
    CHECK_INT(sion_array_reader_get_as(arrays, "T", SION_ARRAY_NEWEST, begin, four, SION_I32, data,
                                       sizeof data),
              1);
    CHECK(data[0] == 1 && data[3] == 4);
    refused(sion_array_reader_get_as(arrays, "T", 1, begin, four, SION_I32, data, sizeof data),
            SION_ERR_MISMATCH,
            "array T: element (2) of type f64 is nan, which i32 cannot represent");
    CHECK_INT(
        sion_array_reader_get_as(arrays, "filled", 0, third, two, SION_I32, data, sizeof data), 1);
    CHECK(data[0] == 9 && data[1] == 9);
    sion_array_reader_close(arrays);
}

/* ---- the memory ---- */

static void a_single_number_has_no_index(void)
{
    int sid = create();
    double number = 1.5, other = 0;
    sion_array_reader *arrays;

    CHECK_INT(sion_array_define(sid, "n", SION_F64, 0, NULL), 1);
    CHECK_INT(put_any(sid, "n", 0, NULL, NULL, &number), 1);
    CHECK_INT(sion_close(sid), 1);
    arrays = sion_array_reader_open(NAME);
    CHECK_INT(sion_array_reader_get_as(arrays, "n", 0, NULL, NULL, SION_F64, &other, sizeof other),
              1);
    CHECK(memcmp(&number, &other, sizeof number) == 0);
    support_catch();
    refused(sion_array_reader_get_as(arrays, "n", 0, NULL, NULL, SION_I8, &other, sizeof other),
            SION_ERR_MISMATCH, "array n: element () of type f64 is 1.5, which i8 cannot represent");
    sion_array_reader_close(arrays);
}

static void wrong_memory_is_refused(void)
{
    static const sion_int64 most[] = {(sion_int64)1 << 62}, two[] = {2}, none[] = {0};
    int sid = create(), data[2];
    sion_array_reader *arrays;

    CHECK_INT(sion_array_define(sid, "T", SION_I8, 1, most), 1);
    CHECK_INT(put_any(sid, "T", 0, begin, two, "\1\2"), 1);
    CHECK_INT(sion_close(sid), 1);
    arrays = sion_array_reader_open(NAME);
    support_catch();
    refused(sion_array_reader_get_as(arrays, "T", 0, begin, two, 0, data, sizeof data),
            SION_ERR_ARGUMENT, "array T: there is no type 0");
    refused(sion_array_reader_get_as(arrays, "T", 0, begin, two, SION_C128 + 1, data, sizeof data),
            SION_ERR_ARGUMENT, "array T: there is no type 13");
    refused(sion_array_reader_get_as(arrays, "T", 0, begin, two, SION_I32, data, sizeof data - 1),
            SION_ERR_ARGUMENT, "array T: the memory has 7 bytes, not 8");
    refused(sion_array_reader_get_as(arrays, "T", 0, begin, two, SION_I32, NULL, sizeof data),
            SION_ERR_ARGUMENT, "array T: data is NULL");
    refused(sion_array_reader_get_as(arrays, "T", 0, begin, most, SION_C128, data, sizeof data),
            SION_ERR_ARGUMENT, "array T: the part is larger than 2^63-1 bytes");
    refused(sion_array_reader_get_as(arrays, "T", -2, begin, two, SION_I32, data, sizeof data),
            SION_ERR_ARGUMENT, "array T: step -2");
    refused(sion_array_reader_get_as(arrays, "A", 0, begin, two, SION_I32, data, sizeof data),
            SION_ERR_ARGUMENT, "there is no array A");
    refused(sion_array_reader_get_as(NULL, "T", 0, begin, two, SION_I32, data, sizeof data),
            SION_ERR_HANDLE, "there is no array T");
    CHECK_INT(sion_array_reader_get_as(arrays, "T", 0, begin, none, SION_I32, NULL, 0), 1);
    CHECK_INT(sion_array_reader_get_as(arrays, "T", 0, begin, two, SION_I32, data, sizeof data), 1);
    CHECK(data[0] == 1 && data[1] == 2);
    sion_array_reader_close(arrays);
}

int main(void)
{
    support_enter_folder();
    RUN(a_type_has_a_value_or_refuses_it);
    RUN(nothing_is_a_floating_point_exception);
    RUN(doubles_are_rounded_to_the_nearest_float);
    RUN(a_large_part_is_read_in_pieces);
    RUN(only_elements_that_count_are_converted);
    RUN(a_single_number_has_no_index);
    RUN(wrong_memory_is_refused);
    support_leave_folder();
    return check_done();
}
