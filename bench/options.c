#include "options.h"

#include <getopt.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MIB (1024LL * 1024)

/* Options with only a long name, which SIONlib does not have. */
enum { COMPARE = 1, METHODS, SIMULATE, SYNC, OUTPUT };

/* Marks an option that was not given. */
#define NOT_GIVEN LLONG_MIN

static const struct bench_options defaults = {
    .filename = "partest_parfile.sion",
    .numfiles = 1,
    .chunksize = 20 * MIB,
    .fsblksize = NOT_GIVEN,
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
    .simulate = 10000,
    .output = "table",
};

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

/* Each function sets a member of struct bench_options from an option's value. It returns 0, or -1
   if the value is wrong. */
typedef int setter(const char *text, void *member);

static int set_text(const char *text, void *member)
{
    *(const char **)member = text;
    return 0;
}

static int set_size(const char *text, void *member)
{
    return bench_size(text, member);
}

static int set_number(const char *text, void *member)
{
    char *end;
    long value = strtol(text, &end, 10);

    *(int *)member = (int)value;
    return end == text || *end != '\0' || value != (int)value ? -1 : 0;
}

/* A switch; without a value, it is on. */
static int set_switch(const char *text, void *member)
{
    *(int *)member = 1;
    return text ? set_number(text, member) : 0;
}

static int set_factor(const char *text, void *member)
{
    char *end;
    double factor = strtod(text, &end);

    *(double *)member = factor;
    return end == text || *end != '\0' || !(factor >= 0 && factor <= 1) ? -1 : 0;
}

/* Number of repeats; without a value, five. */
static int set_repeats(const char *text, void *member)
{
    *(int *)member = 5;
    return text && (set_number(text, member) != 0 || *(int *)member < 1) ? -1 : 0;
}

static int set_tasks(const char *text, void *member)
{
    return set_number(text, member) != 0 || *(int *)member < 0 ? -1 : 0;
}

static int set_output(const char *text, void *member)
{
    *(const char **)member = text;
    return strcmp(text, "table") == 0 || strcmp(text, "csv") == 0 || strcmp(text, "json") == 0 ? 0
                                                                                               : -1;
}

static int set_type(const char *text, void *member)
{
    return set_number(text, member) != 0 || *(int *)member < 0 || *(int *)member > 3 ? -1 : 0;
}

static const struct {
    const char *name;
    char letter;
    setter *set;
    size_t member;
} table[] = {
    {"filename", 'f', set_text, offsetof(struct bench_options, filename)},
    {"numfiles", 'n', set_number, offsetof(struct bench_options, numfiles)},
    {"chunksize", 'r', set_size, offsetof(struct bench_options, chunksize)},
    {"fsblksize", 'q', set_size, offsetof(struct bench_options, fsblksize)},
    {"testtype", 'T', set_type, offsetof(struct bench_options, type)},
    {"bufsize", 'b', set_size, offsetof(struct bench_options, bufsize)},
    {"totalsize", 'g', set_size, offsetof(struct bench_options, totalsize)},
    {"localsize", 's', set_size, offsetof(struct bench_options, localsize)},
    {"factor", 'F', set_factor, offsetof(struct bench_options, factor)},
    {"read", 'R', set_number, offsetof(struct bench_options, read)},
    {"write", 'W', set_number, offsetof(struct bench_options, write)},
    {"verbose", 'v', set_switch, offsetof(struct bench_options, verbose)},
    {"nochecksum", 'C', set_switch, offsetof(struct bench_options, nochecksum)},
    {"debugtask", 'd', set_switch, offsetof(struct bench_options, debug)},
    {"Debugtask", 'D', set_switch, offsetof(struct bench_options, Debug)},
    {"posix", 'L', set_switch, offsetof(struct bench_options, posix)},
    {"collwrite", 'M', set_switch, offsetof(struct bench_options, collwrite)},
    {"collread", 'm', set_switch, offsetof(struct bench_options, collread)},
    {"collmsa", 'c', set_switch, offsetof(struct bench_options, collmsa)},
    {"taskoffset", 'Z', set_number, offsetof(struct bench_options, taskoffset)},
    {"byteoffset", 'O', set_size, offsetof(struct bench_options, byteoffset)},
    {"serialized", 'j', set_number, offsetof(struct bench_options, serialized)},
    {"unlinkfiles", 'X', set_switch, offsetof(struct bench_options, unlink_files)},
    {"bgionode", 'P', set_number, offsetof(struct bench_options, bgionode)},
    {"bgtaskperionode", 'Y', set_number, offsetof(struct bench_options, bgtaskperionode)},
    {"bgtasksort", 'p', set_number, offsetof(struct bench_options, bgtasksort)},
    {"hintlargeblock", 'w', set_switch, offsetof(struct bench_options, hint_large_block)},
    {"hintiobufsize", 'Q', set_number, offsetof(struct bench_options, hint_io_bufsize)},
    {"hintsparseacess", 'x', set_switch, offsetof(struct bench_options, hint_sparse_access)},
    {"compare", COMPARE, set_repeats, offsetof(struct bench_options, repeats)},
    {"methods", METHODS, set_text, offsetof(struct bench_options, methods)},
    {"simulate", SIMULATE, set_tasks, offsetof(struct bench_options, simulate)},
    {"sync", SYNC, set_switch, offsetof(struct bench_options, sync)},
    {"output", OUTPUT, set_output, offsetof(struct bench_options, output)},
};
enum { TABLE = sizeof table / sizeof *table };

/* Make the arguments of getopt_long from the table. */
struct spelling {
    char letters[3 * TABLE + 2];
    struct option names[TABLE + 2];
};

/* Every switch may have a value after its long name, but only X after its letter. */
static void spell(struct spelling *s)
{
    char *letter = s->letters;
    size_t i;

    memset(s, 0, sizeof *s);
    for (i = 0; i < TABLE; i++) {
        int is_switch = table[i].set == set_switch || table[i].set == set_repeats;

        if (table[i].letter > OUTPUT) {
            *letter++ = table[i].letter;
            if (!is_switch || table[i].letter == 'X')
                *letter++ = ':';
            if (table[i].letter == 'X')
                *letter++ = ':';
        }
        s->names[i].name = table[i].name;
        s->names[i].has_arg = is_switch ? optional_argument : required_argument;
        s->names[i].val = table[i].letter;
    }
    *letter = 'h';
    s->names[TABLE].name = "help";
    s->names[TABLE].val = 'h';
}

/* Returns 0; -1 if the value is wrong, and prints a line on `to`; 1 if there is no such option, for
   which getopt_long has printed a line. */
static int set(int letter, const char *value, struct bench_options *o, FILE *to,
               const char *program)
{
    size_t i;

    for (i = 0; i < TABLE && table[i].letter != letter;)
        i++;
    if (i == TABLE)
        return 1;
    if (table[i].set(value, (char *)o + table[i].member) == 0)
        return 0;
    if (to && letter > OUTPUT)
        fprintf(to, "%s: -%c cannot be %s\n", program, letter, value);
    else if (to)
        fprintf(to, "%s: --%s cannot be %s\n", program, table[i].name, value);
    return -1;
}

int bench_parse(int argc, char **argv, FILE *to, struct bench_options *options)
{
    struct spelling s;
    int letter;

    *options = defaults;
    spell(&s);
    optind = 0; /* starts again, in case of an earlier call */
    opterr = to != NULL;
    while ((letter = getopt_long(argc, argv, s.letters, s.names, NULL)) != -1) {
        if (letter == 'h')
            return BENCH_HELP;
        if (set(letter, optarg, options, to, argv[0]) != 0)
            return BENCH_WRONG;
    }
    if (options->fsblksize == NOT_GIVEN)
        options->fsblksize = options->repeats > 0 ? -1 : 2 * MIB;
    if (options->bufsize < 1 || options->localsize < 0 || options->byteoffset < 0) {
        if (to)
            fprintf(to, "%s: sizes of buffers and data must not be negative\n", argv[0]);
        return BENCH_WRONG;
    }
    return BENCH_RUN;
}
