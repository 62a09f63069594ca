/* An atomic container's file: made next to the one that it replaces at the close. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "file/physical.h"
#include "format/slot.h"

char *scion_physical_beside(const char *base, const char *path, sion_int64 flag2, int number)
{
    int folder = (int)(scion_basename(path) - path);
    size_t size = (size_t)folder + NAME_MAX + 1;
    char *name = malloc(size), suffix[16] = "", core[NAME_MAX + 1];
    uint32_t nonce;

    if (!name) {
        scion_fail_memory("file name");
        return NULL;
    }
    scion_marker_nonce(flag2, &nonce);
    if (number > 0)
        snprintf(suffix, sizeof suffix, ".%06d", number);
    scion_path_core(scion_basename(base), core);
    snprintf(name, size, "%.*s.%s.%08x.new%s", folder, path, core, (unsigned)nonce, suffix);
    return name;
}

static int waits_for_name(const struct scion_physical *physical)
{
    return physical->final && physical->is_beside;
}

/* The new file stays, with what was written; error: says where. */
static int keep_beside(struct scion_physical *physical, int rc)
{
    char reason[SCION_ERROR_TEXT];

    if (rc != SION_ERR_BUSY)
        return rc;
    physical->is_beside = 0;
    snprintf(reason, sizeof reason, "%s", scion_error_text());
    return scion_fail(rc, "%.300s: what this one has written is in %s", reason, physical->path);
}

static int settle(struct scion_physical *physical)
{
    int rc = scion_older_check(physical->final, &physical->seen);

    if (rc == 0)
        rc = scion_older_keep(physical->final, physical->file);
    return rc == 0 ? scion_file_sync(physical->file) : keep_beside(physical, rc);
}

int scion_physical_settle(struct scion_physical *physical)
{
    int is_suspended = !physical->file, rc, closed;

    if (!waits_for_name(physical))
        return 0;
    rc = scion_physical_check_written(physical);
    if (rc == 0)
        rc = scion_physical_resume(physical);
    if (rc == 0)
        rc = settle(physical);
    closed = is_suspended && physical->file ? scion_physical_suspend(physical) : 0;
    return scion_first_failure(rc, closed);
}

int scion_physical_commit(struct scion_physical *physical)
{
    int rc;

    if (!waits_for_name(physical))
        return 0;
    rc = scion_older_replace(physical->path, physical->final, &physical->seen);
    if (rc != 0)
        return keep_beside(physical, rc);
    free(physical->path);
    physical->path = physical->final;
    physical->final = NULL;
    return 0;
}
