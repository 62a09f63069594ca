/*
 * The record of generations behind the tables of a state (doc/format.md, "Generations").
 *
 * Pure functions between structs and bytes.
 */
#ifndef SCION_FORMAT_GENERATIONS_H
#define SCION_FORMAT_GENERATIONS_H

#include <stddef.h>

#include "sion_datatypes.h"

enum {
    SCION_GENERATIONS_HEAD = 40, /* bytes */
    SCION_GENERATION_ENTRY = 40,
    SCION_GENERATIONS_MOST = 1000 /* that a writer keeps */
};

/* What was written between two publishes: whole blocks of a file. */
struct scion_generation {
    sion_int64 number; /* 1 for the first one of a container, then one more each time */
    sion_int64 time;   /* nanoseconds since 1970: when it was published */
    sion_int64 first, blocks;
    sion_int64 bytes; /* of all tasks of the file */
};

struct scion_generations_head {
    int n;             /* generations that are there */
    int keep;          /* how many the writer keeps */
    sion_int64 newest; /* the largest number that was given; 0: none was */
};

static inline size_t scion_generations_bytes(int n)
{
    return SCION_GENERATIONS_HEAD + (size_t)n * SCION_GENERATION_ENTRY;
}

/* list[head->n]; to: scion_generations_bytes(head->n). */
void scion_generations_encode(const struct scion_generations_head *head,
                              const struct scion_generation *list, unsigned char *to);

/*
 * From a record of this length. 0: it is damaged, or says what cannot be in a file of so many
 * blocks. list: room for (length - _HEAD) / _ENTRY.
 */
int scion_generations_decode(const unsigned char *from, size_t length, int swapped,
                             sion_int64 maxchunks, struct scion_generations_head *head,
                             struct scion_generation *list);

#endif
