/* Checkpoints in the layout of another release of FTI. */
#ifndef UTILS_SIONFTI_LAYOUT_H
#define UTILS_SIONFTI_LAYOUT_H

#include "lib/tool.h"
#include "sionfti/commands.h"
#include "sionfti/items.h"

/* Reads the layout of a release, as the command line names it. version: an int, of sion_ftiff.h. */
tool_read fti_read_release;

/*
 * Write a good checkpoint in another layout: the same variables in the same containers. If that
 * layout stores the checkpoint's number and the item lacks it, it is ckptid. 0 or an error code.
 */
int fti_write_layout(const struct fti_item *item, int version, int ckptid, struct scion_file *file);

#endif
