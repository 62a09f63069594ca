#include "vfs/cookie.h"

#include <errno.h>
#include <stdio_ext.h>
#include <stdlib.h>

#include "base/checked.h"
#include "base/error.h"

struct scion_cookie {
    FILE *stream; /* NULL: closed by the application */
    struct scion_file *file;
    int writing;
    sion_int64 offset;        /* of the next transfer below the FILE*'s buffer */
    sion_int64 first, behind; /* writing is allowed in between */
    sion_int64 end;           /* of the last bytes that were written there */
    int error; /* of the last callback that failed; its text is in the error record */
    int lost;  /* bytes were refused, and stdio forgets them: closing has to fail */
    char *buffer;
};

static ssize_t cookie_read(void *data, char *to, size_t bytes)
{
    struct scion_cookie *cookie = data;
    size_t got;

    cookie->error = scion_file_read_some(cookie->file, to, bytes, cookie->offset, &got);
    if (cookie->error != 0) {
        errno = EIO;
        return -1;
    }
    cookie->offset += (sion_int64)got;
    return (ssize_t)got;
}

static int fail_lost(const struct scion_cookie *cookie)
{
    return scion_fail(SION_ERR_SYSTEM, "bytes written through the FILE* of %s were lost",
                      scion_file_path(cookie->file));
}

/*
 * Bytes that do not fit are refused, those before them are written: they may be earlier records
 * that waited in the same buffer.
 */
static ssize_t cookie_write(void *data, const char *from, size_t bytes)
{
    struct scion_cookie *cookie = data;
    sion_int64 room = cookie->offset < cookie->first ? 0 : cookie->behind - cookie->offset;
    size_t fits = (sion_int64)bytes <= room ? bytes : (size_t)(room > 0 ? room : 0);
    size_t done;

    /* After a gap nothing more: the stream has to end with its last good byte. */
    if (cookie->lost) {
        cookie->error = fail_lost(cookie);
        errno = EIO;
        return 0;
    }
    cookie->error = scion_file_write(cookie->file, from, fits, cookie->offset, &done);
    cookie->offset += (sion_int64)done;
    if (done > 0)
        cookie->end = cookie->offset;
    if (cookie->error == 0 && fits < bytes)
        cookie->error =
            scion_fail(SION_ERR_NO_SPACE, "write through the FILE* of %s leaves the task's chunk",
                       scion_file_path(cookie->file));
    if (cookie->error != 0) {
        errno = fits < bytes ? EFBIG : ENOSPC;
        cookie->lost = 1;
    }
    return (ssize_t)done;
}

static int cookie_seek(void *data, off64_t *position, int whence)
{
    struct scion_cookie *cookie = data;
    sion_int64 base = 0, target;

    if (whence == SEEK_CUR)
        base = cookie->offset;
    else if (whence == SEEK_END && scion_file_size(cookie->file, &base) != 0)
        return -1;
    if (scion_add(base, *position, &target) || target < 0)
        return -1;
    cookie->offset = *position = target;
    return 0;
}

static int cookie_close(void *data)
{
    struct scion_cookie *cookie = data;
    off_t offset = ftello(cookie->stream);

    /* Without the bytes that stdio has read ahead. */
    if (offset >= 0)
        cookie->offset = offset;
    cookie->stream = NULL;
    return 0;
}

int scion_cookie_open(struct scion_file *file, int writing, size_t buffer_size,
                      struct scion_cookie **cookie)
{
    const cookie_io_functions_t functions = {cookie_read, cookie_write, cookie_seek, cookie_close};
    struct scion_cookie *new = calloc(1, sizeof *new);
    int rc;

    if (!new)
        return scion_fail_memory("FILE");
    new->file = file;
    new->writing = writing;
    new->stream = fopencookie(new, writing ? "w" : "r", functions);
    if (!new->stream) {
        free(new);
        return scion_fail_memory("FILE");
    }
    rc = scion_cookie_set_buffer(new, buffer_size);
    if (rc != 0) {
        sion_int64 nowhere;

        scion_cookie_close(new, &nowhere);
        return rc;
    }
    *cookie = new;
    return 0;
}

FILE *scion_cookie_stream(const struct scion_cookie *cookie)
{
    return cookie->stream;
}

void scion_cookie_retarget(struct scion_cookie *cookie, struct scion_file *file)
{
    cookie->file = file;
}

int scion_cookie_set_buffer(struct scion_cookie *cookie, size_t buffer_size)
{
    char *buffer = malloc(buffer_size);

    if (!buffer)
        return scion_fail_memory("buffer of a FILE");
    if (setvbuf(cookie->stream, buffer, _IOFBF, buffer_size) != 0) {
        free(buffer);
        return scion_fail(SION_ERR_SYSTEM, "cannot set the buffer of a FILE");
    }
    free(cookie->buffer);
    cookie->buffer = buffer;
    return 0;
}

int scion_cookie_tell(struct scion_cookie *cookie, sion_int64 *offset)
{
    /* A FILE* that only writes stands behind what waits in its buffer: no need to ask further. */
    if (!cookie->stream)
        *offset = cookie->offset;
    else if (cookie->writing)
        *offset = cookie->offset + (sion_int64)__fpending(cookie->stream);
    else
        *offset = ftello(cookie->stream);
    if (*offset < 0)
        return scion_fail_errno(errno, "no position in the FILE* of %s",
                                scion_file_path(cookie->file));
    return 0;
}

/* A callback that failed has left its reason in the error record. */
static int transfer_failed(struct scion_cookie *cookie, const char *what)
{
    int error = cookie->error;

    cookie->error = 0;
    if (cookie->stream)
        clearerr(cookie->stream);
    if (error != 0)
        return error;
    return scion_fail(SION_ERR_SYSTEM, "cannot %s through the FILE* of %s", what,
                      scion_file_path(cookie->file));
}

int scion_cookie_has_room(const struct scion_cookie *cookie, size_t bytes, sion_int64 *offset)
{
    if (!cookie->stream || cookie->lost)
        return 0;
    *offset = cookie->offset + (sion_int64)__fpending(cookie->stream);
    return *offset >= cookie->first && (sion_int64)bytes <= cookie->behind - *offset;
}

int scion_cookie_seek(struct scion_cookie *cookie, sion_int64 offset, sion_int64 first,
                      sion_int64 behind)
{
    if (fseeko(cookie->stream, (off_t)offset, SEEK_SET) != 0)
        return transfer_failed(cookie, "go on");
    cookie->first = first;
    cookie->behind = behind;
    cookie->end = offset;
    return 0;
}

int scion_cookie_read(struct scion_cookie *cookie, void *to, size_t bytes)
{
    if (fread(to, 1, bytes, cookie->stream) == bytes)
        return 0;
    if (feof(cookie->stream)) {
        clearerr(cookie->stream);
        return scion_fail(SION_ERR_DAMAGED, "%s is cut off", scion_file_path(cookie->file));
    }
    return transfer_failed(cookie, "read");
}

int scion_cookie_write(struct scion_cookie *cookie, const void *from, size_t bytes)
{
    /* A sid, and so its FILE*, is used by one thread at a time. */
    if (fwrite_unlocked(from, 1, bytes, cookie->stream) != bytes)
        return transfer_failed(cookie, "write");
    return 0;
}

int scion_cookie_flush(struct scion_cookie *cookie)
{
    if (cookie->stream && fflush(cookie->stream) != 0)
        return transfer_failed(cookie, "write");
    return 0;
}

/*
 * Where the FILE* stood. A position that an application has left outside of the task's chunk counts
 * for nothing: what was written ends where the last bytes inside it end.
 */
static int final_offset(const struct scion_cookie *cookie, sion_int64 *offset)
{
    *offset = cookie->offset;
    if (!cookie->writing || (cookie->offset >= cookie->first && cookie->offset <= cookie->behind))
        return 0;
    *offset = cookie->end;
    return scion_fail(SION_ERR_NO_SPACE,
                      "the FILE* of %s was left at offset %lld, outside of the task's chunk",
                      scion_file_path(cookie->file), cookie->offset);
}

int scion_cookie_close(struct scion_cookie *cookie, sion_int64 *offset)
{
    int rc = 0, outside;

    if (cookie->stream && fclose(cookie->stream) != 0)
        rc = transfer_failed(cookie, "write");
    else if (cookie->lost)
        rc = fail_lost(cookie);
    outside = final_offset(cookie, offset);
    free(cookie->buffer);
    free(cookie);
    return rc != 0 ? rc : outside;
}
