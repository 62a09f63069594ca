/* Groups that keep copies of each other's data. */
#include "check.h"

#include "geometry/buddy.h"

static void keepers_follow_the_rule(void)
{
    CHECK_INT(scion_buddy_keeper(0, 0, 5), 4);
    CHECK_INT(scion_buddy_keeper(3, 0, 5), 2);
    CHECK_INT(scion_buddy_keeper(1, 1, 5), 4);
    CHECK_INT(scion_buddy_kept(0, 0, 5), 1);
    CHECK_INT(scion_buddy_kept(4, 1, 5), 1);
}

/* Every group has one keeper and keeps one other group, whatever the number of groups. */
static void every_level_is_a_permutation(void)
{
    int n, level, g, bad = 0;

    for (n = 2; n <= 30; n++) {
        for (level = 0; level < n - 1; level++) {
            for (g = 0; g < n; g++) {
                int keeper = scion_buddy_keeper(g, level, n);

                bad += keeper < 0 || keeper >= n || keeper == g;
                bad += scion_buddy_kept(keeper, level, n) != g;
            }
        }
    }
    CHECK_INT(bad, 0);
}

static void no_group_sends_and_receives_in_one_round(void)
{
    int n, level, g, bad = 0;

    for (n = 2; n <= 30; n++) {
        for (level = 0; level < n - 1; level++) {
            for (g = 0; g < n; g++) {
                int round = scion_buddy_round(g, level, n);

                bad += round < 0 || round >= SCION_BUDDY_ROUNDS;
                bad += scion_buddy_round(scion_buddy_keeper(g, level, n), level, n) == round;
            }
        }
    }
    CHECK_INT(bad, 0);
}

int main(void)
{
    RUN(keepers_follow_the_rule);
    RUN(every_level_is_a_permutation);
    RUN(no_group_sends_and_receives_in_one_round);
    return check_done();
}
