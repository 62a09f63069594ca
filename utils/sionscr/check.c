/* sionscr check: a map, or all datasets of a prefix. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/message.h"
#include "lib/text.h"
#include "scr/dataset/repair.h"
#include "scr/scr.h"
#include "sionscr/maps.h"
#include "sionscr/report.h"
#include "sionscr/restart.h"

/* Faults of one kind. */
struct faults {
    sion_int64 count;
    char names[3][SCR_NAME];  /* of the first files */
    char first[3 * SCR_NAME]; /* what is wrong with the first one */
};

struct map_check {
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

static void report(const struct map_check *map_check, const char *text)
{
    if (map_check->dataset)
        scr_dataset_error(map_check->dataset, text);
    else
        tool_error("%s", text);
}

static void note_fault(void *user, enum sion_scr_fault fault, sion_int64 rank, const char *file,
                       const char *text)
{
    struct map_check *map_check = user;
    struct faults *faults = &map_check->faults[fault];
    char line[3 * SCR_NAME];

    if (fault == SION_SCR_FAULT_SUMMARY && map_check->dataset && map_check->dataset->problem)
        return; /* the problem is that */
    if (rank < 0)
        snprintf(line, sizeof line, "%.1024s: %s", file, text);
    else
        snprintf(line, sizeof line, "rank %lld, file %.1024s: %s", rank, file, text);
    if (map_check->settings->verbose)
        report(map_check, line);
    else if (faults->count == 0)
        snprintf(faults->first, sizeof faults->first, "%s", line);
    if (faults->count < 3)
        snprintf(faults->names[faults->count], SCR_NAME, "%s", file);
    faults->count++;
}

static void sum_up(const struct map_check *map_check, const struct faults *faults, const char *kind)
{
    char line[7 * SCR_NAME];

    if (faults->count == 1) {
        report(map_check, faults->first);
        return;
    }
    snprintf(line, sizeof line, "%lld files %s: %s, %s%s%s%s (%s)", faults->count, kind,
             faults->names[0], faults->names[1], faults->count > 2 ? ", " : "",
             faults->count > 2 ? faults->names[2] : "", faults->count > 3 ? ", ..." : "",
             faults->first);
    report(map_check, line);
}

static void end_map(struct map_check *map_check)
{
    int i;

    for (i = 0; i < SION_SCR_FAULTS && !map_check->settings->verbose; i++) {
        if (map_check->faults[i].count > 0)
            sum_up(map_check, &map_check->faults[i], kinds[i]);
    }
    memset(map_check->faults, 0, sizeof map_check->faults);
}

static int check_map(struct map_check *map_check, const char *folder)
{
    struct sion_scr_fetch_options options = scr_fetch_options(map_check->settings);
    int rc;

    options.fault = note_fault;
    options.fault_user = map_check;
    rc = scion_scr_check(folder, &options);
    end_map(map_check);
    return rc;
}

/* ---- the datasets of a prefix ---- */

static int check_dataset(void *user, const struct sion_scr_indexed *dataset)
{
    struct map_check *map_check = user;
    char folder[4096];
    int rc = 0;

    map_check->dataset = dataset;
    map_check->datasets++;
    if (dataset->problem)
        scr_dataset_error(dataset, dataset->problem);
    else if (!dataset->map)
        scr_dataset_error(dataset, "it has no map");
    if (dataset->complete == 0 && !map_check->settings->force)
        scr_dataset_error(dataset, "marked as incomplete");
    snprintf(folder, sizeof folder, "%s/%s", map_check->prefix, dataset->map ? dataset->map : "");
    if (dataset->map)
        rc = check_map(map_check, folder);
    if (rc != 0)
        scr_dataset_error(dataset, sion_error_text());
    map_check->wrong += rc != 0 || dataset->problem || !dataset->map ||
                        (dataset->complete == 0 && !map_check->settings->force);
    return 0;
}

static int check_prefix(struct map_check *map_check)
{
    int rc = scion_scr_index_visit(map_check->prefix, check_dataset, map_check);

    if (rc == 0 && map_check->wrong > 0) {
        tool_error("%d of %d dataset%s could not be used", map_check->wrong, map_check->datasets,
                   text_plural(map_check->datasets));
        return TOOL_FAILED;
    }
    return scr_status(map_check->settings, rc);
}

/* Its files are checked even if something else keeps SCR from them. */
static int check_restart(struct map_check *map_check)
{
    const struct scr_settings *settings = map_check->settings;
    char folder[4096];
    int status = scr_restart(settings, map_check->prefix, folder, sizeof folder);
    int checked = folder[0] ? scr_status(settings, check_map(map_check, folder)) : TOOL_FAILED;

    if (status != TOOL_RUN || checked != TOOL_DONE)
        return TOOL_FAILED;
    tool_line(stdout, 0, "", "%s: SCR would restart %d processes from it", folder,
              settings->restart);
    return TOOL_DONE;
}

int scr_check(const void *given, int n, char **operands)
{
    const struct scr_settings *settings = given;
    struct map_check *map_check;
    int status;

    (void)n;
    if (settings->release && !settings->restart) {
        tool_error("--scr belongs to --restart");
        return TOOL_USAGE;
    }
    map_check = calloc(1, sizeof *map_check);
    if (!map_check) {
        tool_error("out of memory");
        return TOOL_FAILED;
    }
    map_check->settings = settings;
    map_check->prefix = operands[0];
    if (settings->restart)
        status = check_restart(map_check);
    else
        status = sion_scr_index_exists(operands[0])
                     ? check_prefix(map_check)
                     : scr_status(settings, check_map(map_check, operands[0]));
    free(map_check);
    return status;
}
