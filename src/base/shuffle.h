/* The bytes of numbers in an order in which they shrink better. Pure. */
#ifndef SCION_BASE_SHUFFLE_H
#define SCION_BASE_SHUFFLE_H

#include <stddef.h>

/*
 * The first bytes of the elements of a block, then their second ones and so on; a block has 8192
 * elements, the last one fewer. Bytes behind the last whole element stay. No overlap.
 */
void scion_shuffle(const void *from, size_t bytes, size_t element, void *to);
void scion_unshuffle(const void *from, size_t bytes, size_t element, void *to);

/* The same with all whole elements in one block. */
void scion_shuffle_all(const void *from, size_t bytes, size_t element, void *to);
void scion_unshuffle_all(const void *from, size_t bytes, size_t element, void *to);

#endif
