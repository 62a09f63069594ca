/* Files that a map names, as tasks of a new container. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "scr/scr.h"
#include "sion_common.h"
#include "sion_serial.h"

#include "api/parallel.h"
#include "base/error.h"
#include "base/memory.h"
#include "scr/dataset/layout.h"
#include "scr/map_stream.h"
#include "scr/map/map.h"
#include "scr/map/overlaps.h"

/* Bytes that are written in place of holes, without `force`. */
enum { ZEROS_MOST = 1 << 30 };

struct import {
    const struct sion_scr_fetch_options *options;
    struct sion_scr_ranks ranks;
    struct scion_names names;
    struct scion_source source;
    sion_int64 *sizes; /* [ntasks] */
    int *globalranks;  /* [ntasks] */
    int ntasks, capacity;
    int one_each; /* every rank has one file */
    struct scion_overlaps overlaps;
    size_t number; /* of the file that is counted next */
    struct sion_kvtree *kept;
    void *bytes; /* of kept, encoded; NULL: it is not needed */
    size_t nbytes;
    int sid;
    sion_int64 zeros; /* in place of holes */
};

static int add_task(struct import *import, sion_int64 rank, sion_int64 size)
{
    if (import->ntasks == import->capacity) {
        int capacity = 2 * import->capacity + 64;
        void *sizes = scion_array_grown(import->sizes, (size_t)capacity, sizeof *import->sizes),
             *ranks;

        if (!sizes)
            return scion_fail_memory("tasks");
        import->sizes = sizes;
        ranks =
            scion_array_grown(import->globalranks, (size_t)capacity, sizeof *import->globalranks);
        if (!ranks)
            return scion_fail_memory("tasks");
        import->globalranks = ranks;
        import->capacity = capacity;
    }
    if (import->ntasks > 0 && import->globalranks[import->ntasks - 1] == rank)
        import->one_each = 0;
    import->sizes[import->ntasks] = size;
    import->globalranks[import->ntasks++] = (int)rank;
    return 0;
}

/* The name of the file before the reason. */
static int name_file(sion_int64 rank, const struct scion_entry *entry, int rc)
{
    if (rc != 0)
        scion_fail_prefix("rank %lld, file %.200s", rank, entry->name);
    return rc;
}

static int check_entry(struct import *import, struct scion_entry *entry, int status)
{
    int rc = status != 0 ? status : scion_entry_complete(&import->source, entry);

    if (rc == 0 && entry->failed && !import->options->force)
        rc = scion_fail(SION_ERR_DAMAGED, "marked as incomplete");
    return rc;
}

static int count_file(void *data, sion_int64 rank, struct scion_entry *entry, int status)
{
    struct import *import = data;
    int rc = check_entry(import, entry, status);

    if (rc == 0)
        rc = scion_overlaps_check(&import->overlaps, import->number);
    import->number++;
    if (rc == 0)
        rc = scion_map_stream_add(import->kept, rank, entry, import->ntasks);
    return name_file(rank, entry, rc != 0 ? rc : add_task(import, rank, entry->size));
}

static int put_bytes(const struct import *import, const void *bytes, size_t size)
{
    return sion_fwrite(bytes, 1, size, import->sid) == size ? 0 : sion_error_code();
}

/* A task is written from its beginning to its end, so a hole becomes zeros. */
static int put_zeros(struct import *import, size_t size)
{
    static const char zeros[1 << 16];
    int rc = 0;

    import->zeros += (sion_int64)size;
    if (import->zeros > ZEROS_MOST && !import->options->force)
        return scion_fail(SION_ERR_NO_SPACE,
                          "%lld bytes of holes would be written as zeros: only with --force",
                          import->zeros);
    for (; size > 0 && rc == 0; size -= size < sizeof zeros ? size : sizeof zeros)
        rc = put_bytes(import, zeros, size < sizeof zeros ? size : sizeof zeros);
    return rc;
}

static int put(void *data, const void *bytes, size_t size)
{
    struct import *import = data;

    return bytes ? put_bytes(import, bytes, size) : put_zeros(import, size);
}

static int select_next_task(struct import *import)
{
    int task = import->ntasks++;

    return sion_seek(import->sid, task, SION_CURRENT_BLK, SION_CURRENT_POS) == SION_SUCCESS
               ? 0
               : sion_error_code();
}

static int copy_data(struct import *import, struct scion_entry *entry)
{
    uint32_t crc;
    int rc = select_next_task(import);

    if (rc != 0)
        return rc;
    rc = scion_source_read(&import->source, &entry->segments, &crc, put, import);
    return rc == 0 && !import->options->no_crc ? scion_entry_compare(entry, crc) : rc;
}

static int copy_file(void *data, sion_int64 rank, struct scion_entry *entry, int status)
{
    struct import *import = data;
    int rc = check_entry(import, entry, status);

    return name_file(rank, entry, rc != 0 ? rc : copy_data(import, entry));
}

static int visit_files(struct import *import, scion_entry_visit *visit)
{
    return scion_entries_visit(&import->ranks, &import->names, visit, import);
}

/* Only users who may read all files may read the container. */
static int take_permissions(const struct import *import, const char *container)
{
    struct stat status;
    int errnum = scion_path_status(container, &status);

    if (errnum == 0)
        errnum = scion_path_set_permissions(
            container, status.st_mode & (import->overlaps.permissions | S_IRUSR | S_IWUSR));
    return errnum == 0 ? 0
                       : scion_fail_errno(errnum, "cannot set the permissions of %s", container);
}

/* All files, one after the other; as many tasks as were counted. */
static int fill_container(struct import *import, char *container)
{
    int nfiles = 1, fsblksize = -1, rc;

    import->sid = sion_open(container, "wb", &import->ntasks, &nfiles, &import->sizes, &fsblksize,
                            &import->globalranks, NULL);
    if (import->sid < 0)
        return sion_error_code();
    import->ntasks = 0;
    rc = take_permissions(import, container);
    if (rc == 0)
        rc = visit_files(import, copy_file);
    if (rc == 0 && import->bytes)
        rc = select_next_task(import);
    if (rc == 0 && import->bytes)
        rc = put(import, import->bytes, import->nbytes);
    if (sion_close(import->sid) != SION_SUCCESS && rc == 0)
        rc = sion_error_code();
    return rc;
}

/* Ranks of the tasks, and one task more for what is kept of the map. */
static int plan_tasks(struct import *import, const char *container)
{
    int rc = 0, t;

    for (t = 0; !import->one_each && t < import->ntasks; t++)
        import->globalranks[t] = t;
    if (!import->options->plain && scion_map_stream_is_needed(import->kept, container))
        rc = scion_kvtree_encode(import->kept, &import->bytes, &import->nbytes);
    sion_kvtree_free(import->kept);
    import->kept = NULL;
    return rc == 0 && import->bytes ? add_task(import, -1, (sion_int64)import->nbytes) : rc;
}

/* It gets its name when it is on the disk. */
static int put_in_place(const char *path, const char *container)
{
    int rc = scion_sync_whole(path), errnum = rc == 0 ? scion_path_move_new(path, container) : 0;

    if (errnum != 0)
        return scion_fail_errno(errnum, "cannot make %s", container);
    if (rc == 0 && (rc = scion_sync_folder_of(container)) != 0)
        scion_file_remove(container);
    return rc;
}

/* In a private folder next to it, where it has its own name: a container knows what it is called.
 */
static int write_beside(struct import *import, const char *container)
{
    char *folder = scion_path_beside(container);
    char *path = folder ? scion_path_new(folder, scion_basename(container)) : NULL;
    int errnum = path ? scion_make_private_folder(folder) : 0, rc = 0;

    if (!path) {
        rc = scion_fail_memory("name of a file");
    } else if (errnum != 0) {
        rc = scion_fail_errno(errnum, "cannot make %s", container);
    } else {
        rc = fill_container(import, path);
        if (rc == 0)
            rc = put_in_place(path, container);
        if (rc != 0) {
            scion_error_replace(path, container);
            scion_file_remove(path);
        }
        scion_remove_folder(folder);
    }
    free(path);
    free(folder);
    return rc;
}

static int write_container(struct import *import, const char *container)
{
    int rc = 0;

    if (!*container)
        return scion_fail(SION_ERR_ARGUMENT, "an empty name of a container");
    if (import->ntasks == 0)
        return scion_fail(SION_ERR_ARGUMENT, "the map names no files");
    if (scion_path_is_taken(container))
        return scion_fail(SION_ERR_ARGUMENT, "%s already exists", container);
    rc = plan_tasks(import, container);
    if (rc != 0)
        return rc;
    sion_layer_quiet(1);
    rc = write_beside(import, container);
    sion_layer_quiet(0);
    return rc;
}

/* Count the files, and record names, ranks and tasks in `kept`. */
static int count_files(struct import *import, const char *folder)
{
    struct scion_map_location *found = scion_must_allocate(1, sizeof *found);
    int rc = scion_overlaps_find(&import->ranks, &import->names, 1, &import->overlaps);

    if (rc == 0)
        rc = scion_find_map(folder, import->options->map->base, found);
    if (rc == 0)
        rc = scion_map_stream_new(found, &import->ranks, &import->kept);
    free(found);
    return rc == 0 ? visit_files(import, count_file) : rc;
}

int scion_scr_import(const char *folder, const char *container,
                     const struct sion_scr_fetch_options *options)
{
    struct import import = {.options = options, .one_each = 1};
    struct scion_map_info *info = scion_must_allocate(1, sizeof *info);
    struct scion_comm *self = NULL;
    int rc = scion_comm_self(&self);

    if (rc == 0)
        rc = scion_map_read(self, folder, import.options->map, &import.ranks, info);
    import.names = scion_map_names(info, import.options->map);
    scion_source_begin(&import.source, info->base, import.names.allow_outside);
    if (rc == 0)
        rc = count_files(&import, folder);
    if (rc == 0)
        rc = write_container(&import, container);
    scion_overlaps_free(&import.overlaps);
    scion_source_end(&import.source);
    scion_ranks_clear(&import.ranks);
    scion_comm_free(self);
    free(import.sizes);
    free(import.globalranks);
    sion_kvtree_free(import.kept);
    free(import.bytes);
    free(info);
    return rc;
}
