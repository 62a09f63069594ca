/* Compares the table of sids with an independent model of SIONlib's numbering. */
#include "check.h"

#include <limits.h>
#include <stdatomic.h>
#ifdef HAVE_PTHREADS
#include <pthread.h>
#endif

#include "base/handles.h"

/* The rules, in the plainest form. */
enum { MODEL_MAX = 1000, NEVER_USED = 0, OPEN, CLOSED };

static struct {
    int state[MODEL_MAX];
    int entries, last_closed;
} model;

static int model_free_entries(void)
{
    int i, n = 0;

    for (i = 0; i < model.entries; i++)
        n += model.state[i] != OPEN;
    return n;
}

static int model_new(void)
{
    int i;

    if (model_free_entries() < 2)
        model.entries += 2;
    for (i = 0; i < model.entries; i++) {
        if (model.state[i] == NEVER_USED)
            return model.state[i] = OPEN, i;
    }
    for (i = model.last_closed + 1;; i++) {
        if (model.state[i % model.entries] == CLOSED)
            return model.state[i % model.entries] = OPEN, i % model.entries;
    }
}

static void model_free(int sid)
{
    model.state[sid] = CLOSED;
    model.last_closed = sid;
    if (model_free_entries() == model.entries)
        memset(&model, 0, sizeof model);
}

static int object; /* what handles stand for, if it does not matter */

static int take(void)
{
    return scion_handle_new(SCION_HANDLE_CONTAINER, &object);
}

static void numbers_start_at_zero_and_count_up(void)
{
    int i;

    for (i = 0; i < 10; i++)
        CHECK_INT(take(), i);
    for (i = 0; i < 10; i++)
        scion_handle_free(i);
}

static void numbering_restarts_when_all_are_closed(void)
{
    CHECK_INT(take(), 0);
    CHECK_INT(take(), 1);
    scion_handle_free(0);
    scion_handle_free(1);
    CHECK_INT(take(), 0);
    scion_handle_free(0);
}

static void a_closed_number_is_not_reused_at_once(void)
{
    CHECK_INT(take(), 0);
    CHECK_INT(take(), 1);
    scion_handle_free(1);
    CHECK_INT(take(), 2);
    scion_handle_free(0);
    scion_handle_free(2);
}

static void invalid_numbers_stand_for_nothing(void)
{
    static const int numbers[] = {-1,
                                  -2,
                                  INT_MIN,
                                  1,
                                  63,
                                  64,
                                  65,
                                  100000,
                                  INT_MAX / 2 - 1,
                                  INT_MAX / 2,
                                  INT_MAX / 2 + 1,
                                  INT_MAX - 63,
                                  INT_MAX};
    size_t i;

    CHECK_INT(take(), 0);
    for (i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        CHECK(scion_handle_get(numbers[i], SCION_HANDLE_CONTAINER) == NULL);
        scion_handle_free(numbers[i]);
    }
    CHECK(scion_handle_get(0, SCION_HANDLE_CONTAINER) == &object);
    scion_handle_free(0);
}

static void a_closed_number_stands_for_nothing(void)
{
    CHECK_INT(take(), 0);
    CHECK_INT(take(), 1);
    scion_handle_free(0);
    CHECK(scion_handle_get(0, SCION_HANDLE_CONTAINER) == NULL);
    scion_handle_free(0);
    CHECK(scion_handle_get(1, SCION_HANDLE_CONTAINER) == &object);
    scion_handle_free(1);
    CHECK(scion_handle_get(1, SCION_HANDLE_CONTAINER) == NULL);
}

static void a_number_of_another_kind_is_not_found(void)
{
    int sid = scion_handle_new(SCION_HANDLE_INTERFACE, &object);

    CHECK(scion_handle_get(sid, SCION_HANDLE_CONTAINER) == NULL);
    CHECK(scion_handle_get(sid, SCION_HANDLE_PART) == NULL);
    CHECK(scion_handle_get(sid, SCION_HANDLE_INTERFACE) == &object);
    scion_handle_free(sid);
}

static void a_part_can_become_the_container(void)
{
    int other, sid = scion_handle_new(SCION_HANDLE_PART, &object);

    CHECK(scion_handle_get(sid, SCION_HANDLE_CONTAINER) == NULL);
    scion_handle_set(sid, SCION_HANDLE_CONTAINER, &other);
    CHECK(scion_handle_get(sid, SCION_HANDLE_CONTAINER) == &other);
    scion_handle_free(sid);
}

static void a_number_given_back_is_as_never_taken(void)
{
    int sid;

    CHECK_INT(take(), 0);
    sid = take();
    scion_handle_cancel(sid);
    CHECK(scion_handle_get(sid, SCION_HANDLE_CONTAINER) == NULL);
    CHECK_INT(take(), sid);
    scion_handle_free(0);
    scion_handle_free(sid);
}

static void the_table_grows_over_many_thousands(void)
{
    enum { MANY = 20000 };
    static char objects[MANY];
    int i;

    for (i = 0; i < MANY; i++)
        CHECK_INT(scion_handle_new(SCION_HANDLE_CONTAINER, &objects[i]), i);
    for (i = 0; i < MANY; i++)
        CHECK(scion_handle_get(i, SCION_HANDLE_CONTAINER) == &objects[i]);
    for (i = MANY - 1; i >= 0; i--)
        scion_handle_free(i);
    CHECK_INT(take(), 0);
    scion_handle_free(0);
}

/* Close one of the n open numbers at random. */
static void close_one(int *open, int *n)
{
    size_t i = check_below((size_t)*n);

    scion_handle_free(open[i]);
    model_free(open[i]);
    open[i] = open[--*n];
}

static void numbers_follow_the_model(void)
{
    int open[MODEL_MAX], n = 0, step, bad = 0;
    size_t bias = 5;

    memset(&model, 0, sizeof model);
    for (step = 0; step < 20000; step++) {
        if (step % 500 == 0)
            bias = 2 + check_below(7);
        if (n == 0 || (n < 300 && check_below(10) < bias)) {
            int sid = take(), expected = model_new();

            bad += sid != expected;
            open[n++] = sid;
        } else {
            close_one(open, &n);
        }
        if (bad > 0)
            break;
    }
    CHECK_INT(bad, 0);
    while (n > 0)
        scion_handle_free(open[--n]);
}

#ifdef HAVE_PTHREADS
enum { SHARED = 5000 };

static char shared_objects[SHARED];
static atomic_int published, wrong;

/* Every published number is found, whatever is added at the same time. */
static void *look_up(void *unused)
{
    int have = 0;

    while (have < SHARED) {
        int i;

        have = atomic_load(&published);
        for (i = have > 70 ? have - 70 : 0; i < have; i++) {
            if (scion_handle_get(i, SCION_HANDLE_CONTAINER) != &shared_objects[i])
                atomic_fetch_add(&wrong, 1);
        }
        if (scion_handle_get(-1, SCION_HANDLE_CONTAINER))
            atomic_fetch_add(&wrong, 1);
    }
    return unused;
}

static void growth_does_not_disturb_look_ups(void)
{
    pthread_t readers[3];
    int i;

    for (i = 0; i < 3; i++)
        CHECK_INT(pthread_create(&readers[i], NULL, look_up, NULL), 0);
    for (i = 0; i < SHARED; i++) {
        CHECK_INT(scion_handle_new(SCION_HANDLE_CONTAINER, &shared_objects[i]), i);
        atomic_store(&published, i + 1);
    }
    for (i = 0; i < 3; i++)
        pthread_join(readers[i], NULL);
    CHECK_INT(atomic_load(&wrong), 0);
    for (i = 0; i < SHARED; i++)
        scion_handle_free(i);
}

static void *take_and_give_back(void *unused)
{
    int i;

    for (i = 0; i < 2000; i++) {
        char mine;
        int sid = scion_handle_new(SCION_HANDLE_INTERFACE, &mine);

        if (scion_handle_get(sid, SCION_HANDLE_INTERFACE) != &mine)
            atomic_fetch_add(&wrong, 1);
        scion_handle_free(sid);
    }
    return unused;
}

static int needed = -1;
static char needed_object;

static void *need_it(void *number)
{
    *(int *)number = scion_handle_need(&needed, SCION_HANDLE_INTERFACE, &needed_object);
    return NULL;
}

static void one_of_many_threads_takes_a_common_number(void)
{
    pthread_t threads[8];
    int numbers[8], i;

    for (i = 0; i < 8; i++)
        CHECK_INT(pthread_create(&threads[i], NULL, need_it, &numbers[i]), 0);
    for (i = 0; i < 8; i++) {
        pthread_join(threads[i], NULL);
        CHECK_INT(numbers[i], needed);
    }
    CHECK(scion_handle_get(needed, SCION_HANDLE_INTERFACE) == &needed_object);
    CHECK_INT(take(), needed + 1);
    scion_handle_free(needed + 1);
    scion_handle_free(needed);
}

static void threads_never_share_a_number(void)
{
    pthread_t threads[4];
    int i;

    for (i = 0; i < 4; i++)
        CHECK_INT(pthread_create(&threads[i], NULL, take_and_give_back, NULL), 0);
    for (i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    CHECK_INT(atomic_load(&wrong), 0);
    CHECK_INT(take(), 0);
    scion_handle_free(0);
}
#endif

int main(void)
{
    check_seed(2);
    RUN(numbers_start_at_zero_and_count_up);
    RUN(numbering_restarts_when_all_are_closed);
    RUN(a_closed_number_is_not_reused_at_once);
    RUN(invalid_numbers_stand_for_nothing);
    RUN(a_closed_number_stands_for_nothing);
    RUN(a_number_of_another_kind_is_not_found);
    RUN(a_part_can_become_the_container);
    RUN(a_number_given_back_is_as_never_taken);
    RUN(the_table_grows_over_many_thousands);
    RUN(numbers_follow_the_model);
#ifdef HAVE_PTHREADS
    RUN(growth_does_not_disturb_look_ups);
    RUN(threads_never_share_a_number);
    RUN(one_of_many_threads_takes_a_common_number);
#endif
    return check_done();
}
