/* siondefrag: write a container again, with one chunk for each task. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sion_common.h"

#include "base/crc.h"
#include "base/memory.h"
#include "base/mode.h"
#include "base/zstd.h"
#include "geometry/share.h"
#include "lib/builder.h"
#include "lib/output.h"
#include "lib/records.h"
#include "lib/text.h"
#include "lib/tool.h"
#include "lib/world.h"
#include "siondefrag/move.h"

static const char usage[] =
    "Usage: %s options <insionfn> <outfn>\n\n"
    "Creates a new SIONlib file <outfn> from an existing <insionfn>. The\n"
    "resulting file has only one chunk. This can be used to make SIONlib\n"
    "files less sparse (e.g. by using -q 1 which effectively removes file\n"
    "system block alignment).\n\n"
    "Options:\n"
    "  [-Q <fsblksize>]   filessystem blocksize for new sion file in MB\n"
    "                     (default from input file)\n"
    "  [-q <fsblksize>]   filessystem blocksize for new sion file in bytes\n"
    "  [-v]               verbose mode\n"
    "  [-V]               show version of SIONlib\n"
    "  [-h]               show this help\n";

/* ---- the report ---- */

/* Bytes of one block; a damaged set can claim more than fits into a number. */
static unsigned long long size_of_chunks(const struct input *input)
{
    unsigned long long size = 0;
    int task;

    for (task = 0; task < input->ntasks; task++)
        size += (unsigned long long)input_chunksize(input, task);
    return size;
}

static void report(const struct settings *settings, const struct input *input)
{
    double size = (double)size_of_chunks(input);

    tool_line(stdout, TOOL_LABEL, "infilename:", "%-30s", input->name);
    tool_line(stdout, TOOL_LABEL, "outfilename:", "%-30s", settings->outfile);
    input_report_name(input, stdout);
    tool_line(stdout, TOOL_LABEL, "nfiles:", "%d", input->nfiles);
    input_report_bytes(stdout, "fsblksize:", input->fsblksize, 1);
    input_report_keyval(input, stdout);
    input_report_endianness(input, stdout);
    tool_line(stdout, TOOL_LABEL, "max number of blocks:", "%d", input->maxchunks);
    input_report_bytes(stdout, "datasize in file (aggr.):", input->total, 2);
    input_report_bytes(stdout, "start_of_varheader:", input->start_of_varheader, 2);
    input_report_bytes(stdout, "size of chunks:", (sion_int64)size_of_chunks(input), 2);
    tool_line(stdout, TOOL_LABEL, "file usage:", "%f%%",
              size > 0 ? (double)input->total / size * 100.0 : 0.0);
    if (is_keyval(input))
        return;
    input_report_max_chunksize(input, stdout);
    tool_line(stdout, TOOL_LABEL, "outsid:", "%d", input->is_set ? input->nfiles + 1 : 1);
    tool_line(stdout, TOOL_LABEL, "fsblksize outfile:", "%d", settings->fsblksize);
}

/* ---- the new container ---- */

/* An array over the tasks; NULL with a message. */
static sion_int64 *collect(const struct input *input,
                           sion_int64 (*number)(const struct input *input, int task))
{
    sion_int64 *numbers = scion_array((size_t)input->ntasks, sizeof *numbers);
    int task;

    if (!numbers)
        tool_error("out of memory for %d tasks of %s", input->ntasks, input->name);
    for (task = 0; numbers && task < input->ntasks; task++)
        numbers[task] = number(input, task);
    return numbers;
}

static sion_int64 bytes_of(const struct input *input, int task)
{
    return input_bytes(input, task);
}

enum { LEFT_OUT = -1 };

/* Tasks the records of which are damaged are left out. Each process looks at some of them. */
static int measure_records(const struct settings *settings, const struct input *input,
                           sion_int64 *used)
{
    struct team *team = settings->team;
    int *first = scion_array((size_t)team->size + 1, sizeof *first), task, status;

    if (!first)
        tool_error("out of memory for %d processes", team->size);
    status = team_agree(team, first ? TOOL_RUN : TOOL_FAILED);
    if (status == TOOL_RUN) {
        scion_share_by_tasks(input->ntasks, team->size, first);
        team_speak(team, 1);
        for (task = first[team->rank]; task < first[team->rank + 1]; task++)
            used[task] = records_leave_out(input, task) ? LEFT_OUT : used[task];
        team_silence(team);
        status = team_collect(team, used, first);
    }
    free(first);
    return status;
}

/* Tasks that cannot be read become empty; a container of nothing else is not made. */
static int measure(const struct settings *settings, const struct input *input, sion_int64 *used)
{
    int task, left_out = 0, status = TOOL_RUN;

    if (is_keyval(input))
        status = measure_records(settings, input, used);
    team_speak(settings->team, settings->team->rank == 0);
    for (task = 0; task < input->ntasks && status == TOOL_RUN; task++) {
        if (used[task] == LEFT_OUT || (!is_keyval(input) && input_leaves_out(input, task))) {
            used[task] = 0;
            left_out++;
        }
    }
    team_silence(settings->team);
    if (left_out > 0) /* by whichever process: all end with the same status */
        tool_note_left_out();
    if (status != TOOL_RUN || left_out < input->ntasks)
        return status;
    tool_error("no task of %s can be copied", input->name);
    return TOOL_FAILED;
}

static int create(const struct settings *settings, const struct input *input,
                  struct pressed *pressed, struct builder *builder)
{
    sion_int64 *globalranks = input->is_set ? collect(input, input_globalrank) : NULL;
    struct builder_plan plan = {
        .team = settings->team,
        .name = settings->outfile,
        .ntasks = input->ntasks,
        .nfiles = settings->files,
        .chunksize = settings->chunksize,
        .fsblksize = settings->fsblksize,
        .keyval = input->keyval,
        .permissions = input_permissions(input),
        .big_endian = input->head->big_endian,
        .is_zipped = settings->zips || (input_is_zipped(input) && !settings->plain),
        .has_checksums = settings->has_checksums,
        .used = collect(input, bytes_of),
        .globalranks =
            input->is_set ? globalranks : scion_container_file(input->container, 0)->globalranks};
    int status = team_agree(settings->team, plan.globalranks && plan.used ? TOOL_RUN : TOOL_FAILED);

    if (status == TOOL_RUN)
        status = measure(settings, input, plan.used);
    if (status == TOOL_RUN && settings->zips)
        status = compress_tasks(settings, input, pressed, plan.used);
    if (status == TOOL_RUN)
        status = builder_create(builder, &plan);
    else
        free(plan.used);
    free(globalranks);
    return status;
}

/* Tasks of a set of files are found by their ranks. */
static int can_be_made(const struct settings *settings, const struct input *input)
{
    int task;

    if (settings->chunksize > 0 && is_keyval(input)) {
        tool_error("%s has key-value records, which need one chunk: no --chunksize", input->name);
        return 0;
    }
    if (settings->files > input->ntasks) {
        tool_error("%s has %d task%s, fewer than --files=%d", input->name, input->ntasks,
                   text_plural(input->ntasks), settings->files);
        return 0;
    }
    for (task = 0; settings->files > 1 && task < input->ntasks; task++) {
        if (input_globalrank(input, task) != task) {
            tool_error("%s has rank %lld in place of %d: --files needs ranks 0, 1, 2, ...",
                       input->name, input_globalrank(input, task), task);
            return 0;
        }
    }
    return 1;
}

/* None of the new files may be one of the input. */
static int is_input(const struct settings *settings, const struct input *input)
{
    int n = settings->files > 1 ? settings->files : 1, i, found = 0;

    for (i = 0; i < n && !found; i++) {
        char *name = scion_physical_name(settings->outfile, i);

        found = !name || output_is_input(name, input);
        if (!name)
            tool_error("out of memory for the name of %s", settings->outfile);
        free(name);
    }
    return found;
}

/* Whether the output can be made that this takes, before hours of work. */
static int check_compression(const struct settings *settings, const struct input *input)
{
    struct replace replace;
    int status, is_file;

    if (input->keyval != SION_KEYVAL_NONE) {
        tool_error("%s has key-value records, which are not compressed", input->name);
        return TOOL_FAILED;
    }
    if (scion_zstd_need("compressed streams") != 0) {
        tool_error("%s", scion_error_text());
        return TOOL_FAILED;
    }
    status = replace_begin(&replace, NULL, settings->outfile, 0);
    if (status != TOOL_RUN)
        return status;
    is_file = replace.beside != NULL;
    (void)replace_end(&replace, TOOL_FAILED);
    if (!is_file)
        tool_error("%s is not a regular file, which --compress needs", settings->outfile);
    return is_file ? input_check_holes(input) : TOOL_FAILED;
}

/* What has to hold before anything is made. */
static int check(const struct settings *settings, const struct input *input)
{
    if (input->keyval != SION_KEYVAL_NONE && !is_keyval(input)) {
        tool_error("unknown keyvalue mode %d, aborting", input->keyval);
        return TOOL_FAILED;
    }
    if (is_input(settings, input) || !can_be_made(settings, input))
        return TOOL_FAILED;
    if (settings->has_checksums && !scion_crc_find()) {
        scion_crc_missing();
        tool_error("%s", scion_error_text());
        return TOOL_FAILED;
    }
    if (settings->zips)
        return check_compression(settings, input);
    return is_keyval(input) ? input_check_holes(input) : TOOL_RUN;
}

static int make(const struct settings *settings, struct input *input)
{
    struct pressed pressed = {.first = NULL};
    struct builder builder;
    int status = create(settings, input, &pressed, &builder);

    if (status != TOOL_RUN) {
        free_pressed(&pressed);
        return input_close(input, status);
    }
    status = settings->zips ? move_all_pressed(settings, &pressed, &builder)
                            : move_tasks(settings, input, &builder);
    free_pressed(&pressed);
    /* The input's tables are freed before those of the output are made. */
    return builder_end(&builder, input_close(input, status));
}

static int defrag(struct settings *settings, struct input *input)
{
    int leads = team_leads(settings->team);
    int status = team_agree(settings->team, leads ? check(settings, input) : TOOL_RUN);

    if (status != TOOL_RUN)
        return input_close(input, status);
    if (settings->fsblksize == 0)
        settings->fsblksize = input->fsblksize;
    if (leads)
        report(settings, input);
    return make(settings, input);
}

/* All processes must have the same container before them. */
static int open_together(const struct settings *settings, char *name, struct input *input)
{
    struct team *team = settings->team;
    int opened = settings->plain || settings->zips ? input_open_members(name, input)
                                                   : input_open_stored(name, input),
        status;
    sion_int64 seen[6] = {0};

    if (opened == TOOL_RUN) {
        const sion_int64 numbers[6] = {input->ntasks,    input->nfiles, input->keyval,
                                       input->maxchunks, input->total,  input->start_of_varheader};

        memcpy(seen, numbers, sizeof seen);
    }
    status = team_agree_same(team, opened, name, seen, 6);
    return opened == TOOL_RUN && status != TOOL_RUN ? input_close(input, status) : status;
}

static int work(struct settings *settings, char *name)
{
    struct input input;
    int status = open_together(settings, name, &input);

    return status == TOOL_RUN ? defrag(settings, &input) : status;
}

#define OWN_HELP                                                                                   \
    "  --files=<number>   make so many files, which share the tasks (default: 1)\n"                \
    "  --chunksize=<bytes>\n"                                                                      \
    "                     make chunks of this size; k, M, G, T multiply by powers of\n"            \
    "                     1024 (default: one chunk for each task)\n"                               \
    "  --plain            decompress compressed streams\n"                                         \
    "  --compress=<how>   compress the streams, also those that are compressed already:\n"         \
    "                     zstd[:<level>][,shuffle=<bytes>][,compress_frame=<bytes>]\n"             \
    "                     [,compress_threads=<number>], as in the mode of an open\n"               \
    "  --checksum         make checksums of all data\n" INPUT_GENERATION_HELP

static int read_compress(const struct tool_option *option, const char *text, void *into)
{
    struct settings *settings = into;
    struct scion_mode mode = {.compress = SCION_COMPRESS_NONE};

    (void)option;
    if (scion_mode_read_compress(text, &mode) != 0) {
        tool_error("--compress=%s", scion_error_text());
        return TOOL_USAGE;
    }
    settings->zips = mode.compress == SCION_COMPRESS_ZSTD;
    settings->plain = !settings->zips;
    settings->zip = (struct scion_zip_plan){.level = mode.compress_level,
                                            .threads = mode.compress_threads,
                                            .frame = (size_t)mode.compress_frame,
                                            .shuffle = (size_t)mode.shuffle};
    return TOOL_RUN;
}

static const struct tool_option options[] = {
    {"block-size-mb", 'Q', builder_fsblksize, offsetof(struct settings, fsblksize), MEGABYTE},
    {"block-size", 'q', builder_fsblksize, offsetof(struct settings, fsblksize), 1},
    TOOL_FLAG("verbose", 'v', struct settings, verbose),
    TOOL_NUMBER("files", 0, struct settings, files, 1),
    TOOL_BYTES("chunksize", 0, struct settings, chunksize),
    TOOL_FLAG("plain", 0, struct settings, plain),
    {"compress", 0, read_compress, 0, 0},
    TOOL_FLAG("checksum", 0, struct settings, has_checksums),
    INPUT_GENERATION_OPTION,
    TOOL_PROGRESS_OPTION,
    TOOL_ALONE_OPTION,
    TOOL_FORCE_OPTION,
    TOOL_COMMON_OPTIONS,
};

static const struct tool tool = {.name = "siondefrag",
                                 .usage = usage,
                                 .options = options,
                                 .more_help =
                                     OWN_HELP TOOL_ALONE_HELP TOOL_PROGRESS_HELP TOOL_FORCE_HELP,
                                 .operands = 2,
                                 .as_sionlib = 1};

int main(int argc, char **argv)
{
    struct team team;
    struct settings settings = {.team = &team};
    int status = world_parse(&tool, argc, argv, &settings), first = optind;

    if (status == TOOL_RUN) {
        settings.outfile = argv[first + 1];
        status = world_team(&team, &argc, &argv);
        if (status == TOOL_RUN)
            status = work(&settings, argv[first]);
        world_end_team(&team);
    }
    return tool_finish(status == TOOL_RUN ? TOOL_DONE : status);
}
