/* A handle of sion_ftiff.h, and the places where its checkpoints are kept. */
#ifndef SCION_FTIFF_HANDLE_H
#define SCION_FTIFF_HANDLE_H

#include "base/table.h"
#include "comm/comm.h"
#include "ftiff/read.h"
#include "ftiff/write.h"
#include "sion_ftiff.h"

struct scion_fti_protected {
    int32_t id;
    void *data;
    sion_int64 bytes;
    UT_hash_handle hh; /* keeps the order in which variables were protected */
};

/* A checkpoint to be written: sealed, and where the containers' data are. */
struct scion_fti_draft {
    struct scion_fti_image image;
    const void **data; /* [image.nvars] */
};

/*
 * Where checkpoints are stored: in a file of each process, or in a container of all. All functions
 * are collective over handle->comm and return the same on all tasks: the failure of the first task
 * that failed.
 */
struct scion_fti_store {
    /* Replace what is at handle->path. */
    int (*write)(sion_ftiff *handle, const struct scion_fti_draft *draft);

    /* Open the checkpoint at handle->path as a source. If there is none, it returns 0, and *source
       is NULL. */
    int (*open)(sion_ftiff *handle, struct scion_fti_source **source);
    int (*close)(sion_ftiff *handle, struct scion_fti_source *source);
};

/* Local: prepare what a task needs to take part in the open of a container. */
int scion_fti_prepare_open(sion_ftiff *handle);

extern const struct scion_fti_store scion_fti_file_store;
extern const struct scion_fti_store scion_fti_container_store;

/* Makes a communicator for each open of a container. */
struct scion_fti_group {
    struct scion_comm *(*again)(const struct scion_fti_group *group); /* NULL: no memory */
    void (*free)(struct scion_fti_group *group);
    int kind; /* enum sion_layer_kind */
};

struct sion_ftiff {
    const struct scion_fti_store *store;
    char *path;
    struct scion_comm *comm;
    struct scion_fti_group *group; /* NULL: one process */
    struct scion_comm *spare;      /* for the next open of a container, or NULL */
    enum scion_fti_era era;
    int is_incremental;
    int threads; /* that compute digests; 0: as the environment says */

    struct scion_fti_protected *variables; /* by id */

    /* The last checkpoint that was written or read, and the file it is in; NULL: none. */
    struct scion_fti_image image;
    char *image_path;
};

/* The variable with this id, or NULL. */
struct scion_fti_protected *scion_fti_find_protected(const sion_ftiff *handle, int32_t id);

int scion_fti_copy_name(const char *name, char **copy);

/* Set the handle's last checkpoint; path: a copy of its name. Both are taken over. */
void scion_fti_adopt(sion_ftiff *handle, struct scion_fti_image *image, char *path);

#pragma GCC visibility push(default)

/*
 * Make a handle; comm and group are taken over, also on a failure. Collective over comm. For the
 * libraries of the communicators.
 */
sion_ftiff *sion_layer_ftiff_open(const char *function, const char *path, struct scion_comm *comm,
                                  struct scion_fti_group *group);

#pragma GCC visibility pop

#endif
