/* Lists of numbers as options take them: "3,5-8". */
#ifndef UTILS_LIB_NUMBERS_H
#define UTILS_LIB_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/tool.h"

struct numbers_run {
    uint64_t first, last;
};

/* {NULL}: no list was given, which means all numbers. */
struct numbers {
    struct numbers_run *run; /* [count] ascending; no two of them touch */
    size_t count;
};

/*
 * Read a list of numbers into a struct numbers, none larger than the option's number, if that is
 * not 0; a list that was read before is dropped. TOOL_RUN; or a message and TOOL_USAGE or
 * TOOL_FAILED, and the list means all.
 */
tool_read numbers_read;

/* Whether the list has the number. O(log runs). */
int numbers_have(const struct numbers *numbers, uint64_t number);

/* Whether all that is in the list is less than `end`; else *wrong is the first that is not. */
int numbers_are_below(const struct numbers *numbers, uint64_t end, uint64_t *wrong);

void numbers_free(struct numbers *numbers);

/* Whether all are numbers of tasks. TOOL_RUN, or TOOL_FAILED after a message. */
int numbers_check(const struct numbers *tasks, int ntasks);

#endif
