/*
 * The few places that need to know more of a FILE* than the C standard tells. If the C library
 * hides its members (configure: HAVE_FILE__FILENO), functions are used instead.
 */
#ifndef SCION_VFS_STDIO_INSIDE_H
#define SCION_VFS_STDIO_INSIDE_H

#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/types.h>

#include "sion_datatypes.h"

/*
 * Bytes that wait to be written, or minus the bytes that were read ahead: that far the FILE* stands
 * from the end of its last transfer. 0 if it cannot be told: characters were pushed back, or the C
 * library does not say what was read ahead.
 */
static inline sion_int64 scion_stdio_held(const FILE *stream)
{
#ifdef HAVE_FILE__FILENO
    sion_int64 waiting = stream->_IO_write_ptr - stream->_IO_write_base;
    sion_int64 ahead = stream->_IO_read_end - stream->_IO_read_ptr;

    return stream->_IO_save_base ? 0 : waiting - ahead;
#else
    return (sion_int64)__fpending((FILE *)stream);
#endif
}

/*
 * The place in its buffer where a FILE* puts the next byte, and where the bytes begin that wait
 * there (as an address); NULL where the C library hides them.
 */
static inline char *const *scion_stdio_next(FILE *stream, uintptr_t *begin)
{
#ifdef HAVE_FILE__FILENO
    *begin = (uintptr_t)stream->_IO_write_base;
    return &stream->_IO_write_ptr;
#else
    (void)stream;
    *begin = 0;
    return NULL;
#endif
}

/* Whether nothing waits and nothing was read ahead, for certain. */
static inline int scion_stdio_is_empty(FILE *stream)
{
#ifdef HAVE_FILE__FILENO
    return !stream->_IO_save_base && scion_stdio_held(stream) == 0;
#else
    return !__freading(stream) && __fpending(stream) == 0;
#endif
}

/*
 * As getc_unlocked() and putc_unlocked() do it, but for many bytes: from the buffer or into it. 0
 * if they are not all there, or have no room; then nothing has moved.
 */
static inline int scion_stdio_take(FILE *stream, void *to, size_t bytes)
{
#ifdef HAVE_FILE__FILENO
    if (bytes <= (size_t)(stream->_IO_read_end - stream->_IO_read_ptr)) {
        memcpy(to, stream->_IO_read_ptr, bytes);
        stream->_IO_read_ptr += bytes;
        return 1;
    }
#else
    (void)stream, (void)to, (void)bytes;
#endif
    return 0;
}

static inline int scion_stdio_put(FILE *stream, const void *from, size_t bytes)
{
#ifdef HAVE_FILE__FILENO
    if (stream->_IO_write_ptr < stream->_IO_write_end &&
        bytes <= (size_t)(stream->_IO_write_end - stream->_IO_write_ptr)) {
        memcpy(stream->_IO_write_ptr, from, bytes);
        stream->_IO_write_ptr += bytes;
        return 1;
    }
#else
    (void)stream, (void)from, (void)bytes;
#endif
    return 0;
}

/* The value that a callback returns if it has written less than it should, so that stdio
   notices. */
static inline ssize_t scion_stdio_refusal(size_t done)
{
#ifdef __GLIBC__
    return (ssize_t)done;
#else
    (void)done;
    return -1;
#endif
}

/* Make fileno() of a FILE* that has none answer fd; not possible everywhere. */
static inline void scion_stdio_set_descriptor(FILE *stream, int fd)
{
#ifdef HAVE_FILE__FILENO
    stream->_fileno = fd;
#else
    (void)stream;
    (void)fd;
#endif
}

#endif
