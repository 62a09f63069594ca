/* The parts of staged containers that siondrain has found, and what became of them. */
#ifndef UTILS_SIONDRAIN_PARTS_H
#define UTILS_SIONDRAIN_PARTS_H

#include "lib/tool.h"
#include "stage/drain.h"

enum outcome {
    OUTCOME_STAGED,    /* all its data are here, and wait for their drain */
    OUTCOME_OPEN,      /* it was never closed */
    OUTCOME_BUSY,      /* its program runs, or another siondrain */
    OUTCOME_DRAINED,   /* this node's part is done, another one is not */
    OUTCOME_COMPLETE,  /* the container has its name */
    OUTCOME_RESCUED,   /* it was never closed; sionrecover finds what was flushed */
    OUTCOME_REDUCED,   /* a container without the lost nodes was made */
    OUTCOME_DISCARDED, /* as the user wanted */
    OUTCOME_FAILED
};

struct found_part {
    struct scion_stage_part part;
    struct scion_writer_lock *lock; /* NULL: somebody else has it */
    sion_int64 bytes;
    enum outcome outcome;
    char reason[512]; /* who has it, or why it has failed */
};

/*
 * Read the record and lock it. A container that another process writes or drains is OUTCOME_BUSY.
 * TOOL_RUN, or TOOL_FAILED after a message: it is not a record.
 */
int part_take(const char *record, struct found_part *found);
void part_release(struct found_part *found);

/* The failure that the library has recorded. */
void part_fail(struct found_part *found);

void part_print(const struct found_part *found);
void part_print_json(const struct found_part *found, int is_first);

#endif
