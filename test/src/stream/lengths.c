/* Compares the list of chunk lengths with sums that are computed again each time. */
#include "check.h"

#include "base/error.h"
#include "stream/lengths.h"

static void a_new_list_has_one_empty_chunk(void)
{
    struct scion_lengths lengths;

    CHECK_INT(scion_lengths_new(&lengths), 0);
    CHECK_INT(lengths.count, 1);
    CHECK_INT(scion_lengths_used(&lengths, 0), 0);
    scion_lengths_free(&lengths);
    scion_lengths_free(&lengths);
}

static void chunks_are_appended_without_limit(void)
{
    struct scion_lengths lengths;
    int i, bad = 0;

    CHECK_INT(scion_lengths_new(&lengths), 0);
    for (i = 0; i < 5000; i++) {
        lengths.used[i] = i;
        bad += scion_lengths_append(&lengths) != 0;
    }
    CHECK_INT(lengths.count, 5001);
    for (i = 0; i < 5000; i++)
        bad += scion_lengths_used(&lengths, i) != i;
    CHECK_INT(scion_lengths_used(&lengths, 5000), 0);
    CHECK_INT(bad, 0);
    scion_lengths_free(&lengths);
}

static void a_view_is_a_column_of_meta2(void)
{
    sion_int64 table[] = {1, 10, 100, 2, 20, 200, 3, 30, 300}, sum;
    struct scion_lengths lengths;

    scion_lengths_view(&lengths, table + 1, 3, 3);
    CHECK_INT(scion_lengths_used(&lengths, 0), 10);
    CHECK_INT(scion_lengths_used(&lengths, 2), 30);
    CHECK_INT(scion_lengths_before(&lengths, 3, &sum), 0);
    CHECK_INT(sum, 60);
    scion_lengths_free(&lengths);
    CHECK_INT(table[1], 10);
}

/* The chunk of a byte, found by counting; where two chunks meet, the earlier or the later one. */
static sion_int64 count_through(const sion_int64 *used, int n, sion_int64 offset, int later)
{
    sion_int64 end = 0;
    int b;

    for (b = 0; b < n - 1; b++) {
        end += used[b];
        if (offset < end || (offset == end && !later))
            return b;
    }
    return n - 1;
}

static void compare(struct scion_lengths *lengths, const sion_int64 *used, int n)
{
    sion_int64 before = 0, total, offset, result;
    int b, later;

    for (b = 0; b <= n; b++) {
        CHECK_INT(scion_lengths_before(lengths, b, &result), 0);
        CHECK_INT(result, before);
        before += b < n ? used[b] : 0;
    }
    total = before;
    for (offset = 0; offset <= total; offset++) {
        for (later = 0; later < 2; later++) {
            CHECK_INT(scion_lengths_find(lengths, offset, later, &result), 0);
            CHECK_INT(result, count_through(used, n, offset, later));
        }
    }
}

static void sums_and_searches_agree_with_counting(void)
{
    int round, b;

    for (round = 0; round < 300; round++) {
        sion_int64 used[20];
        struct scion_lengths lengths;
        int n = 1 + (int)check_below(20);

        for (b = 0; b < n; b++)
            used[b] = check_below(3) ? (sion_int64)check_below(8) : 0;
        scion_lengths_view(&lengths, used, 1, n);
        compare(&lengths, used, n);
        scion_lengths_free(&lengths);
    }
}

static void a_search_needs_no_sum_before_it(void)
{
    sion_int64 used[] = {5, 0, 0, 5}, chunk;
    struct scion_lengths lengths;

    scion_lengths_view(&lengths, used, 1, 4);
    CHECK_INT(scion_lengths_find(&lengths, 5, 1, &chunk), 0);
    CHECK_INT(chunk, 3);
    CHECK_INT(scion_lengths_find(&lengths, 5, 0, &chunk), 0);
    CHECK_INT(chunk, 0);
    scion_lengths_free(&lengths);
}

/* So many that not every one has a sum: each chunk, and where each begins and ends. */
static void of_very_many_chunks_all_are_found(void)
{
    enum { CHUNKS = (1 << 20) + 100 };
    sion_int64 *used = malloc(CHUNKS * sizeof *used), sum = 0, result, b;
    struct scion_lengths lengths;
    int bad = 0;

    for (b = 0; b < CHUNKS; b++)
        used[b] = 1 + b % 3;
    scion_lengths_view(&lengths, used, 1, CHUNKS);
    for (b = 0; b < CHUNKS; b++) {
        bad += scion_lengths_before(&lengths, b, &result) != 0 || result != sum;
        bad += scion_lengths_find(&lengths, sum, 1, &result) != 0 || result != b;
        sum += used[b];
        bad += scion_lengths_find(&lengths, sum, 0, &result) != 0 || result != b;
    }
    bad += scion_lengths_before(&lengths, CHUNKS, &result) != 0 || result != sum;
    bad += scion_lengths_find(&lengths, sum, 1, &result) != 0 || result != CHUNKS - 1;
    CHECK_INT(bad, 0);
    scion_lengths_free(&lengths);
    free(used);
}

int main(void)
{
    check_seed(7);
    RUN(a_new_list_has_one_empty_chunk);
    RUN(chunks_are_appended_without_limit);
    RUN(a_view_is_a_column_of_meta2);
    RUN(sums_and_searches_agree_with_counting);
    RUN(a_search_needs_no_sum_before_it);
    RUN(of_very_many_chunks_all_are_found);
    return check_done();
}
