/* Whether the process that asks may read the container. */
#ifndef UTILS_SIONMOUNT_CALLER_H
#define UTILS_SIONMOUNT_CALLER_H

#include "lib/input.h"

struct fuse_req;

/*
 * Others than who mounted may come only where their access can be checked. TOOL_RUN, or TOOL_FAILED
 * and a message. options: of mount; NULL: none.
 */
int caller_check_options(const char *options);

/* 0 if the kernel would let the caller open the file as it is now, below its folders; else an
   errno. */
int caller_check(struct fuse_req *request, const char *path);

#endif
