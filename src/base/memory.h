/* Arrays, and what cannot be done without. */
#ifndef SCION_BASE_MEMORY_H
#define SCION_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Elements of a table of rows and columns; as many as there is no memory for if they overflow. */
static inline size_t scion_elements(size_t rows, size_t columns)
{
    size_t n;

    return __builtin_mul_overflow(rows, columns, &n) ? SIZE_MAX : n;
}

/* An array of n elements, not set, for free(); NULL: no memory, or n * size overflows. */
static inline void *scion_array(size_t n, size_t size)
{
    size_t bytes;

    return __builtin_mul_overflow(n, size, &bytes) || bytes > PTRDIFF_MAX ? NULL : malloc(bytes);
}

/* The same from an array that is to have another number of elements; NULL: it stays as it was. */
static inline void *scion_array_grown(void *array, size_t n, size_t size)
{
    size_t bytes;

    return __builtin_mul_overflow(n, size, &bytes) || bytes > PTRDIFF_MAX ? NULL
                                                                          : realloc(array, bytes);
}

/*
 * Zeroed memory without which a task cannot take part in a collective that the others are already
 * in: there is no way to fail alone, so without it the program ends.
 */
void *scion_must_allocate(size_t n, size_t size);

/* Memory of that kind that was allocated elsewhere: returns it, if it is there. */
void *scion_must_have(void *memory);

/*
 * The same for other reasons: say it and abort. Other threads may be in the middle of a collective,
 * so nothing of the program, and no handler of its end, can be run any more.
 */
_Noreturn void scion_give_up(const char *reason);

#endif
