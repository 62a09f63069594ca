/* Share the tasks of a container among readers: each gets a run of consecutive tasks. Pure. */
#ifndef SCION_GEOMETRY_SHARE_H
#define SCION_GEOMETRY_SHARE_H

#include "sion_datatypes.h"

/*
 * Reader r gets the tasks first[r] .. first[r + 1] - 1; first[nreaders] is ntasks. There may be
 * more readers than tasks.
 */

/* Equal numbers; if they do not divide evenly, the first readers get one task more. */
void scion_share_by_tasks(int ntasks, int nreaders, int *first);

/* As SIONlib does: ntasks / nreaders tasks each, and the last reader also takes the rest. */
void scion_share_rest_to_last(int ntasks, int nreaders, int *first);

/*
 * By the tasks' bytes: the largest share is as small as possible, and the shares are as equal as
 * that allows. If all tasks are empty, as scion_share_by_tasks(). O(ntasks * log(sum of bytes) +
 * nreaders). 0, or an error code: out of memory.
 */
int scion_share_by_bytes(const sion_int64 *bytes, int ntasks, int nreaders, int *first);

#endif
