/* sioncat: write the data of all tasks, or of one task or one block, one after the other. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/input.h"
#include "lib/numbers.h"
#include "lib/output.h"
#include "lib/records.h"
#include "lib/tool.h"
#include "sioncat/follow.h"
#include "sioncat/unshuffle.h"

struct settings {
    int verbose, stored;
    int follow, unshuffle;
    int block; /* negative: all */
    struct numbers tasks, keys;
    const char *outfile; /* NULL: stdout */
};

static const char usage[] =
    "Usage: %s options <sionfn> \n\n"
    "%s <sionfn> extracts data from SIONlib file <sionfn>. With -t the\n"
    "output can be restricted to a single task and with -b to a single\n"
    "block. %s does not extract any SIONlib meta data.\n\n"
    "Options:\n"
    "  [-v]             verbose mode \n"
    "  [-t <tasknum>]   write only data of task <tasknum>\n"
    "  [-b <blknum>]    write only data of block <blknum>\n"
    "  [-o <outfile>]   file data will be written to, if not specified stdout\n"
    "                   is used\n"
    "  [-V]             show version of SIONlib\n"
    "  [-h]             show this help\n";

/* SIONlib's tool takes one task, a negative number for all. */
static int read_tasks(const struct tool_option *option, const char *value, void *tasks)
{
    const struct tool_option any = {.letter = option->letter, .number = INT_MIN};
    int number;

    if (value[0] != '-')
        return numbers_read(option, value, tasks);
    numbers_free(tasks);
    return tool_number(&any, value, &number);
}

/* Messages go to stderr: stdout may carry the data. */
static void report_tasks(const struct numbers *tasks)
{
    size_t i;

    if (!tasks->run || (tasks->count == 1 && tasks->run->first == tasks->run->last)) {
        tool_line(stderr, TOOL_LABEL, "write data of task:", "%d",
                  tasks->run ? (int)tasks->run->first : -1);
        return;
    }
    for (i = 0; i < tasks->count; i++)
        tool_line(stderr, TOOL_LABEL, "write data of tasks:", "%llu-%llu",
                  (unsigned long long)tasks->run[i].first, (unsigned long long)tasks->run[i].last);
}

static void report(const struct settings *settings, const struct input *input)
{
    int block = settings->block < 0 ? -1 : settings->block;

    tool_line(stderr, TOOL_LABEL, "filename:", "%-30s", input->name);
    tool_line(stderr, TOOL_LABEL, "outfile:", "%-30s",
              settings->outfile ? settings->outfile : "stdout");
    input_report_name(input, stderr);
    tool_line(stderr, TOOL_LABEL, "number of tasks:", "%d", input->ntasks);
    report_tasks(&settings->tasks);
    tool_line(stderr, TOOL_LABEL, "write data of block:", "%d", block);
    input_report_endianness(input, stderr);
    input_report_sizes(input, stderr);
    input_report_max_chunksize(input, stderr);
}

static int write_chunk(const struct settings *settings, struct copy *copy, int task,
                       sion_int64 chunk, struct output *output)
{
    sion_int64 bytes = input_used(copy->input, task, chunk);
    int status = copy_chunk(copy, task, chunk, output);

    if (status == TOOL_RUN && settings->verbose && bytes > 0) {
        progress_clear(&copy->progress);
        tool_line(stderr, TOOL_LABEL, "", "%lld read left=0 ", bytes);
    }
    return status;
}

static int write_value(struct copy *copy, struct records *records, struct output *output)
{
    sion_int64 done = 0;
    int status = TOOL_RUN;

    while (done < records->length && status == TOOL_RUN) {
        size_t bytes = copy_portion(copy, records->length - done);

        status = records_read(records, records->offset + done, copy_next(copy), bytes);
        if (status == TOOL_RUN)
            status = copy_put(copy, bytes, output);
        done += (sion_int64)bytes;
    }
    return status;
}

/* The values of the keys that are wanted, in the order in which they were written. */
static int write_values(const struct settings *settings, struct copy *copy, int task,
                        struct output *output)
{
    struct records records;
    int status;

    records_start(&records, copy->input, task, NULL);
    while ((status = records_next(&records)) == TOOL_RUN) {
        if (numbers_have(&settings->keys, records.key))
            status = write_value(copy, &records, output);
        if (status != TOOL_RUN)
            return status;
    }
    return status == TOOL_DONE ? TOOL_RUN : status;
}

static int write_task(const struct settings *settings, struct copy *copy, int task,
                      struct output *output)
{
    sion_int64 count = input_count(copy->input, task), chunk = 0;
    int status = TOOL_RUN;

    if (settings->verbose) {
        progress_clear(&copy->progress);
        tool_line(stderr, TOOL_LABEL, "processing task:", "%6d", task);
    }
    if (settings->keys.run ? records_leave_out(copy->input, task)
                           : input_leaves_out(copy->input, task))
        return TOOL_RUN;
    if (settings->keys.run)
        return write_values(settings, copy, task, output);
    if (settings->block >= count) {
        progress_clear(&copy->progress);
        tool_error("blk number %d out of range 0 .. %d , aborting ...", settings->block,
                   (int)count - 1);
        return TOOL_FAILED;
    }
    if (settings->block >= 0)
        return write_chunk(settings, copy, task, settings->block, output);
    for (chunk = 0; chunk < count && status == TOOL_RUN; chunk++)
        status = write_chunk(settings, copy, task, chunk, output);
    return status;
}

/* The output is closed in any case. */
static int write_tasks(const struct settings *settings, const struct input *input,
                       struct output *output)
{
    struct copy copy;
    int status =
        copy_start(&copy, input, input_bytes_of(input, &settings->tasks), output->file == stdout);
    int task;

    if (status != TOOL_RUN)
        return output_close(output, status);
    for (task = 0; task < input->ntasks && status == TOOL_RUN; task++) {
        if (numbers_have(&settings->tasks, (uint64_t)task))
            status = write_task(settings, &copy, task, output);
    }
    status = copy_close(&copy, output, status);
    copy_end(&copy);
    return status;
}

/* Whether any of the tasks that are wanted can be read; if not, no output replaces an older one. */
static int can_be_read(const struct settings *settings, const struct input *input)
{
    int task, wanted = 0;

    for (task = 0; task < input->ntasks; task++) {
        if (!numbers_have(&settings->tasks, (uint64_t)task))
            continue;
        wanted++;
        if (!input_damage(input, task))
            return 1;
    }
    for (task = 0; wanted > 0 && task < input->ntasks; task++) {
        if (numbers_have(&settings->tasks, (uint64_t)task))
            input_leaves_out(input, task);
    }
    return wanted == 0;
}

static int cat(const struct settings *settings, const struct input *input)
{
    struct output output;
    int status;

    if (settings->verbose)
        report(settings, input);
    if (input_check_tasks(input, &settings->tasks) != TOOL_RUN ||
        (settings->keys.run && input_check_keyval(input) != TOOL_RUN) ||
        !can_be_read(settings, input))
        return TOOL_FAILED;
    status = output_open(&output, NULL, settings->outfile, input);
    if (status != TOOL_RUN)
        return status;
    if (!output_has_holes(&output) || settings->keys.run)
        status = input_check_holes(input);
    status =
        status == TOOL_RUN ? write_tasks(settings, input, &output) : output_close(&output, status);
    return status == TOOL_RUN ? TOOL_DONE : status;
}

#define FOLLOW_HELP                                                                                \
    "  --follow         go on with what comes, each time that the container is\n"                  \
    "                   published, until it is closed, or ^C\n"

static const struct tool_option options[] = {
    TOOL_FLAG("verbose", 'v', struct settings, verbose),
    {"task", 't', read_tasks, offsetof(struct settings, tasks), INT_MAX},
    TOOL_NUMBER("block", 'b', struct settings, block, INT_MIN),
    TOOL_TEXT("output", 'o', struct settings, outfile),
    {"keys", 0, numbers_read, offsetof(struct settings, keys), 0},
    TOOL_FLAG("stored", 0, struct settings, stored),
    TOOL_FLAG("unshuffle", 0, struct settings, unshuffle),
    TOOL_FLAG("follow", 0, struct settings, follow),
    INPUT_GENERATION_OPTION,
    TOOL_PROGRESS_OPTION,
    TOOL_FORCE_OPTION,
    TOOL_COMMON_OPTIONS,
};

#define STORED_HELP                                                                                \
    "  --stored         of compressed streams, what is stored: zstd files\n"                       \
    "  --unshuffle      a filter: what zstd -d makes of a stored stream, whose name\n"             \
    "                   stands for the container, gets the order that it had;\n"                   \
    "                   without the stream: <bytes>[:<frame>], of elements and frames\n"

static const struct tool tool = {.name = "sioncat",
                                 .usage = usage,
                                 .options = options,
                                 .more_help = NUMBERS_HELP STORED_HELP FOLLOW_HELP
                                     INPUT_GENERATION_HELP TOOL_PROGRESS_HELP TOOL_FORCE_HELP,
                                 .operands = 1,
                                 .as_sionlib = 1,
                                 .writes_data = 1};

int main(int argc, char **argv)
{
    struct settings settings = {.block = -1};
    struct input input;
    int status = tool_parse(&tool, argc, argv, &settings);

    if (status == TOOL_RUN && settings.keys.run && settings.block >= 0) {
        tool_error("-b and --keys cannot be used together");
        status = TOOL_USAGE;
    }
    if (status == TOOL_RUN && settings.follow &&
        (settings.keys.run || settings.block >= 0 || settings.outfile || settings.stored)) {
        tool_error("--follow cannot be used with -b, -o, --keys or --stored");
        status = TOOL_USAGE;
    }
    if (status == TOOL_RUN && settings.unshuffle &&
        (settings.keys.run || settings.block >= 0 || settings.outfile || settings.stored ||
         settings.follow || settings.tasks.run)) {
        tool_error("--unshuffle is used alone");
        status = TOOL_USAGE;
    }
    if (status == TOOL_RUN && settings.unshuffle) {
        status = sioncat_unshuffle(argv[optind]);
    } else if (status == TOOL_RUN && settings.follow) {
        status = sioncat_follow(argv[optind], &settings.tasks);
    } else if (status == TOOL_RUN) {
        status = settings.stored ? input_open_stored(argv[optind], &input)
                                 : input_open_members(argv[optind], &input);
        if (status == TOOL_RUN)
            status = input_close(&input, cat(&settings, &input));
    }
    numbers_free(&settings.tasks);
    numbers_free(&settings.keys);
    return tool_finish(status);
}
