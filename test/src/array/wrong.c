/* Wrong arguments: each function fails as documented, with a reason, and changes nothing. */
#include "model.h"

#include "array/bindings.h"
#include "array/codec.h"
#include "sion_common.h"
#include "sion_serial.h"
#include "support.h"

#define NAME "wrong.sion"

static char too_long[SCION_ARRAY_VALUE + 2], long_name[SION_ARRAY_NAME + 2];
static const sion_int64 shape[] = {4, 3}, other_shape[] = {4, 4}, begin[] = {0, 0}, one[] = {1, 1};
static const sion_int64 negative[] = {-1, 3}, uncounted[] = {(sion_int64)1 << 62, 8};

static int create(void)
{
    sion_int64 size = 8192, *sizes = &size;
    int rank = 0, *ranks = &rank, ntasks = 1, nfiles = 1;
    sion_int32 fsblksize = 512;
    char name[] = NAME;

    return sion_open(name, "bw", &ntasks, &nfiles, &sizes, &fsblksize, &ranks, NULL);
}

/* A call must have failed with one message, which has the reason. */
static void failed(const char *reason, int code, int rc)
{
    CHECK_INT(rc, SION_NOT_SUCCESS);
    CHECK_INT(sion_error_code(), code);
    CHECK_INT(support_errors, 1);
    CHECK_CONTAINS(support_message, reason);
    support_errors = 0;
    support_message[0] = '\0';
}

/* ---- writing ---- */

static void definitions_are_refused(void)
{
    static const struct {
        const char *name;
        int type, ndims;
        const sion_int64 *shape;
        int code;
        const char *reason;
    } cases[] = {
        {NULL, SION_F64, 2, shape, SION_ERR_ARGUMENT, "name is NULL"},
        {"A", SION_F64, 2, NULL, SION_ERR_ARGUMENT, "shape is NULL"},
        {"", SION_F64, 2, shape, SION_ERR_ARGUMENT, "has 0 bytes, not 1 to 1023"},
        {long_name, SION_F64, 2, shape, SION_ERR_ARGUMENT, "has 1024 bytes, not 1 to 1023"},
        {"a\nb", SION_F64, 2, shape, SION_ERR_ARGUMENT, "has a byte 10,"},
        {"a\x7f", SION_F64, 2, shape, SION_ERR_ARGUMENT, "has a byte 127,"},
        {"a\xff", SION_F64, 2, shape, SION_ERR_ARGUMENT, "has a byte 255,"},
        {"a\xc3", SION_F64, 2, shape, SION_ERR_ARGUMENT, "has a byte 195,"},
        {"a\xc2\x9b", SION_F64, 2, shape, SION_ERR_ARGUMENT, "has a byte 194,"},
        {"A", 0, 2, shape, SION_ERR_ARGUMENT, "type 0, 2 dimensions"},
        {"A", SION_C128 + 1, 2, shape, SION_ERR_ARGUMENT, "type 13, 2 dimensions"},
        {"A", SION_F64, -1, shape, SION_ERR_ARGUMENT, "type 10, -1 dimensions"},
        {"A", SION_F64, 9, shape, SION_ERR_ARGUMENT, "type 10, 9 dimensions"},
        {"A", SION_F64, 2, negative, SION_ERR_ARGUMENT,
         "array A: the extent -1 of dimension 0 is negative"},
        {"A", SION_F64, 2, uncounted, SION_ERR_ARGUMENT, "is larger than 2^63-1 bytes"},
        {"T", SION_F32, 2, shape, SION_ERR_MISMATCH, "T was defined with another type or shape"},
        {"T", SION_F64, 1, shape, SION_ERR_MISMATCH, "T was defined with another type or shape"},
        {"T", SION_F64, 2, other_shape, SION_ERR_MISMATCH, "with another type or shape"},
    };
    int sid = create();
    sion_array_reader *arrays;
    size_t i;

    support_catch();
    CHECK_INT(sion_array_define(sid, "T", SION_F64, 2, shape), SION_SUCCESS);
    for (i = 0; i < sizeof cases / sizeof *cases; i++)
        failed(
            cases[i].reason, cases[i].code,
            sion_array_define(sid, cases[i].name, cases[i].type, cases[i].ndims, cases[i].shape));
    failed("", SION_ERR_HANDLE, sion_array_define(-1, "A", SION_F64, 2, shape));
    CHECK_INT(sion_array_define(sid, "T", SION_F64, 2, shape), SION_SUCCESS);
    CHECK_INT(sion_close(sid), 1);
    arrays = sion_array_reader_open(NAME);
    CHECK_INT(sion_array_reader_count(arrays), 1);
    sion_array_reader_close(arrays);
}

static void blocks_are_refused(void)
{
    static const sion_int64 behind[] = {5, 0}, wide[] = {1, 4};
    static const double data[12] = {1};
    static const struct {
        const char *name;
        sion_int64 step;
        const sion_int64 *offset, *count;
        const double *data;
        const char *reason;
    } cases[] = {
        {NULL, 0, begin, one, data, "array NULL is not defined"},
        {"A", 0, begin, one, data, "array A is not defined"},
        {"T", -1, begin, one, data, "array T: step -1"},
        {"T", 0, NULL, one, data, "offset or count is NULL"},
        {"T", 0, begin, NULL, data, "offset or count is NULL"},
        {"T", 0, negative, one, data, "1 elements from -1 on are not within the 4 of dimension 0"},
        {"T", 0, begin, negative, data, "-1 elements from 0 on are not within"},
        {"T", 0, behind, one, data, "1 elements from 5 on are not within the 4 of dimension 0"},
        {"T", 0, begin, wide, data, "4 elements from 0 on are not within the 3 of dimension 1"},
        {"T", 0, begin, one, NULL, "array T: data is NULL"},
    };
    int sid = create(), number = 7;
    struct sion_array_info info = {.size = sizeof info};
    sion_array_reader *arrays;
    size_t i;

    support_catch();
    CHECK_INT(sion_array_define(sid, "T", SION_F64, 2, shape), SION_SUCCESS);
    CHECK_INT(sion_array_define(sid, "N", SION_I32, 0, NULL), SION_SUCCESS);
    for (i = 0; i < sizeof cases / sizeof *cases; i++)
        failed(cases[i].reason, SION_ERR_ARGUMENT,
               put_any(sid, cases[i].name, cases[i].step, cases[i].offset, cases[i].count,
                       cases[i].data));
    failed("", SION_ERR_HANDLE, put_any(-1, "T", 0, begin, one, data));
    /* What needs no memory may have none. */
    CHECK_INT(put_any(sid, "T", 0, begin, begin, NULL), SION_SUCCESS);
    CHECK_INT(put_any(sid, "N", 3, NULL, NULL, &number), SION_SUCCESS);
    CHECK_INT(sion_close(sid), 1);
    arrays = sion_array_reader_open(NAME);
    CHECK_INT(sion_array_reader_info(arrays, "T", &info), SION_SUCCESS);
    CHECK_INT(info.blocks, 0);
    number = 0;
    CHECK_INT(get_any(arrays, "N", 3, NULL, NULL, &number), SION_SUCCESS);
    CHECK_INT(number, 7);
    sion_array_reader_close(arrays);
}

static void attributes_are_refused(void)
{
    static const struct {
        const char *name, *key, *value, *reason;
    } cases[] = {
        {"A", "k", "v", "array A is not defined"},
        {"T", NULL, "v", "key is NULL"},
        {"T", "k", NULL, "value is NULL"},
        {NULL, NULL, "v", "key is NULL"},
        {"T", "", "v", "the key of an attribute has 0 bytes"},
        {"T", "a\tb", "v", "the key of an attribute has a byte 9,"},
        {"T", "k", too_long, "the value of attribute k has 65536 bytes, at most 65535"},
        {"T", "k", "20 \xb0", "the value of attribute k is not UTF-8 at byte 3"},
        {NULL, "k", "\xc3", "the value of attribute k is not UTF-8 at byte 0"},
        {"T", "_FillValue", "x", "array T: _FillValue 'x' is not a number of type f64"},
        {"T", "_FillValue", "1.5x", "_FillValue '1.5x' is not a number of type f64"},
        {"T", "_FillValue", "", "_FillValue '' is not a number of type f64"},
        {"I", "_FillValue", "128", "_FillValue '128' is not a number of type i8"},
        {"I", "_FillValue", "-129", "_FillValue '-129' is not a number of type i8"},
        {"I", "_FillValue", "1.5", "_FillValue '1.5' is not a number of type i8"},
        {"U", "_FillValue", "65536", "_FillValue '65536' is not a number of type u16"},
        {"U", "_FillValue", "-1", "_FillValue '-1' is not a number of type u16"},
        {"L", "_FillValue", "9223372036854775808", "is not a number of type i64"},
        {"C", "_FillValue", "1 2", "_FillValue '1 2' is not a number of type c64"},
        {"C", "_FillValue", "1+2", "_FillValue '1+2' is not a number of type c64"},
        {"C", "_FillValue", "1+j", "_FillValue '1+j' is not a number of type c64"},
    };
    int sid = create();
    sion_array_reader *arrays;
    size_t i;

    support_catch();
    CHECK_INT(sion_array_define(sid, "T", SION_F64, 2, shape), SION_SUCCESS);
    CHECK_INT(sion_array_define(sid, "I", SION_I8, 0, NULL), SION_SUCCESS);
    CHECK_INT(sion_array_define(sid, "U", SION_U16, 0, NULL), SION_SUCCESS);
    CHECK_INT(sion_array_define(sid, "L", SION_I64, 0, NULL), SION_SUCCESS);
    CHECK_INT(sion_array_define(sid, "C", SION_C64, 0, NULL), SION_SUCCESS);
    for (i = 0; i < sizeof cases / sizeof *cases; i++)
        failed(cases[i].reason, SION_ERR_ARGUMENT,
               sion_array_set_attribute(sid, cases[i].name, cases[i].key, cases[i].value));
    failed("", SION_ERR_HANDLE, sion_array_set_attribute(-1, NULL, "k", "v"));
    CHECK_INT(sion_close(sid), 1);
    arrays = sion_array_reader_open(NAME);
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK(!sion_array_reader_key(arrays, cases[i].name, 0));
    }
    sion_array_reader_close(arrays);
}

/* The last value counts, and the number of the container's keys does not grow. */
static void an_attribute_is_replaced(void)
{
    int sid = create();
    sion_array_reader *arrays;

    CHECK_INT(sion_array_set_attribute(sid, NULL, "_FillValue", "no number"), SION_SUCCESS);
    CHECK_INT(sion_array_set_attribute(sid, NULL, "_FillValue", "of no array"), SION_SUCCESS);
    CHECK_INT(sion_close(sid), 1);
    arrays = sion_array_reader_open(NAME);
    CHECK_STR(sion_array_reader_attribute(arrays, NULL, "_FillValue"), "of no array");
    CHECK(!sion_array_reader_key(arrays, NULL, 1));
    sion_array_reader_close(arrays);
}

static void fill_values_of_all_types_are_taken(void)
{
    const struct {
        int type;
        const char *text;
        const void *element;
        size_t size;
    } cases[] = {
        {SION_I8, "-128", &(int8_t){INT8_MIN}, 1},
        {SION_U8, "255", &(uint8_t){UINT8_MAX}, 1},
        {SION_I16, "-32768", &(int16_t){INT16_MIN}, 2},
        {SION_U32, "4294967295", &(uint32_t){UINT32_MAX}, 4},
        {SION_I64, "-9223372036854775808", &(int64_t){INT64_MIN}, 8},
        {SION_U64, "18446744073709551615", &(uint64_t){UINT64_MAX}, 8},
        {SION_F32, "-1.5", &(float){-1.5f}, 4},
        {SION_C64, "2.5", &(float[]){2.5f, 0}, 8},
        {SION_C128, "-1e3-2.5j", &(double[]){-1000, -2.5}, 16},
    };
    int sid = create();
    sion_array_reader *arrays;
    char name[] = "a", element[16];
    size_t i;

    for (i = 0; i < sizeof cases / sizeof *cases; i++, name[0]++) {
        CHECK_INT(sion_array_define(sid, name, cases[i].type, 0, NULL), SION_SUCCESS);
        CHECK_INT(sion_array_set_attribute(sid, name, "_FillValue", cases[i].text), SION_SUCCESS);
    }
    CHECK_INT(sion_close(sid), 1);
    arrays = sion_array_reader_open(NAME);
    for (i = 0, name[0] = 'a'; i < sizeof cases / sizeof *cases; i++, name[0]++) {
        CHECK_INT(get_any(arrays, name, 0, NULL, NULL, element), SION_SUCCESS);
        CHECK(memcmp(element, cases[i].element, cases[i].size) == 0);
    }
    sion_array_reader_close(arrays);
}

static void a_definition_can_be_asked_for(void)
{
    int sid = create();
    struct sion_array_info info = {.size = sizeof info};

    support_catch();
    CHECK_INT(sion_array_define(sid, "T", SION_F64, 2, shape), SION_SUCCESS);
    CHECK_INT(sion_layer_array_defined(sid, "T", &info), 0);
    CHECK(info.type == SION_F64 && info.ndims == 2 && info.shape[1] == 3);
    CHECK_INT(sion_layer_array_defined(sid, "A", &info), SION_ERR_ARGUMENT);
    CHECK_INT(sion_layer_array_defined(sid, NULL, &info), SION_ERR_ARGUMENT);
    CHECK_INT(sion_layer_array_defined(-1, "T", &info), SION_ERR_HANDLE);
    CHECK_INT(sion_close(sid), 1);
}

/* ---- reading ---- */

static sion_array_reader *write_one_block(void)
{
    static const double data[12] = {1};
    int sid = create();

    CHECK_INT(sion_array_define(sid, "T", SION_F64, 2, shape), SION_SUCCESS);
    CHECK_INT(sion_array_set_attribute(sid, "T", "k", "v"), SION_SUCCESS);
    CHECK_INT(put_any(sid, "T", 5, begin, shape, data), SION_SUCCESS);
    CHECK_INT(sion_close(sid), 1);
    return sion_array_reader_open(NAME);
}

static void questions_without_an_answer(void)
{
    sion_array_reader *arrays = write_one_block();
    struct sion_array_info info = {.size = sizeof info};

    support_catch();
    CHECK_INT(sion_array_reader_count(NULL), 0);
    CHECK(!sion_array_reader_name(NULL, 0));
    CHECK(!sion_array_reader_name(arrays, -1) && !sion_array_reader_name(arrays, 1));
    CHECK_INT(sion_array_reader_step(NULL, "T", 0), -1);
    CHECK_INT(sion_array_reader_step(arrays, NULL, 0), -1);
    CHECK_INT(sion_array_reader_step(arrays, "A", 0), -1);
    CHECK_INT(sion_array_reader_step(arrays, "T", -1), -1);
    CHECK_INT(sion_array_reader_step(arrays, "T", 1), -1);
    CHECK_INT(sion_array_reader_step(arrays, "T", 0), 5);
    CHECK(!sion_array_reader_attribute(NULL, NULL, "k") &&
          !sion_array_reader_attribute(NULL, "T", "k"));
    CHECK(!sion_array_reader_attribute(arrays, "T", NULL) &&
          !sion_array_reader_attribute(arrays, "A", "k"));
    CHECK(!sion_array_reader_attribute(arrays, "T", "l") &&
          !sion_array_reader_attribute(arrays, NULL, "k"));
    CHECK(!sion_array_reader_key(NULL, NULL, 0) && !sion_array_reader_key(arrays, "A", 0));
    CHECK(!sion_array_reader_key(arrays, "T", -1) && !sion_array_reader_key(arrays, "T", 1));
    CHECK_STR(sion_array_reader_key(arrays, "T", 0), "k");
    CHECK_INT(support_errors, 0);
    failed("there is no array T", SION_ERR_HANDLE, sion_array_reader_info(NULL, "T", &info));
    failed("there is no array NULL", SION_ERR_ARGUMENT,
           sion_array_reader_info(arrays, NULL, &info));
    failed("there is no array A", SION_ERR_ARGUMENT, sion_array_reader_info(arrays, "A", &info));
    sion_array_reader_close(arrays);
    sion_array_reader_close(NULL);
}

static void reads_are_refused(void)
{
    static const struct {
        const char *name;
        sion_int64 step;
        const sion_int64 *offset, *count;
        int has_data;
        const char *reason;
    } cases[] = {
        {"A", 5, begin, one, 1, "there is no array A"},
        {NULL, 5, begin, one, 1, "there is no array NULL"},
        {"T", -2, begin, one, 1, "array T: step -2"},
        {"T", 5, NULL, one, 1, "offset or count is NULL"},
        {"T", 5, begin, NULL, 1, "offset or count is NULL"},
        {"T", 5, begin, other_shape, 1, "4 elements from 0 on are not within the 3"},
        {"T", 5, begin, one, 0, "array T: data is NULL"},
    };
    sion_array_reader *arrays = write_one_block();
    struct sion_array_block block = {.size = sizeof block};
    double data[12] = {0};
    size_t i;

    support_catch();
    for (i = 0; i < sizeof cases / sizeof *cases; i++)
        failed(cases[i].reason, SION_ERR_ARGUMENT,
               get_any(arrays, cases[i].name, cases[i].step, cases[i].offset, cases[i].count,
                       cases[i].has_data ? data : NULL));
    failed("there is no array T", SION_ERR_HANDLE, get_any(NULL, "T", 5, begin, one, data));
    CHECK_INT(sion_array_reader_blocks(arrays, "A", 5, 0, 1, &block), -1);
    CHECK_CONTAINS(support_message, "there is no array A");
    CHECK_INT(sion_array_reader_blocks(NULL, "T", 5, 0, 1, &block), -1);
    CHECK_INT(sion_array_reader_blocks(arrays, "T", 5, -1, 1, &block), 0);
    CHECK_INT(sion_array_reader_blocks(arrays, "T", 5, 1, 1, &block), 0);
    CHECK_INT(sion_array_reader_blocks(arrays, "T", 4, 0, 1, &block), 0);
    CHECK_INT(sion_array_reader_blocks(arrays, "T", 6, 0, 1, &block), 0);
    CHECK_INT(sion_array_reader_blocks(arrays, "T", 5, 0, 0, NULL), 1);
    CHECK_INT(get_any(arrays, "T", 5, begin, begin, NULL), SION_SUCCESS);
    CHECK_INT(get_any(arrays, "T", 5, begin, one, data), SION_SUCCESS);
    CHECK(data[0] > 0.5);
    sion_array_reader_close(arrays);
    support_errors = 0;
    CHECK(!sion_array_reader_open("missing.sion") && support_errors == 1);
    CHECK(!sion_array_reader_open(NULL) && support_errors == 2);
    CHECK(!sion_array_reader_open_mode(NAME, "bw") && support_errors == 3);
    CHECK_CONTAINS(support_message, NAME ": the mode 'bw' is not one for reading");
    CHECK(!sion_array_reader_open_mode(NAME, NULL) && support_errors == 4);
    CHECK(!sion_array_reader_open_mode(NAME, "br,generation=1") && support_errors == 5);
    CHECK_CONTAINS(support_message, NAME " has no generations");
}

/* Nothing can be defined in a container that is open for reading. */
/* A program whose memory is of another type, or too small, neither reads beyond it nor overwrites
   what is behind it. */
static void memory_of_another_type_or_size_is_refused(void)
{
    struct {
        float data[4];
        unsigned char fence[64];
    } small;
    double data[3] = {1, 2, 3};
    const sion_int64 three[] = {3}, first[] = {0};
    sion_array_reader *arrays;
    int sid = create();
    size_t i;

    support_errors = 0;
    CHECK_INT(sion_array_define(sid, "d", SION_F64, 1, three), 1);
    failed("array d: the memory is of type f32, the array is f64", SION_ERR_ARGUMENT,
           sion_array_put(sid, "d", 0, first, three, SION_F32, data, sizeof data));
    failed("array d: the memory is of type unknown", SION_ERR_ARGUMENT,
           sion_array_put(sid, "d", 0, first, three, 77, data, sizeof data));
    failed("array d: the memory has 23 bytes, not 24", SION_ERR_ARGUMENT,
           sion_array_put(sid, "d", 0, first, three, SION_F64, data, sizeof data - 1));
    CHECK_INT(sion_array_put(sid, "d", 0, first, three, SION_F64, data, sizeof data), 1);
    CHECK_INT(sion_close(sid), 1);
    arrays = sion_array_reader_open(NAME);
    memset(&small, 0x5a, sizeof small);
    failed("array d: the memory is of type f32, the array is f64", SION_ERR_ARGUMENT,
           sion_array_reader_get(arrays, "d", 0, first, three, SION_F32, small.data,
                                 sizeof small.data));
    failed("array d: the memory has 16 bytes, not 24", SION_ERR_ARGUMENT,
           sion_array_reader_get(arrays, "d", 0, first, three, SION_F64, small.data,
                                 sizeof small.data));
    for (i = 0; i < sizeof small; i++)
        CHECK_INT(((unsigned char *)&small)[i], 0x5a);
    CHECK_INT(sion_array_reader_get(arrays, "d", 0, first, three, SION_F64, data, sizeof data), 1);
    failed("struct sion_array_block is NULL", SION_ERR_ARGUMENT,
           sion_array_reader_blocks(arrays, "d", 0, 0, 1, NULL) == -1 ? 0 : 1);
    sion_array_reader_close(arrays);
}

static void a_container_that_is_read_has_no_writer(void)
{
    int ntasks, nfiles, *ranks = NULL, sid;
    sion_int64 *sizes = NULL;
    sion_int32 fsblksize;

    sion_array_reader_close(write_one_block());
    sid = sion_open((char[]){NAME}, "br", &ntasks, &nfiles, &sizes, &fsblksize, &ranks, NULL);
    support_catch();
    failed("", SION_ERR_MODE, sion_array_define(sid, "A", SION_F64, 2, shape));
    failed("", SION_ERR_MODE, put_any(sid, "T", 5, begin, one, shape));
    failed("", SION_ERR_MODE, sion_array_set_attribute(sid, NULL, "k", "v"));
    CHECK_INT(sion_close(sid), 1);
    free(sizes);
    free(ranks);
}

int main(void)
{
    memset(too_long, 'v', sizeof too_long - 1);
    memset(long_name, 'n', sizeof long_name - 1);
    support_enter_folder();
    RUN(definitions_are_refused);
    RUN(blocks_are_refused);
    RUN(attributes_are_refused);
    RUN(an_attribute_is_replaced);
    RUN(fill_values_of_all_types_are_taken);
    RUN(a_definition_can_be_asked_for);
    RUN(questions_without_an_answer);
    RUN(reads_are_refused);
    RUN(memory_of_another_type_or_size_is_refused);
    RUN(a_container_that_is_read_has_no_writer);
    support_leave_folder();
    return check_done();
}
