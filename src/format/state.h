/*
 * The record behind the tables of a published state, or in front of them (doc/format.md, "Published
 * states").
 *
 * Pure functions between structs and bytes.
 */
#ifndef SCION_FORMAT_STATE_H
#define SCION_FORMAT_STATE_H

#include <stddef.h>

#include "sion_datatypes.h"

enum { SCION_STATE_RECORD = 128 /* bytes */ };

/* Whole blocks of a file that no task has bytes in: a record, and behind it tables. */
struct scion_area {
    sion_int64 begin, bytes; /* 0, 0: there is none */
};

struct scion_state {
    sion_int64 generation; /* 1 for the first state of a file that has a record, then one more */
    sion_int64 time;       /* nanoseconds since 1970 */
    sion_int64 bytes;      /* of all tasks of the file */
    int is_closed;         /* the writer has closed the container with it */

    /* The tail's words for the state before; start_of_varheader is 0 if there is none. */
    int old_maxchunks;
    sion_int64 old_start_of_varheader;

    int maxchunks; /* its own */
    sion_int64 start_of_varheader;
    sion_int64 floor;           /* the first block that is free behind it */
    struct scion_area areas[2]; /* in which states may be, this one or others */

    /* The record of generations: where it begins, and its bytes; 0: there is none. */
    sion_int64 generations_at;
    int generations_bytes;
};

void scion_state_encode(const struct scion_state *state, unsigned char to[SCION_STATE_RECORD]);

/* Whether a record begins with these bytes. */
int scion_state_is_head(const unsigned char *from, size_t length);

/* 1 if a record that can be used is there; nothing else is damage, because it can be missing. */
int scion_state_decode(const unsigned char *from, size_t length, int swapped,
                       struct scion_state *state);

#endif
