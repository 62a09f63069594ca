/*
 * Commit records of all tasks of a container that is written with trailers. Containers without
 * have none of this (container->commits is NULL).
 */
#ifndef SCION_FILE_COMMITS_H
#define SCION_FILE_COMMITS_H

#include "file/container.h"

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

/* All tasks that were written since the last flush, among them the selected one: first their bytes
   to the disk, then the slots that vouch for them. */
int scion_commits_flush(struct scion_container *container);

/* The container has been emptied, and its one task begins anew. */
void scion_commits_restart(struct scion_container *container);

#endif
