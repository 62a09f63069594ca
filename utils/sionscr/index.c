/* sionscr list, index: the datasets in a prefix, according to its index. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "lib/message.h"
#include "lib/text.h"
#include "scr/dataset/repair.h"
#include "scr/scr.h"
#include "sionscr/report.h"

/* ---- list ---- */

struct index_list {
    const struct scr_settings *settings;
    const char *prefix;
    int count, wrong;
};

static const char *kind_of(const struct sion_scr_indexed *dataset)
{
    if (dataset->is_checkpoint && dataset->is_output)
        return "both";
    if (dataset->is_checkpoint)
        return "checkpoint";
    return dataset->is_output ? "output" : "-";
}

static const char *yes_or_no(int value)
{
    return value < 0 ? "-" : value ? "yes" : "no";
}

static const char *number_text(sion_int64 number, char *text, size_t size)
{
    snprintf(text, size, "%lld", number);
    return number < 0 ? "-" : text;
}

static void print_row(const struct sion_scr_indexed *dataset)
{
    char files[32], size[TEXT_SIZE], name[SCR_NAME], flushed[SCR_NAME], map[SCR_NAME];

    printf("%c %5d  %-20s %-8s  %-19s  %-10s  %8s  %10s  %s\n", dataset->is_current ? '*' : ' ',
           dataset->id, scr_printable(dataset->name, name), yes_or_no(dataset->complete),
           scr_printable(dataset->failed    ? "failed"
                         : dataset->flushed ? dataset->flushed
                                            : "-",
                         flushed),
           kind_of(dataset), number_text(dataset->files, files, sizeof files),
           dataset->bytes < 0 ? "-" : text_size(size, dataset->bytes),
           scr_printable(dataset->map ? dataset->map : "-", map));
}

static void print_text(const char *key, const char *text)
{
    printf(",\n      \"%s\": ", key);
    if (text)
        scion_json_string(stdout, text);
    else
        printf("null");
}

static void print_flag(const char *key, int value)
{
    printf(",\n      \"%s\": %s", key, value < 0 ? "null" : value ? "true" : "false");
}

static void print_number(const char *key, sion_int64 number)
{
    char text[32];

    printf(",\n      \"%s\": %s", key,
           number < 0 ? "null" : number_text(number, text, sizeof text));
}

/* Which releases write such an index. */
static const char *const forms[] = {[SION_SCR_LAYOUT_DATASET] = "SCR 1.1",
                                    [SION_SCR_LAYOUT_PREFIX] = "SCR 1.2",
                                    [SION_SCR_LAYOUT_3] = "SCR 3"};

static void print_object(const struct sion_scr_indexed *dataset, int is_first)
{
    printf("%s\n    {\n      \"id\": %d", is_first ? "" : ",", dataset->id);
    print_text("name", dataset->name);
    print_text("form", forms[dataset->form]);
    print_flag("current", dataset->is_current);
    print_flag("complete", dataset->complete);
    print_text("flushed", dataset->flushed);
    print_text("failed", dataset->failed);
    print_flag("checkpoint", dataset->is_checkpoint);
    print_flag("output", dataset->is_output);
    print_text("map", dataset->map);
    print_number("files", dataset->files);
    print_number("size", dataset->bytes);
    print_text("problem", dataset->problem);
    printf("\n    }");
}

static int list_one(void *user, const struct sion_scr_indexed *dataset)
{
    struct index_list *index_list = user;

    if (index_list->settings->json)
        print_object(dataset, index_list->count == 0);
    else
        print_row(dataset);
    index_list->count++;
    scr_hint_failed(index_list->prefix, dataset);
    if (dataset->problem) {
        index_list->wrong++;
        scr_dataset_error(dataset, dataset->problem);
    }
    return 0;
}

int scr_list(const void *given, int n, char **operands)
{
    const struct scr_settings *settings = given;
    struct index_list index_list = {.settings = settings, .prefix = operands[0]};
    int rc;

    (void)n;
    if (!sion_scr_index_exists(operands[0])) {
        tool_error("there is no %s/.scr/index.scr: 'sionscr index %s --repair' makes it",
                   operands[0], operands[0]);
        return TOOL_FAILED;
    }
    if (settings->json)
        printf("{\n  \"datasets\": [");
    else
        printf("  %5s  %-20s %-8s  %-19s  %-10s  %8s  %10s  %s\n", "id", "name", "complete",
               "flushed", "kind", "files", "size", "map");
    rc = scion_scr_index_visit(operands[0], list_one, &index_list);
    if (settings->json)
        printf("%s]\n}\n", index_list.count > 0 ? "\n  " : "");
    if (rc == 0 && index_list.wrong > 0)
        return TOOL_FAILED;
    return scr_status(settings, rc);
}

/* ---- index ---- */

static void tell(void *user, const char *name, int failed, const char *text)
{
    int *wrong = user;

    *wrong += failed;
    if (failed)
        tool_error("%s: not added: %s", name, text);
    else
        tool_line(stdout, 0, "", "%s: %s", name, text);
}

static void tell_done(void *user, const char *name, int failed, const char *text)
{
    int *wrong = user;

    if (wrong)
        *wrong += failed;
    if (failed)
        tool_error("%s: %s", name, text);
    else
        tool_line(stdout, 0, "", "%s: %s", name, text);
}

static int hint(void *user, const struct sion_scr_indexed *dataset)
{
    scr_hint_failed(user, dataset);
    return 0;
}

static int check_index_options(const struct scr_settings *settings, int is_drop)
{
    if (!is_drop && settings->drop.delete_files) {
        tool_error("--delete belongs to --drop and --keep");
        return TOOL_USAGE;
    }
    if (!is_drop && !settings->build && settings->drop.dry_run) {
        tool_error("--dry-run belongs to --build, --drop and --keep");
        return TOOL_USAGE;
    }
    if (!settings->repair && !settings->build && !settings->add && !settings->current && !is_drop) {
        tool_error("index needs --current, --add, --repair, --build, --drop or --keep");
        return TOOL_USAGE;
    }
    if (settings->drop.name && settings->drop.keep > 0) {
        tool_error("index takes --drop or --keep, not both");
        return TOOL_USAGE;
    }
    return TOOL_RUN;
}

int scr_index(const void *given, int n, char **operands)
{
    const struct scr_settings *settings = given;
    const char *prefix = operands[0];
    int is_drop = settings->drop.name || settings->drop.keep > 0, rc = 0, wrong = 0;

    (void)n;
    if (check_index_options(settings, is_drop) != TOOL_RUN)
        return TOOL_USAGE;
    if (settings->build)
        rc = scion_scr_index_build(prefix, settings->drop.dry_run, tell_done, &wrong);
    if (rc == 0 && settings->repair)
        rc = scion_scr_index_repair(prefix, tell, &wrong);
    if (rc == 0 && settings->repair && !settings->current)
        rc = scion_scr_index_visit(prefix, hint, operands[0]);
    if (rc == 0 && settings->add)
        rc = scion_scr_index_add(prefix, settings->add);
    if (rc == 0 && settings->current)
        rc = scion_scr_index_make_current(prefix, settings->current);
    if (rc == 0 && is_drop)
        rc = scion_scr_index_drop(prefix, &settings->drop, tell_done, NULL);
    return rc == 0 && wrong > 0 ? TOOL_FAILED : scr_status(settings, rc);
}
