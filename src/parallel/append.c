/* An open that goes on with a container, if there is one. */
#include "parallel/opening.h"

int scion_look_for_old(struct scion_opening *opening, int n)
{
    const struct scion_parallel_args *args = opening->args;
    int rc = scion_lock_for_writing(args->name, &args->mode, !opening->other_names,
                                    &opening->parallel->lock);

    if (rc == 0)
        rc = scion_append_look(args->name, &opening->appends);
    if (rc != 0 || !opening->appends)
        return rc;
    rc = scion_read_own_file(opening);
    if (rc == 0)
        rc = scion_append_check(opening->physical, &args->mode, n);
    if (rc == 0)
        rc = scion_seat_appenders(opening, n);
    if (rc == 0)
        rc = scion_mode_find_checksum(&args->mode, &opening->checksum);
    if (rc == 0 && opening->physical->sums_at > 0)
        opening->checksum = SCION_COMPARES_READS;
    return rc;
}

int scion_generations_kept(const struct scion_opening *opening)
{
    int keep = opening->args->mode.keep;

    if (!opening->keeps)
        return 0;
    return keep > 0 || (opening->physical && opening->physical->generations) ? keep : 1;
}

int scion_append_own_file(struct scion_opening *opening)
{
    const struct scion_mode *mode = &opening->args->mode;
    const struct scion_physical_plan plan = {
        .is_durable = mode->sync != SCION_SYNC_NONE,
        .is_flushed = scion_mode_syncs_flush(mode),
        .keep = scion_generations_kept(opening),
        .is_derived = opening->file > 0 && !opening->args->name_of_file,
    };

    return scion_physical_append(opening->physical, &plan);
}
