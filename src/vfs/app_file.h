/*
 * The application's FILE*: one that the library made for it, or one of its own that it has brought.
 *
 * The FILE* has its own position and its own buffer. The stream uses both as long as the
 * application has the FILE*. A FILE* also has a descriptor, which stands at the position when the
 * buffer is empty; bytes that go through the descriptor, or through a duplicate of it, count like
 * those that go through the FILE*. So the descriptor is asked (a system call) if the buffer is
 * empty, and only then.
 *
 * The library's FILE* writes only inside the bounds that are set, and the application may even
 * close it: the library notices, and keeps the position. What goes through a descriptor, or through
 * a FILE* of the application's own, is checked only at the next call of the library.
 */
#ifndef SCION_VFS_APP_FILE_H
#define SCION_VFS_APP_FILE_H

#include <stdio.h>

#include "vfs/stdio_inside.h"
#include "vfs/vfs.h"

struct scion_app_file {
    FILE *stream;      /* NULL: closed by the application */
    FILE *quick;       /* the same if it is ours and nothing has failed, else NULL */
    char *const *next; /* where its buffer takes the next byte, or a NULL */
    sion_int64 full;   /* and where that, an address, stands when the chunk is full; 0: not known */
    struct scion_file *file; /* of the stream; a FILE* of ours works on it */
    int writing, is_adopted;
    int fd;                   /* the descriptor that the application sees; -1: none */
    sion_int64 offset;        /* of the descriptor when it was last asked or moved */
    sion_int64 first, behind; /* the chunk; reading, after its last byte of data */
    sion_int64 end;           /* of the last bytes that were written there */
    int error; /* of the last callback that failed; its text is in the error record */
    int is_refused; /* reading: the task is damaged, so every read fails */
    int lost;  /* bytes were refused, which stdio loses: closing has to fail */
    int moved; /* an adopted one has moved from where it stood when it was adopted */
    char *buffer;
    size_t buffer_size;
};

/* file must outlive it. buffer_size: bytes of the FILE*'s buffer. */
int scion_app_file_open(struct scion_file *file, int writing, size_t buffer_size,
                        struct scion_app_file **app);

/* Over a FILE* of the application's own, at its own position. */
int scion_app_file_adopt(FILE *stream, struct scion_file *file, int writing,
                         struct scion_app_file **app);

/* Work on another file from now on; a seek must follow. Not for an adopted one. */
int scion_app_file_retarget(struct scion_app_file *app, struct scion_file *file);

/*
 * The application may write in first <= offset <= behind, or finds data there. What is written
 * there ends at `end` so far.
 */
void scion_app_file_set_bounds(struct scion_app_file *app, sion_int64 first, sion_int64 behind,
                               sion_int64 end);

/* Go to an offset; nothing is buffered then, and the descriptor stands there, too. */
int scion_app_file_seek(struct scion_app_file *app, sion_int64 offset);

/* Offset in the file of the next byte; works for a closed FILE*, too. */
int scion_app_file_tell(struct scion_app_file *app, sion_int64 *offset);

/*
 * 1 and the present offset if the next `bytes` bytes are inside the bounds, as far as can be said
 * without a system call; 0: not known.
 */
static inline int scion_app_file_has(const struct scion_app_file *app, sion_int64 bytes,
                                     sion_int64 *offset)
{
    sion_int64 held = app->quick ? scion_stdio_held(app->quick) : 0;

    *offset = app->offset + held;
    return held != 0 && *offset >= app->first && bytes <= app->behind - *offset;
}

/*
 * Writing: whether the next `bytes` bytes (at least one) are known to be inside the bounds. It is
 * known from the first bytes that wait in the buffer on, until they are written out.
 */
static inline int scion_app_file_has_room(const struct scion_app_file *app, sion_int64 bytes)
{
    return bytes <= app->full - (sion_int64)(uintptr_t)*app->next;
}

int scion_app_file_read(struct scion_app_file *app, void *to, size_t bytes);
int scion_app_file_write(struct scion_app_file *app, const void *from, size_t bytes);
int scion_app_file_flush(struct scion_app_file *app);

/* In a child of the process that has opened it: drop what it holds, which the parent writes. */
void scion_app_file_forget(struct scion_app_file *app);

/* Use a buffer of this size from now on; an adopted one keeps its own. */
int scion_app_file_set_buffer(struct scion_app_file *app, size_t buffer_size);

/* Whether the position counts for the stream: not if an adopted FILE* has not moved yet. */
static inline int scion_app_file_counts(const struct scion_app_file *app)
{
    return !app->is_adopted || app->moved;
}

/*
 * Close the FILE* if the application has not, and free. *offset: where it stood, negative if that
 * does not count. If not all bytes could be written, which is an error, it is the end of those that
 * were. release does not close the FILE*.
 */
int scion_app_file_close(struct scion_app_file *app, sion_int64 *offset);
int scion_app_file_release(struct scion_app_file *app, sion_int64 *offset);

#endif
