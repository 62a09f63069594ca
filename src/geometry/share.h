/* Which tasks of a container each of some readers gets: runs of tasks in order. Pure. */
#ifndef SCION_GEOMETRY_SHARE_H
#define SCION_GEOMETRY_SHARE_H

#include "sion_datatypes.h"

/*
 * Reader r gets the tasks first[r] .. first[r + 1] - 1; first[nreaders] is ntasks. There may be
 * more readers than tasks.
 */

/* Equal numbers; if that cannot be, the first readers have one more than the others. */
void scion_share_by_tasks(int ntasks, int nreaders, int *first);

/* As SIONlib: equal numbers, truncated, and the last reader takes the rest. */
void scion_share_rest_to_last(int ntasks, int nreaders, int *first);

/*
 * By the tasks' bytes: no division into runs has a smaller largest share, and the readers are as
 * near to equal shares as that allows. Without any bytes, as scion_share_by_tasks. O(ntasks * log
 * of all bytes + nreaders); 0, or an error code: there is no memory.
 */
int scion_share_by_bytes(const sion_int64 *bytes, int ntasks, int nreaders, int *first);

#endif
