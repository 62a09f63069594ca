/* Megabytes in tables are what printf makes of them. */
#include "lib/text.h"

#include <limits.h>
#include <locale.h>
#include <stdlib.h>

#include "check.h"

static void compare(long long bytes)
{
    char text[TEXT_SIZE], wanted[64];

    snprintf(wanted, sizeof wanted, "%.2f", (double)bytes / 1048576.0);
    CHECK_STR(text_mb_digits(text, bytes), wanted);
}

/* Where a digit changes: halves of hundredths, and the numbers around them. */
static void halves_are_rounded_to_even(void)
{
    long long quarter, i;

    for (quarter = 0; quarter < 400; quarter++) {
        for (i = -1; i <= 1; i++)
            compare(quarter * (1 << 18) / 100 + i);
    }
    compare(1 << 17);
    compare(3 << 17);
    compare(131072 + ((long long)1 << 40));
}

static void any_number_is_as_from_printf(void)
{
    static const long long numbers[] = {0,
                                        1,
                                        -1,
                                        5242,
                                        5243,
                                        1048575,
                                        1048576,
                                        10480000,
                                        -5000000000,
                                        INT_MAX,
                                        LLONG_MAX,
                                        ((long long)1 << 53) - 1,
                                        (long long)1 << 53,
                                        LLONG_MIN};
    size_t i;

    for (i = 0; i < sizeof numbers / sizeof *numbers; i++)
        compare(numbers[i]);
    srand(7);
    for (i = 0; i < 20000; i++)
        compare((long long)rand() << rand() % 20);
}

int main(void)
{
    setlocale(LC_ALL, "C"); /* as tools do */
    RUN(halves_are_rounded_to_even);
    RUN(any_number_is_as_from_printf);
    return check_done();
}
