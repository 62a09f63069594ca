#include "pack/write.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pack/tar.h"
#include "vfs/below.h"

enum {
    BUFFER = 1 << 20,
    /* Smaller holes are written as zeros, because another write would cost more. */
    HOLE_LEAST = 1 << 16
};

/* Many members are written at a time. */
struct stream {
    const char *root;
    const struct scion_pack_sink *sink;
    int task;
    int folder;       /* held: that of the last file; or -1 */
    char *path;       /* of the last file; [the root's, SCION_PACK_PATH and what separates them] */
    char *in_root;    /* the end of it: the path below the root */
    size_t in_folder; /* the end of that: length of its folder's name and a slash */
    sion_int64 pos;   /* of the buffer's first byte */
    sion_int64 whole, told; /* where the last member ends, and up to where the sink knows */
    size_t filled;
    unsigned char *buffer; /* [BUFFER] */
};

static int tell_whole(struct stream *stream)
{
    if (!stream->sink->whole || stream->whole == stream->told)
        return 0;
    stream->told = stream->whole;
    return stream->sink->whole(stream->sink->context, stream->task, stream->whole);
}

static int pass(struct stream *stream, sion_int64 bytes)
{
    int rc = stream->sink->pass ? stream->sink->pass(stream->sink->context, bytes) : 0;

    stream->pos += bytes;
    return rc == 0 ? tell_whole(stream) : rc;
}

static int empty(struct stream *stream)
{
    size_t bytes = stream->filled;
    int rc;

    if (bytes == 0)
        return 0;
    stream->filled = 0;
    rc = stream->sink->write(stream->sink->context, stream->task, stream->pos, stream->buffer,
                             bytes);
    return rc == 0 ? pass(stream, (sion_int64)bytes) : rc;
}

static int leave_hole(struct stream *stream, sion_int64 bytes)
{
    int rc = empty(stream);

    return rc == 0 ? pass(stream, bytes) : rc;
}

/* Room for so many bytes that follow each other. */
static int make_room(struct stream *stream, size_t bytes)
{
    return BUFFER - stream->filled < bytes ? empty(stream) : 0;
}

static int put_zeros(struct stream *stream, size_t bytes)
{
    int rc = make_room(stream, bytes);

    if (rc != 0)
        return rc;
    memset(stream->buffer + stream->filled, 0, bytes);
    stream->filled += bytes;
    return 0;
}

static int put_head(struct stream *stream, const struct scion_pack_entry *entry)
{
    int rc = make_room(stream, SCION_TAR_HEAD_MOST);

    if (rc != 0)
        return rc;
    stream->filled += (size_t)scion_tar_encode(entry, stream->buffer + stream->filled);
    return 0;
}

/* ---- files ---- */

static int has_changed(const struct stream *stream, const struct scion_pack_entry *entry)
{
    return scion_fail(SION_ERR_BUSY, "%s/%s has changed since its folder was listed", stream->root,
                      entry->path);
}

static int check_unchanged(const struct stream *stream, const struct scion_pack_entry *entry,
                           const struct stat *now)
{
    return now->st_size == entry->size && now->st_mtim.tv_sec == entry->mtime &&
                   now->st_mtim.tv_nsec == (long)entry->mtime_ns
               ? 0
               : has_changed(stream, entry);
}

static int put_data(struct stream *stream, const struct scion_pack_entry *entry,
                    struct scion_file *file, sion_int64 pos, sion_int64 *bytes)
{
    size_t got;
    int rc = BUFFER - stream->filled < SCION_TAR_BLOCK ? empty(stream) : 0;
    size_t room = BUFFER - stream->filled;

    if (rc != 0)
        return rc;
    if (*bytes > (sion_int64)room)
        *bytes = (sion_int64)room;
    rc = scion_file_read_some(file, stream->buffer + stream->filled, (size_t)*bytes, pos, &got);
    if (rc == 0 && (sion_int64)got != *bytes)
        rc = has_changed(stream, entry);
    stream->filled += rc == 0 ? got : 0;
    return rc;
}

/* The next bytes of a file, all data or all hole. */
static int put_run(struct stream *stream, const struct scion_pack_entry *entry,
                   struct scion_file *file, sion_int64 pos, sion_int64 *bytes)
{
    int is_hole = 0;

    *bytes = entry->size - pos;
    if (*bytes >= HOLE_LEAST)
        *bytes = scion_file_run(file, pos, *bytes, &is_hole);
    return is_hole && *bytes >= HOLE_LEAST ? leave_hole(stream, *bytes)
                                           : put_data(stream, entry, file, pos, bytes);
}

/* What has changed is seen when all of it has been read. */
static int put_opened(struct stream *stream, const struct scion_pack_entry *entry,
                      struct scion_file *file)
{
    sion_int64 pos, bytes;
    struct stat now;
    int rc = 0;

    for (pos = 0; pos < entry->size && rc == 0; pos += bytes)
        rc = put_run(stream, entry, file, pos, &bytes);
    if (rc == 0)
        rc = scion_file_status(file, &now);
    return rc == 0 ? check_unchanged(stream, entry, &now) : rc;
}

/* The folder of an entry, whose path is then stream->path: mostly it is that of the last one. */
static int hold_folder(struct stream *stream, const struct scion_pack_entry *entry)
{
    const char *slash = strrchr(entry->path, '/');
    size_t length = slash ? (size_t)(slash - entry->path) + 1 : 0;
    int is_held = stream->folder >= 0 && stream->in_folder == length &&
                  memcmp(stream->in_root, entry->path, length) == 0;
    int errnum;

    if (!is_held) {
        scion_below_close(stream->folder);
        stream->folder = -1;
        stream->in_folder = length;
        memcpy(stream->in_root, entry->path, length);
        stream->in_root[length] = '\0';
        errnum = scion_below_open(stream->path, &stream->folder);
        if (errnum != 0)
            return scion_fail_errno(errnum, "cannot read folder %s", stream->path);
    }
    strcpy(stream->in_root + length, entry->path + length);
    return 0;
}

static int put_file(struct stream *stream, const struct scion_pack_entry *entry)
{
    struct scion_file *file;
    int rc = hold_folder(stream, entry);

    if (rc == 0)
        rc = scion_below_file(stream->folder, stream->in_root + stream->in_folder,
                              SCION_OPEN_INSIDE, 0, stream->path, &file);
    if (rc != 0)
        return rc;
    rc = put_opened(stream, entry, file);
    scion_file_close(file);
    return rc == 0 ? put_zeros(stream, (size_t)scion_tar_padding(entry->size)) : rc;
}

static int put_member(struct stream *stream, const struct scion_pack_entry *entry)
{
    int rc = put_head(stream, entry);

    if (rc == 0 && entry->size > 0)
        rc = put_file(stream, entry);
    stream->whole = stream->pos + (sion_int64)stream->filled;
    return rc;
}

static int allocate(struct stream *stream)
{
    size_t root = strlen(stream->root);

    stream->buffer = malloc(BUFFER);
    stream->path = malloc(root + 1 + SCION_PACK_PATH);
    if (!stream->buffer || !stream->path)
        return scion_fail_memory("tar");
    memcpy(stream->path, stream->root, root);
    stream->path[root] = '/';
    stream->in_root = stream->path + root + 1;
    return 0;
}

int scion_pack_write_task(const char *root, const struct scion_pack_list *list, int task,
                          const struct scion_pack_sink *sink)
{
    struct stream stream = {.root = root, .sink = sink, .task = task, .folder = -1};
    size_t i;
    int rc = allocate(&stream);

    for (i = list->first[task]; i < list->first[task + 1] && rc == 0; i++)
        rc = put_member(&stream, &list->entries[list->order[i]]);
    if (rc == 0)
        rc = put_zeros(&stream, SCION_TAR_END);
    stream.whole = stream.pos + (sion_int64)stream.filled;
    if (rc == 0)
        rc = empty(&stream);
    scion_below_close(stream.folder);
    free(stream.path);
    free(stream.buffer);
    return rc;
}
