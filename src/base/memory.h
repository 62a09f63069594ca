/* What cannot be done without. */
#ifndef SCION_BASE_MEMORY_H
#define SCION_BASE_MEMORY_H

#include <stddef.h>

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
