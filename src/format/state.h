/*
 * The record behind the tables of a published state (doc/format.md, "Published states").
 *
 * Pure functions between structs and bytes.
 */
#ifndef SCION_FORMAT_STATE_H
#define SCION_FORMAT_STATE_H

#include <stddef.h>

#include "sion_datatypes.h"

enum { SCION_STATE_RECORD = 72 /* bytes */ };

struct scion_state {
    sion_int64 generation; /* 1 for the first state of a file that has a record, then one more */
    sion_int64 time;       /* nanoseconds since 1970 */
    sion_int64 bytes;      /* of all tasks of the file */
    int is_closed;         /* the writer has closed the container with it */

    /* The tail's words for the state before; start_of_varheader is 0 if there is none. */
    int old_maxchunks;
    sion_int64 old_start_of_varheader;
};

void scion_state_encode(const struct scion_state *state, unsigned char to[SCION_STATE_RECORD]);

/* Whether a record begins with these bytes. */
int scion_state_is_head(const unsigned char *from, size_t length);

/* 1 if a record that can be used is there; nothing else is damage, because it can be missing. */
int scion_state_decode(const unsigned char *from, size_t length, int swapped,
                       struct scion_state *state);

#endif
