/* Opens for reading that go back to an older generation if the newest one is damaged. */
#ifndef SCION_PARALLEL_SOUND_H
#define SCION_PARALLEL_SOUND_H

#include "comm/comm.h"
#include "file/sound.h"

/*
 * Collective, after an open has failed with rc, on all tasks: 0 if it is to be made again, with the
 * mode as it is now; else the failure. seen: on rank 0.
 */
int scion_try_older(struct scion_comm *comm, int rc, const struct scion_seen *seen,
                    struct scion_sound *sound, struct scion_mode *mode);

#endif
