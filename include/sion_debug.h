/**
 * @file sion_debug.h
 * The debug trace: what the library does, line by line. It is always there, and off.
 *
 * The environment variable SION_DEBUG switches it on at the first call of the library: `stdout`,
 * `stderr`, or the name of a file, to which the rank is added as .00000. Lines are appended.
 * SION_DEBUG_MASK is the sum of the bits wanted (1 if not set); SION_DEBUG_RANK1 (or
 * SION_DEBUG_RANK) and SION_DEBUG_RANK2 name one or two ranks, and all others are silent;
 * SION_DEBUG_SILENT=1 leaves out the line that explains the columns. The rank is that of the
 * process in MPI_COMM_WORLD as soon as it has opened a container in parallel, 0 before.
 *
 * A line: `sion`, seconds since 1970, rank, thread, bit, function, text.
 *
 * The static archives have all functions; the shared library shows those without underscore.
 * All functions are local.
 */
#ifndef SION_DEBUG_H
#define SION_DEBUG_H

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bits of a mask. */
enum sion_debug_bit {
    SION_DEBUG_FUNCTION = 1,         /**< public functions: entry, and result of those that act */
    SION_DEBUG_INTERNAL = 2,         /**< internal functions */
    SION_DEBUG_RECORD = 8,           /**< as 1, for functions that are called for each record */
    SION_DEBUG_RECORD_INTERNAL = 16, /**< as 2, for functions that are called for each record */
    SION_DEBUG_INTERNAL_STEP = 32,   /**< steps of internal functions */
    SION_DEBUG_USER_STEP = 64,       /**< steps of the application, which the library never takes */
    SION_DEBUG_TIMING = 128,         /**< time stamps */
    SION_DEBUG_INTERNAL_TIMING = 256, /**< time stamps of internal functions; none at present */
    SION_DEBUG_DESCRIPTOR = 512       /**< files opened and closed */
};

/**
 * Trace from here on.
 *
 * The functions of bits 8 and 16 are traced for containers that are open, too.
 *
 * @param mask     sum of the bits wanted, 0: none
 * @param filename as SION_DEBUG; NULL: where the trace went before, stderr if nowhere
 * @threads no other thread may be inside the library
 */
void sion_debug_on(int mask, const char *filename);

/**
 * Trace nothing from here on, and close the trace file.
 *
 * @threads no other thread may be inside the library
 */
void sion_debug_off(void);

/** 1 if anything is traced, else 0. */
int sion_isdebug(void);

/**
 * Write a line of the application's, if any bit of the mask is traced.
 *
 * @param mask one bit or several
 * @param fmt  as for printf; at most 1023 bytes are written; a newline at the end is not needed
 * @return bytes written; 0 if this is not traced, or the trace file cannot be written
 * @threads any thread at any time
 */
int sion_dprintf(int mask, const char *fmt, ...);

/**
 * The same, with function and rank.
 *
 * @param mask one bit or several
 * @param func name of the function, NULL: none
 * @param rank rank that the line is about; negative: this process
 * @param fmt  as for sion_dprintf
 * @return as sion_dprintf
 * @threads any thread at any time
 */
int sion_dprintfp(int mask, const char *func, int rank, const char *fmt, ...);

/**
 * Write a line with the time, if bit 128 is traced.
 *
 * @param rank as for sion_dprintfp
 * @param desc what happens now; NULL: nothing but the time
 */
void sion_print_time_stamp(int rank, char *desc);

/**
 * Where lines go.
 *
 * @return owned by the library; NULL if nothing is traced, or the trace file cannot be opened
 */
FILE *sion_get_dfile(void);

/** Close the trace file. The next line opens it again, and is appended. */
void sion_dclose(void);

/**
 * Start anew with what the environment says now.
 *
 * @threads no other thread may be inside the library
 */
void _sion_debug_init(void);

/** Seconds since 1970. */
double _sion_get_time(void);

/**
 * Where the thread numbers of the lines come from.
 *
 * @param query returns that of the thread which calls it; called by any thread; NULL: all are 0
 */
void _sion_debug_set_query_thread_num_function(int (*query)(void));

#ifdef __cplusplus
}
#endif

#endif
