/* Allocation of arrays, and of memory without which the program cannot go on. */
#ifndef SCION_BASE_MEMORY_H
#define SCION_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/*
 * A hint: all of this memory, allocated and not yet used, is about to be written. Large pages make
 * that faster. Not for tables that stay zero in part: these would take memory then.
 */
void scion_memory_fills(void *memory, size_t bytes);

/* Of a function whose result says whether there was memory. */
#define SCION_MUST_USE __attribute__((warn_unused_result))

/* The elements of a table; if their number overflows, SIZE_MAX, which cannot be allocated. */
static inline size_t scion_elements(size_t rows, size_t columns)
{
    size_t n;

    return __builtin_mul_overflow(rows, columns, &n) ? SIZE_MAX : n;
}

/* Whether so many bytes can be in memory at all, where a size_t may have fewer bits than a file's
 * size. */
static inline int scion_is_size(int64_t bytes)
{
    return bytes >= 0 && (uint64_t)bytes <= SIZE_MAX;
}

/* An array of n uninitialised elements, for free(); NULL: no memory, or n * size overflows. */
static inline void *scion_array(uint64_t n, size_t size)
{
    size_t bytes;

    return __builtin_mul_overflow(n, size, &bytes) || bytes > PTRDIFF_MAX ? NULL : malloc(bytes);
}

/* The same for an array all of whose elements are about to be written. */
static inline void *scion_array_to_fill(size_t n, size_t size)
{
    void *array = scion_array(n, size);

    if (array)
        scion_memory_fills(array, n * size);
    return array;
}

/* Give such an array another number of elements; NULL: no memory, and the array is unchanged. */
static inline void *scion_array_grown(void *array, uint64_t n, size_t size)
{
    size_t bytes;

    return __builtin_mul_overflow(n, size, &bytes) || bytes > PTRDIFF_MAX ? NULL
                                                                          : realloc(array, bytes);
}

/* A zeroed struct of `head` bytes with n elements at its end; NULL as for scion_array(). */
static inline void *scion_with_array(size_t head, uint64_t n, size_t size)
{
    size_t bytes;

    return __builtin_mul_overflow(n, size, &bytes) || __builtin_add_overflow(bytes, head, &bytes)
               ? NULL
               : calloc(1, bytes);
}

/*
 * Zeroed memory without which a task cannot take part in a collective that the others are already
 * in: there is no way to fail alone, so without it the program ends.
 */
void *scion_must_allocate(size_t n, size_t size);

/*
 * Such an allocation has failed: gives a part of the reserve back to the system, so it can be tried
 * again; ends the program if there is none any more.
 */
void scion_make_room(void);

/*
 * Makes the reserve of this process, if it has none: at an open, which can fail on all tasks
 * together, and again where some of it may have been used. 0, or -1: out of memory. Each library
 * has one.
 */
int scion_keep_reserve(void);

/* Ends the program if memory that was allocated elsewhere is NULL. */
void *scion_must_have(void *memory);

/* What ends all processes of the program; NULL: as before, or abort(). Any thread may call this. */
void scion_give_up_by(void (*end)(void));

/*
 * Print another reason and end the program, with all its processes. Other threads may be in the
 * middle of a collective, so no more of the program can be run, and no exit handler.
 */
_Noreturn void scion_give_up(const char *reason);

#endif
