/* What all tasks of a container that is written compressed have stored. Others have none of this.
 */
#ifndef SCION_FILE_ZIPS_H
#define SCION_FILE_ZIPS_H

#include "file/container.h"

struct scion_zips {
    struct scion_zip zip;
    struct scion_zip_task *tasks; /* [n], of a parallel container [1] */
    int n;
};

/* Writing: prepare for compression if the container's header says so. */
int scion_zips_make(struct scion_container *container);

/*
 * Where a container is written on: the frames that its tasks have, and how they were made. Local.
 * Nothing happens if it is not compressed.
 */
int scion_zips_go_on(struct scion_container *container);
void scion_zips_free(struct scion_container *container);

/* All streams were published: each goes on with another generation. */
void scion_zips_begin_generation(struct scion_container *container);

/* The stream is on a task now. */
void scion_zips_enter(struct scion_container *container, int task);

#endif
