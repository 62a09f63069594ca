/*
 * The frame of most hooks: a call that names one file is made with the path where that is.
 *
 *     struct run_call call;
 *     int rc = -1;
 *
 *     if (run_begin(&call, AT_FDCWD, path, RUN_LOOK) == 0)
 *         do
 *             rc = call.fd == AT_FDCWD ? NEXT(access)(call.path, mode)
 *                                      : NEXT(faccessat)(call.fd, call.path, mode, 0);
 *         while (run_again(&call, rc != 0));
 *     run_end(&call);
 *     return rc;
 */
#ifndef SCION_PRELOAD_CALL_H
#define SCION_PRELOAD_CALL_H

#include <stddef.h>

#include "run/preload/moves.h"
#include "run/preload/place.h"
#include "run/preload/state.h"

enum run_use {
    RUN_LOOK = 0,     /* the call changes nothing */
    RUN_CHANGE = 1,   /* it changes the file, which must be in the tree before */
    RUN_NOFOLLOW = 2, /* of a link, it looks at the link itself */
    RUN_OPENS = 4,    /* it needs the bytes of the file */
    RUN_WHOLE = 8     /* it has no form for a name relative to a folder */
};

struct run_call {
    int fd; /* for the native call, */
    const char *path;
    int given_fd;
    const char *given;
    struct run_watch watch;
    struct run_place *place; /* NULL: not ours, and nothing to be given back */
    int use, before, is_try;
};

int run_begin_slowly(struct run_call *call);
int run_again_slowly(struct run_call *call);

/* 0, or -1 with errno: the call fails. */
static inline int run_begin(struct run_call *call, int fd, const char *path, int use)
{
    call->fd = call->given_fd = fd;
    call->path = call->given = path;
    call->place = NULL;
    call->use = use;
    return run_is_on() ? run_begin_slowly(call) : 0;
}

/* Whether the call is made again, because what was tried is not there. */
static inline int run_again(struct run_call *call, int has_failed)
{
    return call->place && has_failed && run_again_slowly(call);
}

static inline void run_end(struct run_call *call)
{
    if (call->place)
        run_give(call->place);
}

/* A place that the caller gives back, by run_locate(). NULL with errno. */
struct run_place *run_placed(int fd, const char *path, int follows);

#endif
