/* siondefrag: write a container again, with one chunk for each task. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sion_common.h"

#include "base/memory.h"
#include "format/record.h"
#include "geometry/share.h"
#include "lib/builder.h"
#include "lib/output.h"
#include "lib/records.h"
#include "lib/text.h"
#include "lib/tool.h"
#include "lib/world.h"

enum {
    RANKS_PER_MARK = 16,
    DETAIL_LABEL = 27,
    /* Smaller holes are written as zeros, because another write would cost more. */
    HOLE_LEAST = 1 << 16
};

struct settings {
    struct team *team;
    int verbose, plain;
    int files;            /* 0: one */
    sion_int64 chunksize; /* 0: as many bytes as the task has */
    int fsblksize;        /* 0: the input's */
    char *outfile;
};

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

static int is_keyval(const struct input *input)
{
    return input->keyval == SION_KEYVAL_INLINE;
}

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

/* Each process lists its tasks; of the marks, the leader makes all. */
static void mark_task(const struct settings *settings, struct copy *copy, int task)
{
    if (!settings->verbose && (task % RANKS_PER_MARK != 0 || !team_leads(settings->team)))
        return;
    progress_clear(&copy->progress);
    if (settings->verbose)
        tool_line(stdout, TOOL_LABEL, "->rank:", "%d", task);
    else
        printf("[%d]", task);
}

/* ---- the copy ---- */

/* The stream of a task while it is copied: many chunks, or records, are written at a time. */
struct outlet {
    struct builder *builder;
    struct copy *copy;
    int task;
    sion_int64 pos; /* of the buffer's first byte */
};

/* Bytes that have been written, or left out. */
static int pass(struct outlet *outlet, sion_int64 bytes)
{
    outlet->pos += bytes;
    return team_advance(outlet->builder->team, &outlet->copy->progress, bytes);
}

static int empty(struct outlet *outlet)
{
    struct copy *copy = outlet->copy;
    size_t bytes = copy->filled;
    int status = builder_write(outlet->builder, outlet->task, outlet->pos, copy->buffer, bytes);

    copy->filled = 0;
    return status == TOOL_RUN ? pass(outlet, (sion_int64)bytes) : status;
}

static int take(struct outlet *outlet, size_t bytes)
{
    outlet->copy->filled += bytes;
    return outlet->copy->filled == COPY_PIECE ? empty(outlet) : TOOL_RUN;
}

/* A hole in the new container: nothing is written there. */
static int leave_hole(struct outlet *outlet, sion_int64 bytes)
{
    int status = outlet->copy->filled > 0 ? empty(outlet) : TOOL_RUN;

    return status == TOOL_RUN ? pass(outlet, bytes) : status;
}

static int move_run(struct outlet *outlet, sion_int64 chunk, sion_int64 pos, sion_int64 *run)
{
    const struct input *input = outlet->copy->input;
    int is_hole, status = input_run(input, outlet->task, chunk, pos, run, &is_hole);

    if (status != TOOL_RUN)
        return status;
    if (is_hole && *run >= HOLE_LEAST)
        return leave_hole(outlet, *run);
    *run = (sion_int64)copy_portion(outlet->copy, *run);
    status = input_read(input, outlet->task, chunk, pos, copy_next(outlet->copy), (size_t)*run);
    return status == TOOL_RUN ? take(outlet, (size_t)*run) : status;
}

static int move_chunk(struct outlet *outlet, sion_int64 chunk)
{
    sion_int64 used = input_used(outlet->copy->input, outlet->task, chunk), pos, run;
    int status = TOOL_RUN;

    progress_step(&outlet->copy->progress, 0);
    for (pos = 0; pos < used && status == TOOL_RUN; pos += run) {
        run = used - pos;
        status = move_run(outlet, chunk, pos, &run);
    }
    return status;
}

static int move_chunks(const struct settings *settings, struct outlet *outlet)
{
    const struct input *input = outlet->copy->input;
    sion_int64 count = input_count(input, outlet->task), chunk;
    int status = TOOL_RUN;

    if (settings->verbose)
        tool_line(stdout, DETAIL_LABEL, "", "copy now %lld blocks on rank=%d ", count,
                  outlet->task);
    for (chunk = 0; chunk < count && status == TOOL_RUN; chunk++) {
        if (settings->verbose) {
            progress_clear(&outlet->copy->progress);
            tool_line(stdout, DETAIL_LABEL, "", "   copy now block #%lld with %lld bytes ", chunk,
                      input_used(input, outlet->task, chunk));
        }
        status = move_chunk(outlet, chunk);
    }
    return status;
}

static int move_value(struct records *records, struct outlet *outlet)
{
    sion_int64 done = 0;
    int status = TOOL_RUN;

    while (done < records->length && status == TOOL_RUN) {
        size_t bytes = copy_portion(outlet->copy, records->length - done);

        status = records_read(records, records->offset + done, copy_next(outlet->copy), bytes);
        if (status == TOOL_RUN)
            status = take(outlet, bytes);
        done += (sion_int64)bytes;
    }
    return status;
}

/* Headers of records come in the file's byte order and leave in the host's. */
static int move_record(struct records *records, struct outlet *outlet)
{
    struct copy *copy = outlet->copy;
    int status = COPY_PIECE - copy->filled < SCION_RECORD_HEADER ? empty(outlet) : TOOL_RUN;

    scion_record_encode(records->key, (uint64_t)records->length, (unsigned char *)copy_next(copy));
    copy->filled += SCION_RECORD_HEADER;
    return status == TOOL_RUN ? move_value(records, outlet) : status;
}

static int move_records(const struct settings *settings, struct outlet *outlet)
{
    struct records records;
    int status;

    if (outlet->builder->used[outlet->task] == 0)
        return TOOL_RUN; /* it is damaged, or there are none */
    records_start(&records, outlet->copy->input, outlet->task, NULL);
    while ((status = records_next(&records)) == TOOL_RUN) {
        if (settings->verbose) {
            progress_clear(&outlet->copy->progress);
            tool_line(stdout, DETAIL_LABEL + 3, "", "copy now key[%12lld] with %lld bytes ",
                      (long long)records.key, records.length);
        }
        status = move_record(&records, outlet);
        if (status != TOOL_RUN)
            return status;
    }
    return status == TOOL_DONE ? TOOL_RUN : status;
}

static int move_task(const struct settings *settings, struct copy *copy, int task,
                     struct builder *builder)
{
    struct outlet outlet = {.builder = builder, .copy = copy, .task = task};
    int status =
        is_keyval(copy->input) ? move_records(settings, &outlet) : move_chunks(settings, &outlet);

    return status == TOOL_RUN && copy->filled > 0 ? empty(&outlet) : status;
}

/* Those of the other processes' tasks, from `task` on, and the end of the line. */
static void end_marks(const struct settings *settings, struct copy *copy, int task)
{
    if (settings->verbose || !team_leads(settings->team))
        return;
    for (; task < copy->input->ntasks; task++)
        mark_task(settings, copy, task);
    putchar('\n');
}

static int move_tasks(const struct settings *settings, const struct input *input,
                      struct builder *builder)
{
    struct copy copy;
    int begin, end, task, status = builder_share(builder, &begin, &end);

    if (status == TOOL_RUN)
        status = copy_start(&copy, input, input->total, 0);
    if (status != TOOL_RUN)
        return status;
    for (task = begin; task < end && status == TOOL_RUN; task++) {
        mark_task(settings, &copy, task);
        status = move_task(settings, &copy, task, builder);
    }
    if (status == TOOL_RUN)
        status = team_end_work(settings->team, &copy.progress);
    if (status == TOOL_RUN)
        end_marks(settings, &copy, end);
    copy_end(&copy);
    return status;
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
                  struct builder *builder)
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
        .is_zipped = input_is_zipped(input) && !settings->plain,
        .used = collect(input, bytes_of),
        .globalranks =
            input->is_set ? globalranks : scion_container_file(input->container, 0)->globalranks};
    int status = team_agree(settings->team, plan.globalranks && plan.used ? TOOL_RUN : TOOL_FAILED);

    if (status == TOOL_RUN)
        status = measure(settings, input, plan.used);
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

/* What has to hold before anything is made. */
static int check(const struct settings *settings, const struct input *input)
{
    if (input->keyval != SION_KEYVAL_NONE && !is_keyval(input)) {
        tool_error("unknown keyvalue mode %d, aborting", input->keyval);
        return TOOL_FAILED;
    }
    if (is_input(settings, input) || !can_be_made(settings, input))
        return TOOL_FAILED;
    return is_keyval(input) ? input_check_holes(input) : TOOL_RUN;
}

static int defrag(struct settings *settings, struct input *input)
{
    struct builder builder;
    int leads = team_leads(settings->team);
    int status = team_agree(settings->team, leads ? check(settings, input) : TOOL_RUN);

    if (status != TOOL_RUN)
        return input_close(input, status);
    if (settings->fsblksize == 0)
        settings->fsblksize = input->fsblksize;
    if (leads)
        report(settings, input);
    status = create(settings, input, &builder);
    if (status != TOOL_RUN)
        return input_close(input, status);
    status = move_tasks(settings, input, &builder);
    /* The input's tables are freed before those of the output are made. */
    return builder_end(&builder, input_close(input, status));
}

/* All processes must have the same container before them. */
static int open_together(const struct settings *settings, char *name, struct input *input)
{
    struct team *team = settings->team;
    int opened = settings->plain ? input_open_members(name, input) : input_open_stored(name, input),
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
    "  --plain            decompress compressed streams\n" INPUT_GENERATION_HELP

static const struct tool_option options[] = {
    {"block-size-mb", 'Q', builder_fsblksize, offsetof(struct settings, fsblksize), MEGABYTE},
    {"block-size", 'q', builder_fsblksize, offsetof(struct settings, fsblksize), 1},
    TOOL_FLAG("verbose", 'v', struct settings, verbose),
    TOOL_NUMBER("files", 0, struct settings, files, 1),
    TOOL_BYTES("chunksize", 0, struct settings, chunksize),
    TOOL_FLAG("plain", 0, struct settings, plain),
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
