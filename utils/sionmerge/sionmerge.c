/* sionmerge: put the files of a program that wrote one for each task into a container. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sion_common.h"

#include "base/byteorder.h"
#include "base/checked.h"
#include "base/crc.h"
#include "base/error.h"
#include "base/memory.h"
#include "geometry/share.h"
#include "lib/builder.h"
#include "lib/names.h"
#include "lib/progress.h"
#include "lib/share.h"
#include "lib/tool.h"
#include "lib/world.h"
#include "sionmerge/settings.h"
#include "vfs/path.h"

enum {
    PIECE = 1 << 20,
    /* Smaller holes are written as zeros, because another write would cost more. */
    HOLE_LEAST = 1 << 16
};

static const char usage[] =
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
    "  [-n <tasks>]       with --files: number of tasks (default: one for each\n"
    "                     process)\n"
    "  [-v]               verbose mode\n"
    "  [-V]               show version of SIONlib\n"
    "  [-h]               show this help\n";

/* What is merged: task t is the tth file. */
struct work {
    const struct merge_settings *settings;
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
    return TOOL_RUN;
}

static int add_up(struct work *work, const sion_int64 *sizes)
{
    int n;

    for (n = 0; n < work->names->count; n++) {
        if (scion_add(work->total, sizes[n], &work->total)) {
            tool_error("the files have more bytes than a container can hold");
            return TOOL_FAILED;
        }
    }
    return TOOL_RUN;
}

/* Each process looks at some of the files: first[rank] and on. Then all know all sizes. */
static int look_at_mine(struct work *work, sion_int64 *sizes, const int *first)
{
    struct team *team = work->settings->team;
    int n, status = TOOL_RUN;

    for (n = first[team->rank]; n < first[team->rank + 1] && status == TOOL_RUN; n++)
        status = look_at(work, work->names->name[n], &sizes[n]);
    status = team_agree(team, status);
    return status == TOOL_RUN ? team_collect(team, sizes, first) : status;
}

/* Likewise the permissions: words[size], and first[size + 1]. */
static int gather_permissions(struct work *work, sion_int64 *words, int *first)
{
    struct team *team = work->settings->team;
    int r, status;

    scion_share_by_tasks(team->size, team->size, first);
    words[team->rank] = (sion_int64)work->permissions;
    status = team_collect(team, words, first);
    for (r = 0; r < team->size && status == TOOL_RUN; r++)
        work->permissions &= (mode_t)words[r];
    return status;
}

static int look_at_all(struct work *work, sion_int64 *sizes)
{
    struct team *team = work->settings->team;
    int *first = scion_array((size_t)team->size + 1, sizeof *first), status = TOOL_RUN;
    sion_int64 *words = scion_array((size_t)team->size, sizeof *words);

    if (!first || !words || !sizes) {
        tool_error("out of memory for %d files", work->names->count);
        status = TOOL_FAILED;
    }
    status = team_agree(team, status);
    if (status == TOOL_RUN) {
        scion_share_by_tasks(work->names->count, team->size, first);
        status = look_at_mine(work, sizes, first);
    }
    if (status == TOOL_RUN)
        status = gather_permissions(work, words, first);
    if (status == TOOL_RUN)
        status = add_up(work, sizes);
    free(first);
    free(words);
    return status;
}

/* The list of names is an input, too. */
static int check(const struct merge_settings *settings, const struct names *names)
{
    struct stat file;

    if (names->count == 0) {
        tool_error("there are no files to be merged");
        return TOOL_USAGE;
    }
    if (!settings->list || strcmp(settings->list, "-") == 0 ||
        scion_path_status(settings->list, &file) != 0 || !scion_path_is(settings->outfile, &file))
        return TOOL_RUN;
    tool_error("outfile %s is the list of names, aborting ...", settings->outfile);
    return TOOL_FAILED;
}

static int create(struct work *work)
{
    int ntasks = work->names->count, n, status;
    sion_int64 *globalranks = scion_array((size_t)ntasks, sizeof *globalranks);
    struct builder_plan plan = {.team = work->settings->team,
                                .name = work->settings->outfile,
                                .ntasks = ntasks,
                                .fsblksize = work->settings->fsblksize,
                                .keyval = SION_KEYVAL_NONE,
                                .big_endian = scion_host_is_big(),
                                .has_checksums = work->settings->has_checksums,
                                .used = scion_array((size_t)ntasks, sizeof *plan.used),
                                .globalranks = globalranks};

    status = look_at_all(work, globalranks ? plan.used : NULL);
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

        if (status == TOOL_RUN)
            status = team_advance(work->settings->team, &work->progress, bytes);
        if (status != TOOL_RUN)
            return status;
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
        tool_line(stdout, 0, "", "task %5d: %12lld bytes of %s", task, work->builder.used[task],
                  name);
    }
    status = copy_bytes(work, task, file);
    scion_file_close(file);
    return status;
}

static int copy_all(struct work *work)
{
    int task, begin, end, status = builder_share(&work->builder, &begin, &end);

    if (status != TOOL_RUN)
        return status;
    work->buffer = malloc(PIECE);
    if (!work->buffer) {
        tool_error("out of memory");
        return TOOL_FAILED;
    }
    progress_start(&work->progress, work->total, 0);
    for (task = begin; task < end && status == TOOL_RUN; task++)
        status = copy_file(work, task);
    if (status == TOOL_RUN)
        status = team_end_work(work->settings->team, &work->progress);
    progress_end(&work->progress);
    free(work->buffer);
    return status;
}

static int merge(const struct merge_settings *settings, const struct names *names)
{
    struct work work = {.settings = settings, .names = names, .permissions = 0777};
    int status;

    status =
        team_agree(settings->team, team_leads(settings->team) ? check(settings, names) : TOOL_RUN);
    if (status == TOOL_RUN)
        status = create(&work);
    return status == TOOL_RUN ? builder_end(&work.builder, copy_all(&work)) : status;
}

/* One process reads the list, which may be its standard input. */
static int share_list(const struct merge_settings *settings, struct names *names)
{
    struct team *team = settings->team;
    int leads = team_leads(team);
    int status = team_agree(team, leads ? names_load(names, settings->list) : TOOL_RUN);
    sion_int64 length = (sion_int64)names->length;

    if (status == TOOL_RUN)
        status = team_tell(team, &length, sizeof length);
    if (status != TOOL_RUN)
        return status;
    if (!leads) {
        names->length = (size_t)length;
        names->text = scion_must_allocate(names->length + 1, 1);
    }
    status = team_tell(team, names->text, names->length);
    return status == TOOL_RUN ? team_agree(team, names_find(names, settings->list)) : status;
}

static int work(const struct merge_settings *settings, char **operand, int count)
{
    struct names names = {0};
    int status = settings->list ? share_list(settings, &names) : names_take(&names, operand, count);

    if (status == TOOL_RUN)
        status = merge(settings, &names);
    names_free(&names);
    return status;
}

static const struct tool_option options[] = {
    TOOL_TEXT("files-from", 'T', struct merge_settings, list),
    {"block-size-mb", 'Q', builder_fsblksize, offsetof(struct merge_settings, fsblksize), MEGABYTE},
    {"block-size", 'q', builder_fsblksize, offsetof(struct merge_settings, fsblksize), 1},
    TOOL_FLAG("verbose", 'v', struct merge_settings, verbose),
    TOOL_FLAG("files", 0, struct merge_settings, packs),
    TOOL_NAME("root", 0, struct merge_settings, root),
    TOOL_NUMBER("tasks", 'n', struct merge_settings, ntasks, 1),
    TOOL_FLAG("checksum", 0, struct merge_settings, has_checksums),
    TOOL_PROGRESS_OPTION,
    TOOL_ALONE_OPTION,
    TOOL_COMMON_OPTIONS,
};

static const char more_help[] =
    "  --files          pack whole trees: --files <tree> ... <outfn>; see sionls, sionsplit\n"
    "                   and sionmount --files for how to get at their files\n"
    "  --root=<folder>  with --files: the names of trees and files are relative to it\n"
    "  --checksum       make checksums of all data\n" TOOL_ALONE_HELP TOOL_PROGRESS_HELP;

static const struct tool tool = {.name = "sionmerge",
                                 .usage = usage,
                                 .options = options,
                                 .more_help = more_help,
                                 .operands = 1,
                                 .more_operands = 1};

static int no_checksums(void)
{
    scion_crc_missing();
    if (share_is_first())
        tool_error("%s", scion_error_text());
    return TOOL_FAILED;
}

/* Either operands or a list, or trees. */
static const char *wrong_operands(const struct merge_settings *settings, int operands)
{
    if (settings->packs && settings->list)
        return "--files packs trees, which are operands: no -T";
    if (settings->packs)
        return operands > 1 ? NULL : "--files needs trees and, behind them, the output";
    if (settings->root || settings->ntasks > 0)
        return "--root and --tasks are for trees: --files";
    return (settings->list != NULL) != (operands > 1)
               ? NULL
               : "the files to be merged are either operands or in a list (-T)";
}

static int check_operands(const struct merge_settings *settings, int operands)
{
    const char *wrong = wrong_operands(settings, operands);

    if (!wrong)
        return scion_crc_find() || !settings->has_checksums ? TOOL_RUN : no_checksums();
    if (share_is_first())
        tool_error("%s: see sionmerge --help", wrong);
    return TOOL_USAGE;
}

static int run(struct merge_settings *settings, char **operand, int count)
{
    if (!settings->packs) {
        settings->outfile = operand[0];
        return work(settings, operand + 1, count - 1);
    }
    settings->outfile = operand[count - 1];
    return merge_trees(settings, operand, count - 1);
}

int main(int argc, char **argv)
{
    struct team team;
    struct merge_settings settings = {.team = &team};
    int status = world_parse(&tool, argc, argv, &settings), first = optind;

    if (status == TOOL_RUN)
        status = check_operands(&settings, argc - first);
    if (status == TOOL_RUN) {
        status = world_team(&team, &argc, &argv);
        if (status == TOOL_RUN)
            status = run(&settings, argv + first, argc - first);
        world_end_team(&team);
    }
    return tool_finish(status == TOOL_RUN ? TOOL_DONE : status);
}
