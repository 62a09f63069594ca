/* Records of trees in files: whole files, and records at an offset. */
#include <stdlib.h>

#include "base/error.h"
#include "scr/kvtree/kvtree.h"
#include "vfs/path.h"

/* The file's name before the reason. */
static int name_file(const char *path, int rc)
{
    if (rc != 0)
        scion_fail_prefix("%s", path);
    return rc;
}

static int write_and_close(struct scion_file *file, const void *bytes, size_t size,
                           sion_int64 offset)
{
    int rc = scion_file_write(file, bytes, size, offset, NULL), closed;

    if (rc == 0)
        rc = scion_file_sync(file);
    closed = scion_file_close(file);
    return scion_first_failure(rc, closed);
}

static int encode_and_write(const char *path, const struct sion_kvtree *tree,
                            int (*write)(const char *path, const void *bytes, size_t size))
{
    void *bytes;
    size_t size;
    int rc = scion_kvtree_encode(tree, &bytes, &size);

    if (rc != 0)
        return name_file(path, rc);
    rc = write(path, bytes, size);
    free(bytes);
    return rc;
}

/* The name is on the disk when its folder is. */
static int write_whole(const char *path, const void *bytes, size_t size)
{
    int rc = scion_write_whole(path, bytes, size);

    if (rc == 0 && (rc = scion_sync_folder_of(path)) != 0)
        scion_file_remove(path);
    return rc;
}

int scion_kvtree_write(const char *path, const sion_kvtree *tree)
{
    return encode_and_write(path, tree, write_whole);
}

int scion_kvtree_make(const char *path, mode_t permissions, const struct sion_kvtree *tree)
{
    void *bytes;
    size_t size;
    int rc = scion_kvtree_encode(tree, &bytes, &size);

    if (rc != 0)
        return name_file(path, rc);
    rc = scion_make_whole(path, permissions, bytes, size);
    free(bytes);
    return rc;
}

int scion_kvtree_replace(const char *path, const struct sion_kvtree *tree)
{
    return encode_and_write(path, tree, scion_replace_whole);
}

int scion_kvtree_write_at(const char *path, sion_int64 offset, const sion_kvtree *tree,
                          sion_int64 *used)
{
    struct scion_file *file;
    void *bytes;
    size_t size;
    int rc;

    if (offset < 0)
        return name_file(path, scion_fail(SION_ERR_ARGUMENT, "offset %lld", offset));
    rc = scion_kvtree_encode(tree, &bytes, &size);
    if (rc != 0)
        return name_file(path, rc);
    rc = scion_file_open(path, SCION_OPEN_CREATE, 0666, &file);
    if (rc == 0)
        rc = write_and_close(file, bytes, size, offset);
    if (rc == 0)
        rc = scion_sync_folder_of(path);
    free(bytes);
    if (rc == 0 && used)
        *used = (sion_int64)size;
    return rc;
}

/* The record at an offset, as bytes: none at the end of the file. */
static int read_record(struct scion_file *file, sion_int64 offset, void **bytes, size_t *size)
{
    unsigned char header[SCION_KVTREE_HEADER];
    sion_int64 length, record;
    int rc = scion_file_size(file, &length);

    *bytes = NULL;
    *size = 0;
    if (rc != 0 || (offset == length && offset == 0))
        return rc;
    if (offset < 0 || offset >= length)
        return scion_fail(SION_ERR_DAMAGED, "no record at byte %lld of %lld", offset, length);
    rc = scion_file_read_some(file, header, sizeof header, offset, size);
    if (rc == 0)
        rc = scion_kvtree_record_size(header, *size, &record);
    if (rc == 0 && record > length - offset)
        rc = scion_fail(SION_ERR_DAMAGED, "cut off: %lld of %lld bytes", length - offset, record);
    if (rc != 0)
        return rc;
    *size = (size_t)record;
    *bytes = malloc(*size);
    return *bytes ? scion_file_read(file, *bytes, *size, offset) : scion_fail_memory("tree");
}

int scion_kvtree_read_at(const char *path, sion_int64 offset, sion_kvtree **tree, sion_int64 *used)
{
    struct scion_file *file;
    void *bytes;
    size_t size;
    int rc = scion_file_open(path, SCION_OPEN_READ, 0, &file);

    if (rc != 0)
        return rc;
    rc = read_record(file, offset, &bytes, &size);
    scion_file_close(file);
    if (rc == 0)
        rc = scion_kvtree_decode(bytes, size, tree, NULL);
    free(bytes);
    if (rc == 0 && used)
        *used = (sion_int64)size;
    return name_file(path, rc);
}

int scion_kvtree_read(const char *path, sion_kvtree **tree)
{
    return scion_kvtree_read_at(path, 0, tree, NULL);
}

int scion_kvtree_read_or_new(const char *path, int *is_there, struct sion_kvtree **tree)
{
    int rc = scion_file_look_for(path, is_there);

    *tree = NULL;
    if (rc != 0)
        return rc;
    if (*is_there)
        return scion_kvtree_read(path, tree);
    *tree = scion_kvtree_new();
    return *tree ? 0 : SION_ERR_MEMORY;
}
