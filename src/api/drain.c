/* Staged containers, for programs and for the other functions of the interface. */
#include "api/drain.h"

#include <stdio.h>
#include <stdlib.h>

#include "sion_const.h"

#include "api/handle.h"
#include "api/public.h"
#include "base/sized.h"
#include "stage/queue.h"

void scion_api_cannot_stage(const char *fname, const struct scion_mode *mode, const char *what)
{
    if (mode->access == SCION_ACCESS_WRITE && *mode->stage && mode->stage_asked)
        scion_warn("%s is not staged, but written directly: not possible for %s", fname, what);
}

int scion_api_settle(const char *fname, const struct scion_mode *mode)
{
    int rc = mode->access == SCION_ACCESS_WRITE && *mode->stage ? 0 : scion_staged_settle(fname);

    return mode->access == SCION_ACCESS_WRITE ? 0 : rc;
}

/* Look at the containers of a name. 0, or an error. */
static int look(const char *fname, struct scion_staged_info *info)
{
    char *target = fname ? scion_staged_target(fname) : NULL;

    if (fname && !target)
        return scion_error_code();
    scion_staged_look(target, info);
    free(target);
    return 0;
}

int sion_drain_test(const char *fname)
{
    struct scion_staged_info info;
    int rc = look(fname, &info);

    if (rc == 0 && info.failed == 0)
        return info.waiting == 0;
    if (rc == 0)
        scion_fail(SION_ERR_SYSTEM, "%s", info.reason);
    return scion_api_fail(__func__, NULL, -1);
}

int sion_drain_wait(const char *fname)
{
    char *target = fname ? scion_staged_target(fname) : NULL;
    int rc = fname && !target ? scion_error_code() : scion_staged_wait(target, 1);

    free(target);
    return rc == 0 ? SION_SUCCESS : scion_api_fail(__func__, NULL, SION_NOT_SUCCESS);
}

int sion_drain_get_progress(const char *fname, sion_drain_progress *progress)
{
    struct scion_staged_info info = {0};
    sion_drain_progress own = {0};
    int rc = look(fname, &info);

    own.waiting = info.waiting;
    own.failed = info.failed;
    own.drained = info.done;
    own.total = info.total;
    snprintf(own.failure, sizeof own.failure, "%s", info.reason);
    if (rc == 0)
        rc = scion_sized_give(progress, &own, sizeof own, "sion_drain_progress");
    return rc == 0 ? SION_SUCCESS : scion_api_fail(__func__, NULL, SION_NOT_SUCCESS);
}
