/* Opening: what other hooks need of it. */
#ifndef SCION_PRELOAD_OPEN_H
#define SCION_PRELOAD_OPEN_H

#include <sys/types.h>

#include "run/preload/place.h"

/* Open the file of a place, which may be anywhere; as open(). */
int run_open(struct run_place *place, int flags, mode_t mode);

/* Whether a link of the name is followed by such flags, for run_locate(). */
int run_open_follows(const char *path, int flags);

#endif
