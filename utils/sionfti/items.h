/* The contents of the files: checkpoints, as files or as streams of containers. */
#ifndef UTILS_SIONFTI_ITEMS_H
#define UTILS_SIONFTI_ITEMS_H

#include "ftiff/source.h"
#include "sionfti/files.h"

/* One checkpoint, or Reed-Solomon bytes: a file or a stream of a container. */
struct fti_item {
    const char *label; /* for messages */
    struct scion_fti_name name;
    struct scion_fti_source *source;
    int index; /* of the file in the list */
    int task;  /* of a container; -1: the file itself */
};

/*
 * Call `visit` for each file, and for each stream of each container, in their order; goes on after
 * failures. TOOL_DONE; TOOL_FAILED if any failed.
 */
int fti_visit(const struct fti_files *files, int (*visit)(void *data, const struct fti_item *item),
              void *data);

/* 1 if a file is a Scion container. */
int fti_is_container(const char *path);

/* Read the structure of an item into an image; TOOL_RUN, or TOOL_FAILED after a message. */
int fti_read_item(const struct fti_item *item, struct scion_fti_image *image);

/*
 * The same, and read all data of it, too; each damaged chunk is reported. An image of a damaged
 * item is freed.
 */
int fti_read_good_item(const struct fti_item *item, struct scion_fti_image *image);

/* Read the structure of Reed-Solomon bytes, and compare them with their digest. */
int fti_read_encoded(const struct fti_item *item, struct scion_fti_parity *encoded);

/* The releases that may have written Reed-Solomon bytes. */
const char *fti_encoded_release(const struct scion_fti_parity *encoded);

#endif
