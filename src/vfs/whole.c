/* Whole files: made, replaced and synced in one call. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/error.h"
#include "vfs/path.h"
#include "vfs/older.h"

static int sync_and_close(struct scion_file *file)
{
    int rc = scion_file_sync(file), closed = scion_file_close(file);

    return scion_first_failure(rc, closed);
}

static int fill(struct scion_file *file, const void *bytes, size_t size)
{
    int rc = scion_file_truncate(file, 0);

    return rc == 0 ? scion_file_write(file, bytes, size, 0, NULL) : rc;
}

static int make_whole(const char *path, enum scion_open_how how, mode_t permissions,
                      const void *bytes, size_t size)
{
    struct scion_file *file;
    int rc = scion_file_open(path, how, permissions, &file);

    if (rc != 0)
        return rc;
    rc = fill(file, bytes, size);
    if (rc == 0)
        rc = sync_and_close(file);
    else
        scion_file_close(file);
    if (rc != 0)
        scion_file_remove(path);
    return rc;
}

int scion_write_whole(const char *path, const void *bytes, size_t size)
{
    return make_whole(path, SCION_OPEN_CREATE, 0666, bytes, size);
}

int scion_make_whole(const char *path, mode_t permissions, const void *bytes, size_t size)
{
    return make_whole(path, SCION_OPEN_NEW, permissions, bytes, size);
}

char *scion_path_beside(const char *path)
{
    int folder = (int)(scion_basename(path) - path);
    size_t size = (size_t)folder + 40;
    char *beside = malloc(size);
    uint64_t number = 0;

    if (!beside || getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) {
        free(beside);
        return NULL;
    }
    snprintf(beside, size, "%.*s.sion-%016llx.new", folder, path, (unsigned long long)number);
    return beside;
}

/* Makes the file `beside`, with all that is kept of the one that it will replace. */
static int make_beside(const char *beside, const char *path, const struct scion_older *seen,
                       const void *bytes, size_t size)
{
    struct scion_file *file;
    int rc = scion_file_open(beside, SCION_OPEN_NEW, scion_older_permissions(seen, 0666), &file),
        closed;

    if (rc != 0)
        return rc;
    rc = scion_file_write(file, bytes, size, 0, NULL);
    if (rc == 0)
        rc = scion_older_keep(path, file);
    if (rc == 0)
        rc = scion_file_sync(file);
    closed = scion_file_close(file);
    rc = scion_first_failure(rc, closed);
    if (rc != 0)
        scion_file_remove(beside);
    return rc;
}

int scion_replace_whole(const char *path, const void *bytes, size_t size)
{
    struct scion_older seen;
    char *beside = scion_path_beside(path);
    int rc = beside ? scion_older_look(path, &seen) : scion_fail_memory("name of a file");

    if (rc == 0)
        rc = make_beside(beside, path, &seen, bytes, size);
    if (rc == 0) {
        rc = scion_file_rename(beside, path);
        if (rc != 0)
            scion_file_remove(beside);
    }
    if (rc != 0)
        scion_fail_prefix("%s", path);
    free(beside);
    return rc;
}

int scion_sync_whole(const char *path)
{
    struct scion_file *file;
    int rc = scion_file_open(path, SCION_OPEN_READ, 0, &file); /* it may be read-only by now */

    return rc == 0 ? sync_and_close(file) : rc;
}
