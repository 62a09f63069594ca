/*
 * Compares groups and sizes of collective writes with the formulas of doc/format.md in plain loops,
 * and checks the properties of a usable layout. With a number as its argument, the program prints
 * so many random cases for collective_model.sh, which compares them with the sample model.
 */
#include "check.h"

#include "base/error.h"
#include "geometry/collective.h"

enum { MOST = 700 };

static struct {
    int n, fsblksize;
    struct scion_group_criteria criteria;
    sion_int64 requested[MOST], stored[MOST], nodes[MOST];
    unsigned char only_sends[MOST];
    struct scion_group groups[MOST];
} sample;

static sion_int64 up(sion_int64 value, sion_int64 block)
{
    return (value + block - 1) / block * block;
}

static int random_tasks(void)
{
    static const int typical[] = {1,  2,   3,   8,   15,  16,  31,  32, 63,
                                  64, 127, 128, 255, 256, 511, 512, 600};

    return check_below(3) ? 1 + (int)check_below(40) : typical[check_below(17)];
}

static void random_case(void)
{
    static const int blocks[] = {1, 10, 512, 4096, 1 << 21};
    size_t limit = (size_t)1 << (1 + check_below(22));
    int t, threads = 1 + (int)check_below(5);

    sample.n = random_tasks();
    sample.fsblksize = blocks[check_below(5)];
    sample.criteria = (struct scion_group_criteria){
        .collsize = check_below(3) ? 1 + (int)check_below(10) : (int)check_below(2) - 1,
        .merge = (int)check_below(2),
        .only_sends = check_below(3) ? NULL : sample.only_sends,
        .nodes = check_below(2) ? NULL : sample.nodes,
    };
    for (t = 0; t < sample.n; t++) {
        sample.requested[t] = check_below(4) ? (sion_int64)check_below(limit) : 0;
        sample.only_sends[t] = t % threads != 0;
        sample.nodes[t] = t / 7;
    }
}

static int run_case(void)
{
    int rc = scion_collective_group(sample.requested, sample.n, sample.fsblksize, &sample.criteria,
                                    sample.groups);

    memcpy(sample.stored, sample.requested, sizeof sample.stored);
    return rc != 0 ? rc
                   : scion_collective_align(sample.stored, sample.n, sample.fsblksize,
                                            sample.criteria.merge, sample.groups);
}

/* ---- properties ---- */

/* The group is complete and consecutive, ends at a block, and has enough room. */
static void check_group(int first, int size)
{
    sion_int64 requested = 0, stored = 0;
    int t;

    CHECK(size >= 1 && first + size <= sample.n);
    for (t = first; t < first + size; t++) {
        CHECK(sample.groups[t].first == first && sample.groups[t].size == size);
        CHECK(sample.stored[t] >= sample.requested[t]);
        requested += sample.requested[t];
        stored += sample.stored[t];
    }
    CHECK(stored % sample.fsblksize == 0);
    CHECK(first == 0 || !sample.criteria.only_sends || !sample.only_sends[first]);
    if (sample.criteria.merge)
        CHECK_INT(sample.stored[first], up(requested, sample.fsblksize));
    else
        CHECK_INT(stored, up(requested, sample.fsblksize));
}

static void groups_are_complete_and_aligned(void)
{
    int round, first;

    for (round = 0; round < 3000; round++) {
        random_case();
        sample.criteria.by_count = (int)check_below(2);
        CHECK_INT(run_case(), 0);
        for (first = 0; first < sample.n; first += sample.groups[first].size)
            check_group(first, sample.groups[first].size);
        if (check_failed_here)
            return;
    }
}

static void groups_by_count_have_that_number(void)
{
    int t, k;

    memset(&sample, 0, sizeof sample);
    sample.fsblksize = 512;
    sample.criteria = (struct scion_group_criteria){.by_count = 1};
    for (sample.n = 1; sample.n < 20; sample.n++) {
        for (k = 1; k < 22; k++) {
            sample.criteria.collsize = k;
            CHECK_INT(run_case(), 0);
            for (t = 0; t < sample.n; t++) {
                int first = t / k * k;

                CHECK_INT(sample.groups[t].first, first);
                CHECK_INT(sample.groups[t].size, sample.n - first < k ? sample.n - first : k);
            }
        }
    }
}

static void groups_by_node_agree_with_the_nodes(void)
{
    static const sion_int64 nodes[] = {7, 7, 7, 9, 9, 7, 8};
    static const int firsts[] = {0, 0, 0, 3, 3, 5, 6};
    int t;

    memset(&sample, 0, sizeof sample);
    sample.n = 7;
    sample.fsblksize = 512;
    memcpy(sample.nodes, nodes, sizeof nodes);
    sample.criteria = (struct scion_group_criteria){.by_count = 1, .nodes = sample.nodes};
    CHECK_INT(run_case(), 0);
    for (t = 0; t < 7; t++)
        CHECK_INT(sample.groups[t].first, firsts[t]);
    sample.criteria.nodes = NULL;
    CHECK_INT(run_case(), 0);
    CHECK_INT(sample.groups[0].size, 7);
}

/* ---- worked examples ---- */

static void expect(int n, int collsize, int merge, const sion_int64 *requested,
                   const sion_int64 *stored)
{
    int t;

    sample.n = n;
    sample.fsblksize = 512;
    sample.criteria = (struct scion_group_criteria){.collsize = collsize, .merge = merge};
    memcpy(sample.requested, requested, (size_t)n * sizeof *requested);
    CHECK_INT(run_case(), 0);
    for (t = 0; t < n; t++)
        CHECK_INT(sample.stored[t], stored[t]);
}

/* Every task requests one block, so each group has ceil(tasks / wanted groups) tasks. */
static void more_tasks_make_more_groups_up_to_a_cap(void)
{
    static const struct {
        int tasks, groups;
    } cases[] = {{15, 15}, {16, 4},  {17, 4},  {31, 4},   {32, 8},   {63, 8},   {64, 8},
                 {127, 8}, {128, 8}, {255, 8}, {256, 16}, {511, 16}, {512, 32}, {600, 32}};
    size_t i;
    int t;

    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        int size = (cases[i].tasks + cases[i].groups - 1) / cases[i].groups;

        memset(&sample, 0, sizeof sample);
        sample.n = cases[i].tasks;
        sample.fsblksize = 512;
        for (t = 0; t < sample.n; t++)
            sample.requested[t] = 512;
        CHECK_INT(run_case(), 0);
        for (t = 0; t < sample.n; t++)
            CHECK_INT(sample.groups[t].first, t / size * size);
    }
}

/* 600 tasks in 20 blocks: too few for 32 groups, more than 16. In 3 blocks: at most 3 groups. */
static void few_blocks_make_few_groups(void)
{
    static const int blocks[] = {20, 3}, groups[] = {16, 3};
    int i, t;

    for (i = 0; i < 2; i++) {
        int found = 0;

        memset(&sample, 0, sizeof sample);
        sample.n = 600;
        sample.fsblksize = 600;
        for (t = 0; t < sample.n; t++)
            sample.requested[t] = blocks[i];
        CHECK_INT(run_case(), 0);
        for (t = 0; t < sample.n; t += sample.groups[t].size)
            found++;
        CHECK(found <= groups[i]);
        CHECK(sample.groups[0].size == (i == 0 ? 60 : 200));
    }
}

static void sizes_agree_with_the_sample_containers(void)
{
    static const sion_int64 asked[] = {100, 200, 600, 512, 513, 1024, 100, 700};
    static const sion_int64 m02[] = {100, 200, 724, 512, 1024, 1024, 100, 924};
    static const sion_int64 m03[] = {2048, 512, 1024, 512, 1024, 2048, 512, 1024};
    static const sion_int64 m11[] = {100, 412, 1024, 512, 1024, 1024};

    expect(8, 2, 0, asked, m02);
    expect(8, 4, 1, asked, m03);
    expect(6, 0, 0, asked, m11);
}

static void tasks_of_no_bytes_form_one_group(void)
{
    static const sion_int64 none[5];

    expect(5, 2, 0, none, none);
    CHECK_INT(sample.groups[4].size, 5);
}

static void sums_that_do_not_fit_are_refused(void)
{
    memset(&sample, 0, sizeof sample);
    sample.n = 3;
    sample.fsblksize = 512;
    sample.requested[0] = sample.requested[2] = INT64_MAX / 2 + 1;
    CHECK_INT(run_case(), SION_ERR_ARGUMENT);
    sample.requested[0] = 0;
    sample.requested[2] = INT64_MAX - 100;
    CHECK_INT(run_case(), SION_ERR_ARGUMENT);
}

/* ---- for the comparison with the sample model ---- */

static void print_list(const sion_int64 *numbers, int n)
{
    int i;

    for (i = 0; i < n; i++)
        printf("%s%lld", i ? "," : "", numbers[i]);
}

static void print_case(void)
{
    int t;

    random_case();
    if (run_case() != 0)
        exit(1);
    printf("%d %d %d ", sample.fsblksize, sample.criteria.collsize, sample.criteria.merge);
    for (t = 0; t < sample.n; t++)
        printf("%d", sample.criteria.only_sends ? sample.only_sends[t] : 0);
    printf(" ");
    print_list(sample.requested, sample.n);
    printf(" ");
    print_list(sample.stored, sample.n);
    printf(" ");
    for (t = 0; t < sample.n; t++)
        printf("%s%d:%d", t ? "," : "", sample.groups[t].first, sample.groups[t].size);
    printf("\n");
}

/* ---- merged containers: their writers' groups ---- */

static void the_groups_of_a_merging_writer_are_found(void)
{
    unsigned char has_data[MOST];
    struct scion_group found[MOST];
    int i, t;

    check_seed(20261122);
    for (i = 0; i < 3000; i++) {
        random_case();
        sample.criteria.merge = 1;
        sample.criteria.by_count = check_below(4) == 0;
        CHECK_INT(run_case(), 0);
        for (t = 0; t < sample.n; t++)
            has_data[t] = sample.groups[t].first == t;
        scion_collective_find(has_data, sample.n, found);
        CHECK(memcmp(found, sample.groups, (size_t)sample.n * sizeof *found) == 0);
    }
}

static void a_group_cannot_begin_with_a_task_that_only_sends(void)
{
    static const sion_int64 sizes[] = {10, 10};
    static const unsigned char first_sends[] = {1, 0}, second_sends[] = {0, 1};
    struct scion_group_criteria criteria = {.only_sends = first_sends};
    struct scion_group groups[2];

    CHECK_INT(scion_collective_group(sizes, 2, 10, &criteria, groups), SION_ERR_ARGUMENT);
    CHECK_CONTAINS(scion_error_text(), "cannot collect");
    criteria.only_sends = second_sends;
    CHECK_INT(scion_collective_group(sizes, 2, 10, &criteria, groups), 0);
    CHECK_INT(groups[0].size, 2);
}

int main(int argc, char **argv)
{
    int i;

    check_seed(20261121);
    for (i = 0; argc > 1 && i < atoi(argv[1]); i++)
        print_case();
    if (argc > 1)
        return 0;
    RUN(more_tasks_make_more_groups_up_to_a_cap);
    RUN(few_blocks_make_few_groups);
    RUN(sizes_agree_with_the_sample_containers);
    RUN(tasks_of_no_bytes_form_one_group);
    RUN(sums_that_do_not_fit_are_refused);
    RUN(the_groups_of_a_merging_writer_are_found);
    RUN(a_group_cannot_begin_with_a_task_that_only_sends);
    RUN(groups_are_complete_and_aligned);
    RUN(groups_by_count_have_that_number);
    RUN(groups_by_node_agree_with_the_nodes);
    return check_done();
}
