/* sionmerge: put the files of a program that wrote one for each task into a container. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sion_common.h"

#include "base/byteorder.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "lib/builder.h"
#include "lib/names.h"
#include "vfs/path.h"
#include "lib/progress.h"
#include "lib/share.h"
#include "lib/tool.h"

enum {
    PIECE = 1 << 20,
    /* Smaller holes are written as zeros, because another write would cost more. */
    HOLE_LEAST = 1 << 16
};

struct settings {
    int verbose;
    int fsblksize;    /* 0: the file system's */
    const char *list; /* NULL: the names are operands */
    const char *outfile;
};

static void print_usage(FILE *to, const char *argv0)
{
    fprintf(to,
            "Usage: %s options <outfn> <file> ...\n\n"
            "Creates a new SIONlib file <outfn> with one task for each <file>, in the\n"
            "order of the command line, and one chunk for each task: the inverse of\n"
            "sionsplit.\n\n"
            "Example: %s data.sion data/file_*\n\n"
            "Options:\n"
            "  [-T <listfile>]    read names of files from <listfile>, one per line\n"
            "                     (- is standard input)\n"
            "  [-Q <fsblksize>]   filesystem blocksize for new sion file in MB\n"
            "                     (default from file system)\n"
            "  [-q <fsblksize>]   filesystem blocksize for new sion file in bytes\n"
            "  [-v]               verbose mode\n"
            "  [-V]               show version of SIONlib\n"
            "  [-h]               show this help\n",
            argv0, argv0);
}

static int set(int letter, const char *value, void *into)
{
    struct settings *settings = into;

    switch (letter) {
    case 'T':
        settings->list = value;
        break;
    case 'q':
        return builder_fsblksize(letter, value, 1, &settings->fsblksize);
    case 'Q':
        return builder_fsblksize(letter, value, MEGABYTE, &settings->fsblksize);
    default:
        settings->verbose = 1;
    }
    return TOOL_RUN;
}

/* What is merged: task t is the tth file. */
struct work {
    const struct settings *settings;
    const struct names *names;
    sion_int64 total;   /* bytes */
    mode_t permissions; /* that all files have */
    char *buffer;
    struct progress progress;
    struct builder builder;
};

static int cannot_read(const char *name, int errnum)
{
    tool_error("cannot read %s: %s", name, strerror(errnum));
    return TOOL_FAILED;
}

/* ---- sizes, before anything is created ---- */

static int look_at(struct work *work, const char *name, sion_int64 *size)
{
    struct stat file;
    int errnum = scion_path_status(name, &file);

    if (errnum != 0)
        return cannot_read(name, errnum);
    if (!S_ISREG(file.st_mode)) {
        tool_error("cannot read %s: not a regular file", name);
        return TOOL_FAILED;
    }
    if (scion_path_is(work->settings->outfile, &file)) {
        tool_error("outfile %s is one of the files to be merged, aborting ...", name);
        return TOOL_FAILED;
    }
    *size = file.st_size;
    work->permissions &= file.st_mode;
    if (scion_add(work->total, *size, &work->total)) {
        tool_error("the files have more bytes than a container can hold");
        return TOOL_FAILED;
    }
    return TOOL_RUN;
}

static int look_at_all(struct work *work, sion_int64 *sizes)
{
    int n, status = TOOL_RUN;

    for (n = 0; n < work->names->count && status == TOOL_RUN; n++)
        status = look_at(work, work->names->name[n], &sizes[n]);
    return status;
}

/* The list of names is an input, too. */
static int check_list(const struct settings *settings)
{
    struct stat file;

    if (!settings->list || strcmp(settings->list, "-") == 0 ||
        scion_path_status(settings->list, &file) != 0 || !scion_path_is(settings->outfile, &file))
        return TOOL_RUN;
    tool_error("outfile %s is the list of names, aborting ...", settings->outfile);
    return TOOL_FAILED;
}

static int create(struct work *work)
{
    int ntasks = work->names->count, n, status = TOOL_FAILED;
    sion_int64 *globalranks = scion_array((size_t)ntasks, sizeof *globalranks);
    struct builder_plan plan = {.name = work->settings->outfile,
                                .ntasks = ntasks,
                                .fsblksize = work->settings->fsblksize,
                                .keyval = SION_KEYVAL_NONE,
                                .big_endian = scion_host_is_big(),
                                .used = scion_array((size_t)ntasks, sizeof *plan.used),
                                .globalranks = globalranks};

    if (globalranks && plan.used)
        status = look_at_all(work, plan.used);
    else
        tool_error("out of memory for %d files", ntasks);
    if (status == TOOL_RUN) {
        for (n = 0; n < ntasks; n++)
            globalranks[n] = n;
        plan.permissions = work->permissions;
        status = builder_create(&work->builder, &plan);
    } else {
        free(plan.used);
    }
    free(globalranks);
    return status;
}

/* ---- the copy ---- */

static int refused(void)
{
    tool_error("%s", scion_error_text());
    return TOOL_FAILED;
}

static int has_changed(const char *name)
{
    tool_error("%s has changed its size while it was read, aborting ...", name);
    return TOOL_FAILED;
}

/* Copy the next *bytes bytes, all data or all hole; sets *bytes. */
static int copy_run(struct work *work, int task, struct scion_file *file, sion_int64 pos,
                    sion_int64 *bytes)
{
    int is_hole;
    size_t got;

    *bytes = scion_file_run(file, pos, work->builder.used[task] - pos, &is_hole);
    if (is_hole && *bytes >= HOLE_LEAST)
        return TOOL_RUN;
    if (*bytes > PIECE)
        *bytes = PIECE;
    if (scion_file_read_some(file, work->buffer, (size_t)*bytes, pos, &got) != 0)
        return refused();
    return (sion_int64)got == *bytes ? builder_write(&work->builder, task, pos, work->buffer, got)
                                     : has_changed(work->names->name[task]);
}

static int copy_bytes(struct work *work, int task, struct scion_file *file)
{
    sion_int64 size = work->builder.used[task], pos, bytes, now;

    for (pos = 0; pos < size; pos += bytes) {
        int status = copy_run(work, task, file, pos, &bytes);

        if (status != TOOL_RUN)
            return status;
        progress_step(&work->progress, bytes);
    }
    if (scion_file_size(file, &now) != 0)
        return refused();
    return now == size ? TOOL_RUN : has_changed(work->names->name[task]);
}

static int copy_file(struct work *work, int task)
{
    const char *name = work->names->name[task];
    struct scion_file *file;
    int status, rc = scion_file_open(name, SCION_OPEN_READ, 0, &file);

    progress_step(&work->progress, 0);
    if (rc != 0)
        return refused();
    if (work->settings->verbose) {
        progress_clear(&work->progress);
        printf("sionmerge: task %5d: %12lld bytes of %s\n", task, work->builder.used[task], name);
    }
    status = copy_bytes(work, task, file);
    scion_file_close(file);
    return status;
}

static int copy_all(struct work *work)
{
    int task, status = TOOL_RUN;

    work->buffer = malloc(PIECE);
    if (!work->buffer) {
        tool_error("out of memory");
        return TOOL_FAILED;
    }
    progress_start(&work->progress, work->total, 0);
    for (task = 0; task < work->names->count && status == TOOL_RUN; task++)
        status = copy_file(work, task);
    progress_end(&work->progress);
    free(work->buffer);
    return status;
}

static int merge(const struct settings *settings, const struct names *names)
{
    struct work work = {.settings = settings, .names = names, .permissions = 0777};
    int status;

    if (names->count == 0) {
        tool_error("there are no files to be merged");
        return TOOL_USAGE;
    }
    status = check_list(settings);
    if (status == TOOL_RUN)
        status = create(&work);
    return status == TOOL_RUN ? builder_end(&work.builder, copy_all(&work)) : status;
}

static const struct option options[] = {{"files-from", required_argument, NULL, 'T'},
                                        {"block-size-mb", required_argument, NULL, 'Q'},
                                        {"block-size", required_argument, NULL, 'q'},
                                        {"verbose", no_argument, NULL, 'v'},
                                        TOOL_PROGRESS_OPTION,
                                        TOOL_ALONE_OPTION,
                                        TOOL_COMMON_OPTIONS};

static const struct tool tool = {.name = "sionmerge",
                                 .print_usage = print_usage,
                                 .letters = "T:Q:q:v" TOOL_COMMON_LETTERS,
                                 .options = options,
                                 .more_help = TOOL_ALONE_HELP TOOL_PROGRESS_HELP,
                                 .operands = 1,
                                 .more_operands = 1,
                                 .set = set};

int main(int argc, char **argv)
{
    struct settings settings = {0};
    struct names names = {0};
    int status = tool_parse(&tool, argc, argv, &settings);

    /* Either operands or a list. */
    if (status == TOOL_RUN && (settings.list != NULL) == (argc - optind > 1)) {
        tool_error(
            "the files to be merged are either operands or in a list (-T): see sionmerge --help");
        status = TOOL_USAGE;
    }
    if (status == TOOL_RUN && !share_is_mine())
        status = TOOL_DONE;
    if (status == TOOL_RUN) {
        settings.outfile = argv[optind];
        status = settings.list ? names_read(&names, settings.list)
                               : names_take(&names, argv + optind + 1, argc - optind - 1);
    }
    if (status == TOOL_RUN)
        status = merge(&settings, &names);
    names_free(&names);
    return tool_finish(status == TOOL_RUN ? TOOL_DONE : status);
}
