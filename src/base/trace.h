/*
 * The debug trace: lines that tell what the library does, to find out why a program misbehaves.
 * Always compiled in, switched by SION_DEBUG or sion_debug_on(); while it is off a traced place
 * costs one load and one branch. Nothing of it is on the fast path of a record: see `records` in
 * file/container.h.
 */
#ifndef SCION_BASE_TRACE_H
#define SCION_BASE_TRACE_H

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

enum {
    SCION_TRACE_FUNCTION = 1,         /* entry and exit of public functions */
    SCION_TRACE_INTERNAL = 2,         /* the same of internal ones */
    SCION_TRACE_RECORD = 8,           /* as 1, for functions called once per record */
    SCION_TRACE_RECORD_INTERNAL = 16, /* as 2, for functions called once per record */
    SCION_TRACE_STEP = 32,            /* steps inside internal functions */
    SCION_TRACE_TIMING = 128,
    SCION_TRACE_DESCRIPTOR = 512,   /* files opened and closed */
    SCION_TRACE_UNDECIDED = 1 << 30 /* the environment has not been looked at */
};

/* Bits that are traced; private to the functions here. */
extern atomic_int scion_trace_mask;

/* The slow path of scion_tracing(): reads the environment at the first call. */
int scion_trace_decide(int bits);

/* Whether any of the bits is traced. */
static inline int scion_tracing(int bits)
{
    return (atomic_load_explicit(&scion_trace_mask, memory_order_relaxed) &
            (bits | SCION_TRACE_UNDECIDED)) != 0 &&
           scion_trace_decide(bits);
}

/* A line of the library's own, tied to this process. */
#define scion_trace(bit, ...)                                                                      \
    do {                                                                                           \
        if (scion_tracing(bit))                                                                    \
            scion_trace_line(bit, __func__, __VA_ARGS__);                                          \
    } while (0)

/* Write a line, whatever the mask. errno stays as it is. */
void scion_trace_line(int bit, const char *function, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * The same with any rank (< 0: this process) and function (NULL: none). Returns the number of bytes
 * written; 0 if the rank is not one of those wanted, or the trace file cannot be written.
 */
int scion_trace_write(int bit, const char *function, int rank, const char *format, va_list args)
    __attribute__((format(printf, 4, 0)));

/* Start again with the settings of the environment. */
void scion_trace_init(void);

/*
 * Trace these bits. name: stdout, stderr, or a file, whose name gets no rank, unlike that of the
 * environment; NULL: the last one given, or else stderr.
 */
void scion_trace_start(int mask, const char *name);

/* Nothing is traced until the next start; the file is closed. */
void scion_trace_stop(void);

/* Close the file; the next line opens it again. */
void scion_trace_close(void);

/* Where lines go at present; NULL if nothing is traced or the file cannot be opened. */
FILE *scion_trace_file(void);

/* Rank of this process among all, once it is known; 0 before. */
void scion_trace_set_rank(int rank);

/* Number of the calling thread for the lines; NULL: 0. */
void scion_trace_set_thread_query(int (*query)(void));

/* Seconds since 1970. */
double scion_trace_time(void);

#endif
