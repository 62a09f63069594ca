#include "lib/packed.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "lib/tool.h"
#include "sion_const.h"

int packed_failed(const struct packed *packed)
{
    tool_error("%s: %s", packed->input->name, scion_error_text());
    return TOOL_FAILED;
}

/* ---- the streams ---- */

static sion_int64 bytes_of(void *context, int task)
{
    const struct packed *packed = context;

    return input_damage(packed->input, task) ? -1 : input_bytes(packed->input, task);
}

/* Of streams in one chunk nothing has to be known. */
static int know_chunks(struct packed *packed, int task)
{
    const struct input *input = packed->input;
    sion_int64 count = input_count(input, task), chunk;
    sion_int64 *starts;

    if (packed->task == task)
        return 0;
    packed->task = -1;
    starts = scion_array_grown(packed->starts, (uint64_t)count + 1, sizeof *starts);
    if (!starts)
        return scion_fail_memory("chunks");
    starts[0] = 0;
    for (chunk = 0; chunk < count; chunk++)
        starts[chunk + 1] = starts[chunk] + input_used(input, task, chunk);
    packed->starts = starts;
    packed->chunks = count;
    packed->task = task;
    return 0;
}

/* The last chunk that begins at or before a position that is in the stream. */
static sion_int64 chunk_at(const struct packed *packed, sion_int64 pos)
{
    sion_int64 low = 0, high = packed->chunks - 1;

    while (low < high) {
        sion_int64 middle = low + (high - low + 1) / 2;

        if (packed->starts[middle] <= pos)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static int read_stream(void *context, int task, void *to, size_t bytes, sion_int64 pos)
{
    struct packed *packed = context;
    sion_int64 chunk;
    int rc = know_chunks(packed, task);

    for (chunk = rc == 0 ? chunk_at(packed, pos) : 0; bytes > 0 && rc == 0; chunk++) {
        sion_int64 left = packed->starts[chunk + 1] - pos;
        size_t part = (sion_int64)bytes < left ? bytes : (size_t)left;

        rc = scion_container_read_chunk(packed->input->container, task, chunk,
                                        pos - packed->starts[chunk], to, part);
        to = (char *)to + part;
        pos += (sion_int64)part;
        bytes -= part;
    }
    return rc;
}

int packed_run(void *context, int task, sion_int64 pos, sion_int64 *bytes, int *is_hole)
{
    struct packed *packed = context;
    sion_int64 chunk, left;
    int rc = know_chunks(packed, task);

    if (rc != 0)
        return rc;
    chunk = chunk_at(packed, pos);
    left = packed->starts[chunk + 1] - pos;
    *bytes = *bytes < left ? *bytes : left;
    return scion_container_find_run(packed->input->container, task, chunk,
                                    pos - packed->starts[chunk], bytes, is_hole);
}

static int read_file(void *context, void *to, size_t bytes, sion_int64 offset)
{
    const struct packed *packed = context;

    return scion_file_read(packed->file, to, bytes, offset);
}

/* ---- open ---- */

/* The index is at the end of file 0. */
static int open_file(struct packed *packed, sion_int64 *size)
{
    const char *path = scion_container_file(packed->input->container, 0)->path;
    int rc = scion_file_open(path, SCION_OPEN_READ, 0, &packed->file);

    return rc == 0 ? scion_file_size(packed->file, size) : rc;
}

int packed_look(const struct input *input, struct packed *packed)
{
    struct scion_pack_streams streams = {.ntasks = input->ntasks,
                                         .bytes = bytes_of,
                                         .read = read_stream,
                                         .file = {.read = read_file, .context = packed},
                                         .context = packed};
    int rc;

    *packed = (struct packed){.input = input, .task = -1};
    rc = open_file(packed, &streams.file_size);
    if (rc == 0 && input->keyval != SION_KEYVAL_INLINE)
        rc = scion_packed_open(&streams, &packed->files);
    tool_print_warnings();
    if (rc != 0) {
        packed_failed(packed);
        packed_close(packed);
        return TOOL_FAILED;
    }
    if (packed->files && scion_packed_is_incomplete(packed->files))
        tool_note_left_out();
    return TOOL_RUN;
}

int packed_open(const struct input *input, struct packed *packed)
{
    int status = packed_look(input, packed);

    if (status != TOOL_RUN || packed->files)
        return status;
    tool_error("%s has no packed files", input->name);
    packed_close(packed);
    return TOOL_FAILED;
}

void packed_close(struct packed *packed)
{
    scion_packed_close(packed->files);
    scion_file_close(packed->file);
    free(packed->starts);
    *packed = (struct packed){.task = -1};
}

/* ---- for people ---- */

const char *packed_mode(char *text, const struct scion_pack_entry *entry)
{
    static const char rights[] = "rwxrwxrwx";
    int bit;

    strcpy(text, "----------");
    text[0] = entry->type == SCION_PACK_FILE ? '-' : (char)entry->type;
    for (bit = 0; bit < 9; bit++) {
        if (entry->mode & 0400u >> bit)
            text[1 + bit] = rights[bit];
    }
    if (entry->mode & 04000)
        text[3] = entry->mode & 0100 ? 's' : 'S';
    if (entry->mode & 02000)
        text[6] = entry->mode & 010 ? 's' : 'S';
    if (entry->mode & 01000)
        text[9] = entry->mode & 01 ? 't' : 'T';
    return text;
}

const char *packed_type(int type)
{
    switch (type) {
    case SCION_PACK_FOLDER:
        return "folder";
    case SCION_PACK_LINK:
        return "link";
    case SCION_PACK_HARD:
        return "hard link";
    case SCION_PACK_PIPE:
        return "pipe";
    default:
        return "file";
    }
}
