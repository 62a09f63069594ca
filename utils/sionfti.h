/* sionfti: what its commands share. */
#ifndef UTILS_SIONFTI_H
#define UTILS_SIONFTI_H

#include <stdio.h>

#include "ftiff/names.h"
#include "ftiff/source.h"
#include "replace.h"
#include "vfs/vfs.h"

struct fti_settings {
    int json;
    const char *output; /* -o, or NULL */
    int ckptid;         /* -c, or -1 */
};

/* A command: the operands behind its name. Returns a status to exit with. */
typedef int fti_command(const struct fti_settings *settings, int n, char **operands);
fti_command fti_dump, fti_check, fti_extract, fti_pack, fti_unpack, fti_rehash;

/* ---- files ---- */

struct fti_file {
    char *path;
    struct scion_fti_name name;
    int is_named; /* on the command line, not found in a folder */
};

/*
 * Files in the order of their kinds, checkpoints and ranks, those without FTI's names last; of
 * equal names without their folders in a row.
 */
struct fti_files {
    struct fti_file *file; /* [count] */
    int count;
};

/*
 * The operands; in place of a folder, the checkpoint files in it. ckptid >= 0: of files in folders
 * only those of that checkpoint. TOOL_RUN; or TOOL_FAILED, reported.
 */
int fti_find_files(int n, char **operands, int ckptid, struct fti_files *files);
void fti_free_files(struct fti_files *files);

const char *fti_base_name(const char *path); /* without its folder */

/* One checkpoint, or Reed-Solomon bytes: a file or a stream of a container. */
struct fti_item {
    const char *label; /* for messages */
    struct scion_fti_name name;
    struct scion_fti_source *source;
    int index; /* of the file in the list */
};

/*
 * Call `visit` for each file, and for each stream of each container, in their order; goes on after
 * failures. TOOL_DONE; TOOL_FAILED if any failed.
 */
int fti_visit(const struct fti_files *files, int (*visit)(void *data, const struct fti_item *item),
              void *data);

/* 1 if a file is a Scion container. */
int fti_is_container(const char *path);

/* The error record on stderr, with the label before it unless it names that; TOOL_FAILED. */
int fti_failed(const char *label);

int fti_out_of_memory(void); /* said; TOOL_FAILED */

/* Structure of an item into an image; TOOL_RUN or TOOL_FAILED, reported. */
int fti_read_item(const struct fti_item *item, struct scion_fti_image *image);

/* The same of Reed-Solomon bytes, which are compared with their digest. */
int fti_read_encoded(const struct fti_item *item, struct scion_fti_encoded *encoded);

/* Read all data of it, too; each damaged chunk is reported. */
int fti_verify_item(const struct fti_item *item, const struct scion_fti_image *image);

/* The releases that may have written Reed-Solomon bytes. */
const char *fti_encoded_release(const struct scion_fti_encoded *encoded);

/* ---- output ---- */

/* Make the folder if it is not there. TOOL_RUN or TOOL_FAILED. */
int fti_make_folder(const char *path);

/* A new file, which replaces an old one when it is complete. */
struct fti_output {
    char *path;
    struct scion_file *file;
    struct replace replace;
};

/*
 * Begin file `name` in a folder (NULL: the name is a path). permissions: those of the input, less
 * the umask. TOOL_RUN or TOOL_FAILED.
 */
int fti_create(const char *folder, const char *name, mode_t permissions, struct fti_output *output);

/* Those of a file; of one that cannot be asked, its owner's alone. */
mode_t fti_permissions(const char *path);

/* 1, with a message, if file `name` in a folder is this file of the input. */
int fti_is_input(const char *folder, const char *name, const char *input);

/* Append bytes of a source at *place. 0 or an error code. */
int fti_copy(struct scion_fti_source *source, sion_int64 offset, sion_int64 bytes,
             struct scion_file *to, sion_int64 *place);

/*
 * End it; a failure, also one that was before (rc != 0), is reported, and an old file stays.
 * TOOL_RUN or TOOL_FAILED.
 */
int fti_close(struct fti_output *output, int rc);

/* ---- names in containers ---- */

/* A container that is read. */
struct fti_container {
    int sid, nfiles, ntasks; /* ntasks: without the list */
    int *ranks;
    char *names, *next; /* the list, and what is left of it; NULL: none */
};

/* TOOL_RUN; or TOOL_FAILED, reported, as from those below. */
int fti_open_container(const char *path, struct fti_container *container);
int fti_close_container(struct fti_container *container, int status);

/*
 * The name of the next task of a container with names, without a folder; to be called for each task
 * in turn.
 */
int fti_next_name(struct fti_container *container, char name[256]);

#endif
