#include "ftiff/source.h"

#include <string.h>

#include "sion_common.h"

#include "base/error.h"
#include "vfs/vfs.h"

static int file_read(struct scion_fti_source *source, void *to, size_t bytes, sion_int64 offset)
{
    return scion_file_read(((struct scion_fti_file_source *)source)->file, to, bytes, offset);
}

int scion_fti_open_file(const char *path, struct scion_fti_file_source *source)
{
    int rc;

    *source = (struct scion_fti_file_source){.source = {.read = file_read}};
    rc = scion_file_open(path, SCION_OPEN_READ, 0, &source->file);
    if (rc != 0)
        return rc;
    rc = scion_file_size(source->file, &source->source.size);
    if (rc != 0)
        scion_file_close(source->file);
    return rc;
}

/* A stream may consist of several chunks, and a read ends with each. */
static int stream_read(struct scion_fti_source *source, void *to, size_t bytes, sion_int64 offset)
{
    struct scion_fti_stream_source *stream = (struct scion_fti_stream_source *)source;

    if (bytes > 0 && sion_seek(stream->sid, stream->task, SION_ABSOLUTE_POS, offset) != 1)
        return scion_error_code();
    while (bytes > 0) {
        sion_int64 left;
        size_t now;

        left = sion_feof(stream->sid) == 0 ? sion_bytes_avail_in_chunk(stream->sid) : 0;
        if (left <= 0)
            return scion_fail(SION_ERR_DAMAGED, "the stream is cut off");
        now = (sion_int64)bytes < left ? bytes : (size_t)left;
        if (sion_fread(to, 1, now, stream->sid) != now)
            return scion_error_code();
        to = (char *)to + now;
        bytes -= now;
    }
    return 0;
}

int scion_fti_open_stream(int sid, int task, struct scion_fti_stream_source *source)
{
    *source =
        (struct scion_fti_stream_source){.source = {.read = stream_read}, .sid = sid, .task = task};
    if (sion_seek(sid, task, SION_END_POS, 0) != 1)
        return scion_error_code();
    source->source.size = sion_get_bytes_read(sid);
    return 0;
}

int scion_fti_packed_kind(int sid, int task, enum scion_fti_kind *kind)
{
    enum { MAGIC = sizeof SCION_FTI_LIST - 1 };
    char begin[MAGIC + SCION_FTI_NAME_MOST + 1] = "";
    struct scion_fti_stream_source stream;
    int rc = scion_fti_open_stream(sid, task, &stream);

    *kind = SCION_FTI_FOREIGN;
    if (rc == 0)
        rc = stream_read(&stream.source, begin,
                         stream.source.size < (sion_int64)sizeof begin - 1
                             ? (size_t)stream.source.size
                             : sizeof begin - 1,
                         0);
    if (rc != 0 || memcmp(begin, SCION_FTI_LIST, MAGIC) != 0)
        return rc;
    begin[MAGIC + strcspn(begin + MAGIC, "\n")] = '\0';
    *kind = scion_fti_name_parse(begin + MAGIC).kind;
    return 0;
}

int scion_fti_check_name(struct scion_fti_name name, sion_int64 ckptid)
{
    if (name.ckptid < 0 || ckptid == name.ckptid)
        return 0;
    return scion_fail(SION_ERR_DAMAGED, "the file is checkpoint %lld, not %d as its name says",
                      ckptid, name.ckptid);
}

int scion_fti_read_named(struct scion_fti_source *source, const char *label,
                         struct scion_fti_name name, struct scion_fti_image *image)
{
    int rc;

    source->is_differential |= name.kind == SCION_FTI_DIFFERENTIAL;
    rc = scion_fti_read(source, image);
    if (rc == 0 && scion_fti_layout(image->era)->has_id) {
        rc = scion_fti_check_name(name, image->fb.ckptid);
        if (rc != 0)
            scion_fti_image_clear(image);
    }
    if (rc != 0)
        scion_fail_prefix("%s", label);
    return rc;
}
