#include "file/sound.h"

#include <string.h>

#include "base/crc.h"
#include "base/warning.h"
#include "file/generations.h"
#include "file/physical_read.h"

void scion_sound_begin(struct scion_sound *sound)
{
    *sound = (struct scion_sound){.warnings = scion_warnings_count()};
}

int scion_sound_choose(struct scion_physical *physical, const struct scion_mode *mode,
                       struct scion_seen *seen)
{
    int rc = 0;

    if (mode->states_back > 0)
        rc = scion_physical_go_back(physical, physical->state.generation - mode->states_back);
    if (rc == 0)
        rc = scion_generations_choose(physical, mode);
    seen->generation = physical->has_odd_generations ? SCION_SOUND_UNKNOWN : physical->view_number;
    return rc;
}

int scion_sound_is_wanted(const struct scion_physical *physical, const struct scion_mode *mode)
{
    return mode->sound && physical->view_number > 0;
}

int scion_sound_compares(const struct scion_physical *physical, int compares)
{
    if (physical->sums_at == 0)
        return compares;
    if (scion_crc_find())
        return SCION_COMPARES_AT_OPEN;
    scion_warn("%s has checksums, but there is no libsion_checksum: whether its generations are "
               "damaged is not known",
               physical->path);
    return compares;
}

/* Bytes of all tasks in the generation that is shown. */
static sion_int64 count_shown(const struct scion_physical *physical)
{
    sion_int64 n = physical->head.ntasks, bytes = 0, t, b;

    for (b = physical->view_first; b < physical->view_end; b++) {
        for (t = 0; t < n; t++)
            bytes += b < physical->counts[t] ? physical->used[b * n + t] : 0;
    }
    return bytes;
}

/* META2 has no checksum: lengths that did not get to the disk are zeros there. The record of
   generations has one. */
static int check_bytes(const struct scion_physical *physical)
{
    sion_int64 recorded = scion_generations_bytes_shown(physical), bytes;

    if (!physical->used || recorded < 0)
        return 0;
    bytes = count_shown(physical);
    return bytes == recorded
               ? 0
               : scion_fail(SION_ERR_DAMAGED,
                            "%s says that its tasks have %lld bytes in generation %lld, and %lld "
                            "in its record of generations",
                            physical->path, bytes, physical->view_number, recorded);
}

int scion_sound_check(const struct scion_physical *physical)
{
    return physical->damages.n > 0 ? scion_damage_fail(physical->damages.list, physical->path)
                                   : check_bytes(physical);
}

void scion_sound_look(struct scion_physical *physical, const struct scion_mode *mode,
                      struct scion_seen *seen)
{
    seen->has_changed =
        physical->file && mode->states_back == 0 && !scion_physical_is_newest(physical);
}

void scion_sound_decide(const struct scion_sound *sound, int rc, const struct scion_seen *seen,
                        const struct scion_mode *mode, struct scion_sound_next *next)
{
    int is_first = sound->tries == 0, is_older = seen->generation > 0 && rc == SION_ERR_DAMAGED;

    *next = (struct scion_sound_next){.generation = is_older ? mode->generation - 1 : 0,
                                      .states_back = is_older ? mode->states_back : 1,
                                      .newest = is_first ? seen->generation : sound->newest};
    if (rc == SION_ERR_DAMAGED && seen->has_changed && sound->changes < SCION_MOST_ATTEMPTS) {
        *next = (struct scion_sound_next){.again = 1, .is_same = 1};
        return;
    }
    if (!mode->sound || (is_first && seen->generation == 0))
        return;
    if (rc == SION_ERR_DAMAGED || (rc == SION_ERR_ARGUMENT && !is_first))
        next->again = is_older || mode->states_back == 0;
}

int scion_sound_go_on(struct scion_sound *sound, int rc, const struct scion_sound_next *next,
                      struct scion_mode *mode)
{
    if (next->is_same) {
        sound->changes++;
        scion_warnings_cut(sound->warnings);
        return 0;
    }
    if (sound->tries++ == 0)
        strcpy(sound->reason, scion_error_text());
    sound->newest = next->newest;
    if (next->again || sound->tries > 1)
        scion_warnings_cut(sound->warnings);
    if (next->again) {
        mode->generation = (int)next->generation;
        mode->states_back = (int)next->states_back;
        return 0;
    }
    if (sound->tries == 1 ||
        (rc != SION_ERR_DAMAGED && rc != SION_ERR_ARGUMENT && rc != SION_ERR_NOT_CLOSED))
        return rc;
    return scion_fail(SION_ERR_DAMAGED,
                      "no generation is sound, the newest is not because %.400s; "
                      "generation=newest reads what can be read of it",
                      sound->reason);
}

void scion_sound_end(const struct scion_sound *sound, const struct scion_seen *seen,
                     const struct scion_mode *mode, int warns)
{
    if (mode->states_back > 0)
        scion_warnings_cut(sound->warnings); /* of the newest state */
    if (sound->tries == 0 || !warns)
        return;
    if (sound->newest > 0)
        scion_warn("generation %lld is damaged: %.400s; generation %lld is read instead",
                   sound->newest, sound->reason, seen->generation);
    else
        scion_warn("the newest state is damaged: %.400s; generation %lld is read instead",
                   sound->reason, seen->generation);
}
