/* The assignment of tasks to files. */
#include "check.h"

#include <limits.h>

#include "geometry/split.h"
#include "base/error.h"

/* Deal out the tasks file by file: ntasks / nfiles to each, and the rest to the last one. */
static void even_shares_agree_with_dealing_out(void)
{
    int ntasks, nfiles, bad = 0;

    for (ntasks = 1; ntasks <= 40; ntasks++) {
        for (nfiles = 1; nfiles <= ntasks; nfiles++) {
            int rank = 0, file, i;

            for (file = 0; file < nfiles; file++) {
                int share = file == nfiles - 1 ? ntasks - rank : ntasks / nfiles;

                for (i = 0; i < share; i++, rank++) {
                    struct scion_seat seat = scion_split_evenly(rank, ntasks, nfiles);

                    bad += seat.filenumber != file || seat.lrank != i || seat.lsize != share;
                }
            }
        }
    }
    CHECK_INT(bad, 0);
}

static void seven_tasks_in_three_files_are_2_2_3(void)
{
    CHECK_INT(scion_split_evenly(0, 7, 3).lsize, 2);
    CHECK_INT(scion_split_evenly(3, 7, 3).filenumber, 1);
    CHECK_INT(scion_split_evenly(4, 7, 3).filenumber, 2);
    CHECK_INT(scion_split_evenly(6, 7, 3).lrank, 2);
    CHECK_INT(scion_split_evenly(6, 7, 3).lsize, 3);
}

static void the_largest_numbers_do_not_overflow(void)
{
    struct scion_seat seat = scion_split_evenly(INT_MAX - 1, INT_MAX, INT_MAX);

    CHECK_INT(seat.filenumber, INT_MAX - 1);
    CHECK_INT(seat.lsize, 1);
    seat = scion_split_evenly(INT_MAX - 1, INT_MAX, 1);
    CHECK_INT(seat.lrank, INT_MAX - 1);
}

/* A random partition, with a leader anywhere in each group. */
static int random_partition(int *leaders, int ntasks)
{
    int groups = 1 + (int)check_below((size_t)ntasks), leader_of[32], r, g, used = 0;

    for (g = 0; g < groups; g++)
        leader_of[g] = -1;
    for (r = 0; r < ntasks; r++) {
        leaders[r] = (int)check_below((size_t)groups);
        g = leaders[r];
        used += leader_of[g] < 0;
        if (leader_of[g] < 0 || check_below(2))
            leader_of[g] = r;
    }
    for (r = 0; r < ntasks; r++)
        leaders[r] = leader_of[leaders[r]];
    return used;
}

/* The number of a file: how many leaders have a lower rank than its leader. */
static int number_of(const int *leaders, int ntasks, int rank)
{
    int r, n = 0;

    for (r = 0; r < ntasks; r++)
        n += leaders[r] == r && r < leaders[rank];
    return n;
}

static void files_are_numbered_by_their_leaders_ranks(void)
{
    int round, bad = 0;

    for (round = 0; round < 5000; round++) {
        int leaders[32], numbers[32], n = 1 + (int)check_below(32), r;
        int files = random_partition(leaders, n);

        bad += scion_split_by_leader(leaders, n, numbers) != files;
        for (r = 0; r < n; r++)
            bad += numbers[r] != number_of(leaders, n, r);
    }
    CHECK_INT(bad, 0);
}

static void a_leader_need_not_have_the_lowest_rank(void)
{
    static const int leaders[] = {3, 1, 1, 3};
    int numbers[4];

    CHECK_INT(scion_split_by_leader(leaders, 4, numbers), 2);
    CHECK_INT(numbers[0], 1);
    CHECK_INT(numbers[1], 0);
    CHECK_INT(numbers[2], 0);
    CHECK_INT(numbers[3], 1);
}

static void a_communicator_for_each_task_is_allowed(void)
{
    static const int leaders[] = {0, 1, 2};
    int numbers[3];

    CHECK_INT(scion_split_by_leader(leaders, 3, numbers), 3);
    CHECK_INT(numbers[2], 2);
}

static void wrong_partitions_are_refused(void)
{
    static const int wrong[][3] = {
        {1, 2, 2}, /* 1 leads 0 but not itself */
        {1, 0, 2}, /* they lead each other */
        {0, 3, 0}, /* no such task */
        {0, -1, 0}, {INT_MAX, 1, 2}, {0, 1, INT_MIN},
    };
    int numbers[3];
    size_t i;

    for (i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK_INT(scion_split_by_leader(wrong[i], 3, numbers), SION_ERR_MISMATCH);
    CHECK_CONTAINS(scion_error_text(), "rank 2");
}

/* Tasks in two files, with three and two places, in any order. */
static void every_place_is_taken_once(void)
{
    static const int files[] = {1, 0, 0, 1, 0}, lranks[] = {1, 2, 0, 0, 1};
    int other_files[5], other_lranks[5], first[4];
    char taken[5] = {0};

    CHECK_INT(scion_split_check(files, lranks, 5, 2, first, taken), 5);
    CHECK_INT(first[0], 0);
    CHECK_INT(first[1], 3);
    CHECK_INT(first[2], 5);
    memset(taken, 0, sizeof taken);
    CHECK_INT(scion_split_check(files, lranks, 5, 3, first, taken), -1 - 2); /* no task in file 2 */
    memcpy(other_files, files, sizeof files);
    other_files[3] = 2;
    CHECK_INT(scion_split_check(other_files, lranks, 5, 2, first, taken), 3);
    other_files[3] = -1;
    CHECK_INT(scion_split_check(other_files, lranks, 5, 2, first, taken), 3);
    memcpy(other_lranks, lranks, sizeof lranks);
    other_lranks[4] = 0; /* the same place as task 2 */
    CHECK_INT(scion_split_check(files, other_lranks, 5, 2, first, taken), 4);
    other_lranks[4] = 3;
    memset(taken, 0, sizeof taken);
    CHECK_INT(scion_split_check(files, other_lranks, 5, 2, first, taken), 4);
    other_lranks[4] = -1;
    memset(taken, 0, sizeof taken);
    CHECK_INT(scion_split_check(files, other_lranks, 5, 2, first, taken), 4);
}

int main(void)
{
    check_seed(6);
    RUN(even_shares_agree_with_dealing_out);
    RUN(seven_tasks_in_three_files_are_2_2_3);
    RUN(the_largest_numbers_do_not_overflow);
    RUN(files_are_numbered_by_their_leaders_ranks);
    RUN(a_leader_need_not_have_the_lowest_rank);
    RUN(a_communicator_for_each_task_is_allowed);
    RUN(wrong_partitions_are_refused);
    RUN(every_place_is_taken_once);
    return check_done();
}
