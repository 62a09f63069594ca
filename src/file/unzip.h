/* Containers whose streams are compressed, read as their plain bytes: one chunk per task. */
#ifndef SCION_FILE_UNZIP_H
#define SCION_FILE_UNZIP_H

#include "file/container.h"
#include "file/unzip_view.h"

/* Whether a container that is read has compressed streams, and shows plain ones. */
int scion_container_unzips(const struct scion_container *container);

/*
 * Before anything is read, but after checksums are watched: all tasks of a container that one
 * process has opened; the task of one of a parallel one; the tasks of this process of a mapped one.
 * Local. Nothing happens if the container does not unzip. Damaged streams lock out their tasks.
 */
int scion_container_unzip_all(struct scion_container *container);
int scion_container_unzip_own(struct scion_container *container);
int scion_container_unzip_mapped(struct scion_container *container);

/* The file of a container of one rank, whose task has such chunks: *bytes are plain ones. */
struct scion_column;
int scion_physical_unzip_task(struct scion_physical *physical, const struct scion_column *column,
                              struct scion_damage *damage, sion_int64 *bytes);

#endif
