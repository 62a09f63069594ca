/* Compares the places of chunks with the formulas of doc/format.md in wide integers. */
#include "check.h"

#include <limits.h>

#include "geometry/layout.h"
#include "base/error.h"
#include "wide.h"

/* Bytes before the data of a container of n tasks. */
#define HEADER(n) (1088 + 16LL * (n))

enum { MAX_TASKS = 20 };

static wide up(sion_int64 value, int block)
{
    return (wide)value + (block - value % block) % block;
}

static sion_int64 random_size(void)
{
    switch (check_below(4)) {
    case 0:
        return (sion_int64)check_below(3);
    case 1:
        return (sion_int64)check_below(100000);
    case 2:
        return (sion_int64)(check_random() >> check_below(64) >> 1);
    default:
        return (1LL << 62) + (sion_int64)check_below(5) - 2;
    }
}

static int random_block(void)
{
    static const int blocks[] = {1, 2, 10, 511, 512, 4096, 1 << 21, INT_MAX};

    return blocks[check_below(8)];
}

/* Whether the layout of the file fits into 63 bits; if so, every start is compared. */
static int compare_layout(const sion_int64 *sizes, int n, int block, int grain,
                          const sion_int64 *starts, const struct scion_layout *layout, int rc)
{
    wide first = up(1088 + 16 * n, block), next = first;
    int t, same = 1;

    for (t = 0; t < n; t++) {
        if (rc == 0)
            same = same && starts[t] == next;
        next += up(sizes[t], grain);
    }
    if (rc != 0)
        return next > LLONG_MAX;
    return same && next <= LLONG_MAX && layout->start_of_data == first &&
           layout->globalskip == next - first;
}

static void layouts_agree_with_the_model(void)
{
    int round, bad = 0, refused = 0;

    for (round = 0; round < 50000; round++) {
        sion_int64 sizes[MAX_TASKS], starts[MAX_TASKS];
        struct scion_layout layout;
        int n = 1 + (int)check_below(MAX_TASKS), block = random_block(), t, rc;
        int grain = check_below(2) ? block : 1;

        for (t = 0; t < n; t++)
            sizes[t] = check_below(5) ? (sion_int64)check_below(100000) : random_size();
        rc = scion_layout_compute(sizes, n, HEADER(n), block, grain, starts, &layout);
        bad += !compare_layout(sizes, n, block, grain, starts, &layout, rc);
        refused += rc != 0;
    }
    CHECK_INT(bad, 0);
    CHECK(refused > 100 && refused < round);
}

static void aligned_sizes_agree_with_the_model(void)
{
    int round, bad = 0;

    for (round = 0; round < 50000; round++) {
        sion_int64 size = check_below(10) ? random_size() : LLONG_MAX - (sion_int64)check_below(9);
        sion_int64 aligned = size;
        int block = random_block(), rc = scion_layout_align(&aligned, 1, block);
        wide expected = up(size, block);

        bad += expected > LLONG_MAX ? rc == 0 : rc != 0 || aligned != expected;
    }
    CHECK_INT(bad, 0);
}

static void a_size_of_zero_stays_zero(void)
{
    sion_int64 sizes[3] = {0, 1, 4096};

    CHECK_INT(scion_layout_align(sizes, 3, 4096), 0);
    CHECK_INT(sizes[0], 0);
    CHECK_INT(sizes[1], 4096);
    CHECK_INT(sizes[2], 4096);
}

static void sizes_too_large_are_refused(void)
{
    sion_int64 sizes[2] = {1LL << 62, 1LL << 62}, starts[2];
    struct scion_layout layout;

    CHECK_INT(scion_layout_compute(sizes, 2, HEADER(2), 4096, 1, starts, &layout),
              SION_ERR_ARGUMENT);
    CHECK_CONTAINS(scion_error_text(), "task 1");
    CHECK_INT(scion_layout_compute(sizes, 1, HEADER(1), 4096, 1, starts, &layout), 0);
    CHECK_INT(scion_layout_compute(sizes, 1, LLONG_MAX, 4096, 1, starts, &layout),
              SION_ERR_ARGUMENT);
    sizes[0] = LLONG_MAX;
    CHECK_INT(scion_layout_align(sizes, 1, 4096), SION_ERR_ARGUMENT);
}

static void a_negative_size_is_refused(void)
{
    sion_int64 sizes[2] = {10, -1}, starts[2];
    struct scion_layout layout;

    CHECK_INT(scion_layout_compute(sizes, 2, HEADER(2), 4096, 1, starts, &layout),
              SION_ERR_DAMAGED);
    sizes[1] = LLONG_MIN;
    CHECK_INT(scion_layout_compute(sizes, 2, HEADER(2), 4096, 4096, starts, &layout),
              SION_ERR_DAMAGED);
}

static void an_example_agrees_with_a_calculation_by_hand(void)
{
    sion_int64 sizes[3] = {100, 0, 513}, starts[3], end;
    struct scion_layout layout;

    CHECK_INT(scion_layout_compute(sizes, 3, HEADER(3), 512, 1, starts, &layout), 0);
    CHECK_INT(layout.start_of_data, 1536);
    CHECK_INT(starts[1], 1636);
    CHECK_INT(starts[2], 1636);
    CHECK_INT(layout.globalskip, 613);
    CHECK_INT(scion_layout_compute(sizes, 3, HEADER(3), 512, 512, starts, &layout), 0);
    CHECK_INT(starts[0], 1536);
    CHECK_INT(starts[1], 2048);
    CHECK_INT(starts[2], 2048);
    CHECK_INT(layout.globalskip, 1536);
    CHECK_INT(scion_layout_end(&layout, 2, &end), 0);
    CHECK_INT(end, 1536 + 2 * 1536);
}

static void chunk_starts_agree_with_the_model(void)
{
    int round, bad = 0;

    for (round = 0; round < 50000; round++) {
        struct scion_place place = {random_size(), random_size(), 1, 0};
        struct scion_layout layout = {place.start, place.globalskip};
        sion_int64 chunk = random_size(), offset, end;
        wide expected = (wide)chunk * place.globalskip + place.start;
        int rc = scion_chunk_start(&place, chunk, &offset);

        bad += expected > LLONG_MAX ? rc == 0 : rc != 0 || offset != expected;
        bad += scion_layout_end(&layout, chunk, &end) != rc || (rc == 0 && end != offset);
    }
    CHECK_INT(bad, 0);
}

int main(void)
{
    check_seed(5);
    RUN(layouts_agree_with_the_model);
    RUN(aligned_sizes_agree_with_the_model);
    RUN(a_size_of_zero_stays_zero);
    RUN(sizes_too_large_are_refused);
    RUN(a_negative_size_is_refused);
    RUN(an_example_agrees_with_a_calculation_by_hand);
    RUN(chunk_starts_agree_with_the_model);
    return check_done();
}
