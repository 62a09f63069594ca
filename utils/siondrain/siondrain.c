/* siondrain: copy what is staged in folders of this node to the containers' own folders. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "format/slot.h"
#include "lib/progress.h"
#include "lib/tool.h"
#include "siondrain/parts.h"
#include "siondrain/reduced.h"
#include "stage/find.h"

enum { SCHEMA_VERSION = 1, PATIENCE = 300 };

struct settings {
    int list, discard, reduced, unclosed, wait, json;
    sion_int64 rate;
};

static const char usage[] =
    "Usage: %s [options] <folder> ...\n\n"
    "Copies what programs have staged in folders of this node to the containers' own\n"
    "folders. Run it on each node. It goes on where a program or another siondrain was\n"
    "stopped; a container gets its name when the parts of all nodes have been copied.\n\n"
    "Options:\n"
    "  [-V]               show version\n"
    "  [-h]               show this help\n";

static const char more_help[] =
    "  --list           only tell what is there\n"
    "  --wait           wait until the other nodes have done their part\n"
    "  --reduced        nodes are lost: also make NAME.reduced of what the others have\n"
    "  --unclosed       of containers that were never closed: copy what is there, so that\n"
    "                   sionrecover finds what was flushed\n"
    "  --discard        remove what is staged, without copying it\n"
    "  --rate=<bytes>   the most bytes in a second\n"
    "  --json           report as JSON\n" TOOL_PROGRESS_HELP;

/* ---- one part ---- */

static void step(void *progress, sion_int64 bytes)
{
    progress_step(progress, bytes);
}

typedef int drain_function(struct scion_stage_part *part, struct scion_drain *drain);

static int run(struct found_part *found, const struct settings *settings, drain_function *function)
{
    struct progress progress;
    struct scion_drain drain = {.rate = settings->rate,
                                .step = step,
                                .context = &progress,
                                .patience = settings->wait ? PATIENCE : 0};
    int rc;

    progress_start(&progress, found->bytes, settings->json);
    rc = function(&found->part, &drain);
    progress_end(&progress);
    if (rc < 0)
        part_fail(found);
    return rc;
}

static void drain(struct found_part *found, const struct settings *settings)
{
    int rc = run(found, settings, scion_stage_drain);

    if (rc == 0)
        found->outcome = OUTCOME_COMPLETE;
    if (rc == SCION_DRAIN_WAITS)
        found->outcome = OUTCOME_DRAINED;
    if (rc == SCION_DRAIN_WAITS && settings->reduced)
        make_reduced(found);
}

static void rescue(struct found_part *found, const struct settings *settings)
{
    char *new = scion_stage_new(&found->part, 0);

    if (!new || run(found, settings, scion_stage_rescue) < 0) {
        part_fail(found);
    } else if (settings->reduced) {
        make_reduced(found);
    } else {
        scion_stage_part_remove(&found->part);
        found->outcome = OUTCOME_RESCUED;
        snprintf(found->reason, sizeof found->reason, "%s", new);
    }
    free(new);
}

static void treat(struct found_part *found, const struct settings *settings)
{
    if (found->outcome == OUTCOME_BUSY || settings->list)
        return;
    if (settings->discard) {
        scion_stage_discard(&found->part);
        found->outcome = OUTCOME_DISCARDED;
        *found->reason = '\0';
    } else if (found->outcome != OUTCOME_OPEN) {
        *found->reason = '\0';
        drain(found, settings);
    } else if (settings->unclosed) {
        rescue(found, settings);
    }
}

/* ---- the folders ---- */

/* What the report has so far. */
struct report {
    const struct settings *settings;
    int parts, status;
};

/* What a user has to look after is a failure, unless only a list was wanted. */
static int is_bad(const struct found_part *found)
{
    return found->outcome == OUTCOME_FAILED || found->outcome == OUTCOME_BUSY ||
           found->outcome == OUTCOME_OPEN;
}

static void hint(const struct found_part *found)
{
    int has_records = scion_marker_trailer(found->part.flag2, NULL) > 0;

    if (found->outcome == OUTCOME_OPEN)
        tool_error("%s was not closed: %s--discard removes what is staged", found->part.target,
                   has_records ? "--unclosed copies what sionrecover needs, " : "");
}

static void print(const struct found_part *found, struct report *report)
{
    if (report->settings->json)
        part_print_json(found, report->parts == 0);
    else
        part_print(found);
    report->parts++;
    if (is_bad(found) && !report->settings->list) {
        report->status = TOOL_FAILED;
        hint(found);
    }
}

/* What was taken is in found[]. */
static int take_all(char **records, int n, struct found_part *found, struct report *report)
{
    int taken = 0, i;

    for (i = 0; i < n; i++) {
        if (part_take(records[i], &found[taken]) == TOOL_RUN)
            taken++;
        else
            report->status = TOOL_FAILED;
    }
    return taken;
}

/* One after the other; then again those that have waited for a part in the same folder. */
static void treat_all(struct found_part *found, int n, const struct settings *settings)
{
    int i;

    for (i = 0; i < n; i++)
        treat(&found[i], settings);
    for (i = 0; i < n; i++) {
        if (found[i].outcome == OUTCOME_DRAINED && !settings->list)
            treat(&found[i], settings);
    }
    for (i = 0; i < n && !settings->list; i++)
        scion_stage_clean_notes(found[i].part.target);
    tool_print_warnings();
}

static void treat_records(char **records, int n, struct report *report)
{
    struct found_part *found = calloc((size_t)n + 1, sizeof *found);
    int taken, i;

    if (!found) {
        tool_error("out of memory for %d parts", n);
        report->status = TOOL_FAILED;
        return;
    }
    taken = take_all(records, n, found, report);
    treat_all(found, taken, report->settings);
    for (i = 0; i < taken; i++) {
        print(&found[i], report);
        part_release(&found[i]);
    }
    free(found);
}

/* Add the records of a folder to a list. */
static int list_folder(const char *folder, char ***records, int *n)
{
    char **more, **grown;
    int found;

    if (scion_stage_find(folder, &more, &found) != 0) {
        tool_error("%s", scion_error_text());
        return TOOL_FAILED;
    }
    grown = scion_array_grown(*records, (uint64_t)*n + (uint64_t)found + 1, sizeof *grown);
    if (!grown) {
        scion_stage_free_list(more, found);
        tool_error("out of memory for %d parts", found);
        return TOOL_FAILED;
    }
    memcpy(grown + *n, more, (size_t)found * sizeof *more);
    free(more);
    *records = grown;
    *n += found;
    return TOOL_RUN;
}

static int clean(const char *folder)
{
    int removed;

    if (scion_stage_clean(folder, &removed) == 0)
        return TOOL_RUN;
    tool_error("%s", scion_error_text());
    return TOOL_FAILED;
}

static void treat_folders(char **folders, int nfolders, struct report *report)
{
    char **records = NULL;
    int n = 0, i;

    for (i = 0; i < nfolders; i++) {
        if (list_folder(folders[i], &records, &n) != TOOL_RUN)
            report->status = TOOL_FAILED;
    }
    treat_records(records, n, report);
    scion_stage_free_list(records, n);
    for (i = 0; i < nfolders && report->settings->discard; i++) {
        if (clean(folders[i]) != TOOL_RUN)
            report->status = TOOL_FAILED;
    }
}

static int check_options(const struct settings *settings)
{
    if (settings->list + settings->discard + settings->reduced > 1 ||
        (settings->unclosed && (settings->list || settings->discard)))
        tool_error("--list, --discard, and --reduced or --unclosed cannot be used together");
    else
        return TOOL_RUN;
    return TOOL_USAGE;
}

static const struct tool_option options[] = {
    TOOL_FLAG("list", 0, struct settings, list),
    TOOL_FLAG("wait", 0, struct settings, wait),
    TOOL_FLAG("reduced", 0, struct settings, reduced),
    TOOL_FLAG("unclosed", 0, struct settings, unclosed),
    TOOL_FLAG("discard", 0, struct settings, discard),
    TOOL_BYTES("rate", 0, struct settings, rate),
    TOOL_FLAG("json", 0, struct settings, json),
    TOOL_PROGRESS_OPTION,
    TOOL_COMMON_OPTIONS,
};

static const struct tool tool = {.name = "siondrain",
                                 .usage = usage,
                                 .options = options,
                                 .more_help = more_help,
                                 .operands = 1,
                                 .more_operands = 1};

int main(int argc, char **argv)
{
    struct settings settings = {0};
    struct report report = {&settings, 0, TOOL_DONE};
    int status = tool_parse(&tool, argc, argv, &settings);

    if (status == TOOL_RUN)
        status = check_options(&settings);
    if (status != TOOL_RUN)
        return tool_finish(status);
    if (settings.json)
        printf("{\n  \"schema\": \"siondrain\",\n  \"schema_version\": %d,\n  \"parts\": [",
               SCHEMA_VERSION);
    treat_folders(argv + optind, argc - optind, &report);
    if (settings.json)
        printf("\n  ]\n}\n");
    return tool_finish(report.status);
}
