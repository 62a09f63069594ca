/*
 * A FILE* for the application, over one of our files.
 *
 * The application may use it like any FILE*, and even close it: the library notices, and the
 * position survives. The FILE* has its own position and its own buffer; it writes only inside
 * the bounds that are set, so that one task can never run into the next one's chunk.
 */
#ifndef SCION_VFS_COOKIE_H
#define SCION_VFS_COOKIE_H

#include <stdio.h>

#include "vfs/vfs.h"

struct scion_cookie;

/* file must outlive the cookie. buffer_size: bytes of the FILE*'s buffer. */
int scion_cookie_open(struct scion_file *file, int writing, size_t buffer_size,
                      struct scion_cookie **cookie);

/* The FILE*, or NULL if the application has closed it. */
FILE *scion_cookie_stream(const struct scion_cookie *cookie);

/* Work on another file from now on; a seek must follow. */
void scion_cookie_retarget(struct scion_cookie *cookie, struct scion_file *file);

/* Offset in the file of the next byte; works for a closed FILE* too. No system call. */
int scion_cookie_tell(struct scion_cookie *cookie, sion_int64 *offset);

/*
 * Writing: 1 and the present offset if the next `bytes` bytes lie inside the bounds; 0 if not, or
 * if something is to be looked at: the FILE* is closed, or bytes were lost.
 */
int scion_cookie_has_room(const struct scion_cookie *cookie, size_t bytes, sion_int64 *offset);

/* Go to offset and allow writing in first <= offset < behind. */
int scion_cookie_seek(struct scion_cookie *cookie, sion_int64 offset, sion_int64 first,
                      sion_int64 behind);

int scion_cookie_read(struct scion_cookie *cookie, void *to, size_t bytes);
int scion_cookie_write(struct scion_cookie *cookie, const void *from, size_t bytes);
int scion_cookie_flush(struct scion_cookie *cookie);

/* Use a buffer of this size from now on. */
int scion_cookie_set_buffer(struct scion_cookie *cookie, size_t buffer_size);

/*
 * Close the FILE* if the application has not, and free. *offset: where it stood; if not all could
 * be written, which is an error, the end of what was.
 */
int scion_cookie_close(struct scion_cookie *cookie, sion_int64 *offset);

#endif
