/* Groups that keep copies of each other's data. */
#include "check.h"

#include "geometry/buddy.h"

static void holders_are_those_of_the_rule(void)
{
    CHECK_INT(scion_buddy_holder(0, 0, 5), 4);
    CHECK_INT(scion_buddy_holder(3, 0, 5), 2);
    CHECK_INT(scion_buddy_holder(1, 1, 5), 4);
    CHECK_INT(scion_buddy_held(0, 0, 5), 1);
    CHECK_INT(scion_buddy_held(4, 1, 5), 1);
}

/* Every group has one holder and holds one, never itself, whatever divides the number of groups. */
static void every_level_is_a_permutation(void)
{
    int n, level, g, bad = 0;

    for (n = 2; n <= 30; n++) {
        for (level = 0; level < n - 1; level++) {
            for (g = 0; g < n; g++) {
                int holder = scion_buddy_holder(g, level, n);

                bad += holder < 0 || holder >= n || holder == g;
                bad += scion_buddy_held(holder, level, n) != g;
            }
        }
    }
    CHECK_INT(bad, 0);
}

static void no_group_is_at_both_ends_of_a_round(void)
{
    int n, level, g, bad = 0;

    for (n = 2; n <= 30; n++) {
        for (level = 0; level < n - 1; level++) {
            for (g = 0; g < n; g++) {
                int round = scion_buddy_round(g, level, n);

                bad += round < 0 || round >= SCION_BUDDY_ROUNDS;
                bad += scion_buddy_round(scion_buddy_holder(g, level, n), level, n) == round;
            }
        }
    }
    CHECK_INT(bad, 0);
}

int main(void)
{
    RUN(holders_are_those_of_the_rule);
    RUN(every_level_is_a_permutation);
    RUN(no_group_is_at_both_ends_of_a_round);
    return check_done();
}
