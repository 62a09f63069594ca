/* A store in a file of its own. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ftiff/handle.h"
#include "ftiff/records.h"
#include "ftiff/source.h"
#include "vfs/path.h"
#include "vfs/older.h"

/* ---- writing ---- */

struct file_sink {
    struct scion_fti_sink sink;
    struct scion_file *file;
    sion_int64 place;

    /* Incremental: the file of the last checkpoint, or NULL, and both structures. */
    struct scion_fti_file_source old;
    const struct scion_fti_image *before, *now;
    struct scion_fti_cursor cursor; /* the records of before */
    struct scion_fti_record record; /* the last one of them that was read */
};

static int file_write(struct scion_fti_sink *sink, const void *from, size_t bytes)
{
    struct file_sink *to = (struct file_sink *)sink;
    int rc = scion_file_write(to->file, from, bytes, to->place, NULL);

    to->place += (sion_int64)bytes;
    return rc;
}

static int file_skip(struct scion_fti_sink *sink, sion_int64 bytes)
{
    ((struct file_sink *)sink)->place += bytes;
    return 0;
}

/* Up to the record of a container; containers come in their order. 0 or an error code. */
static int find_record(struct file_sink *to, int index)
{
    int rc = 0;

    while (rc == 0 && to->cursor.next <= index)
        rc = scion_fti_cursor_next(&to->cursor, &to->record);
    return rc;
}

/* Containers are never removed, so a container of before has the same number now. */
static int is_unchanged(struct file_sink *to, int index)
{
    const struct scion_fti_var *before, *now = &to->now->vars[index];

    if (!to->old.file || index >= to->before->nvars || find_record(to, index) != 0)
        return 0;
    before = &to->before->vars[index];
    return before->id == now->id && before->containerid == now->containerid &&
           before->chunksize == now->chunksize &&
           memcmp(to->record.hash, to->now->hashes[index], sizeof to->record.hash) == 0;
}

static int file_chunk(struct scion_fti_sink *sink, int var, const void *from, size_t bytes)
{
    struct file_sink *to = (struct file_sink *)sink;
    int rc;

    if (!is_unchanged(to, var))
        return file_write(sink, from, bytes);
    rc = scion_file_copy(to->old.file, to->before->vars[var].fptr, to->file, to->place,
                         (sion_int64)bytes);
    to->place += (sion_int64)bytes;
    return rc;
}

/*
 * Whether the file is still the one that the handle knows: it has the same size, and the same
 * digests in the file block, one of which covers its numbers. The padding may differ.
 */
static void open_old(const sion_ftiff *handle, struct file_sink *sink)
{
    unsigned char there[SCION_FTI_FB_MOST], known[SCION_FTI_FB_MOST];
    const struct scion_fti_image *image = &handle->image;

    if (!handle->is_incremental || !handle->image_path ||
        scion_fti_open_file(handle->image_path, &sink->old) != 0) {
        sink->old.file = NULL;
        return;
    }
    scion_fti_fb_encode(image->era, &image->fb, known);
    if (!scion_fti_is_size(image, sink->old.source.size) ||
        scion_fti_read_fb(&sink->old.source, image->era, there) != 0 ||
        memcmp(there, known, SCION_FTI_FB_DIGESTS) != 0) {
        scion_file_close(sink->old.file);
        sink->old.file = NULL;
        return;
    }
    scion_fti_cursor(&sink->cursor, &sink->old.source, image);
}

static int fill_file(const sion_ftiff *handle, const struct scion_fti_draft *draft,
                     struct scion_file *file)
{
    struct file_sink sink = {.sink = {file_write, file_skip, file_chunk},
                             .file = file,
                             .before = &handle->image,
                             .now = &draft->image};
    int rc = scion_file_truncate(file, 0);

    if (rc != 0)
        return rc;
    open_old(handle, &sink);
    rc = scion_fti_write(&sink.sink, &draft->image, draft->data);
    if (rc == 0)
        rc = scion_file_truncate(file, sink.place);
    if (rc == 0)
        rc = scion_older_keep(handle->path, file);
    if (rc == 0)
        rc = scion_file_sync(file);
    scion_file_close(sink.old.file);
    return rc;
}

static int store_write(sion_ftiff *handle, const struct scion_fti_draft *draft)
{
    char *beside = scion_path_beside(handle->path);
    struct scion_older seen;
    struct scion_file *file;
    int rc = beside ? scion_older_look(handle->path, &seen) : scion_fail_memory("name of a file"),
        closed;

    if (rc == 0)
        rc = scion_file_open(beside, SCION_OPEN_NEW, scion_older_permissions(&seen, 0666), &file);
    if (rc == 0) {
        rc = fill_file(handle, draft, file);
        closed = scion_file_close(file);
        rc = scion_first_failure(rc, closed);
        if (rc == 0)
            rc = scion_older_replace(beside, handle->path, &seen);
        if (rc != 0)
            scion_file_remove(beside);
    }
    if (rc != 0)
        scion_fail_prefix("%s", handle->path);
    free(beside);
    return rc;
}

/* ---- reading ---- */

static int store_open(sion_ftiff *handle, struct scion_fti_source **source)
{
    struct scion_fti_file_source *file;
    int there, rc = scion_file_look_for(handle->path, &there);

    *source = NULL;
    if (rc != 0 || !there)
        return rc;
    file = malloc(sizeof *file);
    if (!file)
        return scion_fail_memory("file");
    rc = scion_fti_open_file(handle->path, file);
    if (rc != 0)
        free(file);
    else
        *source = &file->source;
    return rc;
}

static int store_close(sion_ftiff *handle, struct scion_fti_source *source)
{
    struct scion_fti_file_source *file = (struct scion_fti_file_source *)source;
    int rc = scion_file_close(file->file);

    (void)handle;
    free(file);
    return rc;
}

const struct scion_fti_store scion_fti_file_store = {store_write, store_open, store_close};
