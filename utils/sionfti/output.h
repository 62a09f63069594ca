/* Files that sionfti writes. */
#ifndef UTILS_SIONFTI_OUTPUT_H
#define UTILS_SIONFTI_OUTPUT_H

#include "ftiff/source.h"
#include "lib/replace.h"
#include "vfs/path.h"

/* Make the folder if it is not there. TOOL_RUN or TOOL_FAILED. */
int fti_make_folder(const char *path);

/* A new file, which replaces an old one when it is complete, with its group. */
struct fti_output {
    char *path;
    struct scion_file *file;
    struct replace replace;
};

/*
 * Begin file `name` in a folder (NULL: the name is a path). group: as replace_begin() takes it.
 * permissions: those of the input, less the umask. TOOL_RUN or TOOL_FAILED.
 */
int fti_create(const char *folder, const char *name, struct replace_group *group,
               mode_t permissions, struct fti_output *output);

/* 1, with a message, if file `name` in a folder is this file of the input. */
int fti_is_input(const char *folder, const char *name, const char *input);

/* Append bytes of a source at *place. 0 or an error code. */
int fti_copy(struct scion_fti_source *source, sion_int64 offset, sion_int64 bytes,
             struct scion_file *to, sion_int64 *place);

/*
 * End the file. A failure, also an earlier one (rc != 0), is reported, and an old file stays.
 * TOOL_RUN or TOOL_FAILED.
 */
int fti_close(struct fti_output *output, int rc);

#endif
