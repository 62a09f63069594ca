/* Tables of tasks, chunks and members. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/text.h"
#include "base/memory.h"
#include "lib/tool.h"
#include "siondump/parts.h"

enum {
    WIDE_RULE = 155,
    NARROW_RULE = 60,
    BLOCKS_PER_LINE = 10,
    PAIRS_PER_LINE = 16,
    NAMES_MOST = 1 << 16 /* of files that may not exist */
};

static void print_rule(int width)
{
    int i;

    for (i = 0; i < width; i++)
        putchar('-');
    putchar('\n');
}

void dump_rule(void)
{
    print_rule(WIDE_RULE);
}

/* ---- blocks ---- */

static void print_task(const struct input *input, int task, int bytes)
{
    sion_int64 chunksize = input_chunksize(input, task);
    char all[TEXT_SIZE], one[TEXT_SIZE];

    printf("Task %02d: ", task);
    if (bytes)
        printf("size=%10lld B glblrnk=%4lld #blks=%2lld lsz=%10lld B: ", input_bytes(input, task),
               input_globalrank(input, task), input_count(input, task), chunksize);
    else
        printf("size=%8s MB glblrnk=%4lld #blks=%2lld lsz=%8s MB:  ",
               text_mb_digits(all, input_bytes(input, task)), input_globalrank(input, task),
               input_count(input, task), text_mb_digits(one, chunksize));
}

/* The number in the table: 0 or -1 if the task has no such block. */
static void print_used(sion_int64 used, int bytes)
{
    char mb[TEXT_SIZE];

    if (bytes)
        printf("%9lld ", used);
    else
        printf(" %6s MB ", text_mb_digits(mb, used));
}

static void print_group(const struct input *input, int first, int end, int bytes)
{
    int task, block;

    printf("%70s", "");
    for (block = first; block < end; block++)
        printf("BLK%03d    ", block);
    putchar('\n');
    for (task = 0; task < input->ntasks; task++) {
        print_task(input, task, bytes);
        for (block = first; block < end; block++)
            print_used(input_used(input, task, block), bytes);
        putchar('\n');
    }
    putchar('\n');
}

void dump_blocks(const struct input *input, int bytes)
{
    int first, left;

    putchar('\n');
    dump_rule();
    for (first = 0; first < input->maxchunks; first += BLOCKS_PER_LINE) {
        left = input->maxchunks - first;
        print_group(input, first, first + (left < BLOCKS_PER_LINE ? left : BLOCKS_PER_LINE), bytes);
    }
    dump_rule();
}

int dump_members(const struct input *input)
{
    struct input members;
    int status = input_open_members(input->name, &members), task;

    if (status != TOOL_RUN)
        return status;
    printf("siondump: merged streams, the members' own bytes:\n");
    for (task = 0; task < members.ntasks; task++)
        printf("Member %02d: size=%10lld B glblrnk=%4lld\n", task, input_bytes(&members, task),
               input_globalrank(&members, task));
    dump_rule();
    return input_close(&members, TOOL_RUN);
}

/* ---- files of a set ---- */

/* All files of a whole set; a single file can claim any number. */
static int files_to_show(const struct input *input)
{
    int nfiles = input->head->nfiles;

    return input->is_set || nfiles < NAMES_MOST ? nfiles : NAMES_MOST;
}

static int print_name(const char *prefix, int number)
{
    char *name = scion_physical_name(prefix, number), *shown = name ? text_escaped(name) : NULL;

    if (shown)
        printf("siondump: file %3d:                    %s \n", number + 1, shown);
    else
        tool_error("out of memory");
    free(name);
    free(shown);
    return shown ? TOOL_RUN : TOOL_FAILED;
}

static int print_names(const struct input *input)
{
    int shown = files_to_show(input), i, status = TOOL_RUN;

    tool_line(stdout, TOOL_LABEL, "number of files:", "%d", input->head->nfiles);
    for (i = 0; i < shown && status == TOOL_RUN; i++)
        status = print_name(input->head->prefix, i);
    if (shown < input->head->nfiles)
        tool_line(stdout, TOOL_LABEL, "more files:", "%d", input->head->nfiles - shown);
    return status;
}

/* Tasks and their (file, task in the file); none if a member of a set is dumped by itself. */
struct pairs {
    int size;
    const sion_int32 *pairs;
};

static struct pairs get_pairs(const struct input *input)
{
    const struct scion_mapping *mapping = scion_container_mapping(input->container);

    return mapping ? (struct pairs){.size = mapping->size, .pairs = mapping->pairs}
                   : (struct pairs){.size = 0, .pairs = NULL};
}

static void print_mapping(const struct pairs *mapping)
{
    int task;

    printf("  mapping: ");
    for (task = 0; task < mapping->size; task++) {
        const sion_int32 *pair = mapping->pairs + 2 * (size_t)task;

        printf("[%05d -> (f%03d,t%03d)] ", task, pair[0], pair[1]);
        if ((task + 1) % PAIRS_PER_LINE == 0)
            printf("\n        ");
    }
    putchar('\n');
}

/*
 * Tasks in the order of their files: counting them first makes the table in one pass, however many
 * files there are. start[file] to start[file + 1]: places in order[].
 */
static void sort_by_file(const struct pairs *mapping, int nfiles, int *start, int *order)
{
    int task, file;

    for (task = 0; task < mapping->size; task++)
        start[mapping->pairs[2 * (size_t)task] + 1]++;
    for (file = 0; file < nfiles; file++)
        start[file + 1] += start[file];
    for (task = 0; task < mapping->size; task++)
        order[start[mapping->pairs[2 * (size_t)task]]++] = task;
    memmove(start + 1, start, (size_t)nfiles * sizeof *start);
    start[0] = 0;
}

static int print_mapping_table(const struct pairs *mapping, int nfiles)
{
    int *start = calloc((size_t)nfiles + 1, sizeof *start);
    int *order = scion_array((size_t)mapping->size + 1, sizeof *order);
    int file, i;

    if (start && order) {
        sort_by_file(mapping, nfiles, start, order);
        for (file = 0; file < nfiles; file++) {
            printf("  file[%03d]: ", file);
            for (i = start[file]; i < start[file + 1]; i++)
                printf("%2d:%05d ", mapping->pairs[2 * (size_t)order[i] + 1], order[i]);
            putchar('\n');
        }
    } else {
        tool_error("out of memory");
    }
    i = start && order ? TOOL_RUN : TOOL_FAILED;
    free(start);
    free(order);
    return i;
}

int dump_files(const struct input *input, const struct dump_settings *settings)
{
    const struct pairs mapping = get_pairs(input);

    print_rule(NARROW_RULE);
    if (print_names(input) != TOOL_RUN)
        return TOOL_FAILED;
    print_rule(NARROW_RULE);
    if (settings->mapping) {
        print_mapping(&mapping);
        print_rule(NARROW_RULE);
    }
    if (settings->mapping_table) {
        if (print_mapping_table(&mapping, files_to_show(input)) != TOOL_RUN)
            return TOOL_FAILED;
        print_rule(NARROW_RULE);
    }
    return TOOL_RUN;
}
