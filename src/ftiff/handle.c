#include "ftiff/public.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/parallel.h"
#include "base/error.h"
#include "comm/agree.h"
#include "ftiff/call.h"

/* Of a container; the name next to it that is used while writing may be longer, by so much. */
enum { LONGEST_PATH = 1016 - 32 };

int scion_fti_begin(const char *function, const sion_ftiff *handle)
{
    if (!handle) {
        scion_fail(SION_ERR_HANDLE, "no handle");
        return sion_layer_report(function, 0, 1, SION_ERR_HANDLE);
    }
    sion_layer_quiet(1);
    return 0;
}

int scion_fti_end(const char *function, const sion_ftiff *handle, int rc)
{
    sion_layer_quiet(0);
    return rc < 0 ? sion_layer_report(function, handle->comm->rank, handle->comm->size, rc) : rc;
}

static int check_path(const char *path)
{
    if (!path || !*path)
        return scion_fail(SION_ERR_ARGUMENT, "no file name");
    if (strlen(path) > LONGEST_PATH)
        return scion_fail(SION_ERR_ARGUMENT, "the file name is too long: %zu bytes, at most %d",
                          strlen(path), LONGEST_PATH);
    return 0;
}

/* On a failure the old one stays. */
static int set_path(sion_ftiff *handle, const char *path)
{
    int rc = check_path(path);
    char *copy;

    if (rc != 0)
        return rc;
    copy = strdup(path);
    if (!copy)
        return scion_fail_memory("name of a file");
    free(handle->path);
    handle->path = copy;
    return 0;
}

static int make_handle(const char *path, struct scion_comm *comm, struct scion_fti_group *group,
                       sion_ftiff **handle)
{
    *handle = calloc(1, sizeof **handle);
    if (!*handle)
        return scion_fail_memory("handle");
    (*handle)->store = group ? &scion_fti_container_store : &scion_fti_file_store;
    (*handle)->comm = comm;
    (*handle)->group = group;
    (*handle)->era = SCION_FTI_F;
    return set_path(*handle, path);
}

sion_ftiff *sion_layer_ftiff_open(const char *function, const char *path, struct scion_comm *comm,
                                  struct scion_fti_group *group)
{
    sion_ftiff *handle = NULL;
    int rc = make_handle(path, comm, group, &handle);

    rc = scion_agree(comm, scion_name_rank(comm, rc));
    if (rc == 0)
        return handle;
    sion_layer_report(function, comm->rank, comm->size, rc);
    if (handle) {
        sion_ftiff_close(handle);
        return NULL;
    }
    if (group)
        group->free(group);
    scion_comm_free(comm);
    return NULL;
}

sion_ftiff *sion_ftiff_open(const char *fname)
{
    struct scion_comm *self;

    if (scion_comm_self(&self) == 0)
        return sion_layer_ftiff_open(__func__, fname, self, NULL);
    sion_layer_report(__func__, 0, 1, SION_ERR_MEMORY);
    return NULL;
}

void sion_ftiff_close(sion_ftiff *handle)
{
    struct scion_fti_protected *variable, *next;

    if (!handle)
        return;
    HASH_ITER(hh, handle->variables, variable, next)
    {
        HASH_DEL(handle->variables, variable);
        free(variable);
    }
    scion_fti_image_clear(&handle->image);
    if (handle->group)
        handle->group->free(handle->group);
    scion_comm_free(handle->comm);
    scion_comm_free(handle->spare);
    free(handle->image_path);
    free(handle->path);
    free(handle);
}

/* ---- the last checkpoint ---- */

int scion_fti_copy_name(const char *name, char **copy)
{
    *copy = strdup(name);
    return *copy ? 0 : scion_fail_memory("name of a file");
}

void scion_fti_adopt(sion_ftiff *handle, struct scion_fti_image *image, char *path)
{
    scion_fti_image_clear(&handle->image);
    handle->image = *image;
    free(handle->image.hashes); /* they are in the file */
    handle->image.hashes = NULL;
    *image = (struct scion_fti_image){.era = image->era};
    free(handle->image_path);
    handle->image_path = path;
}

/* ---- settings ---- */

int sion_ftiff_set_path(sion_ftiff *handle, const char *fname)
{
    RETURN(handle, set_path(handle, fname));
}

static int set_version(sion_ftiff *handle, int version)
{
    if (version < SION_FTIFF_1_1 || version > SION_FTIFF_LATEST)
        return scion_fail(SION_ERR_ARGUMENT, "there is no version %d", version);
    handle->era = (enum scion_fti_era)(version - 1);
    return 0;
}

int sion_ftiff_set_version(sion_ftiff *handle, int version)
{
    RETURN(handle, set_version(handle, version));
}

static int set_incremental(sion_ftiff *handle, int incremental)
{
    handle->is_incremental = incremental != 0;
    return 0;
}

int sion_ftiff_set_incremental(sion_ftiff *handle, int incremental)
{
    RETURN(handle, set_incremental(handle, incremental));
}

static int set_threads(sion_ftiff *handle, int threads)
{
    if (threads < 0)
        return scion_fail(SION_ERR_ARGUMENT, "%d threads", threads);
    handle->threads = threads;
    return 0;
}

int sion_ftiff_set_threads(sion_ftiff *handle, int threads)
{
    RETURN(handle, set_threads(handle, threads));
}
