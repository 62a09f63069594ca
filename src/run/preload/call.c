#include "run/preload/call.h"

#include <errno.h>
#include <fcntl.h>

#include "run/preload/anchor.h"
#include "run/preload/fill.h"
#include "run/preload/union.h"

/* The call is made as it is. */
static int leave(struct run_call *call)
{
    run_give(call->place);
    call->place = NULL;
    return 0;
}

static int fail(struct run_call *call)
{
    int why = errno;

    leave(call);
    errno = why;
    return -1;
}

/* The path in the layer that has the name; what is changed comes into the tree. */
static int settle(struct run_call *call)
{
    struct run_place *place = call->place;
    struct stat status;
    int layer;

    call->is_try = 0;
    if ((!(call->use & RUN_NOFOLLOW) || place->end != SCION_END_NAME) && run_follow(place) != 0)
        return -1;
    call->fd = AT_FDCWD;
    call->path = place->real;
    if (place->where != RUN_OURS)
        return 0;
    layer = run_find(place, &status);
    if (layer < 0)
        return -1;
    if (layer == RUN_REAL && (call->use & RUN_CHANGE)) {
        if (run_copy_up(place, 1) != 0)
            return -1;
        layer = RUN_TREE;
    }
    if (layer == RUN_TREE && (call->use & (RUN_CHANGE | RUN_OPENS)) && run_input_fill(place) != 0)
        return -1;
    if (call->use & RUN_CHANGE)
        run_changed();
    call->path = run_path(place, layer == RUN_TREE ? RUN_TREE : RUN_REAL);
    return 0;
}

static int follows(const struct run_call *call)
{
    return call->use & RUN_NOFOLLOW ? -1 : 1;
}

/* Most names are in the tree and no links: the first try is made without looking. */
static int start(struct run_call *call)
{
    struct run_place *place = call->place;

    if (run_locate_quickly(place, call->given_fd, call->given, follows(call)) != 0)
        return fail(call);
    call->fd = call->given_fd;
    call->path = call->given;
    if (place->where == RUN_NATIVE)
        return leave(call);
    call->is_try = place->where == RUN_OURS;
    if (place->is_recalled) {
        if (call->use & RUN_CHANGE)
            run_changed();
        return 0;
    }
    call->fd = AT_FDCWD;
    call->path = place->real;
    if (!call->is_try)
        return 0;
    if (run_has_links() || run_input.head) {
        if (settle(call) != 0)
            return fail(call);
        errno = call->before;
        return 0;
    }
    if (call->use & RUN_CHANGE)
        run_changed();
    call->path = place->tree;
    if (!(call->use & RUN_WHOLE)) {
        struct run_at at = run_at(place);

        call->fd = at.fd;
        call->path = at.path;
    }
    return 0;
}

/* It is not there, unless its folder was renamed meanwhile. */
static int start_again(struct run_call *call)
{
    if (!run_has_moved(&call->watch, call->given))
        return -1;
    errno = call->before;
    return start(call);
}

int run_begin_slowly(struct run_call *call)
{
    int rc;

    call->before = errno;
    call->watch = run_watch();
    call->place = run_take();
    rc = start(call);
    while (rc != 0 && run_has_moved(&call->watch, call->given)) {
        call->place = run_take();
        rc = start(call);
    }
    return rc;
}

/* The place was recalled: whether it is what it was, and that is not all. */
static int is_ours(struct run_call *call)
{
    int why = errno, rc = run_locate(call->place, call->given_fd, call->given, follows(call));

    if (rc == 0)
        errno = why;
    return rc == 0 && call->place->where != RUN_NATIVE;
}

int run_again_slowly(struct run_call *call)
{
    struct run_place *place = call->place;
    struct run_at at = {call->fd, call->path};
    int is_found = call->is_try;

    if (is_found && errno == EBADF && !place->is_recalled && run_is_astray(&at, place))
        errno = ENOENT;
    if (errno != ENOENT && errno != ENOTDIR)
        return 0;
    if (is_found && place->is_recalled)
        is_found = is_ours(call);
    is_found = is_found && settle(call) == 0;
    if (!is_found && start_again(call) != 0)
        return 0;
    if (is_found)
        errno = call->before;
    return 1;
}

struct run_place *run_placed(int fd, const char *path, int follows)
{
    struct run_place *place = run_take();
    int why;

    if (run_locate(place, fd, path, follows) == 0)
        return place;
    why = errno;
    run_give(place);
    errno = why;
    return NULL;
}
