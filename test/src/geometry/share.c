/* Readers divide the tasks among them: in ordered runs, every task once, as evenly as possible. */
#include "check.h"

#include "geometry/share.h"
#include "lack.h"
#include "sion_error.h"

enum { MOST = 40 };

static int first[MOST + 1];

static void check_runs(int ntasks, int nreaders)
{
    int r;

    CHECK_INT(first[0], 0);
    CHECK_INT(first[nreaders], ntasks);
    for (r = 0; r < nreaders; r++)
        CHECK(first[r] <= first[r + 1]);
}

static void ten_tasks_on_six_readers(void)
{
    static const int expected[] = {0, 2, 4, 6, 8, 9, 10};
    int r;

    scion_share_by_tasks(10, 6, first);
    for (r = 0; r <= 6; r++)
        CHECK_INT(first[r], expected[r]);
}

static void counts_differ_by_at_most_one(void)
{
    int ntasks, nreaders, r;

    for (ntasks = 1; ntasks <= MOST; ntasks++) {
        for (nreaders = 1; nreaders <= MOST; nreaders++) {
            scion_share_by_tasks(ntasks, nreaders, first);
            check_runs(ntasks, nreaders);
            for (r = 0; r < nreaders; r++) {
                int share = first[r + 1] - first[r];

                CHECK(share == ntasks / nreaders || share == ntasks / nreaders + 1);
                CHECK(r == 0 || share <= first[r] - first[r - 1]);
            }
        }
    }
}

static void the_last_takes_the_rest(void)
{
    scion_share_rest_to_last(10, 6, first);
    check_runs(10, 6);
    CHECK_INT(first[5], 5);
    scion_share_rest_to_last(3, 5, first);
    check_runs(3, 5);
    CHECK_INT(first[4], 0);
}

/* The smallest possible largest share, found by trying all divisions. */
static sion_int64 best(const sion_int64 *bytes, int ntasks, int nreaders)
{
    sion_int64 smallest = INT64_MAX, sum = 0;
    int t;

    if (nreaders == 1) {
        for (t = 0; t < ntasks; t++)
            sum += bytes[t];
        return sum;
    }
    for (t = 0; t <= ntasks; t++) {
        sion_int64 rest = best(bytes + t, ntasks - t, nreaders - 1);
        sion_int64 largest = rest > sum ? rest : sum;

        smallest = largest < smallest ? largest : smallest;
        sum += t < ntasks ? bytes[t] : 0;
    }
    return smallest;
}

static sion_int64 largest_share(const sion_int64 *bytes, int nreaders)
{
    sion_int64 largest = 0;
    int r, t;

    for (r = 0; r < nreaders; r++) {
        sion_int64 sum = 0;

        for (t = first[r]; t < first[r + 1]; t++)
            sum += bytes[t];
        largest = sum > largest ? sum : largest;
    }
    return largest;
}

static void no_largest_share_could_be_smaller(void)
{
    sion_int64 bytes[8];
    int i, t;

    for (i = 0; i < 2000; i++) {
        int ntasks = 1 + (int)check_below(8), nreaders = 1 + (int)check_below(5);

        for (t = 0; t < ntasks; t++)
            bytes[t] = check_below(3) ? (sion_int64)check_below(20) : 0;
        CHECK_INT(scion_share_by_bytes(bytes, ntasks, nreaders, first), 0);
        check_runs(ntasks, nreaders);
        CHECK_INT(largest_share(bytes, nreaders), best(bytes, ntasks, nreaders));
    }
}

/* If the largest share allows several divisions, the first readers do not take everything. */
static void equal_tasks_are_shared_equally(void)
{
    sion_int64 bytes[MOST];
    int ntasks, nreaders, r;

    for (ntasks = 1; ntasks <= MOST; ntasks++) {
        bytes[ntasks - 1] = 1 << 20;
        for (nreaders = 1; nreaders <= ntasks; nreaders++) {
            CHECK_INT(scion_share_by_bytes(bytes, ntasks, nreaders, first), 0);
            check_runs(ntasks, nreaders);
            for (r = 0; r < nreaders; r++) {
                int share = first[r + 1] - first[r];

                CHECK(share == ntasks / nreaders || share == ntasks / nreaders + 1);
            }
        }
    }
}

static void a_large_task_has_a_reader_to_itself(void)
{
    static const sion_int64 bytes[] = {1, 1, 100, 1, 1, 1};

    CHECK_INT(scion_share_by_bytes(bytes, 6, 3, first), 0);
    CHECK_INT(first[1], 2);
    CHECK_INT(first[2], 3);
    CHECK_INT(first[3], 6);
}

static void without_bytes_tasks_are_counted(void)
{
    static const sion_int64 none[10];

    CHECK_INT(scion_share_by_bytes(none, 10, 6, first), 0);
    CHECK_INT(first[1], 2);
    CHECK_INT(first[5], 9);
    check_runs(10, 6);
}

static void a_lack_of_memory_is_told(void)
{
    static const sion_int64 bytes[10];

    lack_in = 1;
    CHECK_INT(scion_share_by_bytes(bytes, 10, 6, first), SION_ERR_MEMORY);
    lack_in = 0;
}

int main(void)
{
    check_seed(31415);
    RUN(ten_tasks_on_six_readers);
    RUN(counts_differ_by_at_most_one);
    RUN(the_last_takes_the_rest);
    RUN(no_largest_share_could_be_smaller);
    RUN(equal_tasks_are_shared_equally);
    RUN(a_large_task_has_a_reader_to_itself);
    RUN(without_bytes_tasks_are_counted);
    RUN(a_lack_of_memory_is_told);
    return check_done();
}
