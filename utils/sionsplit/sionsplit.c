/* sionsplit: write the data of each task to a file of its own. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sion_common.h"

#include "base/memory.h"
#include "lib/tool.h"
#include "sionsplit/files.h"
#include "sionsplit/keys.h"

static const char usage[] =
    "Usage: %s options <sionfn> <prefix>\n\n"
    "Split SIONlib file <sionfn> into separate files. For each task a file is\n"
    "created with the name <prefix><digits>\n\n"
    "Example: %s data.sion data/file_\n"
    "  creates files data/file_00000, data/file_00001, ...\n\n"
    "Options:\n"
    "  [-v]         verbose mode\n"
    "  [-g]         use global rank for numbering files\n"
    "  [-d <num>]   number of digits for filename generation (default 5)\n"
    "  [-V]         show version of SIONlib\n"
    "  [-h]         show this help\n";

static int read_digits(const struct tool_option *option, const char *value, void *digits)
{
    int status = tool_number(option, value, digits);

    if (status == TOOL_RUN && *(int *)digits > DIGITS_MAX) {
        tool_error("-d takes at most %d digits, not %d", DIGITS_MAX, *(int *)digits);
        return TOOL_USAGE;
    }
    return status;
}

enum { BUFFER_LABEL = 25 };

static int is_keyval(const struct input *input)
{
    return input->keyval == SION_KEYVAL_INLINE;
}

static void report(const struct split_settings *settings, const struct input *input)
{
    const char *prefix = settings->prefix;
    int digits = settings->digits;

    tool_line(stdout, TOOL_LABEL, "filename:", "%-30s", input->name);
    tool_line(stdout, TOOL_LABEL, "prefix:", "%-30s", prefix);
    input_report_name(input, stdout);
    tool_line(stdout, TOOL_LABEL, "number of tasks:", "%d", input->ntasks);
    tool_line(stdout, TOOL_LABEL, "number of files:", "%d", input->nfiles);
    tool_line(stdout, TOOL_LABEL, "number of digits:", "%d", digits);
    tool_line(stdout, TOOL_LABEL, "use global ranks:", "%d", settings->use_globalranks);
    input_report_keyval(input, stdout);
    input_report_endianness(input, stdout);
    input_report_sizes(input, stdout);
    tool_line(stdout, TOOL_LABEL, "filename mask:", "%s%%0%dd", prefix, digits);
    tool_line(stdout, TOOL_LABEL, "filename key mask:", "%s%%0%dd_%%012ld", prefix, digits);
    if (is_keyval(input))
        tool_line(stdout, BUFFER_LABEL, "buffer size:", "%zu", split_buffer_size(input));
    else
        input_report_max_chunksize(input, stdout);
}

static int compare(const void *a, const void *b)
{
    const sion_int64 *left = a, *right = b;

    return (*left > *right) - (*left < *right);
}

/* Two tasks of one global rank would write the same file. */
static int check_globalranks(const struct input *input)
{
    size_t n = (size_t)input->ntasks, i;
    sion_int64 *sorted = scion_array(n, sizeof *sorted);
    int status = TOOL_RUN;

    if (!sorted) {
        tool_error("out of memory for %d tasks", input->ntasks);
        return TOOL_FAILED;
    }
    for (i = 0; i < n; i++)
        sorted[i] = input_globalrank(input, (int)i);
    qsort(sorted, n, sizeof *sorted, compare);
    for (i = 1; i < n && status == TOOL_RUN; i++) {
        if (sorted[i] == sorted[i - 1]) {
            tool_error("%s has several tasks of global rank %lld, split it without -g", input->name,
                       sorted[i]);
            status = TOOL_FAILED;
        }
    }
    free(sorted);
    return status;
}

static int split_chunks(struct copy *copy, int task, struct output *output)
{
    sion_int64 chunk, count = input_count(copy->input, task);
    int status = TOOL_RUN;

    for (chunk = 0; chunk < count && status == TOOL_RUN; chunk++) {
        sion_int64 bytes = input_used(copy->input, task, chunk);

        status = copy_chunk(copy, task, chunk, output);
        progress_clear(&copy->progress);
        if (status == TOOL_RUN && bytes > 0)
            tool_line(stdout, TOOL_LABEL, "", "%lld read left=0 ", bytes);
        if (status == TOOL_RUN)
            tool_line(stdout, TOOL_LABEL, "", "%lld wrote of left=%lld ", bytes, bytes);
    }
    return status;
}

/* path: room for prefix and number. */
static int split_task(const struct split_settings *settings, struct copy *copy,
                      struct replace_group *group, int task, char *path, size_t size)
{
    struct output output;
    int status;

    snprintf(path, size, "%s%0*lld", settings->prefix, settings->digits,
             split_number(settings, copy->input, task));
    tool_line(stdout, TOOL_LABEL, "generating file:", "%s", path);
    status = output_open(&output, group, path, copy->input);
    return status == TOOL_RUN ? copy_close(copy, &output, split_chunks(copy, task, &output))
                              : status;
}

static sion_int64 bytes_wanted(const struct split_settings *settings, const struct input *input)
{
    sion_int64 bytes = 0;
    int task;

    for (task = 0; task < input->ntasks; task++)
        bytes += split_wants(settings, task) ? input_bytes(input, task) : 0;
    return bytes;
}

static int split_tasks(const struct split_settings *settings, const struct input *input)
{
    size_t size = strlen(settings->prefix) + DIGITS_MAX + NUMBER_MAX;
    char *path = malloc(size);
    struct replace_group group = {NULL};
    struct copy copy;
    int task, status = TOOL_FAILED;

    if (!path)
        tool_error("out of memory");
    else
        status = copy_start(&copy, input, bytes_wanted(settings, input), 0);
    if (status == TOOL_RUN) {
        if (is_keyval(input))
            status = split_keys(settings, &copy, &group, path, size);
        for (task = 0; !is_keyval(input) && task < input->ntasks && status == TOOL_RUN; task++) {
            if (split_wants(settings, task) && !input_leaves_out(input, task))
                status = split_task(settings, &copy, &group, task, path, size);
        }
        copy_end(&copy);
        status = replace_end_group(&group, status);
    }
    free(path);
    return status;
}

static int split(const struct split_settings *settings, const struct input *input)
{
    int keyval = input->keyval, status;

    if (keyval != SION_KEYVAL_NONE && keyval != SION_KEYVAL_INLINE) {
        tool_error("%s has the unknown key-value mode %d", input->name, keyval);
        return TOOL_FAILED;
    }
    if (input_check_tasks(input, &settings->tasks) != TOOL_RUN ||
        (settings->keys.run && input_check_keyval(input) != TOOL_RUN))
        return TOOL_FAILED;
    status = settings->use_globalranks ? check_globalranks(input) : TOOL_RUN;
    if (status == TOOL_RUN && keyval == SION_KEYVAL_INLINE)
        status = input_check_holes(input);
    if (status == TOOL_RUN) {
        if (settings->share.rank == 0)
            report(settings, input);
        status = split_tasks(settings, input);
    }
    return status == TOOL_RUN ? TOOL_DONE : status;
}

static int run(const struct split_settings *settings, const struct input *input, char **operands,
               int count)
{
    int status;

    if (!settings->files)
        return split(settings, input);
    status = input_check_tasks(input, &settings->tasks);
    if (status == TOOL_RUN)
        status = split_files(settings, input, operands[1], operands + 2, count - 2);
    return status == TOOL_RUN ? TOOL_DONE : status;
}

static const struct tool_option options[] = {
    TOOL_FLAG("verbose", 'v', struct split_settings, verbose),
    TOOL_FLAG("global-ranks", 'g', struct split_settings, use_globalranks),
    {"digits", 'd', read_digits, offsetof(struct split_settings, digits), 0},
    {"task", 't', numbers_read, offsetof(struct split_settings, tasks), INT_MAX},
    {"keys", 0, numbers_read, offsetof(struct split_settings, keys), 0},
    TOOL_FLAG("files", 0, struct split_settings, files),
    TOOL_FLAG("unsafe-links", 0, struct split_settings, links_anywhere),
    TOOL_PROGRESS_OPTION,
    TOOL_ALONE_OPTION,
    TOOL_FORCE_OPTION,
    TOOL_COMMON_OPTIONS,
};

#define FILES_HELP                                                                                 \
    "  --files          packed files: <sionfn> <folder> [<path> ...] makes all, or those\n"        \
    "                   of these paths, below the folder\n"                                        \
    "  --unsafe-links   with --files: make links that lead out of the folder, too\n"

static const struct tool tool = {
    .name = "sionsplit",
    .usage = usage,
    .options = options,
    .more_help = FILES_HELP NUMBERS_HELP TOOL_ALONE_HELP TOOL_PROGRESS_HELP TOOL_FORCE_HELP,
    .operands = 2,
    .more_operands = 1,
    .as_sionlib = 1};

static int check_usage(const struct split_settings *settings, char **argv, int operands)
{
    if (!settings->files && operands > 2)
        return tool_unexpected(&tool, argv[0], argv[optind + 2]);
    if (settings->files && (settings->keys.run || settings->use_globalranks))
        tool_error("--files takes files by their paths: no -g, no --keys");
    else if (!settings->files && settings->links_anywhere)
        tool_error("--unsafe-links is for packed files: --files");
    else
        return TOOL_RUN;
    return TOOL_USAGE;
}

int main(int argc, char **argv)
{
    struct split_settings settings = {.digits = 5};
    struct input input;
    int status = tool_parse(&tool, argc, argv, &settings);

    if (status == TOOL_RUN)
        status = check_usage(&settings, argv, argc - optind);
    if (status == TOOL_RUN) {
        settings.prefix = argv[optind + 1];
        settings.share = share_find();
        if (settings.share.size > 1)
            setvbuf(stdout, NULL, _IOLBF, 0); /* lines of several processes stay whole */
        status = input_open_members(argv[optind], &input);
        if (status == TOOL_RUN)
            status = input_close(&input, run(&settings, &input, argv + optind, argc - optind));
    }
    numbers_free(&settings.tasks);
    numbers_free(&settings.keys);
    return tool_finish(status);
}
