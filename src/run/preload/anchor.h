/*
 * The session's folder, held open: names in the tree are looked up from there, which is a shorter
 * way for the system than from the root.
 *
 *     struct run_at at = run_at(place);
 *
 *     do
 *         rc = NEXT(unlinkat)(at.fd, at.path, flags);
 *     while (rc != 0 && run_is_astray(&at, place));
 *
 * The program does not know of the descriptor. Calls of the C library that would close it spare it.
 * A direct system call may close it and give its number to another folder; that has no tree of
 * this name, so nothing is found or made there, and then the whole path is used. That is also done
 * where another library stands in for calls behind this one: it shall see those that the program
 * makes.
 */
#ifndef SCION_PRELOAD_ANCHOR_H
#define SCION_PRELOAD_ANCHOR_H

#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>

#include "run/preload/place.h"

enum { RUN_ANCHOR_NONE = -1, RUN_ANCHOR_UNTRIED = -2 };

struct run_at {
    int fd; /* or AT_FDCWD */
    const char *path;
};

extern _Atomic int run_anchor;
extern size_t run_anchor_length; /* of a path in the tree, what is not in one from the anchor */

int run_anchor_open(void);

/* The name of a place in the tree. */
static inline struct run_at run_at(const struct run_place *place)
{
    int fd = atomic_load_explicit(&run_anchor, memory_order_acquire);

    if (__builtin_expect(fd == RUN_ANCHOR_UNTRIED, 0))
        fd = run_anchor_open();
    if (fd < 0)
        return (struct run_at){AT_FDCWD, place->tree};
    return (struct run_at){fd, place->tree + run_anchor_length};
}

/* A call with the name has failed: whether that was because the descriptor is no more what it was.
   Then *at has the whole path. errno stays if not. */
int run_is_astray(struct run_at *at, const struct run_place *place);

/* Whether a number is that of the descriptor, so that the program has no file of this number. */
static inline int run_is_anchor(int fd)
{
    return fd >= 0 && fd == atomic_load_explicit(&run_anchor, memory_order_relaxed);
}

/* From now on, whole paths are used: the number is about to become the program's. */
void run_anchor_leave(void);

#endif
