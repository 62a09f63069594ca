#include "base/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/env.h"
#include "base/error.h"
#include "base/escape.h"
#include "base/lock.h"
#include "base/numerals.h"

enum { LINE_BYTES = 1024 };

atomic_int scion_trace_mask = SCION_TRACE_UNDECIDED;
static atomic_int process_rank;
static int (*_Atomic thread_query)(void);

/* Changed and used with the lock held. */
static struct {
    char *name;       /* stdout, stderr, or a file name; NULL: not given */
    int is_per_rank;  /* the name is the environment's: the rank is added */
    FILE *file;       /* open, if any line was written */
    int file_rank;    /* process_rank when it was opened */
    int only[2];      /* ranks to trace; both < 0: all */
    int is_announced; /* the first line has been written, or shall not be */
} trace = {.only = {-1, -1}};

static void set_mask(int mask)
{
    atomic_store_explicit(&scion_trace_mask, mask & ~SCION_TRACE_UNDECIDED, memory_order_relaxed);
}

static int get_mask(void)
{
    return atomic_load_explicit(&scion_trace_mask, memory_order_relaxed);
}

double scion_trace_time(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- with the lock held ---- */

static void close_file(void)
{
    if (trace.file && trace.file != stdout && trace.file != stderr)
        fclose(trace.file);
    trace.file = NULL;
}

static void set_name(const char *name)
{
    close_file();
    free(trace.name);
    trace.name = name ? strdup(name) : NULL;
    trace.is_per_rank = 0;
}

static int rank_wanted(const char *name)
{
    long long rank;

    return scion_env_number(name, &rank) && rank >= 0 ? (int)rank : -1;
}

static void read_environment(void)
{
    const char *name = scion_env("DEBUG");
    long long mask = SCION_TRACE_FUNCTION, silent = 0;

    set_name(name && *name ? name : NULL);
    trace.is_per_rank = 1;
    trace.only[0] = rank_wanted("DEBUG_RANK1");
    if (trace.only[0] < 0)
        trace.only[0] = rank_wanted("DEBUG_RANK");
    trace.only[1] = rank_wanted("DEBUG_RANK2");
    trace.is_announced = scion_env_number("DEBUG_SILENT", &silent) && silent != 0;
    scion_env_number("DEBUG_MASK", &mask);
    set_mask(trace.name ? (int)mask : 0);
}

static void need_decision(void)
{
    if (get_mask() & SCION_TRACE_UNDECIDED)
        read_environment();
}

/* Appends, so that processes that have the same rank or name do not overwrite each other. */
static FILE *append_to(const char *path, int more_flags)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | more_flags, 0666);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "a");

    if (fd >= 0 && !file)
        close(fd);
    return file;
}

/* The name is made here, so a link of this name is not followed. */
static FILE *open_ranked(void)
{
    size_t bytes = strlen(trace.name) + 16;
    char *path = malloc(bytes);
    FILE *file = NULL;

    if (path) {
        scion_print_text(path, bytes, "%s.%05d", trace.name, trace.file_rank);
        file = append_to(path, O_NOFOLLOW);
    }
    free(path);
    return file;
}

static FILE *open_named(void)
{
    FILE *file = trace.is_per_rank ? open_ranked() : append_to(trace.name, 0);

    if (!file) {
        scion_warn("cannot write the debug trace to %s, it is switched off", trace.name);
        set_mask(0);
    }
    return file;
}

static FILE *need_file(void)
{
    if (trace.file && trace.file_rank == process_rank)
        return trace.file;
    close_file();
    trace.file_rank = process_rank;
    if (!trace.name || strcmp(trace.name, "stderr") == 0)
        trace.file = stderr;
    else if (strcmp(trace.name, "stdout") == 0)
        trace.file = stdout;
    else
        trace.file = open_named();
    return trace.file;
}

static void announce(void)
{
    if (trace.is_announced)
        return;
    trace.is_announced = 1;
    scion_print(trace.file, "sion trace, mask %d: seconds, rank, thread, bit, function: text\n",
            get_mask());
}

/* One call of stdio for a line: lines of different threads do not mix. */
static int put_line(int bit, const char *function, int rank, int thread, const char *text)
{
    int bytes;

    if (!need_file())
        return 0;
    announce();
    bytes = scion_print(trace.file, "sion %.6f %5d %2d %4d %s%s%s\n", scion_trace_time(), rank, thread,
                    bit, function ? function : "", function ? ": " : "", text);
    return fflush(trace.file) == 0 && bytes > 0 ? bytes : 0;
}

static int is_wanted(int rank)
{
    return (trace.only[0] < 0 && trace.only[1] < 0) || rank == trace.only[0] ||
           rank == trace.only[1];
}

/* ---- without ---- */

int scion_trace_decide(int bits)
{
    if (get_mask() & SCION_TRACE_UNDECIDED) {
        scion_lock();
        need_decision();
        scion_unlock();
    }
    return (get_mask() & bits) != 0;
}

static int write_text(int bit, const char *function, int rank, const char *text)
{
    int (*query)(void) = thread_query;
    int saved = errno, thread = query ? query() : 0, bytes = 0;

    scion_lock();
    if (rank < 0)
        rank = process_rank;
    if (is_wanted(rank))
        bytes = put_line(bit, function, rank, thread, text);
    scion_unlock();
    errno = saved;
    return bytes;
}

int scion_trace_write(int bit, const char *function, int rank, const char *format, va_list args)
{
    char text[LINE_BYTES];
    size_t length;

    scion_print_list(text, sizeof text, format, args);
    length = strlen(text);
    if (length > 0 && text[length - 1] == '\n')
        text[length - 1] = '\0';
    return write_text(bit, function, rank, text);
}

void scion_trace_line(int bit, const char *function, const char *format, ...)
{
    char raw[LINE_BYTES], text[LINE_BYTES];
    va_list args;

    va_start(args, format);
    scion_print_list(raw, sizeof raw, format, args);
    va_end(args);
    write_text(bit, function, -1, scion_escape(raw, text, sizeof text));
}

void scion_trace_init(void)
{
    scion_lock();
    read_environment();
    scion_unlock();
}

void scion_trace_start(int mask, const char *name)
{
    scion_lock();
    need_decision();
    if (name && *name)
        set_name(name);
    set_mask(mask);
    scion_unlock();
}

void scion_trace_stop(void)
{
    scion_lock();
    need_decision();
    set_mask(0);
    close_file();
    scion_unlock();
}

void scion_trace_close(void)
{
    scion_lock();
    close_file();
    scion_unlock();
}

FILE *scion_trace_file(void)
{
    FILE *file;

    scion_lock();
    need_decision();
    file = get_mask() != 0 ? need_file() : NULL;
    scion_unlock();
    return file;
}

void scion_trace_set_rank(int rank)
{
    process_rank = rank;
}

void scion_trace_set_thread_query(int (*query)(void))
{
    thread_query = query;
}
