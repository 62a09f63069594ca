/*
 * The table of sids. One numbering for containers and for the descriptors of the parallel
 * interfaces, process-wide. Looking a sid up takes no lock; the table never moves.
 */
#ifndef SCION_BASE_HANDLES_H
#define SCION_BASE_HANDLES_H

#include <stdatomic.h>
#include <stddef.h>

/*
 * What a sid stands for. SCION_HANDLE_INTERFACE: a parallel interface of the library;
 * SCION_HANDLE_GENERIC: one that the application has made; SCION_HANDLE_PART: a number taken by a
 * physical file of a container, or not yet given out.
 */
enum scion_handle_kind {
    SCION_HANDLE_CONTAINER = 1,
    SCION_HANDLE_INTERFACE,
    SCION_HANDLE_GENERIC,
    SCION_HANDLE_PART
};

/*
 * Take a number for object (not NULL; stays the caller's). Numbers are given as SIONlib gives
 * them: the lowest never used one, or else the next closed one after the last closed; from 0 again
 * when all are closed. Returns the number or an error code.
 */
int scion_handle_new(enum scion_handle_kind kind, void *object);

/*
 * As scion_handle_new() if *number is negative, which is then set; else *number. Threads may call
 * it with the same number at the same time.
 */
int scion_handle_need(int *number, enum scion_handle_kind kind, void *object);

/* Make a number that was taken as SCION_HANDLE_PART stand for something else. */
void scion_handle_set(int sid, enum scion_handle_kind kind, void *object);

/* The object of a number of this kind, or NULL. */
void *scion_handle_get(int sid, enum scion_handle_kind kind);

enum { SCION_HANDLES_FIRST_BITS = 6, SCION_HANDLES_FIRST = 1 << SCION_HANDLES_FIRST_BITS };

/* The containers among the first numbers once more, NULL for everything else. */
extern _Atomic(void *) scion_handle_containers[SCION_HANDLES_FIRST];

/*
 * For functions that are called for each record: the container of one of the first numbers, without
 * a call. NULL: scion_handle_get() knows.
 */
static inline void *scion_handle_quick(int sid)
{
    if ((unsigned)sid >= SCION_HANDLES_FIRST)
        return NULL;
    return atomic_load_explicit(&scion_handle_containers[sid], memory_order_acquire);
}

/* Call visit for each object of this kind. The lock is held, so visit must not use the table. */
void scion_handle_visit(enum scion_handle_kind kind, void (*visit)(void *object));

/* Take back a number that nobody has seen: numbering goes on as if it had never been taken. */
void scion_handle_cancel(int sid);

/* Give the number back. */
void scion_handle_free(int sid);

#endif
