#include "api/private_abi.h"

#include <stdlib.h>
#include <string.h>

#include "api/bindings.h"
#include "api/handle.h"
#include "file/mapped.h"

struct sion_layer_parts {
    struct scion_container *container;
};

int sion_layer_parts_open(const char *name, const char *mode, int reads,
                          struct sion_layer_parts **parts)
{
    struct scion_mode how;
    struct sion_layer_parts *new;
    int rc = scion_name_check(name);

    if (rc == 0)
        rc = scion_mode_parse(mode, &how);
    if (rc == 0 && how.access != SCION_ACCESS_READ)
        rc = scion_fail(SION_ERR_MODE, "%s: the mode '%s' is not one for reading", name, mode);
    if (rc != 0)
        return rc;
    how.posix = 1;
    how.compress = SCION_COMPRESS_NONE; /* plain bytes are read, whatever the mode says */
    if (!reads)
        how.at_open = 1;
    new = malloc(sizeof *new);
    if (!new)
        return scion_fail_memory("container");
    rc = scion_container_open(name, &how, &new->container);
    if (rc != 0)
        free(new);
    else
        *parts = new;
    scion_log_drop_warnings();
    return rc;
}

int sion_layer_parts_count(const struct sion_layer_parts *parts)
{
    return scion_container_ntasks(parts->container);
}

int sion_layer_parts_files(const struct sion_layer_parts *parts)
{
    return scion_container_nopen(parts->container);
}

int sion_layer_parts_tasks(const struct sion_layer_parts *parts, int file)
{
    return scion_container_file(parts->container, file)->head.ntasks;
}

void sion_layer_parts_get(const struct sion_layer_parts *parts, int task,
                          struct sion_layer_part *part)
{
    int file, lrank;

    scion_container_locate(parts->container, task, &file, &lrank);
    sion_layer_parts_at(parts, file, lrank, part);
}

void sion_layer_parts_at(const struct sion_layer_parts *parts, int file, int lrank,
                         struct sion_layer_part *part)
{
    const struct scion_physical *physical = scion_container_file(parts->container, file);

    *part = (struct sion_layer_part){
        .path = physical->path,
        .file = file,
        .lrank = lrank,
        .globalrank = physical->globalranks[lrank],
        .chunksize = physical->chunksizes[lrank],
        .fsblksize = physical->head.fsblksize,
        .is_zipped = physical->unzip != NULL,
        .is_merged = physical->members_at > 0 && physical->head.ntasks > 1,
        .place = scion_physical_place(physical, lrank),
        .count = physical->counts[lrank],
        .used = physical->used + lrank,
        .stride = (size_t)physical->head.ntasks,
    };
}

int sion_layer_parts_check(const struct sion_layer_parts *parts, int task)
{
    const struct scion_damage *damage = scion_container_damage(parts->container, task);
    int file, lrank;

    if (!damage)
        return 0;
    scion_container_locate(parts->container, task, &file, &lrank);
    return scion_damage_fail(damage, scion_container_file(parts->container, file)->path);
}

int sion_layer_parts_read(const struct sion_layer_parts *parts, int file, void *to,
                          sion_int64 bytes, sion_int64 offset)
{
    struct scion_file *opened;
    int rc = scion_container_need_file(parts->container, file, &opened);

    return rc == 0 ? scion_file_read(opened, to, (size_t)bytes, offset) : rc;
}

int sion_layer_parts_hole(const struct sion_layer_parts *parts, int file, sion_int64 bytes,
                          sion_int64 offset, sion_int64 *hole)
{
    struct scion_file *opened;
    int is_hole = 0, rc = scion_container_need_file(parts->container, file, &opened);

    if (rc == 0)
        bytes = scion_file_run(opened, offset, bytes, &is_hole);
    *hole = is_hole ? bytes : 0;
    return rc;
}

void sion_layer_parts_close(struct sion_layer_parts *parts)
{
    scion_container_close(parts->container);
    free(parts);
}

void sion_layer_fail(int code, const char *text)
{
    scion_fail(code, "%s", text);
}

void sion_layer_warn(const char *text)
{
    scion_warn("%s", text);
    scion_log_warnings(-1);
}

const char *sion_layer_path(int sid, int *filenumber)
{
    const struct scion_container *container = scion_api_find(sid);

    if (container)
        return scion_container_path(container, filenumber);
    *filenumber = 0;
    return NULL;
}

int sion_layer_cuts_name(const char *function, int sid, size_t room)
{
    const struct scion_container *container = scion_api_find(sid);
    const char *name = container ? scion_container_name(container) : "";

    if (strlen(name) <= room)
        return 0;
    if (scion_container_lrank(container) == 0) {
        scion_warn("%s: newfname has room for %zu of the %zu characters of %s", function, room,
                   strlen(name), name);
        scion_log_warnings(scion_container_rank(container));
    }
    return 1;
}

int sion_layer_has_rank(int sid, int rank)
{
    const struct scion_container *container = scion_api_find(sid);

    if (!container || !scion_container_is_mapped(container))
        return container && scion_container_rank(container) == rank;
    return scion_container_find_rank(container, rank) >= 0;
}
