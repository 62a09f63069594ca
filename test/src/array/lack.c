/* Without memory, a call for arrays fails, the program goes on, and the next call succeeds. */
#include "sion.h"
#include "array/reader.h"
#include "any.h"
#include "sion_array.h"

#include "lack.h"
#include "support.h"

static char name[] = "lack.sion";

static int create(void)
{
    int n = 1, nfiles = 1, rank = 0, *ranks = &rank;
    sion_int64 size = 100000, *sizes = &size;
    sion_int32 fsblksize = 512;

    return sion_open(name, "bw", &n, &nfiles, &sizes, &fsblksize, &ranks, NULL);
}

/* The nth allocation of a definition fails, for every n; tables grow as more arrays are defined. */
static void a_definition_fails_and_can_be_repeated(void)
{
    static const sion_int64 shape[1] = {4};
    static const double data[4] = {1, 2, 3, 4}, *field = data;
    const sion_int64 offset[1] = {0};
    int sid = create(), i, failed = 0;
    long n;

    support_catch();
    for (i = 0; i < 200; i++) {
        char array[20];
        int rc = SION_NOT_SUCCESS;

        snprintf(array, sizeof array, "array %d", i);
        for (n = 1; rc != SION_SUCCESS && n < 20; n++) {
            lack_in = n;
            rc = sion_array_define(sid, array, SION_F64, 1, shape);
            lack_in = 0;
            CHECK(rc == SION_SUCCESS || sion_error_code() == SION_ERR_MEMORY);
            failed += rc != SION_SUCCESS;
        }
        CHECK_INT(rc, SION_SUCCESS);
        CHECK_INT(put_any(sid, array, 0, offset, shape, field), SION_SUCCESS);
    }
    CHECK(failed >= 200);
    CHECK_INT(sion_close(sid), 1);
}

/* Set an attribute with the nth allocation failing, for every n. Returns the number of failures. */
static int note(int sid, const char *value)
{
    int rc = SION_NOT_SUCCESS, failed = 0;
    long n;

    for (n = 1; rc != SION_SUCCESS && n < 20; n++) {
        lack_in = n;
        rc = sion_array_set_attribute(sid, NULL, "key", value);
        failed += lack_in == 0;
        lack_in = 0;
        CHECK(rc == SION_SUCCESS || sion_error_code() == SION_ERR_MEMORY);
    }
    CHECK_INT(rc, SION_SUCCESS);
    CHECK_INT(failed, n - 2);
    return failed;
}

/* The index has what was said to be in it; the last value counts. */
static void an_attribute_fails_and_can_be_repeated(void)
{
    int sid = create();
    sion_array_reader *arrays;

    support_catch();
    CHECK(note(sid, "first") >= 3);
    CHECK(note(sid, "second") >= 2);
    CHECK_INT(sion_close(sid), 1);
    arrays = sion_array_reader_open(name);
    CHECK_INT(arrays->source, SCION_ARRAY_FROM_WHOLE);
    CHECK_STR(sion_array_reader_attribute(arrays, NULL, "key"), "second");
    CHECK(!sion_array_reader_key(arrays, NULL, 1));
    sion_array_reader_close(arrays);
}

/* A close without memory says so, and leaves no index that lacks something. */
static void a_close_may_fail(void)
{
    static const sion_int64 shape[1] = {4};
    static const double data[4] = {1, 2, 3, 4};
    const sion_int64 offset[1] = {0};
    long n = 0, left;

    support_catch();
    do {
        int sid = create(), i, rc;
        sion_array_reader *arrays;

        for (i = 0; i < 9; i++) {
            char array[20];

            snprintf(array, sizeof array, "array %d", i);
            CHECK_INT(sion_array_define(sid, array, SION_F64, 1, shape), SION_SUCCESS);
            CHECK_INT(sion_array_set_attribute(sid, array, "unit", "a long name of a unit"),
                      SION_SUCCESS);
            CHECK_INT(put_any(sid, array, 0, offset, shape, data), SION_SUCCESS);
        }
        lack_in = ++n;
        rc = sion_close(sid);
        left = lack_in;
        lack_in = 0;
        arrays = sion_array_reader_open(name);
        CHECK(rc == SION_SUCCESS || left == 0);
        if (rc == SION_SUCCESS && left > 0)
            CHECK_INT(arrays->source, SCION_ARRAY_FROM_WHOLE);
        for (i = 0; arrays && arrays->source == SCION_ARRAY_FROM_WHOLE && i < 9; i++) {
            char array[20];

            snprintf(array, sizeof array, "array %d", i);
            CHECK_STR(sion_array_reader_attribute(arrays, array, "unit"), "a long name of a unit");
        }
        sion_array_reader_close(arrays);
    } while (left == 0 && n < 1000);
    printf("# %ld allocations\n", n - 1);
    CHECK(n > 10);
}

static void an_open_fails_and_can_be_repeated(void)
{
    sion_array_reader *arrays = NULL;
    struct sion_array_info info = {.size = sizeof info};
    long n;

    support_catch();
    for (n = 1; !arrays && n < 5000; n++) {
        lack_in = n;
        arrays = sion_array_reader_open(name);
        lack_in = 0;
        CHECK(arrays || sion_error_code() == SION_ERR_MEMORY);
    }
    CHECK(n > 200);
    CHECK(n < 400); /* one allocation for each array; lists grow by several elements at a time */
    CHECK_INT(sion_array_reader_count(arrays), 200);
    CHECK_INT(sion_array_reader_info(arrays, "array 199", &info), SION_SUCCESS);
    sion_array_reader_close(arrays);
}

/* As another type, elements need memory before they are converted. */
static void a_read_as_another_type_fails_and_can_be_repeated(void)
{
    sion_array_reader *arrays = sion_array_reader_open(name);
    const sion_int64 offset[1] = {0}, count[1] = {4};
    int data[4] = {0}, rc = SION_NOT_SUCCESS;
    long n;

    support_catch();
    for (n = 1; rc != SION_SUCCESS && n < 20; n++) {
        lack_in = n;
        rc = sion_array_reader_get_as(arrays, "array 0", 0, offset, count, SION_I32, data,
                                      sizeof data);
        lack_in = 0;
        CHECK(rc == SION_SUCCESS || sion_error_code() == SION_ERR_MEMORY);
    }
    CHECK(n > 3 && support_errors == n - 2);
    CHECK(rc == SION_SUCCESS && data[0] == 1 && data[3] == 4);
    sion_array_reader_close(arrays);
}

int main(void)
{
    support_enter_folder();
    RUN(a_definition_fails_and_can_be_repeated);
    RUN(an_open_fails_and_can_be_repeated);
    RUN(a_read_as_another_type_fails_and_can_be_repeated);
    RUN(a_close_may_fail);
    RUN(an_attribute_fails_and_can_be_repeated);
    support_leave_folder();
    return check_done();
}
