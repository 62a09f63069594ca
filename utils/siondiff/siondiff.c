/* siondiff: whether two containers hold the same streams, however they are laid out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "lib/input.h"
#include "lib/progress.h"
#include "lib/records.h"
#include "sion_const.h"
#include "siondiff/files.h"

static const char usage[] =
    "Usage: %s [options] <container> <container>\n\n"
    "Compares the data of all tasks: streams byte by byte, whatever the chunks and\n"
    "files that they are in, and key-value streams record by record. Tasks are\n"
    "compared with those of the same global rank, or of the same number if the\n"
    "ranks are not 0, 1, 2, ... in both. Ends with 0 if all are the same, with 1\n"
    "if not, and with 2 if a container cannot be read.\n\n"
    "Options:\n"
    "  [-q]   print nothing but errors, and stop at the first difference\n"
    "  [-V]   show version\n"
    "  [-h]   show this help\n";

struct work {
    const struct settings *settings;
    struct input inputs[2];
    int *by_rank[2]; /* [ntasks]: the task of each rank; NULL: the task of this number */
    struct records *records[2];
    unsigned char *pieces[2]; /* [PIECE] */
    struct progress progress;
};

static int task_of(const struct work *work, int side, int n)
{
    return work->by_rank[side] ? work->by_rank[side][n] : n;
}

static void say_name(const struct work *work, int side)
{
    scion_print_escaped(stdout, work->inputs[side].name);
}

/* Print the beginning of a line about a difference. */
static void say_names(const struct work *work)
{
    say_name(work, 0);
    putchar(' ');
    say_name(work, 1);
    printf(" differ: ");
}

/* The same about one in a task. */
static void say(struct work *work, int n)
{
    progress_clear(&work->progress);
    say_names(work);
    printf("%s %d", work->by_rank[0] ? "rank" : "task", n);
}

/* ---- bytes ---- */

/* How far a task's stream has been compared. */
struct cursor {
    const struct input *input;
    int task;
    sion_int64 chunk, pos;
};

/* Bytes left in its chunk, or in the next one that has any; 0: none at all. */
static sion_int64 left_at(struct cursor *cursor)
{
    sion_int64 count = input_count(cursor->input, cursor->task), left = 0;

    for (; cursor->chunk < count; cursor->chunk++, cursor->pos = 0) {
        left = input_used(cursor->input, cursor->task, cursor->chunk) - cursor->pos;
        if (left > 0)
            return left;
    }
    return 0;
}

/* How many of the next bytes, 0 at an end, are holes in both streams, or data in one of them. */
static int run_at(struct cursor *cursors, sion_int64 *run, int *is_hole)
{
    sion_int64 left[2];
    int side, hole, status = TOOL_RUN;

    left[0] = left_at(&cursors[0]);
    left[1] = left_at(&cursors[1]);
    *run = left[0] < left[1] ? left[0] : left[1];
    *is_hole = *run > 0;
    for (side = 0; side < 2 && *run > 0 && status == TOOL_RUN; side++) {
        const struct cursor *cursor = &cursors[side];

        status = input_run(cursor->input, cursor->task, cursor->chunk, cursor->pos, run, &hole);
        *is_hole = *is_hole && hole;
    }
    return status;
}

static int read_at(struct cursor *cursor, void *to, size_t bytes)
{
    int status = input_read(cursor->input, cursor->task, cursor->chunk, cursor->pos, to, bytes);

    cursor->pos += (sion_int64)bytes;
    return status;
}

static size_t first_difference(const unsigned char *left, const unsigned char *right, size_t bytes)
{
    size_t n = 0;

    while (n < bytes && left[n] == right[n])
        n++;
    return n;
}

/* Compare the next bytes, of which both streams have as many. */
static int compare_bytes(struct work *work, struct cursor *cursors, size_t bytes,
                         sion_int64 *offset)
{
    size_t n;

    if (read_at(&cursors[0], work->pieces[0], bytes) != TOOL_RUN ||
        read_at(&cursors[1], work->pieces[1], bytes) != TOOL_RUN)
        return TOOL_FAILED;
    n = memcmp(work->pieces[0], work->pieces[1], bytes) == 0
            ? bytes
            : first_difference(work->pieces[0], work->pieces[1], bytes);
    *offset += (sion_int64)n;
    return n < bytes ? DIFFERENT : SAME;
}

static int skip_hole(struct cursor *cursors, sion_int64 bytes, sion_int64 *offset)
{
    cursors[0].pos += bytes;
    cursors[1].pos += bytes;
    *offset += bytes;
    return SAME;
}

/* SAME, DIFFERENT with the offset of the first byte that differs, or TOOL_FAILED. */
static int compare_pieces(struct work *work, struct cursor *cursors, sion_int64 *offset)
{
    sion_int64 run = 1;
    int is_hole, status = SAME;

    for (*offset = 0; status == SAME;) {
        if (run_at(cursors, &run, &is_hole) != TOOL_RUN)
            return TOOL_FAILED;
        if (run == 0)
            return left_at(&cursors[0]) == left_at(&cursors[1]) ? SAME : DIFFERENT;
        if (!is_hole && run > PIECE)
            run = PIECE;
        status = is_hole ? skip_hole(cursors, run, offset)
                         : compare_bytes(work, cursors, (size_t)run, offset);
        progress_step(&work->progress, 2 * run);
    }
    return status;
}

static int compare_streams(struct work *work, int n)
{
    int tasks[] = {task_of(work, 0, n), task_of(work, 1, n)};
    struct cursor cursors[] = {{&work->inputs[0], tasks[0], 0, 0},
                               {&work->inputs[1], tasks[1], 0, 0}};
    sion_int64 sizes[] = {input_bytes(&work->inputs[0], tasks[0]),
                          input_bytes(&work->inputs[1], tasks[1])};
    sion_int64 offset;
    int status = compare_pieces(work, cursors, &offset);

    if (status != DIFFERENT || work->settings->quiet)
        return status;
    say(work, n);
    printf(", offset %lld", offset);
    if (sizes[0] != sizes[1])
        printf(" (%lld and %lld bytes)", sizes[0], sizes[1]);
    putchar('\n');
    return status;
}

/* ---- records ---- */

/* Compare two records of the same key and length. */
static int compare_values(struct work *work, sion_int64 *offset)
{
    struct records **records = work->records;

    for (*offset = 0; *offset < records[0]->length;) {
        sion_int64 left = records[0]->length - *offset;
        size_t bytes = left < PIECE ? (size_t)left : PIECE, n;

        if (records_read(records[0], records[0]->offset + *offset, work->pieces[0], bytes) !=
                TOOL_RUN ||
            records_read(records[1], records[1]->offset + *offset, work->pieces[1], bytes) !=
                TOOL_RUN)
            return TOOL_FAILED;
        n = first_difference(work->pieces[0], work->pieces[1], bytes);
        *offset += (sion_int64)n;
        if (n < bytes)
            return DIFFERENT;
    }
    return SAME;
}

/* next: what records_next returned for both. */
static void say_record(struct work *work, int n, sion_int64 number, const int *next,
                       sion_int64 offset)
{
    struct records **records = work->records;

    say(work, n);
    printf(", record %lld", number);
    if (next[0] != next[1]) {
        printf(" is in ");
        say_name(work, next[0] == TOOL_DONE);
        printf(" alone\n");
    } else if (records[0]->key != records[1]->key) {
        printf(": keys %llu and %llu\n", (unsigned long long)records[0]->key,
               (unsigned long long)records[1]->key);
    } else if (records[0]->length != records[1]->length) {
        printf(" of key %llu: %lld and %lld bytes\n", (unsigned long long)records[0]->key,
               records[0]->length, records[1]->length);
    } else {
        printf(" of key %llu, offset %lld\n", (unsigned long long)records[0]->key, offset);
    }
}

static int compare_record(struct work *work, int n, sion_int64 number, const int *next)
{
    struct records **records = work->records;
    sion_int64 offset = 0;
    int status = DIFFERENT;

    if (next[0] == next[1] && records[0]->key == records[1]->key &&
        records[0]->length == records[1]->length)
        status = compare_values(work, &offset);
    if (status == DIFFERENT && !work->settings->quiet)
        say_record(work, n, number, next, offset);
    return status;
}

static int compare_records(struct work *work, int n)
{
    sion_int64 number;
    int next[2], status = SAME, side;

    for (side = 0; side < 2; side++)
        records_start(work->records[side], &work->inputs[side], task_of(work, side, n),
                      &work->progress);
    for (number = 0; status == SAME; number++) {
        next[0] = records_next(work->records[0]);
        next[1] = records_next(work->records[1]);
        if (next[0] == TOOL_FAILED || next[1] == TOOL_FAILED)
            return TOOL_FAILED;
        if (next[0] == TOOL_DONE && next[1] == TOOL_DONE)
            return SAME;
        status = compare_record(work, n, number, next);
    }
    return status;
}

/* ---- containers ---- */

static int is_keyval(const struct work *work, int side)
{
    return work->inputs[side].keyval == SION_KEYVAL_INLINE;
}

static void say_heads(const struct work *work)
{
    int tasks[] = {work->inputs[0].ntasks, work->inputs[1].ntasks};

    say_names(work);
    if (tasks[0] != tasks[1]) {
        printf("%d and %d tasks\n", tasks[0], tasks[1]);
    } else {
        printf("only ");
        say_name(work, is_keyval(work, 1));
        printf(" has key-value records\n");
    }
}

/* Report a difference that prevents comparing the tasks. */
static int compare_heads(struct work *work)
{
    if (work->inputs[0].ntasks == work->inputs[1].ntasks &&
        is_keyval(work, 0) == is_keyval(work, 1))
        return SAME;
    if (!work->settings->quiet)
        say_heads(work);
    return DIFFERENT;
}

/* Reported for both containers. */
static int is_left_out(struct work *work, int n)
{
    int side, left_out = 0;

    for (side = 0; side < 2; side++) {
        const struct input *input = &work->inputs[side];
        int task = task_of(work, side, n);

        left_out +=
            is_keyval(work, side) ? records_leave_out(input, task) : input_leaves_out(input, task);
    }
    return left_out > 0;
}

static int compare_tasks(struct work *work)
{
    int n, status = SAME, result = SAME;

    for (n = 0; n < work->inputs[0].ntasks; n++) {
        if (is_left_out(work, n))
            continue;
        status = is_keyval(work, 0) ? compare_records(work, n) : compare_streams(work, n);
        if (status != SAME)
            result = status;
        if (status == TOOL_FAILED || (status == DIFFERENT && work->settings->quiet))
            return status;
    }
    return result;
}

/* The task of each rank; NULL if the ranks are not those of a program, or without memory. */
static int *sort_by_rank(const struct input *input)
{
    int *tasks = scion_array((uint64_t)input->ntasks, sizeof *tasks), task;

    for (task = 0; tasks && task < input->ntasks; task++)
        tasks[task] = -1;
    for (task = 0; tasks && task < input->ntasks; task++) {
        sion_int64 rank = input_globalrank(input, task);

        if (rank < 0 || rank >= input->ntasks || tasks[rank] >= 0) {
            free(tasks);
            return NULL;
        }
        tasks[rank] = task;
    }
    return tasks;
}

static void pair_tasks(struct work *work)
{
    work->by_rank[0] = sort_by_rank(&work->inputs[0]);
    work->by_rank[1] = work->by_rank[0] ? sort_by_rank(&work->inputs[1]) : NULL;
    if (!work->by_rank[1]) {
        free(work->by_rank[0]);
        work->by_rank[0] = NULL;
    }
}

/* Values of records are read whole. */
static int check_holes(const struct work *work)
{
    int side, status = TOOL_RUN;

    for (side = 0; side < 2 && status == TOOL_RUN; side++)
        status = is_keyval(work, side) ? input_check_holes(&work->inputs[side]) : TOOL_RUN;
    return status == TOOL_RUN ? SAME : TOOL_FAILED;
}

static int compare(struct work *work)
{
    int status = compare_heads(work);

    if (status == SAME)
        status = check_holes(work);
    if (status != SAME)
        return status;
    pair_tasks(work);
    progress_start(&work->progress, work->inputs[0].total + work->inputs[1].total, 1);
    status = compare_tasks(work);
    progress_end(&work->progress);
    free(work->by_rank[0]);
    free(work->by_rank[1]);
    return status;
}

static int compare_with_memory(struct work *work)
{
    int side, status = SAME;

    for (side = 0; side < 2; side++) {
        work->records[side] = malloc(sizeof *work->records[side]);
        work->pieces[side] = malloc(PIECE);
        if (!work->records[side] || !work->pieces[side])
            status = TOOL_FAILED;
    }
    if (status == TOOL_FAILED)
        tool_error("out of memory");
    else
        status = compare(work);
    for (side = 0; side < 2; side++) {
        free(work->records[side]);
        free(work->pieces[side]);
    }
    return status;
}

static int diff(const struct settings *settings, char **names)
{
    struct work work = {.settings = settings};
    int status = input_open_members(names[0], &work.inputs[0]);

    if (status != TOOL_RUN)
        return status;
    status = input_open_members(names[1], &work.inputs[1]);
    if (status == TOOL_RUN)
        status = input_close(&work.inputs[1], compare_with_memory(&work));
    return input_close(&work.inputs[0], status);
}

static const struct tool_option options[] = {
    TOOL_FLAG("quiet", 'q', struct settings, quiet),
    TOOL_FLAG("files", 0, struct settings, files),
    TOOL_FLAG("times", 0, struct settings, times),
    TOOL_PROGRESS_OPTION,
    TOOL_FORCE_OPTION,
    TOOL_COMMON_OPTIONS,
};

static const char more_help[] =
    "  --files          compare packed files by their paths, whatever tasks have them; each\n"
    "                   of the two is a container, or a folder of files\n"
    "  --times          with --files: also when they were changed last\n" TOOL_PROGRESS_HELP
        TOOL_FORCE_HELP;

static const struct tool tool = {
    .name = "siondiff", .usage = usage, .options = options, .more_help = more_help, .operands = 2};

/* A difference that cannot be printed is trouble. */
static int finish(int status)
{
    int written = tool_finish(status == DIFFERENT ? TOOL_DONE : status);

    return written == TOOL_DONE ? status : written;
}

int main(int argc, char **argv)
{
    struct settings settings = {0};
    int status = tool_parse(&tool, argc, argv, &settings);

    if (status == TOOL_RUN && settings.times && !settings.files) {
        tool_error("--times is for packed files: --files");
        status = TOOL_USAGE;
    }
    if (status == TOOL_RUN)
        status = (settings.files ? diff_files : diff)(&settings, argv + optind);
    else if (status == TOOL_USAGE)
        status = TOOL_FAILED; /* 1 says that containers differ */
    return finish(status);
}
