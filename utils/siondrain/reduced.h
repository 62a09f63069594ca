/* A container of what the nodes have that are left. */
#ifndef UTILS_SIONDRAIN_REDUCED_H
#define UTILS_SIONDRAIN_REDUCED_H

#include "siondrain/parts.h"

/*
 * The part has been drained, and other nodes' parts are missing: write NAME.reduced, with the tasks
 * of the nodes that have drained theirs. Sets the outcome and its reason.
 */
void make_reduced(struct found_part *found);

#endif
