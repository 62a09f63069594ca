/*
 * Copies between a device and the host, through two buffers that the driver has pinned: while one
 * is copied, the file takes the other one's bytes, or fills it.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "device/driver.h"

/* What a transfer needs, of one context. Idle ones are listed. */
struct stage {
    struct stage *next;
    struct scion_device_place place;
    int is_held;   /* the context is */
    int before;    /* the caller's device, during a transfer */
    void *context; /* as the driver wants it */
    void *buffers; /* two of `room` bytes, pinned; NULL: none */
    size_t room;
    void *stream, *event;
};

static struct stage *idle;
static int holders; /* while it is not 0, stages stay for the next transfer */
static atomic_flag locked = ATOMIC_FLAG_INIT;

static void lock(void)
{
    while (atomic_flag_test_and_set_explicit(&locked, memory_order_acquire))
        ;
}

static void unlock(void)
{
    atomic_flag_clear_explicit(&locked, memory_order_release);
}

static const struct scion_device_calls *calls_of(const struct stage *stage)
{
    return stage->place.driver->calls;
}

/* 0, or an error: the driver's code says why the stage cannot do what it should. */
static __attribute__((noinline)) int judge(const struct stage *stage, const char *what, int code)
{
    const struct scion_device_driver *driver = stage->place.driver;
    const char *text;

    if (code == 0)
        return 0;
    text = driver->text(code);
    return scion_fail(SION_ERR_SYSTEM, "%s cannot %s on device %d: %s (%d)", driver->name, what,
                      stage->place.device, text ? text : "unknown error", code);
}

static const char use_context[] = "use the context of the data", make_stream[] = "make a stream",
                  copy_out[] = "copy from memory", copy_in[] = "copy to memory";

/* ---- making and freeing, in the stage's context ---- */

static int enter(struct stage *stage)
{
    return stage->place.driver->enter(stage->context, stage->place.device, &stage->before);
}

static void leave(const struct stage *stage)
{
    stage->place.driver->leave(stage->before);
}

static void free_parts(const struct stage *stage)
{
    if (stage->buffers)
        calls_of(stage)->free(stage->buffers);
    if (stage->event)
        calls_of(stage)->free_event(stage->event);
    if (stage->stream)
        calls_of(stage)->free_stream(stage->stream);
}

/* The program may have ended its use of the device; then the driver has freed all of it. */
static __attribute__((noinline)) void free_stage(struct stage *stage)
{
    if (stage->is_held) {
        if (enter(stage) == 0) {
            free_parts(stage);
            leave(stage);
        }
        stage->place.driver->drop(&stage->place);
    }
    free(stage);
}

static int need_buffers(struct stage *stage, size_t room)
{
    void *old = stage->buffers;
    int code;

    if (stage->room >= room)
        return 0;
    code = calls_of(stage)->allocate(&stage->buffers, 2 * room, SCION_DEVICE_PORTABLE);
    if (code == 0) {
        stage->room = room;
        if (old)
            calls_of(stage)->free(old);
    } else
        stage->buffers = old;
    return judge(stage, "pin memory of the host for copies", code);
}

static int need_stream(struct stage *stage)
{
    int code = 0;

    if (!stage->stream)
        code = calls_of(stage)->make_stream(&stage->stream, SCION_DEVICE_WAITS_FOR_DEFAULT);
    if (code == 0 && !stage->event)
        code = calls_of(stage)->make_event(&stage->event, SCION_DEVICE_EVENT_WITHOUT_TIME);
    return judge(stage, make_stream, code);
}

/* ---- the list of idle ones ---- */

static int is_for(const struct stage *stage, const struct scion_device_place *place)
{
    return stage->place.driver == place->driver && stage->place.context == place->context &&
           stage->place.device == place->device;
}

static struct stage *take_idle(const struct scion_device_place *place)
{
    struct stage **at, *found;

    lock();
    for (at = &idle; *at && !is_for(*at, place); at = &(*at)->next)
        ;
    found = *at;
    if (found)
        *at = found->next;
    unlock();
    return found;
}

static void give_back(struct stage *stage)
{
    int stays;

    lock();
    stays = holders > 0;
    if (stays) {
        stage->next = idle;
        idle = stage;
    }
    unlock();
    if (!stays)
        free_stage(stage);
}

void scion_device_hold(void)
{
    lock();
    holders++;
    unlock();
}

void scion_device_release(void)
{
    struct stage *unused = NULL, *next;

    lock();
    if (--holders == 0) {
        unused = idle;
        idle = NULL;
    }
    unlock();
    for (; unused; unused = next) {
        next = unused->next;
        free_stage(unused);
    }
}

/* ---- beginning and ending a transfer ---- */

static int hold_context(struct stage *stage)
{
    int code = stage->is_held ? 0 : stage->place.driver->hold(&stage->place, &stage->context);

    stage->is_held = code == 0;
    return judge(stage, use_context, code);
}

/* The program has reset the device or destroyed the context since the last transfer. */
static int is_gone(int code)
{
    enum { INVALID_CONTEXT = 201, INVALID_HANDLE = 400, CONTEXT_IS_DESTROYED = 709 };

    return code == INVALID_CONTEXT || code == INVALID_HANDLE || code == CONTEXT_IS_DESTROYED;
}

/* What was made there has gone with it. */
static void forget_parts(struct stage *stage)
{
    stage->buffers = NULL;
    stage->room = 0;
    stage->stream = stage->event = NULL;
}

static int join(const struct stage *stage)
{
    return stage->event ? calls_of(stage)->record(stage->event, NULL) : 0;
}

/* In the context: have what a transfer needs, and wait for what the program has started. */
static int prepare(struct stage *stage, size_t room)
{
    int had_event = stage->event != NULL, code = join(stage), rc = 0;

    if (is_gone(code)) {
        forget_parts(stage);
        had_event = code = 0;
    }
    if (code == 0)
        rc = need_stream(stage);
    if (code == 0 && rc == 0)
        rc = need_buffers(stage, room);
    if (code == 0 && rc == 0 && !had_event)
        code = join(stage);
    return rc != 0 ? rc : judge(stage, "wait for the default stream", code);
}

static __attribute__((noinline)) int begin(const struct scion_device_place *place, size_t room,
                                           struct stage **found)
{
    struct stage *stage = take_idle(place);
    int rc;

    if (!stage)
        stage = calloc(1, sizeof *stage);
    if (!stage)
        return scion_fail_memory("copies of a device's memory");
    stage->place = *place;
    rc = hold_context(stage);
    if (rc == 0)
        rc = judge(stage, use_context, enter(stage));
    if (rc == 0) {
        rc = prepare(stage, room);
        if (rc != 0)
            leave(stage);
    }
    if (rc != 0)
        free_stage(stage);
    *found = stage;
    return rc;
}

static void end(struct stage *stage)
{
    leave(stage);
    give_back(stage);
}

/* ---- transfers ---- */

static size_t room_for(size_t piece)
{
    return piece > SCION_DEVICE_LEAST_PIECE ? SCION_DEVICE_MOST_PIECE : SCION_DEVICE_LEAST_PIECE;
}

static char *buffer_of(const struct stage *stage, size_t number)
{
    return (char *)stage->buffers + (number % 2) * stage->room;
}

static int start(const struct stage *stage, void *to, const void *from, size_t bytes, int is_out)
{
    int code = stage->place.driver->copy(to, from, bytes, is_out, stage->stream);

    return judge(stage, is_out ? copy_out : copy_in, code);
}

static int wait_for(const struct stage *stage, int is_out)
{
    return judge(stage, is_out ? copy_out : copy_in, calls_of(stage)->wait(stage->stream));
}

/* Start to copy the first of these bytes; *part: how many. */
static int start_out(const struct stage *stage, size_t number, const char *data, size_t left,
                     size_t piece, size_t *part)
{
    int rc = 0;

    *part = left < piece ? left : piece;
    if (*part > 0)
        rc = start(stage, buffer_of(stage, number), data, *part, 1);
    if (rc != 0)
        *part = 0;
    return rc;
}

static int fetch(const struct stage *stage, const char *data, size_t bytes, scion_device_take *take,
                 void *user)
{
    size_t piece = scion_device_piece(bytes), number, part, next;
    int rc = start_out(stage, 0, data, bytes, piece, &part);

    for (number = 0; rc == 0 && part > 0; number++, part = next) {
        next = 0;
        rc = wait_for(stage, 1);
        data += part;
        bytes -= part;
        if (rc == 0)
            rc = start_out(stage, number + 1, data, bytes, piece, &next);
        if (rc == 0)
            rc = take(user, buffer_of(stage, number), part);
    }
    if (part > 0) /* a piece that nobody takes any more */
        calls_of(stage)->wait(stage->stream);
    return rc;
}

/* Nothing is given any more after a copy that has failed. */
static int store(const struct stage *stage, char *data, size_t bytes, scion_device_give *give,
                 void *user)
{
    size_t piece = scion_device_piece(bytes), number, got = 1;
    int rc = 0, late, is_copying = 0;

    for (number = 0; rc == 0 && bytes > 0 && got > 0; number++) {
        char *buffer = buffer_of(stage, number);

        rc = give(user, buffer, bytes < piece ? bytes : piece, &got);
        late = is_copying ? wait_for(stage, 0) : 0;
        rc = scion_first_failure(rc, late);
        is_copying = rc == 0 && got > 0;
        if (is_copying)
            rc = start(stage, data, buffer, got, 0);
        data += got;
        bytes -= got;
    }
    late = is_copying && rc == 0 ? wait_for(stage, 0) : 0;
    return scion_first_failure(rc, late);
}

int scion_device_fetch(const struct scion_device_place *place, const void *data, size_t bytes,
                       scion_device_take *take, void *user)
{
    struct stage *stage;
    int rc = begin(place, room_for(scion_device_piece(bytes)), &stage);

    if (rc == 0) {
        rc = fetch(stage, data, bytes, take, user);
        end(stage);
    }
    return rc;
}

int scion_device_store(const struct scion_device_place *place, void *data, size_t bytes,
                       scion_device_give *give, void *user)
{
    struct stage *stage;
    int rc = begin(place, room_for(scion_device_piece(bytes)), &stage);

    if (rc == 0) {
        rc = store(stage, data, bytes, give, user);
        end(stage);
    }
    return rc;
}

/* ---- whole copies ---- */

static int take_copy(void *user, const void *piece, size_t bytes)
{
    char **to = user;

    memcpy(*to, piece, bytes);
    *to += bytes;
    return 0;
}

int scion_device_copy_out(const struct scion_device_place *place, void *to, const void *data,
                          size_t bytes)
{
    char *at = to;

    return scion_device_fetch(place, data, bytes, take_copy, &at);
}

static int give_copy(void *user, void *piece, size_t room, size_t *got)
{
    const char **from = user;

    memcpy(piece, *from, room);
    *from += room;
    *got = room;
    return 0;
}

int scion_device_copy_in(const struct scion_device_place *place, void *data, const void *from,
                         size_t bytes)
{
    const char *at = from;

    return scion_device_store(place, data, bytes, give_copy, &at);
}
