/* Opening: what other hooks need of it. */
#ifndef SCION_PRELOAD_OPEN_H
#define SCION_PRELOAD_OPEN_H

#include <sys/types.h>

#include "run/preload/place.h"

/* Open the file of a place, which may be anywhere; as open(). */
int run_open(struct run_place *place, int flags, mode_t mode);

/* Programs that make a file mostly make others, too: whether the next one is, and nothing can be
   real there. Then that is tried before the file is looked for. */
int run_expects_new(struct run_place *place);
void run_expect_new(int was_new);

/* Whether a link of the name is followed by such flags, for run_locate(). */
int run_open_follows(const char *path, int flags);

#endif
