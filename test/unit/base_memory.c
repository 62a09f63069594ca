/* Arrays whose number of bytes overflows; the first of several failures. */
#include "base/memory.h"

#include <string.h>

#include "base/error.h"
#include "check.h"

static void arrays_that_overflow_are_refused(void)
{
    volatile size_t too_many = SIZE_MAX / 8 + 2; /* 8 bytes each: 8 after the overflow */
    int *array = scion_array(3, sizeof *array);

    CHECK(array != NULL);
    memset(array, 1, 3 * sizeof *array);
    CHECK(scion_array(too_many, 8) == NULL);
    CHECK(scion_array_grown(array, too_many, 8) == NULL);
    CHECK_INT(array[2], 0x01010101);
    array = scion_array_grown(array, 5, sizeof *array);
    CHECK_INT(array[2], 0x01010101);
    free(array);
}

static void tables_that_overflow_have_no_memory(void)
{
    volatile size_t half = (size_t)1 << (sizeof(size_t) * 4);

    CHECK(scion_elements(3, 5) == 15);
    CHECK(scion_elements(0, SIZE_MAX) == 0);
    CHECK(scion_elements(half, half) == SIZE_MAX);
    CHECK(scion_array(scion_elements(half, half + 1), 1) == NULL);
}

static void the_first_failure_counts(void)
{
    CHECK_INT(scion_first_failure(0, 0), 0);
    CHECK_INT(scion_first_failure(0, -2), -2);
    CHECK_INT(scion_first_failure(-1, 0), -1);
    CHECK_INT(scion_first_failure(-1, -2), -1);
}

int main(void)
{
    RUN(arrays_that_overflow_are_refused);
    RUN(tables_that_overflow_have_no_memory);
    RUN(the_first_failure_counts);
    return check_done();
}
