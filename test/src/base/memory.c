/* Arrays whose number of bytes overflows; large pages; the first of several failures. */
#include "base/memory.h"

#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "check.h"

static void arrays_that_overflow_are_refused(void)
{
    volatile size_t too_many = SIZE_MAX / 8 + 2; /* of 8 bytes; 8 in total after the overflow */
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

static void tables_that_overflow_lack_memory(void)
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

enum { LARGE_PAGE = 2 << 20 };

static char *advised;
static size_t advised_bytes;
static int calls;

int __wrap_madvise(void *address, size_t bytes, int advice);

int __wrap_madvise(void *address, size_t bytes, int advice)
{
    CHECK_INT(advice, MADV_HUGEPAGE);
    advised = address;
    advised_bytes = bytes;
    calls++;
    return 0;
}

static void large_pages_lie_inside_the_array(void)
{
    size_t n = (size_t)3 * LARGE_PAGE / 8 * 2 + 1;
    char *array = scion_array_to_fill(n, 8), *end = array + n * 8;

    CHECK(array != NULL);
    CHECK_INT(calls, 1);
    CHECK(advised >= array && advised + advised_bytes <= end);
    CHECK_INT((uintptr_t)advised % LARGE_PAGE, 0);
    CHECK_INT(advised_bytes % LARGE_PAGE, 0);
    CHECK((size_t)(advised - array) < LARGE_PAGE);
    CHECK((size_t)(end - (advised + advised_bytes)) < LARGE_PAGE);
    free(array);
}

static void small_arrays_cost_no_system_call(void)
{
    void *array;

    calls = 0;
    array = scion_array_to_fill(1 << 18, 8);
    CHECK(array != NULL);
    free(array);
    CHECK(scion_array_to_fill(SIZE_MAX / 4, 8) == NULL);
    scion_memory_fills(NULL, SIZE_MAX);
    CHECK_INT(calls, 0);
}

int main(void)
{
    RUN(arrays_that_overflow_are_refused);
    RUN(tables_that_overflow_lack_memory);
    RUN(the_first_failure_counts);
    RUN(large_pages_lie_inside_the_array);
    RUN(small_arrays_cost_no_system_call);
    return check_done();
}
