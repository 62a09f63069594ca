/**
 * @file sion_debug.h The debug trace: the library writes a line for each of its steps. It is always
 * compiled in, and off by default.
 *
 * The environment variable SION_DEBUG switches it on at the first call of the library: its value is
 * `stdout`, `stderr`, or the name of a file, to which the library adds the rank as .00000. Lines
 * are appended. SION_DEBUG_MASK is the sum of the bits to trace (default 1). SION_DEBUG_RANK1 (or
 * SION_DEBUG_RANK) and SION_DEBUG_RANK2 restrict the trace to one or two ranks. SION_DEBUG_SILENT=1
 * omits the line that explains the columns. The rank is that of the process in MPI_COMM_WORLD once
 * it has opened a container in parallel, and 0 before.
 *
 * A line has the columns `sion`, seconds since 1970, rank, thread, bit, function, text.
 *
 * The static archives have all functions; the shared library exports those without an underscore.
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
    SION_DEBUG_FUNCTION =
        1, /**< public functions: entry, and the result of those that change something */
    SION_DEBUG_INTERNAL = 2,          /**< internal functions */
    SION_DEBUG_RECORD = 8,            /**< like 1, for functions called for each record */
    SION_DEBUG_RECORD_INTERNAL = 16,  /**< like 2, for functions called for each record */
    SION_DEBUG_INTERNAL_STEP = 32,    /**< steps of internal functions */
    SION_DEBUG_USER_STEP = 64,        /**< steps of the application; never written by the library */
    SION_DEBUG_TIMING = 128,          /**< time stamps */
    SION_DEBUG_INTERNAL_TIMING = 256, /**< time stamps of internal functions; none at present */
    SION_DEBUG_DESCRIPTOR = 512       /**< files opened and closed */
};

/**
 * Switch the trace on.
 *
 * Bits 8 and 16 also apply to containers that are already open.
 *
 * @param mask     sum of the bits to trace; 0: none
 * @param filename `stdout`, `stderr`, or the name of a file, to which nothing is added: processes
 *                 that name the same file append to the same file; NULL: the previous output, or
 *                 stderr if there was none
 * @threads no other thread may be inside the library
 */
void sion_debug_on(int mask, const char *filename);

/**
 * Switch the trace off, and close the trace file.
 *
 * @threads no other thread may be inside the library
 */
void sion_debug_off(void);

/** 1 if anything is traced, else 0. */
int sion_isdebug(void);

/**
 * Write a line of the application if any bit of the mask is traced.
 *
 * @param mask one bit or several
 * @param fmt  as for printf; at most 1023 bytes are written; a newline at the end is not needed
 * @return bytes written; 0 if this is not traced, or the trace file cannot be written
 * @threads any thread at any time
 */
int sion_dprintf(int mask, const char *fmt, ...);

/**
 * Write a line with a function name and a rank; otherwise the same as sion_dprintf.
 *
 * @param mask one bit or several
 * @param func name of the function; NULL for none
 * @param rank rank that the line is about; negative for this process
 * @param fmt  as for sion_dprintf
 * @return as sion_dprintf
 * @threads any thread at any time
 */
int sion_dprintfp(int mask, const char *func, int rank, const char *fmt, ...);

/**
 * Write a line with the time if bit 128 is traced.
 *
 * @param rank as for sion_dprintfp
 * @param desc text that describes the moment; NULL: only the time is written
 */
void sion_print_time_stamp(int rank, char *desc);

/**
 * The FILE* to which lines are written.
 *
 * @return owned by the library; NULL if nothing is traced, or the trace file cannot be opened
 */
FILE *sion_get_dfile(void);

/** Close the trace file. The next line opens it again and appends to it. */
void sion_dclose(void);

/**
 * Restart the trace with the current values of the environment variables.
 *
 * @threads no other thread may be inside the library
 */
void _sion_debug_init(void);

/** Seconds since 1970. */
double _sion_get_time(void);

/**
 * Set the function that provides the thread numbers of the lines.
 *
 * @param query returns the number of the calling thread; may be called by any thread; NULL: all
 *              numbers are 0
 */
void _sion_debug_set_query_thread_num_function(int (*query)(void));

#ifdef __cplusplus
}
#endif

#endif
