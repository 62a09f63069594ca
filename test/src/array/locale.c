/* Numbers have a decimal point in a locale with a decimal comma; the first argument is such a
   locale. Leaves a trace (SION_DEBUG) and statistics (SION_STATS) for locale.sh. */
#include <locale.h>

#include "model.h"

#include "sion_common.h"
#include "sion_debug.h"
#include "sion_serial.h"
#include "support.h"

#define NAME "locale.sion"

static const sion_int64 shape[] = {2};

static int create(void)
{
    sion_int64 size = 8192, *sizes = &size;
    int rank = 0, *ranks = &rank, ntasks = 1, nfiles = 1;
    sion_int32 fsblksize = 512;
    char name[] = NAME;

    return sion_open(name, "bw", &ntasks, &nfiles, &sizes, &fsblksize, &ranks, NULL);
}

static void the_locale_has_a_comma(void)
{
    char text[8];

    snprintf(text, sizeof text, "%.1f", 1.5);
    CHECK_STR(text, "1,5");
}

static void values_are_written_with_a_point(void)
{
    const double data[] = {0.25, 2.5};
    const sion_int64 from = 0, n = 2;
    int sid = create();

    support_catch();
    CHECK_INT(sion_array_define(sid, "A", SION_F64, 1, shape), 1);
    CHECK_INT(sion_array_define(sid, "C", SION_C64, 1, shape), 1);
    CHECK_INT(sion_array_set_attribute(sid, "A", "_FillValue", "-1,5"), SION_NOT_SUCCESS);
    CHECK_CONTAINS(support_message, "'-1,5' is not a number");
    CHECK_INT(sion_array_set_attribute(sid, "C", "_FillValue", "1,5-2j"), SION_NOT_SUCCESS);
    CHECK_INT(sion_array_set_attribute(sid, "A", "_FillValue", "-1.5"), 1);
    CHECK_INT(sion_array_set_attribute(sid, "C", "_FillValue", "1.5-2.25j"), 1);
    CHECK_INT(put_any(sid, "A", 7, &from, &n, data), 1);
    sion_dprintf(SION_DEBUG_USER_STEP, "ours %.2f\n", 0.25);
    CHECK_INT(sion_close(sid), 1);
}

static void values_are_read_with_a_point(void)
{
    const sion_int64 from = 0, n = 2;
    double data[2] = {0};
    float complex_data[4] = {0};
    sion_array_reader *arrays = sion_array_reader_open(NAME);

    CHECK_INT(get_any(arrays, "A", 1, &from, &n, data), 1);
    CHECK(data[0] == -1.5 && data[1] == -1.5);
    CHECK_INT(get_any(arrays, "C", 1, &from, &n, complex_data), 1);
    CHECK(complex_data[2] == 1.5f && complex_data[3] == -2.25f);
    sion_array_reader_close(arrays);
}

static void the_application_keeps_its_locale(void)
{
    the_locale_has_a_comma();
}

int main(int argc, char **argv)
{
    if (argc != 2 || !setlocale(LC_ALL, argv[1]))
        return 99;
    RUN(the_locale_has_a_comma);
    RUN(values_are_written_with_a_point);
    RUN(values_are_read_with_a_point);
    RUN(the_application_keeps_its_locale);
    return check_done();
}
