/* RENAME_EXCHANGE of names of which two layers may have something. */
#ifndef SCION_PRELOAD_SWAP_H
#define SCION_PRELOAD_SWAP_H

#include "run/preload/place.h"

/* Both names are there. 0, or -1 with errno: EXDEV if only one of them is redirected, EINVAL if a
   folder of two layers is among them, because these cannot be swapped at once. */
int run_swap(struct run_place *from, struct run_place *to);

#endif
