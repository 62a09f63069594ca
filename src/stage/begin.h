/* The beginning of a node's part: what is done before its tasks write. */
#ifndef SCION_STAGE_BEGIN_H
#define SCION_STAGE_BEGIN_H

#include <sys/types.h>

#include "stage/part.h"

/*
 * Fill what the part's place says: record, target, flag2, node, boot; the others are 0. folder: of
 * the node. name: of the container, as the application says it. After an error nothing is to be
 * freed.
 */
int scion_stage_part_init(struct scion_stage_part *part, const char *folder, const char *name,
                          sion_int64 flag2, int node);

/* Fail if the folder has no room for so many bytes. */
int scion_stage_check_room(const char *folder, sion_int64 bytes);

/* Look at what has the container's name now, and write the record. */
int scion_stage_part_begin(struct scion_stage_part *part);

/*
 * Make the new file `number` of the container, beside its name: where the parts will be copied to.
 * *path: its name, to be freed. permissions: less the umask.
 */
int scion_stage_make_new(const struct scion_stage_part *part, int number, mode_t permissions,
                         char **path);

/* Remove it. */
void scion_stage_remove_new(const struct scion_stage_part *part, int number);

#endif
