/* sionscr check: a map, or all datasets of a prefix. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/message.h"
#include "lib/text.h"
#include "sionscr/maps.h"
#include "sionscr/report.h"
#include "sionscr/restart.h"

/* Faults of one kind. */
struct faults {
    sion_int64 count;
    char names[3][SCR_NAME];  /* of the first files */
    char first[3 * SCR_NAME]; /* what is wrong with the first one */
};

struct checking {
    const struct scr_settings *settings;
    const struct sion_scr_indexed *dataset; /* NULL: a map without an index */
    const char *prefix;
    struct faults faults[SION_SCR_FAULTS];
    int datasets, wrong;
};

/* ---- the faults of a map ---- */

static const char *const kinds[] = {
    [SION_SCR_FAULT_ENTRY] = "have a damaged entry",
    [SION_SCR_FAULT_INCOMPLETE] = "are marked as incomplete",
    [SION_SCR_FAULT_FILE] = "are missing, cut off or unreadable",
    [SION_SCR_FAULT_SIZE] = "have another size",
    [SION_SCR_FAULT_CRC] = "have another CRC",
    [SION_SCR_FAULT_OVERLAP] = "have bytes that others have, too",
    [SION_SCR_FAULT_RANKS] = "do not agree on the ranks",
    [SION_SCR_FAULT_SUMMARY] = "do not agree with the map",
};

static void report(const struct checking *checking, const char *text)
{
    if (checking->dataset)
        scr_dataset_error(checking->dataset, text);
    else
        tool_error("%s", text);
}

static void note_fault(void *user, enum sion_scr_fault fault, sion_int64 rank, const char *file,
                       const char *text)
{
    struct checking *checking = user;
    struct faults *faults = &checking->faults[fault];
    char line[3 * SCR_NAME];

    if (fault == SION_SCR_FAULT_SUMMARY && checking->dataset && checking->dataset->problem)
        return; /* the problem is that */
    if (rank < 0)
        snprintf(line, sizeof line, "%.1024s: %s", file, text);
    else
        snprintf(line, sizeof line, "rank %lld, file %.1024s: %s", rank, file, text);
    if (checking->settings->verbose)
        report(checking, line);
    else if (faults->count == 0)
        snprintf(faults->first, sizeof faults->first, "%s", line);
    if (faults->count < 3)
        snprintf(faults->names[faults->count], SCR_NAME, "%s", file);
    faults->count++;
}

static void sum_up(const struct checking *checking, const struct faults *faults, const char *kind)
{
    char line[7 * SCR_NAME];

    if (faults->count == 1) {
        report(checking, faults->first);
        return;
    }
    snprintf(line, sizeof line, "%lld files %s: %s, %s%s%s%s (%s)", faults->count, kind,
             faults->names[0], faults->names[1], faults->count > 2 ? ", " : "",
             faults->count > 2 ? faults->names[2] : "", faults->count > 3 ? ", ..." : "",
             faults->first);
    report(checking, line);
}

static void end_map(struct checking *checking)
{
    int i;

    for (i = 0; i < SION_SCR_FAULTS && !checking->settings->verbose; i++) {
        if (checking->faults[i].count > 0)
            sum_up(checking, &checking->faults[i], kinds[i]);
    }
    memset(checking->faults, 0, sizeof checking->faults);
}

static int check_map(struct checking *checking, const char *folder)
{
    struct sion_scr_fetch_options options = scr_fetch_options(checking->settings);
    int rc;

    options.fault = note_fault;
    options.fault_user = checking;
    rc = sion_scr_check(folder, &options);
    end_map(checking);
    return rc;
}

/* ---- the datasets of a prefix ---- */

static int check_dataset(void *user, const struct sion_scr_indexed *dataset)
{
    struct checking *checking = user;
    char folder[4096];
    int rc = 0;

    checking->dataset = dataset;
    checking->datasets++;
    if (dataset->problem)
        scr_dataset_error(dataset, dataset->problem);
    else if (!dataset->map)
        scr_dataset_error(dataset, "it has no map");
    if (dataset->complete == 0 && !checking->settings->force)
        scr_dataset_error(dataset, "marked as incomplete");
    snprintf(folder, sizeof folder, "%s/%s", checking->prefix, dataset->map ? dataset->map : "");
    if (dataset->map)
        rc = check_map(checking, folder);
    if (rc != 0)
        scr_dataset_error(dataset, sion_error_text());
    checking->wrong += rc != 0 || dataset->problem || !dataset->map ||
                       (dataset->complete == 0 && !checking->settings->force);
    return 0;
}

static int check_prefix(struct checking *checking)
{
    int rc = sion_scr_index_visit(checking->prefix, check_dataset, checking);

    if (rc == 0 && checking->wrong > 0) {
        tool_error("%d of %d dataset%s could not be used", checking->wrong, checking->datasets,
                   text_plural(checking->datasets));
        return TOOL_FAILED;
    }
    return scr_status(checking->settings, rc);
}

/* Its files are checked even if something else keeps SCR from them. */
static int check_restart(struct checking *checking)
{
    const struct scr_settings *settings = checking->settings;
    char folder[4096];
    int status = scr_restart(settings, checking->prefix, folder, sizeof folder);
    int checked = folder[0] ? scr_status(settings, check_map(checking, folder)) : TOOL_FAILED;

    if (status != TOOL_RUN || checked != TOOL_DONE)
        return TOOL_FAILED;
    tool_line(stdout, 0, "", "%s: SCR would restart %d processes from it", folder,
              settings->restart);
    return TOOL_DONE;
}

int scr_check(const void *given, int n, char **operands)
{
    const struct scr_settings *settings = given;
    struct checking *checking;
    int status;

    (void)n;
    if (settings->release && !settings->restart) {
        tool_error("--scr belongs to --restart");
        return TOOL_USAGE;
    }
    checking = calloc(1, sizeof *checking);
    if (!checking) {
        tool_error("out of memory");
        return TOOL_FAILED;
    }
    checking->settings = settings;
    checking->prefix = operands[0];
    if (settings->restart)
        status = check_restart(checking);
    else
        status = sion_scr_index_exists(operands[0])
                     ? check_prefix(checking)
                     : scr_status(settings, check_map(checking, operands[0]));
    free(checking);
    return status;
}
