#include "options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MIB (1024LL * 1024)

static const struct bench_options defaults = {
    .filename = "partest_parfile.sion",
    .numfiles = 1,
    .chunksize = 20 * MIB,
    .fsblksize = 2 * MIB,
    .bufsize = 10 * MIB,
    .totalsize = -1,
    .localsize = 20 * MIB,
    .read = 1,
    .write = 1,
    .nochecksum = 1,
    .serialized = -1,
    .hint_large_block = -1,
    .hint_io_bufsize = -1,
    .hint_sparse_access = -1,
};

/* Long options that have a letter in the usage stand for it; switches may have a value. */
static const struct option long_options[] = {
    {"filename", required_argument, NULL, 'f'},
    {"numfiles", required_argument, NULL, 'n'},
    {"chunksize", required_argument, NULL, 'r'},
    {"fsblksize", required_argument, NULL, 'q'},
    {"testtype", required_argument, NULL, 'T'},
    {"bufsize", required_argument, NULL, 'b'},
    {"totalsize", required_argument, NULL, 'g'},
    {"localsize", required_argument, NULL, 's'},
    {"factor", required_argument, NULL, 'F'},
    {"read", required_argument, NULL, 'R'},
    {"write", required_argument, NULL, 'W'},
    {"verbose", optional_argument, NULL, 'v'},
    {"nochecksum", optional_argument, NULL, 'C'},
    {"debugtask", optional_argument, NULL, 'd'},
    {"Debugtask", optional_argument, NULL, 'D'},
    {"posix", optional_argument, NULL, 'L'},
    {"collwrite", optional_argument, NULL, 'M'},
    {"collread", optional_argument, NULL, 'm'},
    {"collmsa", optional_argument, NULL, 'c'},
    {"taskoffset", required_argument, NULL, 'Z'},
    {"byteoffset", required_argument, NULL, 'O'},
    {"serialized", required_argument, NULL, 'j'},
    {"unlinkfiles", optional_argument, NULL, 'X'},
    {"bgionode", required_argument, NULL, 'P'},
    {"bgtaskperionode", required_argument, NULL, 'Y'},
    {"bgtasksort", required_argument, NULL, 'p'},
    {"hintlargeblock", optional_argument, NULL, 'w'},
    {"hintiobufsize", required_argument, NULL, 'Q'},
    {"hintsparseacess", optional_argument, NULL, 'x'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};
static const char letters[] = "f:n:r:q:T:b:g:s:F:R:W:vCdDLMmcZ:O:j:X::P:Y:p:wQ:xh";

int bench_size(const char *text, long long *bytes)
{
    static const char powers[] = "kmgt";
    char *unit;
    const char *power;
    long long base = 1024, factor = 1;

    *bytes = strtoll(text, &unit, 10);
    if (unit == text)
        return -1;
    if (*unit == '\0')
        return 0;
    power = strchr(powers, *unit | ' ');
    if (!power)
        return -1;
    unit++;
    if (strcasecmp(unit, "b") == 0)
        base = 1000;
    else if (*unit != '\0' && strcasecmp(unit, "ib") != 0)
        return -1;
    for (; power >= powers; power--)
        factor *= base;
    return __builtin_mul_overflow(*bytes, factor, bytes) ? -1 : 0;
}

static int set_number(const char *text, int *number)
{
    char *end;
    long value = strtol(text, &end, 10);

    *number = (int)value;
    return end == text || *end != '\0' || value != (int)value ? -1 : 0;
}

/* A switch: on, if it has no value. */
static int set_switch(const char *text, int *number)
{
    *number = 1;
    return text ? set_number(text, number) : 0;
}

static int set_factor(const char *text, double *factor)
{
    char *end;

    *factor = strtod(text, &end);
    return end == text || *end != '\0' || !(*factor >= 0 && *factor <= 1) ? -1 : 0;
}

static int set_type(const char *text, int *type)
{
    return set_number(text, type) != 0 || *type < 0 || *type > 3 ? -1 : 0;
}

/* 0; -1: the value is wrong; 1: there is no such option */
static int set(int letter, const char *value, struct bench_options *o)
{
    switch (letter) {
    case 'f':
        o->filename = value;
        return 0;
    case 'n':
        return set_number(value, &o->numfiles);
    case 'r':
        return bench_size(value, &o->chunksize);
    case 'q':
        return bench_size(value, &o->fsblksize);
    case 'T':
        return set_type(value, &o->type);
    case 'b':
        return bench_size(value, &o->bufsize);
    case 'g':
        return bench_size(value, &o->totalsize);
    case 's':
        return bench_size(value, &o->localsize);
    case 'F':
        return set_factor(value, &o->factor);
    case 'R':
        return set_number(value, &o->read);
    case 'W':
        return set_number(value, &o->write);
    case 'v':
        return set_switch(value, &o->verbose);
    case 'C':
        return set_switch(value, &o->nochecksum);
    case 'd':
        return set_switch(value, &o->debug);
    case 'D':
        return set_switch(value, &o->Debug);
    case 'L':
        return set_switch(value, &o->posix);
    case 'M':
        return set_switch(value, &o->collwrite);
    case 'm':
        return set_switch(value, &o->collread);
    case 'c':
        return set_switch(value, &o->collmsa);
    case 'Z':
        return set_number(value, &o->taskoffset);
    case 'O':
        return bench_size(value, &o->byteoffset);
    case 'j':
        return set_number(value, &o->serialized);
    case 'X':
        return set_switch(value, &o->unlink_files);
    case 'P':
        return set_number(value, &o->bgionode);
    case 'Y':
        return set_number(value, &o->bgtaskperionode);
    case 'p':
        return set_number(value, &o->bgtasksort);
    case 'w':
        return set_switch(value, &o->hint_large_block);
    case 'Q':
        return set_number(value, &o->hint_io_bufsize);
    case 'x':
        return set_switch(value, &o->hint_sparse_access);
    default:
        return 1;
    }
}

int bench_parse(int argc, char **argv, FILE *to, struct bench_options *options)
{
    int letter, wrong;

    *options = defaults;
    opterr = to != NULL;
    while ((letter = getopt_long(argc, argv, letters, long_options, NULL)) != -1) {
        if (letter == 'h')
            return BENCH_HELP;
        wrong = set(letter, optarg, options);
        if (wrong < 0 && to)
            fprintf(to, "%s: -%c cannot be %s\n", argv[0], letter, optarg);
        if (wrong > 0 && to)
            fprintf(to, "?? getopt_long returned character code 0%o ??\n", (unsigned)letter);
        if (wrong)
            return BENCH_WRONG;
    }
    if (options->bufsize < 1 || options->localsize < 0 || options->byteoffset < 0) {
        if (to)
            fprintf(to, "%s: sizes of buffers and data must not be negative\n", argv[0]);
        return BENCH_WRONG;
    }
    return BENCH_RUN;
}
