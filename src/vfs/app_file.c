#include "vfs/app_file.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/checked.h"
#include "base/error.h"

static char *const no_buffer = NULL;

/* The next byte of the buffer is not any more where it was. */
static void forget_room(struct scion_app_file *app)
{
    app->full = 0;
}

/* Bytes wait in the buffer, and the next one goes to this offset. */
static void note_room(struct scion_app_file *app, sion_int64 held)
{
    uintptr_t begin;
    char *const *next = scion_stdio_next(app->stream, &begin);

    if (!next || !app->quick || !app->writing || held <= 0 || app->offset < app->first)
        return;
    app->next = next;
    app->full = (sion_int64)begin + (app->behind - app->offset);
}

static int is_inside(const struct scion_app_file *app, sion_int64 offset)
{
    return offset >= app->first && offset <= app->behind;
}

/*
 * The descriptor stands at another offset than where it was left: the bytes between were written.
 * Of a write past the end of the chunk, the part before the end counts.
 */
static void note_offset(struct scion_app_file *app, sion_int64 offset)
{
    if (is_inside(app, offset))
        app->end = offset;
    else if (offset > app->behind && is_inside(app, app->offset))
        app->end = app->behind;
    app->offset = offset;
    forget_room(app);
}

/* Ask the descriptor, which the application also has. */
static int ask_descriptor(struct scion_app_file *app)
{
    sion_int64 offset;
    int rc = scion_file_tell(app->file, &offset);

    if (rc == 0 && offset != app->offset)
        note_offset(app, offset);
    return rc;
}

static int move_descriptor(struct scion_app_file *app, sion_int64 offset)
{
    int rc = scion_file_seek(app->file, offset);

    forget_room(app);
    if (rc == 0)
        app->offset = offset;
    return rc;
}

/* ---- the callbacks of a FILE* of ours ---- */

/* A file's guard does not read other tasks' data for what stdio reads ahead. */
static size_t limit_ahead(const struct scion_app_file *app, size_t bytes)
{
    sion_int64 left = app->behind - app->offset;

    return scion_file_is_watched(app->file) && left > 0 && left < (sion_int64)bytes ? (size_t)left
                                                                                    : bytes;
}

static ssize_t read_some(void *data, char *to, size_t bytes)
{
    struct scion_app_file *app = data;
    size_t got = 0;
    int rc = app->is_refused
                 ? scion_fail(SION_ERR_DAMAGED, "%s is damaged: nothing is read of this task",
                              scion_file_path(app->file))
                 : ask_descriptor(app);

    if (rc == 0)
        rc = scion_file_read_some(app->file, to, limit_ahead(app, bytes), app->offset, &got);
    if (rc == 0)
        rc = move_descriptor(app, app->offset + (sion_int64)got);
    app->error = rc;
    if (rc != 0)
        errno = EIO;
    return rc != 0 ? -1 : (ssize_t)got;
}

static int fail_lost(const struct scion_app_file *app)
{
    return scion_fail(SION_ERR_SYSTEM, "bytes written through the FILE* of %s were lost",
                      scion_file_path(app->file));
}

/* Nothing is written after a gap: the stream has to end with its last good byte. */
static void lose(struct scion_app_file *app)
{
    app->lost = 1;
    app->quick = NULL;
    forget_room(app);
}

/* Write the part that is inside the bounds; returns how much of it was written. */
static int write_inside(struct scion_app_file *app, const char *from, size_t bytes, size_t *done)
{
    int rc = scion_file_write(app->file, from, bytes, app->offset, done);
    int moved;

    if (*done == 0)
        return rc;
    moved = move_descriptor(app, app->offset + (sion_int64)*done);
    if (moved == 0)
        app->end = app->offset;
    else
        *done = 0;
    return scion_first_failure(rc, moved);
}

/*
 * Bytes that do not fit are refused, those before them are written: they may be earlier records
 * that waited in the same buffer.
 */
static ssize_t write_some(void *data, const char *from, size_t bytes)
{
    struct scion_app_file *app = data;
    size_t fits = bytes, done = 0;

    app->error = app->lost ? fail_lost(app) : ask_descriptor(app);
    if (app->error == 0) {
        sion_int64 room = is_inside(app, app->offset) ? app->behind - app->offset : 0;

        fits = (sion_int64)bytes <= room ? bytes : (size_t)room;
        app->error = write_inside(app, from, fits, &done);
    }
    if (app->error == 0 && fits < bytes)
        app->error = scion_fail(SION_ERR_NO_SPACE,
                                "write through the FILE* of %s goes beyond the task's chunk",
                                scion_file_path(app->file));
    if (app->error != 0) {
        errno = fits < bytes ? EFBIG : ENOSPC;
        lose(app);
    }
    return app->error == 0 ? (ssize_t)done : scion_stdio_refusal(done);
}

static int seek_to(void *data, off64_t *position, int whence)
{
    struct scion_app_file *app = data;
    sion_int64 base = 0, target;

    if (whence == SEEK_CUR && ask_descriptor(app) != 0)
        return -1;
    if (whence == SEEK_CUR)
        base = app->offset;
    else if (whence == SEEK_END && scion_file_size(app->file, &base) != 0)
        return -1;
    if (scion_add(base, *position, &target) || target < 0 ||
        (target != app->offset && move_descriptor(app, target) != 0))
        return -1;
    *position = target;
    return 0;
}

/* The application's fclose, or our own. */
static int end_stream(void *data)
{
    struct scion_app_file *app = data;
    sion_int64 offset;

    /* The position without the bytes that stdio has read ahead. */
    if (scion_app_file_tell(app, &offset) == 0)
        app->offset = offset;
    app->stream = app->quick = NULL;
    app->next = &no_buffer;
    forget_room(app);
    scion_file_take_back(app->file, app->fd);
    return 0;
}

/* ---- making one ---- */

static struct scion_app_file *make(struct scion_file *file, int writing)
{
    struct scion_app_file *app = calloc(1, sizeof *app);

    if (!app) {
        scion_fail_memory("FILE");
        return NULL;
    }
    app->file = file;
    app->writing = writing;
    app->fd = -1;
    app->next = &no_buffer;
    return app;
}

static int open_stream(struct scion_app_file *app)
{
    const cookie_io_functions_t functions = {read_some, write_some, seek_to, end_stream};
    int rc = scion_file_lend(app->file, &app->fd);

    if (rc != 0)
        return rc;
    app->stream = app->quick = fopencookie(app, app->writing ? "w" : "r", functions);
    if (!app->stream) {
        scion_file_take_back(app->file, app->fd);
        return scion_fail_memory("FILE");
    }
    scion_stdio_set_descriptor(app->stream, app->fd);
    return 0;
}

int scion_app_file_open(struct scion_file *file, int writing, size_t buffer_size,
                        struct scion_app_file **app)
{
    struct scion_app_file *new = make(file, writing);
    int rc = new ? open_stream(new) : SION_ERR_MEMORY;
    sion_int64 nowhere;

    if (rc != 0) {
        free(new);
        return rc;
    }
    rc = scion_app_file_set_buffer(new, buffer_size);
    if (rc != 0)
        scion_app_file_close(new, &nowhere);
    else
        *app = new;
    return rc;
}

int scion_app_file_adopt(FILE *stream, struct scion_file *file, int writing,
                         struct scion_app_file **app)
{
    struct scion_app_file *new = make(file, writing);
    int rc;

    if (!new)
        return SION_ERR_MEMORY;
    new->stream = stream;
    new->is_adopted = 1;
    new->fd = fileno(stream);
    rc = scion_app_file_tell(new, &new->offset);
    new->moved = 0;
    if (rc != 0)
        free(new);
    else
        *app = new;
    return rc;
}

int scion_app_file_retarget(struct scion_app_file *app, struct scion_file *file)
{
    int rc = app->stream ? scion_app_file_seek(app, app->offset) : 0; /* nothing read ahead */

    if (rc == 0 && app->stream)
        rc = scion_file_lend(file, &app->fd);
    if (rc == 0)
        app->file = file;
    return rc;
}

enum { LEAST_BUFFER = 64 }; /* not every C library accepts smaller ones */

/*
 * Bytes that were read ahead are dropped first: C libraries differ in what a new buffer does to
 * them.
 */
int scion_app_file_set_buffer(struct scion_app_file *app, size_t buffer_size)
{
    size_t size = buffer_size < LEAST_BUFFER ? LEAST_BUFFER : buffer_size;
    char *buffer;

    if (app->is_adopted || !app->stream)
        return 0;
    buffer = malloc(size);
    if (!buffer)
        return scion_fail_memory("buffer of a FILE");
    if (fflush(app->stream) != 0 || setvbuf(app->stream, buffer, _IOFBF, size) != 0) {
        free(buffer);
        return scion_fail(SION_ERR_SYSTEM, "cannot set the buffer of a FILE");
    }
    free(app->buffer);
    app->buffer = buffer;
    app->buffer_size = buffer_size;
    return 0;
}

void scion_app_file_forget(struct scion_app_file *app)
{
    if (app->stream && !app->is_adopted)
        __fpurge(app->stream);
}

/* ---- where it stands ---- */

/* stdio may remember an offset that the application has left by way of the descriptor. */
static int tell_adopted(struct scion_app_file *app, sion_int64 *offset)
{
    off_t there = ftello(app->stream);

    if (there >= 0 && app->fd >= 0 && scion_stdio_is_empty(app->stream)) {
        off_t now = lseek(app->fd, 0, SEEK_CUR);

        if (now >= 0 && now != there && fseeko(app->stream, now, SEEK_SET) == 0)
            there = now;
    }
    if (there < 0)
        return scion_fail_errno(errno, "cannot get the position in the second FILE* for %s",
                                scion_file_path(app->file));
    if (there != app->offset) {
        app->moved = 1;
        note_offset(app, there);
    }
    *offset = there;
    return 0;
}

int scion_app_file_tell(struct scion_app_file *app, sion_int64 *offset)
{
    sion_int64 held;
    int rc;

    *offset = app->offset;
    if (!app->stream)
        return 0;
    if (app->is_adopted)
        return tell_adopted(app, offset);
    held = scion_stdio_held(app->stream);
    if (held == 0 && !scion_stdio_is_empty(app->stream)) {
        *offset = ftello(app->stream);
        return *offset >= 0 ? 0
                            : scion_fail_errno(errno, "cannot get the position in the FILE* of %s",
                                               scion_file_path(app->file));
    }
    rc = held == 0 ? ask_descriptor(app) : 0;
    *offset = app->offset + held;
    note_room(app, held);
    return rc;
}

void scion_app_file_set_bounds(struct scion_app_file *app, sion_int64 first, sion_int64 behind,
                               sion_int64 end)
{
    app->first = first;
    app->behind = behind;
    app->end = end;
    forget_room(app);
}

/* A callback that failed has left its reason in the error record. */
static int transfer_failed(struct scion_app_file *app, const char *what)
{
    int error = app->error, errnum = errno;

    app->error = 0;
    if (app->stream)
        clearerr(app->stream);
    if (error != 0)
        return error;
    if (app->is_adopted)
        return scion_fail_errno(errnum, "cannot %s through the second FILE* for %s", what,
                                scion_file_path(app->file));
    return scion_fail(SION_ERR_SYSTEM, "cannot %s through the FILE* of %s", what,
                      scion_file_path(app->file));
}

/*
 * If the buffer is empty, moving the descriptor is enough; fseeko() would fill the buffer. But only
 * fseeko() drops characters that were pushed back.
 */
int scion_app_file_seek(struct scion_app_file *app, sion_int64 offset)
{
    int by_stdio = app->is_adopted ||
                   (scion_stdio_held(app->stream) == 0 && !scion_stdio_is_empty(app->stream));

    if (by_stdio && fseeko(app->stream, (off_t)offset, SEEK_SET) != 0)
        return transfer_failed(app, "go on");
    if (fflush(app->stream) != 0)
        return transfer_failed(app, "go on");
    if (app->is_adopted) {
        app->moved = 1;
        app->offset = offset;
        return 0;
    }
    clearerr(app->stream);
    return move_descriptor(app, offset);
}

/* ---- transfers ---- */

int scion_app_file_read(struct scion_app_file *app, void *to, size_t bytes)
{
    /* The function, not the macro of the same name. */
    if ((fread_unlocked)(to, 1, bytes, app->stream) == bytes)
        return 0;
    if (feof(app->stream)) {
        clearerr(app->stream);
        return scion_fail(SION_ERR_DAMAGED, "%s is cut off", scion_file_path(app->file));
    }
    return transfer_failed(app, "read");
}

/* Large records need no copy in the buffer. */
static int write_through(struct scion_app_file *app, const void *from, size_t bytes)
{
    int rc = scion_app_file_flush(app);

    if (rc == 0 && (size_t)write_some(app, from, bytes) != bytes)
        rc = transfer_failed(app, "write");
    return rc;
}

int scion_app_file_write(struct scion_app_file *app, const void *from, size_t bytes)
{
    if (app->lost)
        return fail_lost(app);
    if (!app->is_adopted && bytes >= app->buffer_size)
        return write_through(app, from, bytes);
    /* A sid, and so its FILE*, is used by one thread at a time. */
    if (fwrite_unlocked(from, 1, bytes, app->stream) == bytes)
        return 0;
    lose(app);
    return transfer_failed(app, "write");
}

int scion_app_file_flush(struct scion_app_file *app)
{
    /* Not every C library reports that a callback has written less. */
    if (!app->stream || (fflush(app->stream) == 0 && app->error == 0))
        return 0;
    lose(app);
    return transfer_failed(app, "write");
}

/* ---- the end ---- */

/*
 * Where the FILE* stood. A position outside of the task's chunk does not count: the data then end
 * with the last bytes written inside it.
 */
static int final_offset(const struct scion_app_file *app, sion_int64 *offset)
{
    *offset = scion_app_file_counts(app) ? app->offset : -1;
    if (!app->writing || is_inside(app, app->offset) || *offset < 0)
        return 0;
    *offset = app->end;
    return scion_fail(SION_ERR_NO_SPACE,
                      "the FILE* of %s was left at offset %lld, outside of the task's chunk",
                      scion_file_path(app->file), app->offset);
}

static int finish(struct scion_app_file *app, int rc, sion_int64 *offset)
{
    int outside;

    if (rc == 0 && app->lost)
        rc = fail_lost(app);
    outside = final_offset(app, offset);
    free(app->buffer);
    free(app);
    return scion_first_failure(rc, outside);
}

/* An adopted FILE* has a position only as long as it is open. */
int scion_app_file_close(struct scion_app_file *app, sion_int64 *offset)
{
    sion_int64 there;
    int rc = app->is_adopted && app->writing ? scion_app_file_flush(app) : 0;

    if (app->is_adopted) {
        int told = scion_app_file_tell(app, &there);

        rc = scion_first_failure(rc, told);
    }
    if (app->stream && fclose(app->stream) != 0 && rc == 0)
        rc = transfer_failed(app, "write");
    return finish(app, rc, offset);
}

int scion_app_file_release(struct scion_app_file *app, sion_int64 *offset)
{
    sion_int64 there;
    int rc = app->writing ? scion_app_file_flush(app) : 0, told = scion_app_file_tell(app, &there);

    return finish(app, scion_first_failure(rc, told), offset);
}
