/* The debug trace, for programs. */
#include "api/public.h"

#include <stdarg.h>

#include "api/handle.h"
#include "base/trace.h"

static void apply(void *container)
{
    scion_container_choose_records(container);
}

/* Apply the new mask to open containers. */
static void apply_to_all(void)
{
    scion_handle_visit(SCION_HANDLE_CONTAINER, apply);
}

void sion_debug_on(int mask, const char *filename)
{
    scion_trace_start(mask, filename);
    apply_to_all();
}

void sion_debug_off(void)
{
    scion_trace_stop();
    apply_to_all();
}

void _sion_debug_init(void)
{
    scion_trace_init();
    apply_to_all();
}

int sion_isdebug(void)
{
    return scion_tracing(~0);
}

int sion_dprintf(int mask, const char *fmt, ...)
{
    va_list args;
    int bytes;

    if (!scion_tracing(mask))
        return 0;
    va_start(args, fmt);
    bytes = scion_trace_write(mask, NULL, -1, fmt, args);
    va_end(args);
    return bytes;
}

int sion_dprintfp(int mask, const char *func, int rank, const char *fmt, ...)
{
    va_list args;
    int bytes;

    if (!scion_tracing(mask))
        return 0;
    va_start(args, fmt);
    bytes = scion_trace_write(mask, func, rank, fmt, args);
    va_end(args);
    return bytes;
}

void sion_print_time_stamp(int rank, char *desc)
{
    sion_dprintfp(SION_DEBUG_TIMING, __func__, rank, "%.6f %s", scion_trace_time(),
                  desc ? desc : "");
}

FILE *sion_get_dfile(void)
{
    return scion_trace_file();
}

void sion_dclose(void)
{
    scion_trace_close();
}

double _sion_get_time(void)
{
    return scion_trace_time();
}

void _sion_debug_set_query_thread_num_function(int (*query)(void))
{
    scion_trace_set_thread_query(query);
}
