/* Files of the input: they are made in the tree where the program looks, and filled when it opens
   them (input.h). */
#ifndef SCION_PRELOAD_FILL_H
#define SCION_PRELOAD_FILL_H

#include <stddef.h>

#include "run/preload/place.h"

void run_input_show_slowly(const char *inside, size_t length);
int run_input_fill_slowly(struct run_place *place);
void run_input_forget_slowly(struct run_place *place);
int run_input_fill_all_slowly(struct run_place *place);

/* The entries of a folder, of so many bytes of a path relative to the root, are in the tree from
   now on. */
static inline void run_input_show(const char *inside, size_t length);

/* The file, if it is one of the input, has its bytes from now on. 0, or -1 with errno. */
static inline int run_input_fill(struct run_place *place);

/* The file is about to be removed, replaced or cut: it needs no bytes any more. */
static inline void run_input_forget(struct run_place *place);

/* Show and fill all that is beneath a folder, because it gets another path. */
static inline int run_input_fill_all(struct run_place *place);

#include "run/preload/state.h"

static inline void run_input_show(const char *inside, size_t length)
{
    if (run_input.head)
        run_input_show_slowly(inside, length);
}

static inline int run_input_fill(struct run_place *place)
{
    return run_input.head ? run_input_fill_slowly(place) : 0;
}

static inline void run_input_forget(struct run_place *place)
{
    if (run_input.head)
        run_input_forget_slowly(place);
}

static inline int run_input_fill_all(struct run_place *place)
{
    return run_input.head ? run_input_fill_all_slowly(place) : 0;
}

#endif
