#include "sionmount/reader.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/tool.h"
#include "base/error.h"
#include "base/memory.h"
#include "file/members.h"
#include "file/unzip_view.h"
#include "sionmount/files.h"
#include "vfs/vfs.h"

struct reader {
    const struct input *input;
    int task;
    sion_int64 size;
    sion_int64 begin; /* in the stream: of a packed file's data; else 0 */

    const char *text; /* of meta.json; NULL: bytes of a stream */

    struct scion_file *file; /* the task's physical file */
    sion_int64 *starts;      /* [chunks + 1]: bytes of the stream before each chunk, and all */
    sion_int64 chunks;
    int is_scattered; /* a member of merged streams, whose chunk is in pieces, or compressed */

    struct scion_unzip_view *unzip; /* of a compressed stream; NULL: it is none */
    pthread_mutex_t lock;           /* of that */

    const struct range *ranges; /* of a key; NULL: the whole stream */
    sion_int64 count;
};

void reader_close(struct reader *reader)
{
    if (!reader)
        return;
    scion_file_close(reader->file);
    if (reader->unzip) {
        scion_unzip_view_free(reader->unzip);
        pthread_mutex_destroy(&reader->lock);
    }
    free(reader->starts);
    free(reader);
}

/* ---- open ---- */

/* The file is seen as the tool's own is: by members, or decompressed. */
static int show(struct reader *reader, const struct scion_physical *physical, int index)
{
    if (physical->members)
        scion_file_show(reader->file, &physical->members->view);
    if (physical->unzip) {
        reader->unzip = scion_unzip_view_copy_task(physical->unzip, index);
        if (!reader->unzip)
            return ENOMEM;
        pthread_mutex_init(&reader->lock, NULL);
        scion_file_show(reader->file, scion_unzip_view_of(reader->unzip));
    }
    reader->is_scattered = physical->members || physical->unzip;
    return 0;
}

static int open_stream(struct reader *reader)
{
    const struct input *input = reader->input;
    const struct scion_physical *physical;
    int file, index;
    sion_int64 chunk;

    if (input_leaves_out(input, reader->task))
        return EIO;
    reader->chunks = input_count(input, reader->task);
    reader->starts = scion_array((uint64_t)reader->chunks + 1, sizeof *reader->starts);
    if (!reader->starts)
        return ENOMEM;
    reader->starts[0] = 0;
    for (chunk = 0; chunk < reader->chunks; chunk++)
        reader->starts[chunk + 1] = reader->starts[chunk] + input_used(input, reader->task, chunk);
    reader->size = reader->starts[reader->chunks];
    scion_container_locate(input->container, reader->task, &file, &index);
    physical = scion_container_file(input->container, file);
    if (scion_file_open(physical->path, SCION_OPEN_READ, 0, &reader->file) != 0) {
        tool_error("%s", scion_error_text());
        return EIO;
    }
    return show(reader, physical, index);
}

static int open_key(struct reader *reader, struct tree *tree, sion_int64 number)
{
    const struct key_index *index = tree_keys(tree, reader->task);
    const struct key *key;

    if (!index || number >= index->count)
        return EIO;
    key = index->by_number[number];
    reader->ranges = &index->ranges[key->place];
    reader->count = key->records;
    reader->size = key->bytes;
    return 0;
}

static int open_file(struct reader *reader, struct tree *tree, const struct node *node)
{
    sion_int64 bytes = reader->size;
    int status = files_place(tree, node, &reader->begin, &reader->size);

    if (status != 0)
        return status;
    return reader->begin <= bytes && reader->size <= bytes - reader->begin ? 0 : EIO;
}

static int open_text(struct reader *reader, struct tree *tree)
{
    size_t bytes;

    reader->text = tree_meta(tree, &bytes);
    reader->size = (sion_int64)bytes;
    return reader->text ? 0 : ENOMEM;
}

int reader_open(struct tree *tree, const struct node *node, struct reader **reader)
{
    struct reader *made = calloc(1, sizeof *made);
    int status;

    if (!made)
        return ENOMEM;
    made->input = tree->input;
    made->task = node->task;
    status = node->kind == NODE_META ? open_text(made, tree) : open_stream(made);
    if (status == 0 && node->kind == NODE_FILE)
        status = open_file(made, tree, node);
    if (status == 0 && node->kind == NODE_KEY)
        status = open_key(made, tree, node->key);
    if (status != 0) {
        reader_close(made);
        return status;
    }
    *reader = made;
    return 0;
}

/* ---- read ---- */

/*
 * The last of n positions in ascending order that is at most pos; the first is. Each is `stride`
 * bytes after the one before it.
 */
static sion_int64 last_up_to(sion_int64 pos, const sion_int64 *first, size_t stride, sion_int64 n)
{
    sion_int64 low = 0, high = n - 1;

    while (low < high) {
        sion_int64 middle = low + (high - low + 1) / 2;
        const void *position = (const char *)first + (size_t)middle * stride;

        if (*(const sion_int64 *)position <= pos)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* The chunk of a byte of the stream, which is not its end. */
static sion_int64 chunk_at(const struct reader *reader, sion_int64 pos)
{
    return last_up_to(pos, reader->starts, sizeof *reader->starts, reader->chunks);
}

/* What decompresses has the last frame, so one thread uses it at a time. */
static int read_file(struct reader *reader, char *to, size_t bytes, sion_int64 from)
{
    int rc;

    if (reader->unzip)
        pthread_mutex_lock(&reader->lock);
    rc = scion_file_read(reader->file, to, bytes, from);
    if (rc != 0)
        tool_error("%s", scion_error_text());
    if (reader->unzip)
        pthread_mutex_unlock(&reader->lock);
    return rc;
}

static int read_stream(struct reader *reader, sion_int64 pos, char *to, size_t bytes)
{
    sion_int64 chunk = bytes > 0 ? chunk_at(reader, pos) : 0;

    for (; bytes > 0; chunk++) {
        sion_int64 left = reader->starts[chunk + 1] - pos;
        size_t part = (sion_int64)bytes < left ? bytes : (size_t)left;
        sion_int64 from =
            input_offset(reader->input, reader->task, chunk) + pos - reader->starts[chunk];

        if (read_file(reader, to, part, from) != 0)
            return EIO;
        to += part;
        pos += (sion_int64)part;
        bytes -= part;
    }
    return 0;
}

/* The record of a byte of a key. Empty records before it begin at the same byte. */
static sion_int64 range_at(const struct reader *reader, sion_int64 pos)
{
    return last_up_to(pos, &reader->ranges[0].before, sizeof *reader->ranges, reader->count);
}

static int read_key(struct reader *reader, sion_int64 pos, char *to, size_t bytes)
{
    sion_int64 number = bytes > 0 ? range_at(reader, pos) : 0;
    int status = 0;

    for (; bytes > 0 && status == 0; number++) {
        const struct range *range = &reader->ranges[number];
        sion_int64 left = range->before + range->bytes - pos;
        size_t part = (sion_int64)bytes < left ? bytes : (size_t)left;

        status = read_stream(reader, range->offset + pos - range->before, to, part);
        to += part;
        pos += (sion_int64)part;
        bytes -= part;
    }
    return status;
}

int reader_read(struct reader *reader, sion_int64 pos, void *to, size_t bytes, size_t *got)
{
    *got = 0;
    if (pos < 0 || pos >= reader->size)
        return 0;
    if ((sion_int64)bytes > reader->size - pos)
        bytes = (size_t)(reader->size - pos);
    *got = bytes;
    if (reader->text) {
        memcpy(to, reader->text + pos, bytes);
        return 0;
    }
    return reader->ranges ? read_key(reader, pos, to, bytes)
                          : read_stream(reader, reader->begin + pos, to, bytes);
}

/* ---- holes ---- */

/* Where the file system has data, or a hole, in a chunk from pos on; its end if there is none. */
static sion_int64 seek_in_chunk(const struct reader *reader, sion_int64 chunk, sion_int64 pos,
                                int whence)
{
    sion_int64 end = reader->starts[chunk + 1];
    sion_int64 from = input_offset(reader->input, reader->task, chunk) - reader->starts[chunk];
    off_t found =
        scion_vfs_current()->lseek(scion_file_descriptor(reader->file), from + pos, whence);

    if (found < 0) /* after the last data of the file, or not known of this file system */
        return (errno == ENXIO) == (whence == SEEK_DATA) ? end : pos;
    return found - from < end ? found - from : end;
}

/* In the stream, from pos to its end. */
static int seek_in_stream(const struct reader *reader, sion_int64 pos, int whence,
                          sion_int64 *found)
{
    sion_int64 chunk;

    *found = pos;
    for (chunk = chunk_at(reader, pos); chunk < reader->chunks; chunk++) {
        *found = seek_in_chunk(reader, chunk, *found, whence);
        if (*found < reader->starts[chunk + 1])
            return 0;
    }
    return whence == SEEK_HOLE ? 0 : ENXIO;
}

int reader_seek(const struct reader *reader, sion_int64 pos, int whence, sion_int64 *found)
{
    int status;

    if (pos < 0 || pos >= reader->size)
        return ENXIO;
    if (reader->text || reader->ranges || reader->is_scattered) {
        *found = whence == SEEK_DATA ? pos : reader->size;
        return 0;
    }
    status = seek_in_stream(reader, reader->begin + pos, whence, found);
    *found -= reader->begin;
    if (status != 0 || *found < reader->size)
        return status;
    *found = reader->size; /* what is behind a packed file is not its data */
    return whence == SEEK_HOLE ? 0 : ENXIO;
}
