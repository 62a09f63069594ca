#include "settings.h"

#include <string.h>
#include <time.h>

#define PARAMETER "partest parameter:   "

void bench_print_number(const char *who, const char *name, int number)
{
    fprintf(stderr, PARAMETER "%-8s%-24s = %d\n", who, name, number);
}

/* width: of the names of a group of lines */
static void print_bytes(const char *who, const char *name, int width, long long bytes, double unit,
                        const char *unit_name)
{
    fprintf(stderr, PARAMETER "%s %-*s = %15lld bytes %10.3f %s\n", who, width, name, bytes,
            (double)bytes / unit, unit_name);
}

static void print_data(const struct bench_options *o, const char *task, long long total)
{
    const double mib = 1048576;
    const int width = 24, width_with_task = 20 + (int)strlen(task);
    char name[64];

    snprintf(name, sizeof name, "local buffer size / %s", task);
    print_bytes("(-b/-B)", name, width_with_task, o->bufsize, mib, "MB");
    print_bytes("(-g/-G)", "global total data size", width, total, mib * 1024, "GB");
    snprintf(name, sizeof name, "total data size / %s", task);
    print_bytes("(-s/-S)", name, width_with_task, o->localsize, mib, "MB");
    print_bytes("(-r/-R)", "sion chunk size", width, o->chunksize, mib, "MB");
    print_bytes("(-Q)   ", "fs block size", width, o->fsblksize, mib, "MB");
}

void bench_print_settings(const struct bench_options *o, const char *task, const char *type,
                          long long total)
{
    fprintf(stderr, PARAMETER "CHECKSUM not possible, DISABLED!\n\n");
    fprintf(stderr, PARAMETER "%-8s%-24s = %s\n", "(-f)", "datafile", o->filename);
    bench_print_number("(-n)", "number of files", o->numfiles);
    fprintf(stderr, PARAMETER "%-8s%-24s = %13.4f\n", "(-F)", "random factor", o->factor);
    bench_print_number("(-X)", "remove files after test", o->unlink_files);
    print_data(o, task, total);
    fprintf(stderr, PARAMETER "%-8s%-24s = %d (%s)\n", "(-T)", "test type", o->type, type);
    bench_print_number("(-j)", "serialize_blocknum", o->serialized);
    bench_print_number("(-Z)", "read task offset", o->taskoffset);
    fprintf(stderr, PARAMETER "%-8s%-24s = %lld\n", "(-o)", "start offset bytes", o->byteoffset);
    bench_print_number("(-v)", "verbose", o->verbose);
    bench_print_number("(-d)", "debug", o->debug);
    bench_print_number("(-D)", "Debug", o->Debug);
    bench_print_number("(-M)", "collective write", o->collwrite);
    bench_print_number("(-m)", "collective read", o->collread);
}

void bench_print_time(const char *program, const char *what)
{
    char text[64];
    time_t now = time(NULL);

    strftime(text, sizeof text, "%a %b %e %H:%M:%S %Y", localtime(&now));
    fprintf(stderr, "SION parallel file I/O benchmark '%s': %s at %s\n", program, what, text);
}
