/*
 * The byte stream of one task inside a physical file: write, read, seek, and where it stands.
 *
 * A stream is a cursor on one task at a time; a container that serves many tasks moves it from one
 * to the other (scion_stream_leave, scion_stream_enter). The file and the chunk lengths belong to
 * the owner of the stream.
 *
 * While the application holds the FILE* or the descriptor (scion_stream_export), the position and
 * the buffer are those of the FILE* or descriptor, and the stream asks for them where it must know.
 */
#ifndef SCION_STREAM_STREAM_H
#define SCION_STREAM_STREAM_H

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "format/damage.h"
#include "geometry/layout.h"
#include "stream/commit.h"
#include "stream/hold.h"
#include "stream/lengths.h"
#include "stream/zip.h"
#include "vfs/app_file.h"
#include "vfs/vfs.h"

enum scion_export { SCION_EXPORT_NONE, SCION_EXPORT_STREAM, SCION_EXPORT_DESCRIPTOR };

/*
 * Sees the bytes that the stream has given to the system, in runs: `offset` is where a run begins
 * in the task's stream. Each run begins where the last one ended, unless a record was taken back
 * after an error, or the stream started again at 0.
 */
struct scion_tap {
    void (*run)(void *user, sion_int64 offset, const void *bytes, size_t size);

    /* From now on the FILE* or the descriptor is in the application's hands, and what is written
     * through it is not seen. */
    void (*blind)(void *user);

    /* The runs that follow are those of another task of the process. */
    void (*task)(void *user, int index);
    void *user;
};

struct scion_stream {
    /*
     * The window of the fast path: room that is free both in the buffer and in the chunk, or in the
     * frame of a stream that compresses (writing); or buffered bytes of the chunk (reading). The
     * window is empty whenever a call has to take the slow path. Records of at most limit - cursor
     * bytes are one compare and one copy.
     */
    struct scion_span window;
    int writing;
    int fill_chunks; /* a key-value stream: what is written is split, every chunk is filled */

    struct scion_file *file;
    struct scion_place place;
    struct scion_lengths *lengths;

    sion_int64 chunk;  /* present chunk */
    sion_int64 before; /* bytes in the chunks before it */
    sion_int64 base; /* offset in the chunk of buffer[0]; of the position if nothing is buffered */
    sion_int64 origin; /* offset in the file of the present chunk */

    char *buffer;       /* made at the first small record */
    size_t buffer_size; /* 0: unbuffered */
    size_t unit;        /* transfers have good ends at its multiples in the file; 0: not known */
    int is_in_memory;   /* of a file whose unit is known: it is in tmpfs */

    size_t ahead;     /* reading: bytes that the last fill of the buffer asked for */
    sion_int64 ended; /* and where in the file it ended */

    enum scion_export exported;
    int lent; /* descriptor of the application, a duplicate of the file's; -1: none */
    struct scion_app_file *fp;     /* SCION_EXPORT_STREAM: has the position; one of these two: */
    struct scion_app_file *own;    /* made by us at the first export */
    struct scion_app_file *second; /* set by the application, goes before `own` */
    int failed;                    /* bytes that a FILE* has lost: the close has to report them */
    struct scion_tap tap;          /* run NULL: there is none */
    struct scion_commit *commit;   /* of the task, the owner's; NULL: chunks have no trailers */
    const struct scion_damage *damage; /* why the task is not read, the owner's; NULL: it is */
    struct scion_zip *zip;             /* writing: it compresses, the owner's; NULL: it does not */
    int is_zipped; /* the bytes of the file are not those of the stream: none are lent */

    /* Of the calls that change more than the cursor. */
    struct scion_hold hold;
};

/* The application has the FILE* or the descriptor, or gets it now; for the tap. */
static inline void scion_stream_blind_tap(const struct scion_stream *stream)
{
    if (stream->tap.run)
        stream->tap.blind(stream->tap.user);
}

/* The stream goes to another task. */
static inline void scion_stream_turn_tap(const struct scion_stream *stream, int task)
{
    if (stream->tap.run)
        stream->tap.task(stream->tap.user, task);
}

/* Writing: these bytes have been written at offset base of the present chunk; for the tap. */
void scion_stream_show(const struct scion_stream *stream, const void *bytes, size_t size);

/* Where a task's cursor stands when the stream is not on it. */
struct scion_mark {
    sion_int64 chunk, before, pos;
};

/* buffer_size in bytes, 0 for none. Nothing is allocated. */
void scion_stream_init(struct scion_stream *stream, int writing, size_t buffer_size);

/*
 * Go to a task: its file, its place, its lengths, and where its cursor stood. The owner has set
 * `damage` before, if it ever does.
 */
int scion_stream_enter(struct scion_stream *stream, struct scion_file *file,
                       const struct scion_place *place, struct scion_lengths *lengths,
                       const struct scion_mark *mark);

/* Fail if the task is not read because it is damaged. */
int scion_stream_check(const struct scion_stream *stream);

/* Write out what is buffered and tell where the cursor stands. On an error the stream stays. */
int scion_stream_leave(struct scion_stream *stream, struct scion_mark *mark);

/*
 * Write out, take the FILE* back, free. What could not be written is an error, and not counted
 * in the lengths. The second FILE* is closed.
 */
int scion_stream_close(struct scion_stream *stream);

/* The paths for everything that is not in the window; returns 1 done, 0 end of data, or error. */
int scion_stream_write_slow(struct scion_stream *stream, const void *data, size_t bytes);
int scion_stream_read_slow(struct scion_stream *stream, void *data, size_t bytes);

/* Whether a record is in the window: copy it, and that is all. Never one of no bytes. */
static inline int scion_stream_holds(const struct scion_stream *stream, uint64_t bytes)
{
    return bytes - 1 < (size_t)(stream->window.limit - stream->window.cursor);
}

/*
 * Append one record, never split over chunks: if it does not fit into the rest of the chunk it
 * begins the next one. All or nothing. In a stream with fill_chunks set it is split instead. 1, or
 * an error code.
 */
static inline int scion_stream_write(struct scion_stream *stream, const void *data, size_t bytes)
{
    if (scion_stream_holds(stream, bytes)) {
        memcpy(stream->window.cursor, data, bytes);
        stream->window.cursor += bytes;
        return 1;
    }
    return scion_stream_write_slow(stream, data, bytes);
}

/*
 * Read one record, all or nothing, from one chunk; at the end of a chunk from the next one that
 * holds anything. 1, 0 at the end of the stream, or an error code; then nothing has moved.
 */
static inline int scion_stream_read(struct scion_stream *stream, void *data, size_t bytes)
{
    if (scion_stream_holds(stream, bytes)) {
        memcpy(data, stream->window.cursor, bytes);
        stream->window.cursor += bytes;
        return 1;
    }
    return scion_stream_read_slow(stream, data, bytes);
}

/*
 * Bytes without a record around them: writing fills each chunk to its end and goes on in the next,
 * reading goes over any number of chunks to the end of the stream. *done: the bytes that were
 * transferred; fewer than asked for at the end of the stream (reading) and after an error. 0 or an
 * error code.
 */
int scion_stream_write_bytes(struct scion_stream *stream, const void *data, size_t bytes,
                             size_t *done);
int scion_stream_read_bytes(struct scion_stream *stream, void *data, size_t bytes, size_t *done);

/* Reading: go forward, at most to the end of the stream. */
int scion_stream_skip(struct scion_stream *stream, sion_int64 bytes, sion_int64 *skipped);

/* Bytes of the whole stream; when writing, bytes so far. */
int scion_stream_size(struct scion_stream *stream, sion_int64 *bytes);

/* Writing a key-value stream: two pieces one after the other; all or nothing. 1 or an error code.
 */
int scion_stream_write_pair(struct scion_stream *stream, const void *first, size_t first_bytes,
                            const void *second, size_t second_bytes);

/*
 * Reading: bytes of the task's stream from `offset` on, over any number of chunks. They must be
 * there. Afterwards, the position is after them. 0 or an error code.
 */
int scion_stream_read_range(struct scion_stream *stream, sion_int64 offset, void *data,
                            size_t bytes);

/*
 * Writing: whether the next `bytes` bytes (at least one) are known to be free in the present chunk;
 * 0: look closer.
 */
static inline int scion_stream_has_room(const struct scion_stream *stream, sion_int64 bytes)
{
    return stream->fp ? scion_app_file_has_room(stream->fp, bytes)
                      : bytes <= stream->window.limit - stream->window.cursor;
}

/* Reading: whether the next `bytes` bytes are known to be data of it, without a system call. */
static inline int scion_stream_has(const struct scion_stream *stream, sion_int64 bytes)
{
    sion_int64 offset;

    return bytes <= stream->window.limit - stream->window.cursor ||
           (stream->fp && scion_app_file_has(stream->fp, bytes, &offset));
}

/*
 * Writing: make sure that the next `bytes` bytes go into the present chunk. A stream with
 * fill_chunks set refuses where that would leave a chunk partly filled.
 */
int scion_stream_ensure_free_space(struct scion_stream *stream, sion_int64 bytes);

/* Writing: go on in the chunk place.floor, if the present one is before it. */
int scion_stream_leap(struct scion_stream *stream);

/* Reading: 1 at the end of the stream; else 0, and the cursor is before the next byte. */
int scion_stream_at_end(struct scion_stream *stream, int *at_end);

/* Offset in the present chunk; writing, this sets the chunk's length too. */
int scion_stream_pos(struct scion_stream *stream, sion_int64 *pos);

/* Reading: bytes left in the present chunk. */
int scion_stream_available(struct scion_stream *stream, sion_int64 *bytes);

/* Bytes of the task's stream before the cursor: all that was written, or read. */
int scion_stream_total(struct scion_stream *stream, sion_int64 *bytes);

/* Reading: go to offset pos of a chunk, both in range. Writing has no way back. */
int scion_stream_seek(struct scion_stream *stream, sion_int64 chunk, sion_int64 pos);

/* Reading: go to an offset of the stream, in range; `later` as for scion_lengths_find. */
int scion_stream_seek_offset(struct scion_stream *stream, sion_int64 offset, int later);

/*
 * A record that another task writes or reads for this one: reserve finds out where in the file it
 * goes (beginning the next chunk if it must) or is, and pass goes after it. If the other task
 * failed, return goes back to the mark in place of that. What is buffered is written out before.
 * reserve: 1, 0 at the end of the stream (reading), or an error code; then nothing has moved.
 */
int scion_stream_reserve(struct scion_stream *stream, sion_int64 bytes, struct scion_mark *mark,
                         sion_int64 *offset);
int scion_stream_pass(struct scion_stream *stream, sion_int64 bytes);

/*
 * A record that is moved by parts, which are written or read by scion_stream_write or _read: make
 * sure that it fits, or is there. After a failure of a part, return to the mark. 1, 0 at the end of
 * the stream (reading), or an error code; then nothing has moved. The caller takes the hold.
 */
int scion_stream_begin_pieces(struct scion_stream *stream, size_t bytes, struct scion_mark *mark);

/* Remember where the stream ends (writing) or stands (reading), and go back there after a
   failure. */
int scion_stream_mark(struct scion_stream *stream, struct scion_mark *mark);
void scion_stream_return(struct scion_stream *stream, const struct scion_mark *mark);

/* Writing: start again in an emptied container: chunk 0, position 0, at this place. */
int scion_stream_restart(struct scion_stream *stream, const struct scion_place *place);

/* Writing: give what is buffered to the system. */
int scion_stream_flush(struct scion_stream *stream);

/* The same, and then write a commit record, if the chunk has a trailer. */
int scion_stream_commit(struct scion_stream *stream);

/*
 * The same as the commit at the end of the process, with the stream's hold taken. The buffer and
 * the position stay: another thread that is about to add a record goes on with them as they are.
 * A second FILE*, which the application may have closed, is left to stdio unless the chunk has a
 * trailer.
 */
int scion_stream_save(struct scion_stream *stream);

/* In a child of the process that has opened the file: what the FILE* holds is the parent's. */
void scion_stream_forget(struct scion_stream *stream);

/* Hand the FILE* out (the same one each time); made at the first call. */
int scion_stream_export(struct scion_stream *stream, FILE **fp);

/* Close the FILE*, if there is one that the application has not closed; the stream goes on. */
int scion_stream_take_back(struct scion_stream *stream);

/* Hand the descriptor out; it stands at the stream's position from now on. */
int scion_stream_export_descriptor(struct scion_stream *stream, int *fd);

/*
 * Until it is unset, the stream uses this FILE* of the application's own, from its own position,
 * which counts as soon as it has moved. It must stay in this file. When it is unset, it is written
 * out, and the stream goes on where it stood.
 */
int scion_stream_set_second(struct scion_stream *stream, FILE *second);
int scion_stream_unset_second(struct scion_stream *stream);

/* Set the buffer size in bytes; while the FILE* is exported, that of the FILE*. */
int scion_stream_set_buffer(struct scion_stream *stream, size_t buffer_size);

#endif
