/* Recovery of containers that were never closed, for programs. */
#include "api/public.h"

#include <stdlib.h>

#include "sion_const.h"

#include "api/handle.h"
#include "base/sized.h"
#include "recover/recover.h"
#include "vfs/writer_lock.h"

struct sion_recovery {
    struct scion_salvage *salvage;
};

static int result(const char *function, int rc)
{
    return rc == 0 ? SION_SUCCESS : scion_api_fail(function, NULL, SION_NOT_SUCCESS);
}

static void warn_of_writer(const struct scion_salvage *salvage)
{
    struct scion_writer writer;
    char text[SCION_WRITER_TEXT];

    if (salvage->evidence != SCION_EVIDENCE_TABLES && scion_writer_find(salvage->name, &writer))
        scion_warn("%s is being written by %s: there may be more data soon", salvage->name,
                   scion_writer_text(&writer, text));
}

sion_recovery *sion_recover_open(const char *fname, int flags)
{
    sion_recovery *recovery = malloc(sizeof *recovery);
    int rc = recovery ? 0 : scion_fail_memory("recovery");

    if (rc == 0)
        rc = scion_salvage_open(fname, flags & SION_RECOVER_ALLOW_MISSING, &recovery->salvage);
    if (rc != 0) {
        free(recovery);
        scion_api_fail(__func__, NULL, 0);
        return NULL;
    }
    warn_of_writer(recovery->salvage);
    scion_log_warnings(-1);
    return recovery;
}

int sion_recover_get_info(const sion_recovery *recovery, sion_recover_info *info)
{
    const struct scion_salvage *salvage = recovery->salvage;

    const sion_recover_info own = {
        .evidence = (int)salvage->evidence,
        .ntasks = salvage->ntasks,
        .nfiles = salvage->nfiles,
        .missing_files = salvage->nmissing,
        .keyval = scion_meta1_keyval(&salvage->files[salvage->first].physical->head),
    };

    return result(__func__, scion_sized_give(info, &own, sizeof own, "sion_recover_info"));
}

static int check_index(const struct scion_salvage *salvage, int index)
{
    if (index >= 0 && index < salvage->ntasks)
        return 0;
    return scion_fail(SION_ERR_ARGUMENT, "%s has no task %d, only 0 .. %d", salvage->name, index,
                      salvage->ntasks - 1);
}

int sion_recover_get_task(const sion_recovery *recovery, int index, sion_recover_task *task)
{
    const struct scion_salvaged_place *place;
    const struct scion_salvaged_task *found;
    sion_recover_task own;

    if (check_index(recovery->salvage, index) != 0)
        return result(__func__, SION_ERR_ARGUMENT);
    place = &recovery->salvage->places[index];
    found = scion_salvage_task(recovery->salvage, index);
    own = (sion_recover_task){
        .globalrank = place->globalrank,
        .file = place->file,
        .lrank = place->lrank,
        .bytes = scion_salvage_bytes(found),
        .certain = found->certain,
        .possible = found->possible,
        .lost = found->lost,
    };
    return result(__func__, scion_sized_give(task, &own, sizeof own, "sion_recover_task"));
}

int sion_recover_read(const sion_recovery *recovery, int index, sion_int64 offset, void *data,
                      size_t bytes)
{
    const struct scion_salvage *salvage = recovery->salvage;
    int rc = check_index(salvage, index);
    sion_int64 total = rc == 0 ? scion_salvage_bytes(scion_salvage_task(salvage, index)) : 0;

    if (rc == 0 && (offset < 0 || offset > total || bytes > (uint64_t)(total - offset)))
        rc = scion_fail(SION_ERR_ARGUMENT, "task %d of %s has %lld bytes, not %zu after %lld",
                        index, salvage->name, total, bytes, offset);
    return result(__func__, rc == 0 ? scion_salvage_read(salvage, index, offset, data, bytes) : rc);
}

int sion_recover_in_place(sion_recovery *recovery)
{
    return result(__func__, scion_salvage_in_place(recovery->salvage));
}

void sion_recover_close(sion_recovery *recovery)
{
    if (recovery)
        scion_salvage_free(recovery->salvage);
    free(recovery);
}
