/*
 * The error record of the calling thread.
 *
 * A function of the library that fails calls scion_fail() once, where the reason is known, and its
 * callers pass the code on. Nothing is printed below the API boundary (log.h).
 */
#ifndef SCION_BASE_ERROR_H
#define SCION_BASE_ERROR_H

#include "sion_error.h"

enum { SCION_ERROR_TEXT = 512 };

/* Record code and text for this thread; returns code, so that `return scion_fail(...)` works. */
int scion_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* As scion_fail() with SION_ERR_SYSTEM, and ": " plus the text of errnum at the end. */
int scion_fail_errno(int errnum, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The result of two calls that were both made: that of the first one unless it is 0. */
static inline int scion_first_failure(int rc, int later)
{
    return rc != 0 ? rc : later;
}

/* As scion_fail() with SION_ERR_MEMORY. */
int scion_fail_memory(const char *what);

/* Put "prefix: " before the text of the present record. */
void scion_fail_prefix(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Put `to` in the place of the first `from` in the text of the present record. */
void scion_error_replace(const char *from, const char *to);

/* Set the record, for the functions above. The text must not be the record's own. */
void scion_error_set(int code, const char *text);

/* Code and text of this thread's last failure. */
int scion_error_code(void);
const char *scion_error_text(void);

/*
 * Remember a warning until the API boundary prints it. Warnings are rare (at most a few per
 * physical file); one that cannot be stored for lack of memory is dropped.
 */
void scion_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Oldest pending warning, removed from the record; NULL if none. The caller frees it. */
char *scion_warning_take(void);

#endif
