/* The library uses an application's own lock, and sets it as often as it unsets it. */
#include "sion.h"

#include "team_omp.h"

static omp_lock_t own_lock;
static int locked, unlocked;

static int lock(void *data)
{
    omp_set_lock(data);
    locked++;
    return 0;
}

static int unlock(void *data)
{
    unlocked++;
    omp_unset_lock(data);
    return 0;
}

static void the_applications_lock_stays(void)
{
    omp_init_lock(&own_lock);
    CHECK_INT(sion_lock_user_callbacks_defined(), 0);
    CHECK_INT(sion_lock_register_lock_callbacks(lock, unlock, &own_lock), 1);
    CHECK_INT(sion_lock_user_callbacks_defined(), 1);
#pragma omp parallel num_threads(4)
    {
        sion_int64 chunksize = 100;
        sion_int32 fsblksize = 16;
        int rank;
        int sid = sion_paropen_omp("c.sion", "bw", &chunksize, &fsblksize, &rank, NULL, NULL);

        EXPECT(sid >= 0);
        EXPECT(sion_parclose_omp(sid) == 1);
    }
    team_done();
    CHECK(locked >= 8);
    CHECK_INT(locked, unlocked);
    CHECK_INT(sion_lock_register_lock_callbacks(lock, unlock, &own_lock), 0);
}

int main(void)
{
    omp_set_dynamic(0);
    support_enter_folder();
    RUN(the_applications_lock_stays);
    support_leave_folder();
    return check_done();
}
