#include "base/handles.h"

#include <limits.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/lock.h"

/*
 * Slots live in segments of 64, 128, 256, ... that are never moved nor given back, so a reader
 * needs no lock: it may see an old or a new object, never a freed table.
 */
enum { FIRST_BITS = SCION_HANDLES_FIRST_BITS, SEGMENTS = 25 };

struct slot {
    _Atomic(void *) object;
    enum scion_handle_kind kind;
};

static struct slot first_segment[SCION_HANDLES_FIRST];
static _Atomic(struct slot *) segments[SEGMENTS] = {first_segment};
_Atomic(void *) scion_handle_containers[SCION_HANDLES_FIRST];

/* SIONlib's numbering: capacity grows by 2 whenever fewer than 2 numbers are free. */
static int capacity, used, never_used, last_closed;

static struct slot *find_slot(int sid, int *segment, unsigned *size)
{
    unsigned index = (unsigned)sid + (1u << FIRST_BITS);
    int top = 31 - __builtin_clz(index);
    struct slot *base;

    *segment = top - FIRST_BITS;
    *size = 1u << top;
    if (*segment >= SEGMENTS)
        return NULL;
    base = atomic_load_explicit(&segments[*segment], memory_order_acquire);
    return base ? base + (index - *size) : NULL;
}

static struct slot *slot_of(int sid)
{
    int segment;
    unsigned size;

    return sid < 0 || sid >= INT_MAX / 2 ? NULL : find_slot(sid, &segment, &size);
}

static struct slot *make_slot(int sid)
{
    int segment;
    unsigned size;
    struct slot *slot = find_slot(sid, &segment, &size);

    if (!slot && segment < SEGMENTS) {
        atomic_store_explicit(&segments[segment], calloc(size, sizeof *slot), memory_order_release);
        slot = find_slot(sid, &segment, &size);
    }
    return slot;
}

static int is_free(int sid)
{
    return atomic_load_explicit(&slot_of(sid)->object, memory_order_relaxed) == NULL;
}

static int choose_number(void)
{
    int sid;

    if (capacity - used < 2)
        capacity += 2;
    if (never_used < capacity)
        return never_used;
    for (sid = (last_closed + 1) % capacity; !is_free(sid);)
        sid = (sid + 1) % capacity;
    return sid;
}

/* object NULL: the number is free. */
static void set_slot(int sid, struct slot *slot, enum scion_handle_kind kind, void *object)
{
    if (object)
        slot->kind = kind;
    atomic_store_explicit(&slot->object, object, memory_order_release);
    if (sid < SCION_HANDLES_FIRST)
        atomic_store_explicit(&scion_handle_containers[sid],
                              kind == SCION_HANDLE_CONTAINER ? object : NULL, memory_order_release);
}

/* With the lock held. The number, or -1. */
static int take(enum scion_handle_kind kind, void *object)
{
    int sid = choose_number();
    struct slot *slot = make_slot(sid);

    if (!slot)
        return -1;
    set_slot(sid, slot, kind, object);
    used++;
    if (sid == never_used)
        never_used++;
    return sid;
}

int scion_handle_new(enum scion_handle_kind kind, void *object)
{
    int sid;

    scion_lock();
    sid = take(kind, object);
    scion_unlock();
    return sid >= 0 ? sid : scion_fail_memory("table of open containers");
}

int scion_handle_need(int *number, enum scion_handle_kind kind, void *object)
{
    int sid;

    scion_lock();
    if (*number < 0)
        *number = take(kind, object);
    sid = *number;
    scion_unlock();
    return sid >= 0 ? sid : scion_fail_memory("table of open containers");
}

void scion_handle_set(int sid, enum scion_handle_kind kind, void *object)
{
    set_slot(sid, slot_of(sid), kind, object);
}

void *scion_handle_get(int sid, enum scion_handle_kind kind)
{
    struct slot *slot = slot_of(sid);
    void *object = slot ? atomic_load_explicit(&slot->object, memory_order_acquire) : NULL;

    return object && slot->kind == kind ? object : NULL;
}

void scion_handle_visit(enum scion_handle_kind kind, void (*visit)(void *object))
{
    void *object;
    int sid;

    scion_lock();
    for (sid = 0; sid < never_used; sid++) {
        object = scion_handle_get(sid, kind);
        if (object)
            visit(object);
    }
    scion_unlock();
}

/* With the lock held: empty a slot; 1 if it held something. */
static int release(int sid)
{
    struct slot *slot = slot_of(sid);

    if (!slot || !atomic_load_explicit(&slot->object, memory_order_relaxed))
        return 0;
    set_slot(sid, slot, slot->kind, NULL);
    if (--used == 0)
        capacity = never_used = last_closed = 0;
    return 1;
}

void scion_handle_free(int sid)
{
    scion_lock();
    if (release(sid) && used > 0)
        last_closed = sid;
    scion_unlock();
}

void scion_handle_cancel(int sid)
{
    scion_lock();
    if (release(sid) && sid == never_used - 1)
        never_used--;
    scion_unlock();
}
