#include "file/nonce.h"

#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/env.h"
#include "format/slot.h"

/* A number that no other open has: random, or the time if the system has no random numbers. */
static uint32_t new_nonce(void)
{
    uint32_t nonce;
    struct timespec now;

    if (getrandom(&nonce, sizeof nonce, GRND_NONBLOCK) == (ssize_t)sizeof nonce)
        return nonce;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint32_t)now.tv_sec * 2654435761u ^ (uint32_t)now.tv_nsec ^ (uint32_t)getpid() << 16;
}

sion_int64 scion_recovery_none(void)
{
    return scion_marker_plain(new_nonce());
}

sion_int64 scion_recovery_new(void)
{
    return scion_marker_make(new_nonce());
}

static sion_int64 choose(const struct scion_mode *mode)
{
    long long wanted = 0;

    scion_env_number("RECOVER", &wanted);
    if (mode->recover != 0)
        wanted = mode->recover > 0;
    if (wanted != 0)
        return scion_recovery_new();
    return scion_mode_is_atomic(mode) || scion_mode_zips(mode) ? scion_recovery_none() : 0;
}

sion_int64 scion_recovery_choose(const struct scion_mode *mode)
{
    sion_int64 flag2 = choose(mode);

    return scion_mode_zips(mode) ? scion_marker_zip(flag2) : flag2;
}

sion_int64 scion_recovery_renew(sion_int64 flag2)
{
    uint32_t nonce;

    if (scion_marker_trailer(flag2, &nonce) == 0)
        return flag2;
    return scion_marker_is_zipped(flag2) ? scion_marker_zip(scion_marker_make(nonce + 1))
                                         : scion_marker_make(nonce + 1);
}
