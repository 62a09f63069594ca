/*
 * Hash tables of uthash. Without memory, an addition to one fails; uthash by itself would end the
 * program then.
 */
#ifndef SCION_BASE_TABLE_H
#define SCION_BASE_TABLE_H

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

/* Whether an element that has just been added is in its table; otherwise there was no memory. */
#define SCION_TABLE_HAS(element) ((element)->hh.tbl != NULL)

#endif
