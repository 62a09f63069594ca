#include "ftiff/public.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/parallel.h"
#include "base/error.h"
#include "comm/agree.h"
#include "ftiff/handle.h"
#include "ftiff/names.h"
#include "ftiff/source.h"

#define NEW_SUFFIX ".new"
enum { LONGEST_PATH = 1016 - (int)sizeof NEW_SUFFIX + 1 };

/*
 * A failure of a function, told once: messages of the core's functions that it called are kept back
 * between begin and end, since what they say is in the error record.
 */
static int begin(const char *function, const sion_ftiff *handle)
{
    if (!handle) {
        scion_fail(SION_ERR_HANDLE, "no handle");
        return sion_layer_report(function, 0, 1, SION_ERR_HANDLE);
    }
    sion_layer_quiet(1);
    return 0;
}

static int end(const char *function, const sion_ftiff *handle, int rc)
{
    sion_layer_quiet(0);
    return rc < 0 ? sion_layer_report(function, handle->comm->rank, handle->comm->size, rc) : rc;
}

/* The body of a public function. */
#define CALL(handle, call)                                                                         \
    do {                                                                                           \
        int begun = begin(__func__, handle);                                                       \
                                                                                                   \
        return begun == 0 ? end(__func__, handle, call) : begun;                                   \
    } while (0)

/* ---- making a handle ---- */

static int check_path(const char *path)
{
    if (!path || !*path)
        return scion_fail(SION_ERR_ARGUMENT, "no file name");
    if (strlen(path) > LONGEST_PATH)
        return scion_fail(SION_ERR_ARGUMENT, "the file name is too long: %zu bytes, at most %d",
                          strlen(path), LONGEST_PATH);
    return 0;
}

/* The path, and the name beside it that is used while writing; on a failure both stay. */
static int set_path(sion_ftiff *handle, const char *path)
{
    int rc = check_path(path);
    char *copy, *beside;

    if (rc != 0)
        return rc;
    copy = strdup(path);
    beside = malloc(strlen(path) + sizeof NEW_SUFFIX);
    if (!copy || !beside) {
        free(copy);
        free(beside);
        return scion_fail_memory("name of a file");
    }
    sprintf(beside, "%s%s", path, NEW_SUFFIX);
    free(handle->path);
    free(handle->beside);
    handle->path = copy;
    handle->beside = beside;
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

sion_ftiff *sion_ftiff_open(const char *path)
{
    struct scion_comm *self;

    if (scion_comm_self(&self) == 0)
        return sion_layer_ftiff_open(__func__, path, self, NULL);
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
    free(handle->beside);
    free(handle);
}

/* ---- settings ---- */

int sion_ftiff_set_path(sion_ftiff *handle, const char *path)
{
    CALL(handle, set_path(handle, path));
}

static int set_version(sion_ftiff *handle, int version)
{
    if (version != SION_FTIFF_1_1 && version != SION_FTIFF_1_6 && version != SION_FTIFF_LATEST)
        return scion_fail(SION_ERR_ARGUMENT, "version %d cannot be written", version);
    handle->era = (enum scion_fti_era)(version - 1);
    return 0;
}

int sion_ftiff_set_version(sion_ftiff *handle, int version)
{
    CALL(handle, set_version(handle, version));
}

static int set_incremental(sion_ftiff *handle, int incremental)
{
    handle->is_incremental = incremental != 0;
    return 0;
}

int sion_ftiff_set_incremental(sion_ftiff *handle, int incremental)
{
    CALL(handle, set_incremental(handle, incremental));
}

/* ---- variables ---- */

static struct scion_fti_protected *find(const sion_ftiff *handle, int32_t id)
{
    struct scion_fti_protected *found;

    HASH_FIND(hh, handle->variables, &id, sizeof id, found);
    return found;
}

static int add(sion_ftiff *handle, int32_t id, struct scion_fti_protected **variable)
{
    struct scion_fti_protected *new = calloc(1, sizeof *new);

    if (!new)
        return scion_fail_memory("variable");
    new->id = id;
    HASH_ADD(hh, handle->variables, id, sizeof new->id, new);
    if (!new->hh.tbl) {
        free(new);
        return scion_fail_memory("variable");
    }
    *variable = new;
    return 0;
}

static int protect(sion_ftiff *handle, int32_t id, void *data, sion_int64 bytes)
{
    struct scion_fti_protected *variable = find(handle, id);
    int rc = 0;

    if (bytes < 0 || (bytes > 0 && !data))
        return scion_fail(SION_ERR_ARGUMENT, "variable %d: %lld bytes at %p", id, bytes, data);
    if (!variable)
        rc = add(handle, id, &variable);
    if (rc != 0)
        return rc;
    variable->data = data;
    variable->bytes = bytes;
    return 0;
}

int sion_ftiff_protect(sion_ftiff *handle, int id, void *data, sion_int64 bytes)
{
    CALL(handle, protect(handle, id, data, bytes));
}

static int unprotect(sion_ftiff *handle, int32_t id)
{
    struct scion_fti_protected *variable = find(handle, id);

    if (!variable)
        return scion_fail(SION_ERR_ARGUMENT, "variable %d is not protected", id);
    HASH_DEL(handle->variables, variable);
    free(variable);
    return 0;
}

int sion_ftiff_unprotect(sion_ftiff *handle, int id)
{
    CALL(handle, unprotect(handle, id));
}

sion_int64 sion_ftiff_stored_size(const sion_ftiff *handle, int id)
{
    struct scion_fti_variable variable;

    return handle && scion_fti_variable_find(&handle->image, id, &variable) ? variable.size : -1;
}

/* ---- writing ---- */

static sion_int64 now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    return (sion_int64)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int make_structure(const sion_ftiff *handle, struct scion_fti_image *image)
{
    size_t most = HASH_COUNT(handle->variables);
    struct scion_fti_demand *demands = malloc((most + 1) * sizeof *demands);
    const struct scion_fti_protected *variable;
    int n = 0, rc;

    if (!demands)
        return scion_fail_memory("structure of a checkpoint");
    for (variable = handle->variables; variable; variable = variable->hh.next)
        demands[n++] = (struct scion_fti_demand){variable->id, variable->bytes};
    image->era = handle->era;
    rc = scion_fti_grow(&handle->image, demands, n, image);
    if (rc != 0)
        scion_fail_prefix("%s", handle->path);
    free(demands);
    return rc;
}

/* The containers of the variables, each with its part of the memory. */
static int find_data(const sion_ftiff *handle, struct scion_fti_draft *draft)
{
    int i;

    draft->data = calloc((size_t)draft->image.nvars + 1, sizeof *draft->data);
    if (!draft->data)
        return scion_fail_memory("structure of a checkpoint");
    for (i = 0; i < draft->image.nvars; i++) {
        const struct scion_fti_var *var = &draft->image.vars[i];

        if (var->chunksize > 0)
            draft->data[i] = (const char *)find(handle, var->id)->data + var->dptr;
    }
    return 0;
}

static int make_draft(const sion_ftiff *handle, int ckptid, struct scion_fti_draft *draft)
{
    struct scion_fti_name name = scion_fti_name_parse(handle->path);
    int rc;

    if (ckptid < 0)
        return scion_fail(SION_ERR_ARGUMENT, "the number of a checkpoint is %d", ckptid);
    if (name.ckptid >= 0 && name.ckptid != ckptid)
        return scion_fail(SION_ERR_ARGUMENT, "%s is the name of checkpoint %d, not %d",
                          handle->path, name.ckptid, ckptid);
    rc = make_structure(handle, &draft->image);
    if (rc == 0)
        rc = find_data(handle, draft);
    return rc == 0 ? scion_fti_seal(&draft->image, draft->data, ckptid, now()) : rc;
}

/* All tasks write the same checkpoint, in the same layout. The result is this task's. */
static int compare_calls(sion_ftiff *handle, int ckptid)
{
    sion_int64 mine = (sion_int64)ckptid * SCION_FTI_ERAS + handle->era, least = mine;
    int rc = scion_minimum(handle->comm, &least);

    if (rc != 0 || least == mine)
        return rc;
    return scion_fail(SION_ERR_MISMATCH,
                      "checkpoint %d in version %d, but another task writes %lld in %lld", ckptid,
                      (int)handle->era + 1, least / SCION_FTI_ERAS, least % SCION_FTI_ERAS + 1);
}

static int copy_name(const char *name, char **copy)
{
    *copy = strdup(name);
    return *copy ? 0 : scion_fail_memory("name of a file");
}

/* The handle's last checkpoint is now this one; path: a copy of where it is. */
static void adopt(sion_ftiff *handle, struct scion_fti_image *image, char *path)
{
    scion_fti_image_clear(&handle->image);
    handle->image = *image;
    free(handle->image.hashes); /* they are in the file */
    handle->image.hashes = NULL;
    *image = (struct scion_fti_image){.era = image->era};
    free(handle->image_path);
    handle->image_path = path;
}

static int checkpoint(sion_ftiff *handle, int ckptid)
{
    struct scion_fti_draft draft = {.data = NULL};
    char *path = NULL;
    int rc = compare_calls(handle, ckptid);

    if (rc == 0)
        rc = scion_fti_prepare_open(handle);
    if (rc == 0)
        rc = make_draft(handle, ckptid, &draft);
    if (rc == 0)
        rc = copy_name(handle->path, &path);
    rc = scion_agree(handle->comm, scion_name_rank(handle->comm, rc));
    if (rc == 0)
        rc = handle->store->write(handle, &draft);
    if (rc == 0) {
        adopt(handle, &draft.image, path);
        path = NULL;
    }
    scion_fti_image_clear(&draft.image);
    free(draft.data);
    free(path);
    return rc;
}

int sion_ftiff_checkpoint(sion_ftiff *handle, int ckptid)
{
    CALL(handle, checkpoint(handle, ckptid));
}

/* ---- reading ---- */

/* What is at the handle's path: 1 with the source open and the structure read, 0 nothing. */
static int open_checkpoint(sion_ftiff *handle, struct scion_fti_source **source,
                           struct scion_fti_image *image)
{
    int rc = handle->store->open(handle, source);

    if (rc != 0 || !*source)
        return rc;
    rc = scion_fti_read_named(*source, handle->path, scion_fti_name_parse(handle->path), image);
    rc = scion_agree(handle->comm, scion_name_rank(handle->comm, rc));
    if (rc == 0)
        return 1;
    scion_fti_image_clear(image);
    handle->store->close(handle, *source);
    return rc;
}

static void describe(const struct scion_fti_image *image, struct sion_ftiff_info *info)
{
    int at;

    *info = (struct sion_ftiff_info){
        .version = (int)image->era + 1, .ckptid = -1, .timestamp = image->fb.timestamp};
    if (scion_fti_layout(image->era)->has_id)
        info->ckptid = (int)image->fb.ckptid;
    for (at = 0; at < image->nvars;) {
        struct scion_fti_variable variable = scion_fti_variable_at(image, at);

        info->variables++;
        info->bytes += variable.size;
        at += variable.count;
    }
}

/* The end of reading: close, and if all went well the handle's last checkpoint is this one. */
static int finish_reading(sion_ftiff *handle, struct scion_fti_source *source,
                          struct scion_fti_image *image, int rc)
{
    char reason[SCION_ERROR_TEXT], *path = NULL;
    int closed;

    if (rc == 0)
        rc = copy_name(handle->path, &path);
    rc = scion_agree(handle->comm, scion_name_rank(handle->comm, rc));
    strcpy(reason, scion_error_text());
    closed = handle->store->close(handle, source);
    if (rc != 0)
        rc = scion_fail(rc, "%s", reason);
    else
        rc = closed;
    if (rc == 0)
        adopt(handle, image, path);
    else
        free(path);
    scion_fti_image_clear(image);
    return rc;
}

static int get_status(sion_ftiff *handle, struct sion_ftiff_info *info)
{
    struct scion_fti_source *source;
    struct scion_fti_image image;
    int rc = open_checkpoint(handle, &source, &image);

    if (rc <= 0)
        return rc;
    rc = finish_reading(handle, source, &image, 0);
    if (rc != 0)
        return rc;
    if (info)
        describe(&handle->image, info);
    return 1;
}

int sion_ftiff_status(sion_ftiff *handle, struct sion_ftiff_info *info)
{
    CALL(handle, get_status(handle, info));
}

static void *target(void *data, const struct scion_fti_image *image, int container)
{
    const struct scion_fti_var *var = &image->vars[container];
    const struct scion_fti_protected *to = find(data, var->id);

    return to ? (char *)to->data + var->dptr : NULL;
}

static int check_sizes(const sion_ftiff *handle, const struct scion_fti_image *image)
{
    const struct scion_fti_protected *mine;

    for (mine = handle->variables; mine; mine = mine->hh.next) {
        struct scion_fti_variable variable;

        if (!scion_fti_variable_find(image, mine->id, &variable))
            return scion_fail(SION_ERR_MISMATCH, "%s: there is no variable %d", handle->path,
                              mine->id);
        if (variable.size != mine->bytes)
            return scion_fail(SION_ERR_MISMATCH,
                              "%s: variable %d has %lld bytes there and %lld here", handle->path,
                              mine->id, variable.size, mine->bytes);
    }
    return 0;
}

static int recover(sion_ftiff *handle)
{
    const struct scion_fti_visitor visitor = {.data = handle, .target = target};
    struct scion_fti_source *source;
    struct scion_fti_image image;
    int rc = open_checkpoint(handle, &source, &image);

    if (rc == 0)
        return scion_fail(SION_ERR_SYSTEM, "there is no checkpoint %s", handle->path);
    if (rc < 0)
        return rc;
    rc = scion_agree(handle->comm, scion_name_rank(handle->comm, check_sizes(handle, &image)));
    if (rc == 0) {
        rc = scion_fti_verify(source, &image, &visitor);
        if (rc != 0)
            scion_fail_prefix("%s", handle->path);
    }
    return finish_reading(handle, source, &image, rc);
}

int sion_ftiff_recover(sion_ftiff *handle)
{
    CALL(handle, recover(handle));
}
