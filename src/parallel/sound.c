/* Opens for reading that go back to an older generation if the newest one is damaged. */
#include "comm/agree.h"
#include "parallel/mapped.h"
#include "parallel/opening.h"
#include "parallel/sound.h"

int scion_read_file_0(struct scion_opening *opening)
{
    const struct scion_mode *mode = &opening->args->mode;
    int rc = scion_read_own_file(opening);

    if (rc == 0)
        rc = scion_sound_choose(opening->physical, mode, &opening->seen);
    if (rc != 0)
        return rc;
    scion_see_state(opening->physical, &opening->state);
    opening->view = opening->physical->view_number;
    opening->is_sound = scion_sound_is_wanted(opening->physical, mode);
    return opening->is_sound ? scion_sound_check(opening->physical) : 0;
}

int scion_find_checksum(struct scion_opening *opening)
{
    int rc = scion_mode_find_checksum(&opening->args->mode, &opening->checksum);

    if (rc == 0 && opening->is_sound)
        opening->checksum = scion_sound_compares(opening->physical, opening->checksum);
    return rc;
}

int scion_mapped_need_sound(struct scion_mapped_root *root)
{
    int rc = 0, i;

    if (!scion_sound_is_wanted(root->files[0], &root->args->mode))
        return 0;
    root->is_sound = 1;
    root->checksum = scion_sound_compares(root->files[0], root->checksum);
    for (i = 0; i < root->nfiles && rc == 0; i++) {
        if (root->files[i])
            rc = scion_sound_check(root->files[i]);
    }
    return rc;
}

int scion_try_older(struct scion_comm *comm, int rc, const struct scion_seen *seen,
                    struct scion_sound *sound, struct scion_mode *mode)
{
    struct scion_sound_next next = {0};
    int other;

    if (mode->access != SCION_ACCESS_READ || (rc != SION_ERR_DAMAGED && sound->tries == 0))
        return rc;
    if (comm->rank == 0)
        scion_sound_decide(sound, rc, seen, mode, &next);
    other = scion_bcast(comm, &next, sizeof next, 0);
    return other != 0 ? other : scion_sound_go_on(sound, rc, &next, mode);
}
