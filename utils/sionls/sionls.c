/* sionls: list containers, with one line for each task. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/json.h"
#include "base/memory.h"
#include "lib/follow.h"
#include "lib/input.h"
#include "lib/members.h"
#include "lib/text.h"
#include "lib/tool.h"
#include "lib/zips.h"
#include "file/generations.h"
#include "sionls/advice.h"
#include "sionls/files.h"
#include "sion_const.h"
#include "vfs/writer_lock.h"

enum order { BY_TASK, BY_RANK, BY_SIZE, BY_CHUNKS, BY_FILE };

struct settings {
    int is_long;
    int reverse;
    int json;
    int advice;
    int files;   /* that are packed in it */
    int follow;  /* a line for each state that comes */
    int kept;    /* a line for each generation */
    int members; /* the names of the files that it consists of */
    int most;    /* tasks of a container that are shown; 0: all; negative: as many as fit */
    enum order order;
};

static const char usage[] =
    "Usage: %s [options] <container> ...\n\n"
    "Shows each container in one line, and its tasks in one line each.\n\n"
    "Options:\n"
    "  [-l]            long: sizes in bytes, chunk sizes, how full chunks are\n"
    "  [-n <number>]   show at most <number> tasks of each container; 0: all\n"
    "                  (default: what fits on a terminal, and all elsewhere)\n"
    "  [-r]            reverse the order\n"
    "  [-V]            show version\n"
    "  [-h]            show this help\n";

static int read_order(const struct tool_option *option, const char *name, void *order)
{
    static const char *const names[] = {"task", "rank", "size", "chunks", "file"};
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) {
            *(enum order *)order = (enum order)i;
            return TOOL_RUN;
        }
    }
    tool_error("--%s takes task, rank, size, chunks or file, not '%s'", option->name, name);
    return TOOL_USAGE;
}

/* ---- order ---- */

struct row {
    sion_int64 value; /* by which it is sorted */
    int task;
};

static int file_of(const struct input *input, int task)
{
    int file, index;

    scion_container_locate(input->container, task, &file, &index);
    return file;
}

/* Sizes and chunks: the largest first, as ls does; everything else: the smallest first. */
static sion_int64 value_of(const struct input *input, int task, enum order order)
{
    switch (order) {
    case BY_RANK:
        return input_globalrank(input, task);
    case BY_SIZE:
        return -input_bytes(input, task);
    case BY_CHUNKS:
        return -input_count(input, task);
    case BY_FILE:
        return file_of(input, task);
    default:
        return task;
    }
}

static int compare(const void *left, const void *right)
{
    const struct row *a = left, *b = right;

    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return a->task < b->task ? -1 : 1;
}

/* To be freed; NULL after a message. */
static struct row *sort(const struct input *input, enum order order)
{
    struct row *rows = scion_array((uint64_t)input->ntasks, sizeof *rows);
    int task;

    if (!rows) {
        tool_error("out of memory for %d tasks of %s", input->ntasks, input->name);
        return NULL;
    }
    for (task = 0; task < input->ntasks; task++) {
        rows[task].task = task;
        rows[task].value = value_of(input, task, order);
    }
    qsort(rows, (size_t)input->ntasks, sizeof *rows, compare);
    return rows;
}

/* ---- text ---- */

static double percent(sion_int64 used, double space)
{
    return space > 0 ? 100.0 * (double)used / space : 100.0;
}

static double space_of(const struct input *input, int task)
{
    return (double)input_chunksize(input, task) * (double)input_count(input, task);
}

static double space_of_all(const struct input *input)
{
    double space = 0;
    int task;

    for (task = 0; task < input->ntasks; task++)
        space += space_of(input, task);
    return space;
}

/* Whether its writer goes on. */
static void print_published(const struct input *input)
{
    const struct scion_state *state = &scion_container_file(input->container, 0)->state;
    sion_int64 seconds = (sion_int64)time(NULL) - state->time / 1000000000;
    char who[SCION_WRITER_TEXT];
    struct scion_writer writer;

    printf(", published %lld s ago", seconds > 0 ? seconds : 0);
    if (scion_writer_find(input->name, &writer))
        printf(", being written by %s\n", scion_writer_text(&writer, who));
    else
        puts(", not closed");
}

/* The open refuses containers that were never closed nor published. */
static void print_summary(const struct input *input)
{
    int files = input->is_set ? input->nfiles : 1;
    char size[TEXT_SIZE], text[ZIPS_TEXT];
    struct scion_zipped_facts facts;

    scion_print_escaped(stdout, input->name);
    printf(": %d task%s, %d file%s, %s, ", input->ntasks, text_plural(input->ntasks), files,
           text_plural(files), text_size(size, input->total));
    if (zips_of_all(input, &facts))
        printf("stored in %s (%.2fx: %s)", text_size(size, facts.stored), zips_ratio(&facts),
               zips_text(text, &facts));
    else if (input->is_merged)
        printf("merged");
    else
        printf("chunks %.0f %% full%s", percent(input->total, space_of_all(input)),
               input->keyval == SION_KEYVAL_INLINE ? ", key-value records" : "");
    if (follow_is_closed(input->container))
        puts(", closed");
    else
        print_published(input);
}

/* Of a compressed stream, which has no chunks. */
static void print_zipped(const struct input *input, int task, int is_long)
{
    struct scion_zipped_facts facts = {0};
    char size[TEXT_SIZE], stored[TEXT_SIZE];

    zips_of_task(input, task, &facts);
    if (is_long)
        printf("%8d %8lld %14lld %14lld %6.2f  ", task, input_globalrank(input, task), facts.plain,
               facts.stored, zips_ratio(&facts));
    else
        printf("%8d %8lld %10s %10s  ", task, input_globalrank(input, task),
               text_size(size, facts.plain), text_size(stored, facts.stored));
}

static void print_task(const struct input *input, int task, int is_long)
{
    const char *file = scion_container_file(input->container, file_of(input, task))->path;
    sion_int64 bytes = input_bytes(input, task), chunks = input_count(input, task);
    char size[TEXT_SIZE];

    if (input_is_zipped(input))
        print_zipped(input, task, is_long);
    else if (is_long)
        printf("%8d %8lld %14lld %7lld %14lld %4.0f%%  ", task, input_globalrank(input, task),
               bytes, chunks, input_chunksize(input, task), percent(bytes, space_of(input, task)));
    else
        printf("%8d %8lld %10s %7lld  ", task, input_globalrank(input, task),
               text_size(size, bytes), chunks);
    scion_print_escaped(stdout, file);
    puts(input_damage(input, task) ? " (damaged)" : "");
}

static void print_columns(int is_long, int is_zipped)
{
    printf("%8s %8s ", "task", "rank");
    if (is_zipped && is_long)
        printf("%14s %14s %6s", "bytes", "stored", "ratio");
    else if (is_zipped)
        printf("%10s %10s", "size", "stored");
    else if (is_long)
        printf("%14s %7s %14s %5s", "bytes", "chunks", "chunk size", "full");
    else
        printf("%10s %7s", "size", "chunks");
    puts("  file");
}

static void print_text(const struct input *input, const struct settings *settings,
                       const struct row *rows)
{
    int most =
            settings->most == 0 || settings->most > input->ntasks ? input->ntasks : settings->most,
        n;

    print_summary(input);
    print_columns(settings->is_long, input_is_zipped(input));
    for (n = 0; n < most; n++)
        print_task(input, rows[settings->reverse ? input->ntasks - 1 - n : n].task,
                   settings->is_long);
    if (most < input->ntasks)
        printf("%8s %d more (-n 0 shows all)\n", "...", input->ntasks - most);
}

/* ---- JSON ---- */

static void print_json(const struct input *input, const struct settings *settings,
                       const struct row *rows)
{
    struct scion_zipped_facts facts;
    int n;

    printf("{\"file\": ");
    scion_json_string(stdout, input->name);
    printf(", \"number_of_tasks\": %d, \"number_of_files\": %d, \"bytes\": %lld, \"keyval\": %s, "
           "\"closed\": %s, %s",
           input->ntasks, input->is_set ? input->nfiles : 1, input->total,
           input->keyval == SION_KEYVAL_INLINE ? "true" : "false",
           follow_is_closed(input->container) ? "true" : "false",
           input->is_merged ? "\"merged\": true, " : "");
    if (zips_of_all(input, &facts))
        printf("\"compression\": {\"codec\": \"zstd\", \"frame\": %u, \"shuffle\": %u, \"bytes\": "
               "%lld, \"stored_bytes\": %lld}, ",
               facts.head.frame, facts.head.shuffle, facts.plain, facts.stored);
    printf("\"tasks\": [");
    for (n = 0; n < input->ntasks; n++) {
        int task = rows[settings->reverse ? input->ntasks - 1 - n : n].task;

        printf("%s\n  {\"task\": %d, \"global_rank\": %lld, \"bytes\": %lld, \"chunks\": %lld, "
               "\"chunk_size\": %lld, \"damaged\": %s, ",
               n > 0 ? "," : "", task, input_globalrank(input, task), input_bytes(input, task),
               input_count(input, task), input_chunksize(input, task),
               input_damage(input, task) ? "true" : "false");
        if (zips_of_task(input, task, &facts))
            printf("\"stored_bytes\": %lld, ", facts.stored);
        printf("\"file\": ");
        scion_json_string(stdout,
                          scion_container_file(input->container, file_of(input, task))->path);
        putchar('}');
    }
    printf("\n]}");
}

/* ---- names of files ---- */

static int list_members(char *name)
{
    struct members members;
    int status = members_find(name, 0, &members);
    size_t i;

    if (status != TOOL_RUN)
        return status;
    status = members_check(&members, name, "");
    for (i = 0; i < members.count && status == TOOL_RUN; i++) {
        char *path = members_path(name, &members.member[i]);

        if (path) {
            files_print_path(path);
            putchar('\n');
        } else {
            tool_error("out of memory for the names of the files of %s", name);
        }
        status = path ? TOOL_RUN : TOOL_FAILED;
        free(path);
    }
    members_free(&members);
    return status;
}

/* ---- states ---- */

static const char *text_time(char *text, size_t size, sion_int64 nanoseconds)
{
    time_t at = (time_t)(nanoseconds / 1000000000);
    struct tm utc;

    strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&at, &utc));
    return text;
}

/* What has come since an earlier state: its bytes, of generations its newest one. */
struct earlier {
    sion_int64 bytes, generation;
};

static sion_int64 bytes_since(const struct follow *follow, sion_int64 bytes,
                              const struct earlier *before)
{
    const struct scion_container *container = follow->container;
    sion_int64 more = 0;
    int i, g;

    if (!follow_generations(follow))
        return bytes - before->bytes;
    for (i = 0; i < scion_container_nopen(container); i++) {
        const struct scion_generations *all = scion_container_file(container, i)->generations;

        for (g = 0; all && g < all->head.n; g++)
            more += all->list[g].number > before->generation ? all->list[g].bytes : 0;
    }
    return more;
}

static void print_state(const struct follow *follow, const char *name, struct earlier *before)
{
    const struct scion_container *container = follow->container;
    const struct scion_state *state = follow_state(follow);
    char size[TEXT_SIZE], more[TEXT_SIZE], when[40] = "";
    sion_int64 bytes = 0;
    int i;

    for (i = 0; i < scion_container_nopen(container); i++)
        bytes += scion_container_file(container, i)->state.bytes;
    if (state) {
        text_time(when, sizeof when, state->time);
    }
    scion_print_escaped(stdout, name);
    if (state)
        printf(": state %lld, %s, %s, %s more, %s\n", state->generation, when,
               text_size(size, bytes), text_size(more, bytes_since(follow, bytes, before)),
               follow_is_closed(container) ? "closed" : "published");
    else
        puts(": closed, never published");
    fflush(stdout);
    before->bytes = bytes;
    if (follow_generations(follow))
        before->generation = follow_generations(follow)->head.newest;
}

static int follow_states(char *name)
{
    struct follow follow;
    struct earlier before = {0, 0};
    int status = follow_open(name, &follow);

    if (status != TOOL_RUN)
        return status;
    do {
        print_state(&follow, name, &before);
        scion_container_seek(follow.container, 0, SION_END_POS, 0); /* nothing is read of it */
    } while ((status = follow_next(&follow)) == TOOL_RUN);
    return follow_close(&follow, status);
}

/* ---- generations ---- */

/* Of all files of the container: they have the same ones. */
static void print_generation(const struct input *input, int i)
{
    const struct scion_generation *one =
        &scion_container_file(input->container, 0)->generations->list[i];
    char when[80], size[TEXT_SIZE];
    sion_int64 bytes = 0;
    int f;

    for (f = 0; f < scion_container_nopen(input->container); f++)
        bytes += scion_container_file(input->container, f)->generations->list[i].bytes;
    scion_print_escaped(stdout, input->name);
    printf(": generation %lld, %s, %s\n", one->number, text_time(when, sizeof when, one->time),
           text_size(size, bytes));
}

static int list_generations(char *name)
{
    struct input input;
    const struct scion_generations *kept;
    int status = input_open(name, &input), i;

    if (status != TOOL_RUN)
        return status;
    kept = scion_container_file(input.container, 0)->generations;
    for (i = 0; kept && i < kept->head.n; i++)
        print_generation(&input, i);
    if (!kept || kept->head.n == 0) {
        scion_print_escaped(stdout, name);
        puts(": no generations");
    }
    return input_close(&input, TOOL_RUN);
}

/* ---- all ---- */

static int list(char *name, const struct settings *settings, const char *before)
{
    struct input input;
    struct row *rows;
    int status;

    if (settings->files)
        return settings->json ? files_list_json(name, before) : files_list(name, settings->is_long);
    status = input_open_members(name, &input);

    if (status != TOOL_RUN)
        return status;
    rows = sort(&input, settings->order);
    if (rows) {
        fputs(before, stdout);
        (settings->json ? print_json : print_text)(&input, settings, rows);
    }
    free(rows);
    return input_close(&input, rows ? TOOL_RUN : TOOL_FAILED);
}

/* Containers that can be read are shown, even if others cannot. */
static int list_all(char **names, const struct settings *settings)
{
    const char *before = settings->json ? "[" : "";
    int status = TOOL_DONE;

    for (; *names; names++) {
        if (list(*names, settings, before) != TOOL_RUN)
            status = TOOL_FAILED;
        else
            before = settings->json ? ",\n" : "\n";
    }
    if (settings->json)
        printf("%s]\n", *before == '[' ? "[" : "");
    return status;
}

static int do_all(char **names, int do_one(char *name))
{
    int status = TOOL_DONE;

    for (; *names; names++) {
        if (do_one(*names) != TOOL_RUN)
            status = TOOL_FAILED;
    }
    return status;
}

/* Lines for the summary, the heads of the columns, the number of tasks left out, and the prompt. */
static int fitting(int containers)
{
    enum { OTHERS = 4, LEAST = 3 };
    struct winsize size;
    int rows;

    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0)
        return 0;
    rows = size.ws_row / containers - OTHERS;
    return rows > LEAST ? rows : LEAST;
}

static const struct tool_option options[] = {
    TOOL_FLAG("long", 'l', struct settings, is_long),
    TOOL_NUMBER("number", 'n', struct settings, most, 0),
    TOOL_FLAG("reverse", 'r', struct settings, reverse),
    {"sort", 0, read_order, offsetof(struct settings, order), 0},
    TOOL_FLAG("json", 0, struct settings, json),
    TOOL_FLAG("advice", 0, struct settings, advice),
    TOOL_FLAG("files", 0, struct settings, files),
    TOOL_FLAG("members", 0, struct settings, members),
    TOOL_FLAG("follow", 0, struct settings, follow),
    TOOL_FLAG("generations", 0, struct settings, kept),
    INPUT_GENERATION_OPTION,
    TOOL_COMMON_OPTIONS,
};

static const struct tool tool = {
    .name = "sionls",
    .usage = usage,
    .options = options,
    .more_help =
        "  --sort=task|rank|size|chunks|file\n"
        "                   order of the tasks; sizes and chunks: the largest first\n"
        "  --json           all tasks as JSON\n"
        "  --files          the files that are packed in each container: their paths; with\n"
        "                   -l like ls -l, and with --json all that is known\n"
        "  --members        only the names of all files that each container consists of\n"
        "  --follow         a line for each state of a container that is published,\n"
        "                   until it is closed, or ^C\n"
        "  --generations    a line for each generation that the container "
        "keeps\n" INPUT_GENERATION_HELP
        "  --advice         of folders and containers: which block size, striping and\n"
        "                   number of files to take, as shell commands\n",
    .operands = 1,
    .more_operands = 1};

/* What can be asked for at once. */
static int check(const struct settings *settings)
{
    int json = settings->json && !settings->files;

    if (settings->advice + settings->files + settings->members + settings->follow + settings->kept +
            json <=
        1)
        return TOOL_RUN;
    tool_error("only one of --advice, --files, --members, --follow, --generations and --json can "
               "be used, but for --files with --json");
    return TOOL_USAGE;
}

int main(int argc, char **argv)
{
    struct settings settings = {.most = -1};
    int status = tool_parse(&tool, argc, argv, &settings);

    if (status == TOOL_RUN)
        status = check(&settings);
    if (status == TOOL_RUN && settings.follow && argc - optind > 1) {
        tool_error("--follow takes one container");
        status = TOOL_USAGE;
    }
    if (status == TOOL_RUN && settings.follow)
        status = follow_states(argv[optind]);
    if (status == TOOL_RUN && (settings.advice || settings.members || settings.kept)) {
        status = do_all(argv + optind, settings.advice    ? advise
                                       : settings.members ? list_members
                                                          : list_generations);
    } else if (status == TOOL_RUN) {
        if (settings.most < 0)
            settings.most = fitting(argc - optind);
        status = list_all(argv + optind, &settings);
    }
    return tool_finish(status);
}
