/*
 * Commit records of all tasks of a container that is written with trailers. Containers without
 * have none of this (container->commits is NULL).
 */
#ifndef SCION_FILE_COMMITS_H
#define SCION_FILE_COMMITS_H

#include "file/container.h"

/*
 * Whether a container that is to be written gets trailers: by the mode, or else the environment
 * variable SION_RECOVER. flag2 for its header, with a new nonce, or 0.
 */
sion_int64 scion_recovery_choose(const struct scion_mode *mode);

/* flag2 of a set without trailers, with a new nonce. */
sion_int64 scion_recovery_none(void);

/* flag2 of the same container after it has been emptied: a nonce that the old data do not have. */
sion_int64 scion_recovery_renew(sion_int64 flag2);

/* Writing: prepare commit records if the container's header says so. The tasks of the process must
   be known. */
int scion_commits_make(struct scion_container *container);
void scion_commits_free(struct scion_container *container);

/* The stream is on a task now; and it has left one, with all bytes given to the system. */
void scion_commits_enter(struct scion_container *container, int rank);
void scion_commits_leave(struct scion_container *container, int rank);

/* Of tasks that were left since the last flush, but for the selected one: their bytes to the disk
   if flushes wait for it, and then the slots that vouch for them. The stream is not touched. */
int scion_commits_write_left(struct scion_container *container);

/* The container has been emptied, and its one task begins anew. */
void scion_commits_restart(struct scion_container *container);

#endif
