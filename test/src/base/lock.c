/*
 * The lock and an application's callbacks. The registration is for the whole process and cannot be
 * undone, so the order of these tests matters. There is a program with each of the lock archives.
 */
#include "check.h"

#include "sion_common.h"

#include "base/handles.h"
#include "base/lock.h"

static int locks, unlocks, depth, deepest;
static int registered_data;

static int count_lock(void *data)
{
    CHECK(data == &registered_data);
    locks++;
    if (++depth > deepest)
        deepest = depth;
    return -1; /* results of callbacks are ignored */
}

static int count_unlock(void *data)
{
    CHECK(data == &registered_data);
    unlocks++;
    depth--;
    return -1;
}

static int never_called(void *data)
{
    (void)data;
    return 0;
}

static int object;

static void take_and_give_back(int n)
{
    int i;

    for (i = 0; i < n; i++)
        scion_handle_free(scion_handle_new(SCION_HANDLE_CONTAINER, &object));
}

static void without_callbacks_the_built_in_lock_works(void)
{
    CHECK_INT(sion_lock_user_callbacks_defined(), 0);
    scion_lock();
    scion_unlock();
    take_and_give_back(10);
    CHECK_INT(locks, 0);
}

static void a_missing_callback_is_refused(void)
{
    CHECK_INT(sion_lock_register_lock_callbacks(NULL, count_unlock, NULL), SION_NOT_SUCCESS);
    CHECK_INT(sion_lock_register_lock_callbacks(count_lock, NULL, NULL), SION_NOT_SUCCESS);
    CHECK_INT(sion_lock_user_callbacks_defined(), 0);
}

static void callbacks_are_called_in_pairs(void)
{
    CHECK_INT(sion_lock_register_lock_callbacks(count_lock, count_unlock, &registered_data),
              SION_SUCCESS);
    CHECK_INT(sion_lock_user_callbacks_defined(), 1);
    locks = unlocks = 0;
    take_and_give_back(10);
    CHECK(locks > 0);
    CHECK_INT(locks, unlocks);
    CHECK_INT(depth, 0);
    CHECK_INT(deepest, 1);
}

static void a_number_that_is_needed_is_taken_under_the_lock(void)
{
    int number = -1;

    locks = unlocks = 0;
    CHECK(scion_handle_need(&number, SCION_HANDLE_INTERFACE, &object) >= 0);
    CHECK_INT(locks, 1);
    CHECK_INT(unlocks, 1);
    scion_handle_free(number);
}

static void a_second_registration_is_refused(void)
{
    CHECK_INT(sion_lock_register_lock_callbacks(never_called, never_called, NULL),
              SION_NOT_SUCCESS);
    CHECK_INT(sion_lock_user_callbacks_defined(), 1);
    locks = unlocks = 0;
    take_and_give_back(1);
    CHECK(locks > 0);
    CHECK_INT(locks, unlocks);
}

static void a_look_up_needs_no_lock(void)
{
    int sid = scion_handle_new(SCION_HANDLE_CONTAINER, &object), i;

    locks = 0;
    for (i = 0; i < 100; i++)
        CHECK(scion_handle_get(sid, SCION_HANDLE_CONTAINER) == &object);
    CHECK_INT(locks, 0);
    scion_handle_free(sid);
}

int main(void)
{
    RUN(without_callbacks_the_built_in_lock_works);
    RUN(a_missing_callback_is_refused);
    RUN(callbacks_are_called_in_pairs);
    RUN(a_number_that_is_needed_is_taken_under_the_lock);
    RUN(a_second_registration_is_refused);
    RUN(a_look_up_needs_no_lock);
    return check_done();
}
