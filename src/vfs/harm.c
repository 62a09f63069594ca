/* Writes and flushes that have failed, by which later calls fail. */
#include "vfs/vfs.h"

#include "base/error.h"

int scion_harm_check_flushed(const struct scion_harm *harm, const char *path)
{
    if (harm->flushed == 0)
        return 0;
    return scion_fail_errno(harm->flushed, "data of %s may be lost, flushing it to disk failed",
                            path);
}

int scion_harm_check_written(const struct scion_harm *harm, const char *path)
{
    int rc = scion_harm_check_flushed(harm, path);

    if (rc != 0 || harm->written == 0)
        return rc;
    return scion_fail_errno(harm->written, "%s is not complete, a write to it failed", path);
}
