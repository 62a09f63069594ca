/* sionrecover: show what is left of a container that was never closed, and close it. */
#include <stdio.h>
#include <stdlib.h>

#include "sion_const.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "lib/progress.h"
#include "lib/rescue.h"
#include "lib/text.h"
#include "lib/tool.h"
#include "recover/recover.h"
#include "vfs/path.h"
#include "vfs/writer_lock.h"

enum { SCHEMA_VERSION = 1 };

struct settings {
    const char *outfile;
    int in_place, json, reduced, upper_bound;
};

static const char usage[] =
    "Usage: %s options <sionfn>\n\n"
    "Tells what is left of a SIONlib file that was never closed, and makes it\n"
    "readable, in place or as a new file.\n\n"
    "Options:\n"
    "  [-o <outfn>]       write what is left to a new sion file <outfn>\n"
    "  [-V]               show version of SIONlib\n"
    "  [-h]               show this help\n";

static const char more_help[] =
    "  --in-place       close the container where it is\n"
    "  --reduced        of a set of which files are missing or unreadable: what the others have;\n"
    "                   with -o\n"
    "  --upper-bound    without commit records: all bytes that may be data, which\n"
    "                   are more than there were; with -o\n"
    "  --json           report as JSON\n" TOOL_PROGRESS_HELP;

static int failed(void)
{
    tool_error("%s", scion_error_text());
    return TOOL_FAILED;
}

/* ---- the report ---- */

static struct scion_salvaged_task sum_up(const struct scion_salvage *salvage)
{
    struct scion_salvaged_task sum = {.certain = 0};
    int i;

    for (i = 0; i < salvage->ntasks; i++) {
        const struct scion_salvaged_task *task = scion_salvage_task(salvage, i);

        sum.certain += task->certain;
        sum.possible += task->possible;
        sum.lost += task->lost;
    }
    return sum;
}

/* In a file that was not closed: tasks after one that has bytes have none. */
static int has_empty_tasks(const struct scion_salvaged_file *file)
{
    const struct scion_physical *physical = file->physical;
    int has_data = 0, t;

    if (!physical || file->evidence == SCION_EVIDENCE_TABLES ||
        scion_meta1_keyval(&physical->head) == SION_KEYVAL_INLINE)
        return 0;
    for (t = 0; t < physical->head.ntasks; t++) {
        if (scion_salvage_bytes(&file->tasks[t]) > 0)
            has_data = 1;
        else if (has_data && physical->chunksizes[t] > 0)
            return 1;
    }
    return 0;
}

/* Only a close writes down whose the bytes of collectors are; so it looks if it was merged. */
static int may_be_merged(const struct scion_salvage *salvage)
{
    int i;

    for (i = 0; i < salvage->nfiles; i++) {
        if (has_empty_tasks(&salvage->files[i]))
            return 1;
    }
    return 0;
}

static const char *state(const struct scion_salvage *salvage)
{
    static const char *const states[] = {"closed", "commit records", "upper bound"};

    return states[salvage->evidence];
}

static void put_task(const struct scion_salvage *salvage, int index)
{
    const struct scion_salvaged_place *place = &salvage->places[index];
    const struct scion_salvaged_task *task = scion_salvage_task(salvage, index);

    printf("%s\n    {\"rank\": %lld, \"file\": %d, \"index\": %d, \"bytes\": %lld, "
           "\"certain\": %lld, \"possible\": %lld, \"lost\": %lld}",
           index > 0 ? "," : "", place->globalrank, place->file, place->lrank,
           scion_salvage_bytes(task), task->certain, task->possible, task->lost);
}

static void report_json(const struct scion_salvage *salvage)
{
    const struct scion_salvaged_task sum = sum_up(salvage);
    int listed = 0, i;

    printf("{\n  \"schema\": \"sionrecover\",\n  \"schema_version\": %d,\n  \"file\": ",
           SCHEMA_VERSION);
    scion_json_string(stdout, salvage->name);
    printf(",\n  \"evidence\": \"%s\",\n  \"is_upper_bound\": %s,\n", state(salvage),
           salvage->evidence == SCION_EVIDENCE_HOLES ? "true" : "false");
    printf("  \"number_of_files\": %d,\n  \"missing_files\": [", salvage->nfiles);
    for (i = 0; i < salvage->nfiles && salvage->nmissing > 0; i++) {
        if (!salvage->files[i].physical)
            printf("%s%d", listed++ > 0 ? ", " : "", i);
    }
    printf("],\n  \"may_be_merged\": %s", may_be_merged(salvage) ? "true" : "false");
    printf(",\n  \"bytes\": {\"certain\": %lld, \"possible\": %lld, \"lost\": %lld},\n"
           "  \"tasks\": [",
           sum.certain, sum.possible, sum.lost);
    for (i = 0; i < salvage->ntasks; i++)
        put_task(salvage, i);
    printf("\n  ]\n}\n");
}

static void report_text(const struct scion_salvage *salvage)
{
    const struct scion_salvaged_task sum = sum_up(salvage);
    int i;

    tool_line(stdout, TOOL_LABEL, "evidence:", "%s", state(salvage));
    if (salvage->evidence == SCION_EVIDENCE_HOLES)
        tool_line(stdout, TOOL_LABEL, "",
                  "no commit records: upper bound of the bytes written, by holes");
    tool_line(stdout, TOOL_LABEL, "number of files:", "%d", salvage->nfiles);
    for (i = 0; i < salvage->nfiles && salvage->nmissing > 0; i++) {
        if (!salvage->files[i].physical)
            tool_line(stdout, TOOL_LABEL, "missing file:", "%d", i);
    }
    for (i = 0; i < salvage->ntasks; i++) {
        const struct scion_salvaged_task *task = scion_salvage_task(salvage, i);

        printf("task %lld: %lld byte%s certain, %lld possible, %lld lost\n",
               salvage->places[i].globalrank, task->certain, text_plural(task->certain),
               task->possible, task->lost);
    }
    printf("all %d task%s: %lld byte%s certain, %lld possible, %lld lost\n", salvage->ntasks,
           text_plural(salvage->ntasks), sum.certain, text_plural(sum.certain), sum.possible,
           sum.lost);
    if (may_be_merged(salvage))
        tool_line(stdout, TOOL_LABEL, "if it was merged (cmerge):",
                  "the bytes of tasks without any are in the stream of a task before them; that "
                  "can be read as it is, but not by task, because nothing says whose they are");
}

/* ---- what to do ---- */

/* A name as a shell takes it. */
static void put_name(FILE *to, const char *name, const char *end)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "_-./,:=+@%";

    if (name[strspn(name, plain)] == '\0' && *name != '-') {
        fprintf(to, "%s%s", name, end);
        return;
    }
    fputs(*name == '-' ? "'./" : "'", to);
    for (; *name; name++)
        fprintf(to, *name == '\'' ? "'\\''" : "%c", *name);
    fprintf(to, "%s'", end);
}

/* Whether chunks of closed files are counted as 0 bytes, which can be written. */
static int has_mended(const struct scion_salvage *salvage)
{
    int n = 0, i;

    for (i = 0; i < salvage->nfiles; i++)
        n += salvage->files[i].nmended > 0;
    return n > 0;
}

/* The command that saves most; to be freed. NULL: nothing is to be saved, or no memory. */
static char *find_command(const struct scion_salvage *salvage)
{
    int in_place = scion_salvage_check_in_place(salvage) == 0;
    char *text = NULL;
    size_t size;
    FILE *to;

    if (salvage->evidence == SCION_EVIDENCE_TABLES && salvage->nmissing == 0 &&
        !has_mended(salvage))
        return NULL;
    to = open_memstream(&text, &size);
    if (!to)
        return NULL;
    fprintf(to, "sionrecover %s%s%s", in_place ? "--in-place " : "",
            salvage->nmissing > 0 ? "--reduced " : "",
            salvage->evidence == SCION_EVIDENCE_HOLES ? "--upper-bound " : "");
    if (!in_place) {
        fprintf(to, "-o ");
        put_name(to, salvage->name, ".recovered");
        fputc(' ', to);
    }
    put_name(to, salvage->name, "");
    return fclose(to) == 0 ? text : (free(text), NULL);
}

/* Who writes it, or what to do. */
static void report_next(const struct scion_salvage *salvage)
{
    struct scion_writer writer;
    char who[SCION_WRITER_TEXT], *command;

    if (salvage->evidence != SCION_EVIDENCE_TABLES && scion_writer_find(salvage->name, &writer)) {
        tool_line(stdout, TOOL_LABEL, "being written by:", "%s, which will close it",
                  scion_writer_text(&writer, who));
        return;
    }
    command = find_command(salvage);
    if (command)
        tool_line(stdout, TOOL_LABEL, "this saves it:", "%s", command);
    free(command);
}

/* ---- damaged tables ---- */

static void report_mended(const struct scion_salvaged_file *file, const struct settings *settings)
{
    char text[SCION_DAMAGE_TEXT];
    int i;

    for (i = 0; i < file->nmended; i++) {
        scion_damage_describe(&file->mended[i].damage, text);
        tool_line(stderr, 0, "", "%s: %s: counted as 0 bytes%s", file->physical->path, text,
                  settings->in_place || settings->outfile ? "" : " by --in-place and by -o");
    }
}

/* What is counted as 0 bytes; or cannot be counted: such a task is empty in what is made. */
static int report_damage(const struct scion_salvage *salvage, const struct settings *settings)
{
    char text[SCION_DAMAGE_TEXT];
    int status = TOOL_RUN, i, d;

    for (i = 0; i < salvage->nfiles; i++) {
        const struct scion_salvaged_file *file = &salvage->files[i];

        report_mended(file, settings);
        for (d = 0; file->physical && d < file->physical->damages.n; d++) {
            scion_damage_describe(&file->physical->damages.list[d], text);
            tool_error("%s: %s: nothing of this task can be recovered", file->physical->path, text);
            status = TOOL_FAILED;
        }
    }
    return status;
}

/* One of the files that the output must not replace. */
static int is_input(const struct scion_salvage *salvage, const char *name)
{
    int i;

    for (i = 0; i < salvage->nfiles; i++) {
        const struct scion_physical *physical = salvage->files[i].physical;

        if (physical && scion_path_is_same(physical->path, name)) {
            tool_error("%s is a file of the input", name);
            return 1;
        }
    }
    return 0;
}

/* ---- what is asked for ---- */

/* Guessed bytes are taken as data only if the user asks for it. */
static int check(const struct scion_salvage *salvage, const struct settings *settings)
{
    if (settings->outfile && salvage->evidence == SCION_EVIDENCE_HOLES && !settings->upper_bound) {
        tool_error("%s has no commit records, only an upper bound is known: --upper-bound takes it",
                   salvage->name);
        return TOOL_FAILED;
    }
    if (settings->outfile && is_input(salvage, settings->outfile))
        return TOOL_FAILED;
    return TOOL_RUN;
}

static int recover(struct scion_salvage *salvage, const struct settings *settings)
{
    int status = check(salvage, settings), damaged;

    if (status != TOOL_RUN)
        return status;
    damaged = report_damage(salvage, settings);
    if (settings->json)
        report_json(salvage);
    else
        report_text(salvage);
    if (!settings->json && !settings->in_place && !settings->outfile)
        report_next(salvage);
    if (settings->in_place && scion_salvage_in_place(salvage) != 0)
        status = failed();
    else if (settings->outfile)
        status = rescue_write(salvage, settings->outfile);
    if (status == TOOL_RUN)
        status = damaged;
    return status == TOOL_RUN ? TOOL_DONE : status;
}

/* The rest of what the writer of an atomic set had begun. */
static int complete(const char *name)
{
    int completed;

    if (scion_salvage_complete(name, &completed) != 0)
        return failed();
    if (completed)
        tool_line(stderr, 0, "", "the other files of %s have got their names", name);
    return TOOL_RUN;
}

static void drop_warnings(void)
{
    char *warning;

    while ((warning = scion_warning_take()))
        free(warning);
}

/* Of a set of which a file is missing or cannot be read, the others may still have their data. */
static int refuse_set(const char *name, const struct settings *settings, const char *reason)
{
    struct scion_salvage *salvage;
    struct scion_writer writer;

    if (settings->reduced || scion_writer_find(name, &writer) ||
        scion_salvage_open(name, 1, &salvage) != 0) {
        tool_error("%s", reason);
        return TOOL_FAILED;
    }
    drop_warnings();
    if (salvage->nmissing > 0)
        tool_error("%s; sionrecover --reduced %s-o OUT %s takes what the other %d of %d files hold",
                   reason, salvage->evidence == SCION_EVIDENCE_HOLES ? "--upper-bound " : "", name,
                   salvage->nfiles - salvage->nmissing, salvage->nfiles);
    else
        tool_error("%s", reason);
    scion_salvage_free(salvage);
    return TOOL_FAILED;
}

/* The container cannot be opened: name the command that can do something. */
static int refuse(const char *name, const struct settings *settings)
{
    char reason[SCION_ERROR_TEXT];

    snprintf(reason, sizeof reason, "%s", scion_error_text());
    if (settings->in_place || !scion_salvage_can_complete(name))
        return refuse_set(name, settings, reason);
    drop_warnings();
    tool_error("%s; sionrecover --in-place %s gives its files their names", reason, name);
    return TOOL_FAILED;
}

static int check_options(const struct settings *settings)
{
    if (settings->outfile && settings->in_place)
        tool_error("-o and --in-place cannot be used together");
    else if (settings->in_place && settings->reduced)
        tool_error("--reduced makes another container: it needs -o in place of --in-place");
    else
        return TOOL_RUN;
    return TOOL_USAGE;
}

static const struct tool_option options[] = {
    TOOL_TEXT("output", 'o', struct settings, outfile),
    TOOL_FLAG("in-place", 0, struct settings, in_place),
    TOOL_FLAG("json", 0, struct settings, json),
    TOOL_FLAG("reduced", 0, struct settings, reduced),
    TOOL_FLAG("upper-bound", 0, struct settings, upper_bound),
    TOOL_PROGRESS_OPTION,
    TOOL_COMMON_OPTIONS,
};

static const struct tool tool = {.name = "sionrecover",
                                 .usage = usage,
                                 .options = options,
                                 .more_help = more_help,
                                 .operands = 1};

int main(int argc, char **argv)
{
    struct settings settings = {0};
    struct scion_salvage *salvage;
    int status = tool_parse(&tool, argc, argv, &settings);

    if (status == TOOL_RUN)
        status = check_options(&settings);
    if (status != TOOL_RUN)
        return tool_finish(status);
    if (settings.in_place && complete(argv[optind]) != TOOL_RUN)
        return tool_finish(TOOL_FAILED);
    if (scion_salvage_open(argv[optind], settings.reduced, &salvage) != 0)
        return tool_finish(refuse(argv[optind], &settings));
    tool_print_warnings();
    status = recover(salvage, &settings);
    scion_salvage_free(salvage);
    return tool_finish(status);
}
