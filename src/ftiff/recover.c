/* Find out whether there is a checkpoint, and read its data into the variables. */
#include "ftiff/public.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "comm/agree.h"
#include "ftiff/call.h"
#include "ftiff/names.h"
#include "ftiff/source.h"

/* Look at the handle's path: 1 with the source open and the structure read; 0: there is nothing. */
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

static int describe(const struct scion_fti_image *image, struct sion_ftiff_info *info)
{
    struct sion_ftiff_info own = {
        .version = (int)image->era + 1, .ckptid = -1, .timestamp = image->fb.timestamp};
    int at;

    if (scion_fti_layout(image->era)->has_id)
        own.ckptid = (int)image->fb.ckptid;
    for (at = 0; at < image->nvars;) {
        struct scion_fti_variable variable = scion_fti_variable_at(image, at);

        own.variables++;
        own.bytes += variable.size;
        at += variable.count;
    }
    return scion_sized_give(info, &own, sizeof own, "struct sion_ftiff_info");
}

/* End reading: close the source, and after success make this the handle's last checkpoint. */
static int finish_reading(sion_ftiff *handle, struct scion_fti_source *source,
                          struct scion_fti_image *image, int rc)
{
    char reason[SCION_ERROR_TEXT], *path = NULL;
    int closed;

    if (rc == 0)
        rc = scion_fti_copy_name(handle->path, &path);
    rc = scion_agree(handle->comm, scion_name_rank(handle->comm, rc));
    strcpy(reason, scion_error_text());
    closed = handle->store->close(handle, source);
    if (rc != 0)
        rc = scion_fail(rc, "%s", reason);
    else
        rc = closed;
    if (rc == 0)
        scion_fti_adopt(handle, image, path);
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
    rc = info ? describe(&handle->image, info) : 0;
    return rc != 0 ? rc : 1;
}

int sion_ftiff_status(sion_ftiff *handle, struct sion_ftiff_info *info)
{
    int rc = CALL(handle, get_status(handle, info));

    return rc < 0 ? -1 : rc;
}

static void *target(void *data, const struct scion_fti_image *image, int container)
{
    const struct scion_fti_var *var = &image->vars[container];
    const struct scion_fti_protected *to = scion_fti_find_protected(data, var->id);

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
    scion_fti_mark_restart(&image);
    return finish_reading(handle, source, &image, rc);
}

int sion_ftiff_recover(sion_ftiff *handle)
{
    RETURN(handle, recover(handle));
}
