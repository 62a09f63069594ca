/* Gives the files of a container other names, so that no moment shows half of it. */
#ifndef UTILS_SIONMV_PLACE_H
#define UTILS_SIONMV_PLACE_H

#include "lib/members.h"

struct scion_writer_lock;

/* What is to get the names of a container's files, and what has them now. */
struct target {
    const char *name;
    struct members old;             /* is replaced */
    struct scion_writer_lock *lock; /* of the name; or NULL */
};

/*
 * Look at the names: they must be free, or are replaced if is_forced. No name may be that of a file
 * of the set itself; may_be_begun: unless it is its own name there, left by a move that was
 * killed. TOOL_RUN, or TOOL_FAILED after a message.
 */
int target_find(struct target *target, const char *name, const struct members *set, int is_forced,
                int may_be_begun);
void target_free(struct target *target);

/* Lock the name of a container against writers; a name that may not be written is only looked at.
 *lock may be NULL afterwards. Likewise. */
int lock_name(const char *name, struct scion_writer_lock **lock);

/*
 * Give the files `from` the names of the target. All links are made before file 0 is renamed, so
 * the set is complete under one of the names, and under no name incomplete; where there are no
 * links, file 0 has no name of a container for a while. The older files get other names first,
 * beginning with file 0, and are removed at the end. After a failure all names are as they were.
 * TOOL_RUN, or TOOL_FAILED after a message; PLACE_ELSEWHERE: the target is on another file system,
 * nothing has changed.
 */
enum { PLACE_ELSEWHERE = 100 };
int place(const struct members *set, const char *from, const struct target *target);

/* Remove all files, file 0 first: the container is gone, then its parts. TOOL_RUN or TOOL_FAILED
   likewise; if file 0 stays, all others stay, too. */
int remove_all(const struct members *set, const char *name);

#endif
