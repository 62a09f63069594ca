/*
 * The smallest and the largest element: of all types, of any number of elements, with NaN and
 * infinity, with and without the wide registers of the processor; and of blocks that are written in
 * several pieces.
 */
static int may_be_wide;
#define __builtin_cpu_supports(name) (may_be_wide && __builtin_cpu_supports(name))
#include "array/types.c"
#undef __builtin_cpu_supports

#include "check.h"
#include "any.h"
#include "sion_array.h"
#include "sion_common.h"
#include "sion_serial.h"
#include "support.h"

enum { MOST = 600 };

/* Add the elements one by one. */
static void add_slowly(int type, const unsigned char *data, size_t n,
                       struct scion_array_range *range)
{
    size_t size = scion_array_size(type), i;

    for (i = 0; i < n; i++) {
        union sion_array_value value = get_number(type, data + i * size);

        if (scion_array_kind(type) != SCION_FLOAT || !isnan(value.f))
            scion_array_range_join(type, &(struct scion_array_range){value, value}, range);
    }
}

/* Random bits: some are NaN; others become it or infinity. */
static void fill_data(int type, unsigned char *data, size_t n)
{
    size_t size = scion_array_size(type), i, every = 1 + check_below(20);
    float f32[] = {NAN, INFINITY, -INFINITY};
    double f64[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};

    for (i = 0; i < n * size; i++)
        data[i] = (unsigned char)check_random();
    for (i = check_below(every); i < n && scion_array_kind(type) == SCION_FLOAT; i += every) {
        size_t which = check_below(3);

        memcpy(data + i * size, type == SION_F32 ? (void *)&f32[which] : (void *)&f64[which], size);
    }
}

static int same_range(int type, const struct scion_array_range *a,
                      const struct scion_array_range *b)
{
    if (scion_array_kind(type) == SCION_FLOAT)
        return a->low.f >= b->low.f && a->low.f <= b->low.f && a->high.f >= b->high.f &&
               a->high.f <= b->high.f;
    return a->low.u == b->low.u && a->high.u == b->high.u;
}

static void the_range_of_any_elements_is_found(void)
{
    static _Alignas(16) unsigned char data[8 * (MOST + 3)];
    struct scion_array_range fast, slow;
    int type, round, wrong = 0;

    for (type = SION_I8; type <= SION_F64; type++) {
        for (round = 0; round < 2000; round++) {
            size_t n = check_below(MOST), size = scion_array_size(type), at = check_below(3) * size;

            may_be_wide = round % 2;
            fill_data(type, data + at, n);
            scion_array_range_begin(type, &fast);
            scion_array_range_begin(type, &slow);
            scion_array_range_add(type, data + at, n / 2, &fast);
            scion_array_range_add(type, data + at + n / 2 * size, n - n / 2, &fast);
            add_slowly(type, data + at, n, &slow);
            if (scion_array_range_is_known(type, &slow))
                wrong += !same_range(type, &fast, &slow);
            else
                wrong += scion_array_range_is_known(type, &fast);
        }
        CHECK_INT(wrong, 0);
    }
}

static void numbers_of_two_parts_have_no_range(void)
{
    double data[] = {1, 2, 3, 4};
    struct scion_array_range range;

    for (may_be_wide = 0; may_be_wide < 2; may_be_wide++) {
        scion_array_range_begin(SION_C128, &range);
        scion_array_range_add(SION_C128, data, 2, &range);
        CHECK_INT(scion_array_range_is_known(SION_C128, &range), 0);
        scion_array_range_begin(SION_C64, &range);
        scion_array_range_add(SION_C64, data, 4, &range);
        CHECK_INT(scion_array_range_is_known(SION_C64, &range), 0);
    }
}

/* One block of 9 MiB, with the buffer that the environment requests: the pieces are of other sizes.
 */
static void put_large_block(const char *buffer)
{
    enum { N = 9 << 17 };
    sion_int64 shape[] = {N}, offset[] = {0}, chunksize = 10 << 20, *chunksizes = &chunksize;
    int rank = 0, *globalranks = &rank, ntasks = 1, nfiles = 1, sid, i;
    double *data = malloc(2 * N * sizeof *data), *got = data + N;
    struct sion_array_info info = {.size = sizeof info};
    sion_int32 fsblksize = 4096;
    char name[] = "range.sion";
    sion_array_reader *arrays;

    setenv("SION_BUFFERSIZE", buffer, 1);
    for (i = 0; i < N; i++)
        data[i] = i + 0.1;
    sid = sion_open(name, "bw", &ntasks, &nfiles, &chunksizes, &fsblksize, &globalranks, NULL);
    CHECK_INT(sion_array_define(sid, "T", SION_F64, 1, shape), 1);
    CHECK_INT(put_any(sid, "T", 0, offset, shape, data), 1);
    CHECK_INT(sion_close(sid), 1);
    arrays = sion_array_reader_open(name);
    CHECK_INT(sion_array_reader_info(arrays, "T", &info), 1);
    CHECK(info.has_range && info.low.f == data[0] && info.high.f == data[N - 1]);
    CHECK_INT(get_any(arrays, "T", 0, offset, shape, got), 1);
    CHECK(memcmp(data, got, N * sizeof *data) == 0);
    sion_array_reader_close(arrays);
    free(data);
    unsetenv("SION_BUFFERSIZE");
}

static void the_range_of_a_block_of_several_pieces_is_found(void)
{
    may_be_wide = 1;
    put_large_block("0");
    put_large_block("100");
    put_large_block("3000001"); /* not a number of whole elements */
}

int main(void)
{
    support_enter_folder();
    RUN(the_range_of_any_elements_is_found);
    RUN(numbers_of_two_parts_have_no_range);
    RUN(the_range_of_a_block_of_several_pieces_is_found);
    support_leave_folder();
    return check_done();
}
