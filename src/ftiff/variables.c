/* Variables that a program has protected. */
#include "ftiff/public.h"

#include <stdlib.h>

#include "base/error.h"
#include "ftiff/call.h"

struct scion_fti_protected *scion_fti_find_protected(const sion_ftiff *handle, int32_t id)
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
    if (!SCION_TABLE_HAS(new)) {
        free(new);
        return scion_fail_memory("variable");
    }
    *variable = new;
    return 0;
}

static int protect(sion_ftiff *handle, int32_t id, void *data, sion_int64 bytes)
{
    struct scion_fti_protected *variable = scion_fti_find_protected(handle, id);
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
    RETURN(handle, protect(handle, id, data, bytes));
}

static int unprotect(sion_ftiff *handle, int32_t id)
{
    struct scion_fti_protected *variable = scion_fti_find_protected(handle, id);

    if (!variable)
        return scion_fail(SION_ERR_ARGUMENT, "variable %d is not protected", id);
    HASH_DEL(handle->variables, variable);
    free(variable);
    return 0;
}

int sion_ftiff_unprotect(sion_ftiff *handle, int id)
{
    RETURN(handle, unprotect(handle, id));
}

sion_int64 sion_ftiff_stored_size(const sion_ftiff *handle, int id)
{
    struct scion_fti_variable variable;

    return handle && scion_fti_variable_find(&handle->image, id, &variable) ? variable.size : -1;
}
